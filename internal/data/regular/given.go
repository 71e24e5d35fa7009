package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// patience is for how long a pipe may stay silent.
var patience = 10 * time.Second

// SilentError says that nobody wrote to a pipe.
type SilentError struct {
	Path string
	For  time.Duration
}

func (e *SilentError) Error() string {
	return fmt.Sprintf("%s is a named pipe to which nobody has written for %v: start the program that writes to it first, or give a file", e.Path, e.For)
}

// ReadGiven reads the whole of what a user names, links followed: a regular file, or a pipe such as a
// shell makes of <(command). Of a pipe, each part must come within ten seconds. More than limit
// bytes are an error. The mode is that of what was read.
func ReadGiven(path string, limit int64) ([]byte, fs.FileMode, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, 0, err
	}
	st, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	if st.Mode()&fs.ModeNamedPipe != 0 {
		if err := written(f, path); err != nil {
			return nil, 0, errors.Join(err, f.Close())
		}
		b, err := all(f, nil, limit, func() { _ = f.SetReadDeadline(time.Now().Add(patience)) })
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = &SilentError{path, patience}
		}
		return b, st.Mode(), err
	}
	b, err := all(f, nil, limit, nil)
	return b, st.Mode(), err
}

// written waits until a pipe has something to read, or its last writer has gone.
func written(f *os.File, path string) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	for until := time.Now().Add(patience); ; {
		left := time.Until(until)
		if left <= 0 {
			return &SilentError{path, patience}
		}
		n, failed := 0, error(nil)
		err := conn.Control(func(fd uintptr) {
			n, failed = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(left.Milliseconds())+1)
		})
		if n > 0 {
			return nil
		}
		if err = errors.Join(err, failed); err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
}

// pacing calls a function before each read.
type pacing struct {
	io.Reader
	before func()
}

func (p pacing) Read(b []byte) (int, error) {
	p.before()
	return p.Reader.Read(b)
}
