package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/godwit-run/godwit/regular"
)

// identity reads the directory's identity, or makes it: 130 random bits or more.
func identity(dir string) (string, error) {
	path := filepath.Join(dir, "identity")
	b, err := regular.Read(path, 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		text := rand.Text()
		return text, writeWhole(path, []byte(text+"\n"), 0o600)
	}
	if err != nil {
		return "", err
	}
	text := strings.TrimSuffix(string(b), "\n")
	if len(text) != len(rand.Text()) {
		return "", fmt.Errorf("%s is damaged: %d characters were expected, found %d; remove it, and the node gets a new identity", path, len(rand.Text()), len(text))
	}
	return text, nil
}

// newFile begins the names of files that are being written.
const newFile = ".new-"

// writeWhole puts a file on the disk, or leaves what was there.
func writeWhole(path string, b []byte, mode os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), newFile+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncDirectory(filepath.Dir(path))
}

// syncDirectory makes the names in a directory last.
func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
