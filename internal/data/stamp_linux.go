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

// version is a stamp with what changes it beside the contents, and which file it is of.
type version struct {
	stamp
	links         uint64
	device, inode uint64
}

func stampOf(f *os.File) (stamp, error) {
	v, err := versionOf(f)
	return v.stamp, err
}

func versionOf(f *os.File) (v version, err error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return v, err
	}
	var st unix.Stat_t
	if cerr := conn.Control(func(fd uintptr) { err = unix.Fstat(int(fd), &st) }); cerr != nil {
		return v, cerr
	}
	return version{stamp{st.Size, st.Mtim, st.Ctim}, uint64(st.Nlink), uint64(st.Dev), st.Ino}, err
}

// same tells whether a file has the bytes that it had. A file that is removed, or replaced by
// another, gets a new time of change too, but keeps its bytes for whoever has it open: it loses a
// link.
func (v version) same(now version) bool {
	if v.links != now.links {
		now.change = v.change
	}
	return v.stamp == now.stamp
}

// again tells whether a file that was opened once more is the one that it was, with the bytes that it had.
func (v version) again(now version) bool {
	return v.device == now.device && v.inode == now.inode && v.same(now)
}
