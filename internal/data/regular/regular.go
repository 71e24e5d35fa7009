// Package regular opens files of which nobody knows what lies there now: those in a node's
// folder, which others may have touched. What is not a regular file is an error at once,
// where os.Open would wait for the other end of a pipe, start a device, or follow a link
// out of the folder.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Error says that something other than a regular file lies there.
type Error struct {
	Path string
	Mode fs.FileMode
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s is a %s, expected a regular file: move it away", e.Path, kind(e.Mode))
}

func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "directory"
	case m&fs.ModeSymlink != 0:
		return "symbolic link"
	case m&fs.ModeNamedPipe != 0:
		return "named pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}

// Open opens a file for reading.
func Open(path string) (*os.File, error) { return OpenFile(path, os.O_RDONLY, 0) }

// OpenFile is os.OpenFile for regular files. A link at the end of the path is none.
func OpenFile(path string, flag int, mode os.FileMode) (*os.File, error) {
	f, err := open(path, flag|unix.O_NOFOLLOW, mode)
	if errors.Is(err, unix.ELOOP) {
		return nil, &Error{path, fs.ModeSymlink}
	}
	return f, err
}

// open never waits: O_NONBLOCK means nothing to regular files.
func open(path string, flag int, mode os.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|unix.O_NONBLOCK|unix.O_NOCTTY, mode)
	if err != nil {
		// A socket, or a pipe to write to that nobody reads, cannot be opened at all.
		if st, e := os.Lstat(path); e == nil && st.Mode()&(fs.ModeType&^fs.ModeSymlink) != 0 {
			return nil, &Error{path, st.Mode()}
		}
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = &Error{path, st.Mode()}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Read is os.ReadFile for regular files of at most limit bytes.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	return all(f, err, limit, nil)
}

// ReadLinked is Read that follows links, for what an operator puts there: Kubernetes mounts
// secrets as links.
func ReadLinked(path string, limit int64) ([]byte, error) {
	f, err := open(path, os.O_RDONLY, 0)
	return all(f, err, limit, nil)
}

// LargeError says that a file has more bytes than were expected of it. It was not read.
type LargeError struct {
	Path  string
	Limit int64
}

func (e *LargeError) Error() string {
	return fmt.Sprintf("%s has more than %d bytes, which is the most that was expected", e.Path, e.Limit)
}

func all(f *os.File, err error, limit int64, before func()) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && st.Mode().IsRegular() && st.Size() > limit {
		return nil, &LargeError{f.Name(), limit}
	}
	from := io.Reader(f)
	if before != nil {
		from = pacing{f, before}
	}
	b, err := io.ReadAll(io.LimitReader(from, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = &LargeError{f.Name(), limit}
	}
	return b, err
}
