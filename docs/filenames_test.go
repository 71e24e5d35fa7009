package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// fileName is a Go or assembly file that a page names.
var fileName = regexp.MustCompile("`([A-Za-z0-9_./-]+\\.(?:go|s))`")

// The page on the architecture names files by their whole paths, so that they are found, and misses a file that is moved.
func TestFileNames(t *testing.T) {
	const page = "architecture.md"
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	names := fileName.FindAllStringSubmatch(string(b), -1)
	if len(names) < 50 {
		t.Errorf("%s names %d files; expected dozens", page, len(names))
	}
	for _, m := range names {
		if _, err := os.Stat(filepath.Join("..", m[1])); err != nil {
			t.Errorf("%s names %s, which is no path to a file from the root of the repository: %v", page, m[1], err)
		}
	}
}
