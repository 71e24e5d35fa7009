package data

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// input is an open file of which the size was taken once.
type input struct {
	path string
	file *os.File
	size int64
	// opened is what the file was before anything was read from it.
	opened version
	// check compares what is read with checksums; nil for files without.
	check *Checked
}

// newInput owns f, and closes it on an error.
func newInput(path string, f *os.File) (*input, error) {
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		f.Close()
		return nil, systemError(path, err)
	}
	v, err := versionOf(f)
	if err != nil {
		f.Close()
		return nil, systemError(path, err)
	}
	return &input{path: path, file: f, size: v.size, opened: v}, nil
}

func systemError(path string, err error) *Error {
	e := &Error{Path: path, Row: -1, Msg: err.Error(), Err: err}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		e.Msg = fmt.Sprintf("cannot %s the file: %v", pe.Op, pe.Err)
	}
	return e
}

func (in *input) Path() string { return in.path }

// readAt fills p from offset off. A file that has become too short gives an
// error that says so.
func (in *input) readAt(p []byte, off int64) error {
	if in.check != nil {
		_, err := in.check.ReadAt(p, off)
		return err
	}
	n, err := in.file.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if err == io.EOF || err == nil {
		return cutShort(in.path, off+int64(len(p)), off+int64(n))
	}
	return systemError(in.path, err)
}
