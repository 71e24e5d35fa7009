package data

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// In: a file that is to be there whole or not at all. Out: an open one in the same directory, that becomes it. Where the system can, it
// has no name until then, so that nothing is left of it however the process ends, but between its first name and the one it takes in the place of another file, which are two calls of the system; where it cannot, its name begins with a point.

// fresh is a file on its way to its name.
type fresh struct {
	*os.File
	target string
	name   string // "" while it has none
}

// freshFile begins what shall become the file target.
func freshFile(target string) (*fresh, error) {
	if f, ok := nameless(filepath.Dir(target)); ok {
		return &fresh{f, target, ""}, nil
	}
	f, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*")
	if err != nil {
		return nil, err
	}
	return &fresh{f, target, f.Name()}, nil
}

// become puts the file in the place of target, also after it was closed if it has a name.
func (f *fresh) become() error {
	if f.name == "" {
		err := nameAs(f.File, f.target)
		if err == nil || !errors.Is(err, fs.ErrExist) {
			return err
		}
		// What has no name replaces nothing: for a moment it has another one.
		for errors.Is(err, fs.ErrExist) {
			f.name = filepath.Join(filepath.Dir(f.target), "."+filepath.Base(f.target)+"."+strconv.FormatUint(rand.Uint64(), 36))
			err = nameAs(f.File, f.name)
		}
		if err != nil {
			f.name = ""
			return err
		}
	}
	err := os.Rename(f.name, f.target)
	if err == nil {
		f.name = ""
	}
	return err
}

// drop closes the file and removes what has not become target.
func (f *fresh) drop() error {
	err := f.Close()
	if errors.Is(err, os.ErrClosed) {
		err = nil
	}
	if f.name != "" {
		err = errors.Join(err, os.Remove(f.name))
		f.name = ""
	}
	return err
}
