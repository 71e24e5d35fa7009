//go:build !linux

package data

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

func nameless(string) (*os.File, bool) { return nil, false }

func nameAs(*os.File, string) error { return errors.ErrUnsupported }

// syncBelow puts all that was written below a folder on the disk.
func syncBelow(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Sync()
	})
}
