package data

import (
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// standard is what this process was given on standard input, once somebody has asked for it: a pipe gives its bytes only once.
var standard struct {
	once sync.Once
	file *os.File
	err  error
}

// StandardInput gives standard input as a file that can be read at any place, a new descriptor each time: of a file that file,
// of a pipe a copy of all that comes through it.
func StandardInput() (*os.File, error) {
	standard.once.Do(func() { standard.file, standard.err = seekable(os.Stdin) })
	if standard.err != nil {
		return nil, standard.err
	}
	fd, err := unix.FcntlInt(standard.file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, systemError(Stdin, err)
	}
	return os.NewFile(uintptr(fd), Stdin), nil
}

// seekable gives f, if it is a file from its beginning, or a copy.
func seekable(f *os.File) (*os.File, error) {
	st, err := f.Stat()
	if err != nil {
		e := systemError(Stdin, err)
		e.Help = "give it a file or a pipe: godwit … < FILE"
		return nil, e
	}
	if at, err := f.Seek(0, io.SeekCurrent); st.Mode().IsRegular() && err == nil && at == 0 {
		return f, nil
	}
	copied, _, err := spooled(Stdin, f)
	return copied, err
}
