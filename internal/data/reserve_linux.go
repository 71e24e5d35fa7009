package data

import (
	"os"

	"golang.org/x/sys/unix"
)

// In: a file and the range that will be written next. Out: blocks of the disk for it, where the file system knows how.
// The contents stay as they are; a disk that is full says so at the write.

func reserve(f *os.File, off, n int64) { _ = unix.Fallocate(int(f.Fd()), 0, off, n) }

// allocate takes n bytes of the disk for a file, from its beginning, and says if there are not as many.
func allocate(f *os.File, n int64) error { return unix.Fallocate(int(f.Fd()), 0, 0, n) }
