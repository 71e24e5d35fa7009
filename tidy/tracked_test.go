package tidy

import (
	"bytes"
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
	for _, f := range tracked(t) {
		if at, err := os.Stat(filepath.Join("..", f)); err == nil && at.Size() > mostTracked {
			t.Errorf("%s has %d bytes; at most %d are tracked", f, at.Size(), mostTracked)
		}
	}
}

// TestMerged: no page, program or text has both sides of a merge.
func TestMerged(t *testing.T) {
	for _, f := range tracked(t) {
		text, err := os.ReadFile(filepath.Join("..", f))
		if err == nil && (bytes.Contains(text, []byte("\n<<<<<<"+"< ")) || bytes.Contains(text, []byte("\n>>>>>>"+"> "))) {
			t.Errorf("%s has both sides of a merge", f)
		}
	}
}

// tracked lists the files of the repository.
func tracked(t *testing.T) []string {
	out, err := exec.Command("git", "-C", "..", "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("this is no clone of the repository: %v", err)
	}
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(files) < 50 {
		t.Fatalf("only %d files are tracked", len(files))
	}
	return files
}
