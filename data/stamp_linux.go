package data

import (
	"os"

	"golang.org/x/sys/unix"
)

// stamp tells states of a file's contents from each other: whatever changes them through
// the system changes it, to the resolution of the file system's clock.
type stamp struct {
	size             int64
	modified, change unix.Timespec
}

func stampOf(f *os.File) (s stamp, err error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return s, err
	}
	var st unix.Stat_t
	if cerr := conn.Control(func(fd uintptr) { err = unix.Fstat(int(fd), &st) }); cerr != nil {
		return s, cerr
	}
	return stamp{st.Size, st.Mtim, st.Ctim}, err
}
