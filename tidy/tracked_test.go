package tidy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mostTracked is more than the largest of the examples' data has, in bytes. What is built, and data
// that can be generated, is not kept.
const mostTracked = 4 << 20

// TestTracked keeps programs that were built, and large data, out of the repository.
func TestTracked(t *testing.T) {
	out, err := exec.Command("git", "-C", "..", "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("this is no clone of the repository: %v", err)
	}
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(files) < 50 {
		t.Fatalf("only %d files are tracked", len(files))
	}
	for _, f := range files {
		if at, err := os.Stat(filepath.Join("..", f)); err == nil && at.Size() > mostTracked {
			t.Errorf("%s has %d bytes; at most %d are tracked", f, at.Size(), mostTracked)
		}
	}
}
