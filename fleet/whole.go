package fleet

import (
	"errors"
	"io"
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

// deaf writes and hides that it cannot: who writes to it is not to end because a disk is full or
// a terminal is gone.
type deaf struct{ w io.Writer }

func (d deaf) Write(b []byte) (int, error) {
	_, _ = d.w.Write(b) // what does not fit is lost
	return len(b), nil
}
