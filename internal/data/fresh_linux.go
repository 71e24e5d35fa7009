package data

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// nameless opens a file without a name, in a directory of which files it can become one. It is false where the file system has none.
func nameless(dir string) (*os.File, bool) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, false
	}
	f := os.NewFile(uintptr(fd), dir)
	if _, err := os.Stat(descriptor(f)); err != nil { // without /proc it would get no name
		f.Close()
		return nil, false
	}
	return f, true
}

// nameAs gives such a file a name that no other one has.
func nameAs(f *os.File, name string) error {
	err := unix.Linkat(unix.AT_FDCWD, descriptor(f), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		return &os.PathError{Op: "link", Path: name, Err: err}
	}
	return nil
}

func descriptor(f *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }

// syncBelow puts all that was written below a folder on the disk, in one call: of many small files each alone would take as long.
func syncBelow(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return unix.Syncfs(int(d.Fd()))
}
