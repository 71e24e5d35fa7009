package whole

import (
	"os"
	"path/filepath"
	"testing"
)

// What cannot be put in its place leaves nothing, and what was there stays.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, text := range []string{"one", "another"} {
		if err := Write(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != text {
			t.Errorf("read %q (%v), expected %q", b, err, text)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o640 {
		t.Errorf("the mode is %v (%v), expected 0640", info.Mode(), err)
	}
	taken := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(taken, "child"), 0o700); err != nil {
		t.Fatal(err)
	}
	if Write(taken, []byte("x"), 0o600) == nil {
		t.Error("a file was put in the place of a directory")
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 2 {
		t.Errorf("left in the directory: %v (%v), expected the file and the directory", all, err)
	}
}
