package measure

import (
	"os"

	"golang.org/x/sys/unix"
)

// forget drops a file from the page cache.
func forget(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}

// canForget reports that forget has an effect: not on file systems that are
// memory.
func canForget(path string) bool {
	var st unix.Statfs_t
	err := unix.Statfs(path, &st)
	return err == nil && st.Type != unix.TMPFS_MAGIC && st.Type != unix.RAMFS_MAGIC
}
