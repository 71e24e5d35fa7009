package data

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Parked is a source whose file can be closed while nobody reads from it. What is known of the
// file stays, and so do the blocks that were compared, for as long as the file is not changed:
// see Checked.
type Parked interface {
	Source
	// Park closes the file. Nobody may read until Unpark.
	Park() error
	// Unpark goes on with a descriptor of the same file, or of one that must have the same bytes.
	Unpark(*os.File)
	// Lay maps the file until Close. It is for one that lies in memory and is not parked: what is mapped counts as the process's.
	Lay() error
}

func (in *input) Park() error { return in.file.Close() }

func (in *input) Unpark(f *os.File) { in.file, in.check.file = f, f }

func (in *input) Lay() (err error) {
	if in.size > 0 {
		in.pages, err = unix.Mmap(int(in.file.Fd()), 0, int(in.size), unix.PROT_READ, unix.MAP_SHARED|unix.MAP_POPULATE)
	}
	return err
}

// Close closes the file, which may be parked.
func (in *input) Close() (err error) {
	if in.pages != nil {
		err = unix.Munmap(in.pages)
		in.pages = nil
	}
	if e := in.file.Close(); !errors.Is(e, os.ErrClosed) {
		err = errors.Join(err, e)
	}
	return err
}
