package data

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// readCached copies what of a file lies in the page cache, from off on, and
// gives up at the first page that does not. Because it never waits for the
// disk it may go around Go's scheduler: an ordinary read of half a megabyte
// takes just long enough to lose the processor to another goroutine, and
// getting it back costs as much as the read.
func readCached(f *os.File, p []byte, off int64) int {
	if len(p) == 0 {
		return 0
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	n := uintptr(0)
	vec := unix.Iovec{Base: unsafe.SliceData(p)}
	vec.SetLen(len(p))
	_ = conn.Control(func(fd uintptr) {
		got, _, errno := syscall.RawSyscall6(unix.SYS_PREADV2, fd, uintptr(unsafe.Pointer(&vec)), 1,
			uintptr(off), uintptr(off>>32), unix.RWF_NOWAIT)
		if errno == 0 {
			n = got
		}
	})
	return int(n)
}
