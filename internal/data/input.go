package data

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// input is an open file of which the size was taken once.
type input struct {
	path string
	opt  Options
	file *os.File
	size int64
	// opened is what the file was before anything was read from it.
	opened version
	// copied says that file holds the plain bytes of what was opened, in a file of this process alone; packed is how
	// it was compressed, "" if it was not.
	copied bool
	packed string
	// listed says that copied is made of JSON whose objects did not lie on lines of their own.
	listed bool
	// check compares what is read with checksums; nil for files without.
	check *Checked
	// pages is the file where it is mapped until Close.
	pages []byte
}

// newInput owns f, and closes it on an error.
func newInput(path string, f *os.File, opt Options) (*input, error) {
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		f.Close()
		e := systemError(path, errors.New("not a regular file"))
		if st.Mode()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeCharDevice) != 0 {
			e.Help = "what comes through a pipe is read from standard input, which - stands for: `COMMAND | godwit run PROGRAM NAME=-`; or write it to a file first"
		}
		return nil, e
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
	return &input{path: path, opt: opt, file: f, size: v.size, opened: v}, nil
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

// openFile opens a file to be read. A pipe that nobody writes to would keep os.Open waiting for ever.
func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
}

// resting is a source whose file can be closed while nobody reads, and opened again by its name. It is an error if the
// file is not the same then, so that nobody gets bytes of two versions.
type resting interface {
	Source
	rest() error
	wake() error
}

func (in *input) rest() error {
	changed := in.Unchanged()
	return errors.Join(changed, in.Close())
}

func (in *input) wake() error {
	f, err := openFile(in.path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return &ChangedError{in.path}
		}
		return systemError(in.path, err)
	}
	now, err := versionOf(f)
	switch {
	case err != nil:
		f.Close()
		return systemError(in.path, err)
	case !in.opened.again(now):
		f.Close()
		return &ChangedError{in.path}
	case !in.copied:
		in.file = f
		return nil
	}
	again := &input{path: in.path, opt: in.opt, file: f, size: now.size, opened: now}
	if err := again.plain(); err != nil {
		again.Close()
		return err
	}
	if in.file = again.file; again.size != in.size {
		again.Close()
		return &ChangedError{in.path}
	}
	return nil
}
