// Package whole writes files that are there whole or stay as they were, even on a full disk
// and after a power cut.
package whole

import (
	"errors"
	"os"
	"path/filepath"
)

// Temporary begins the names of files that are being written. What is left of them after a
// crash may be removed.
const Temporary = ".new-"

// Write puts a file in the place of another one, and on the disk.
func Write(path string, b []byte, mode os.FileMode) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, Temporary+"*")
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
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return Sync(dir)
}

// Sync makes the names in a directory last.
func Sync(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
