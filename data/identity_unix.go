//go:build unix

package data

import (
	"fmt"
	"os"
	"syscall"
)

func identity(path string, st os.FileInfo) string {
	var inode uint64
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		inode = uint64(s.Ino)
	}
	return fmt.Sprintf("%s:%d:%d:%d", path, st.Size(), st.ModTime().UnixNano(), inode)
}
