package data

import (
	"os"

	"golang.org/x/sys/unix"
)

// In: a file and the range that will be written next. Out: blocks of the disk for it, where the file system knows how.
// The contents stay as they are; a disk that is full says so at the write.

func reserve(f *os.File, off, n int64) { _ = unix.Fallocate(int(f.Fd()), 0, off, n) }
