package fleet

import (
	"errors"
	"os"
	"path/filepath"
)

// writeWhole writes a file so that it is there whole or stays as it was, even on a disk
// that is full.
func writeWhole(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// deaf writes to a file and hides that it cannot: who writes to it is not to end because
// the disk is full.
type deaf struct{ f *os.File }

func (d deaf) Write(b []byte) (int, error) {
	_, _ = d.f.Write(b) // what does not fit is lost
	return len(b), nil
}
