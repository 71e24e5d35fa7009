package worker

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapping is memory between two pages that must not be touched.
type mapping struct {
	at    unsafe.Pointer // first byte
	whole unsafe.Pointer // with the guards
	size  uintptr        // of whole
}

// guarded maps n bytes, rounded up to pages: those of a file if fd ≥ 0, shared,
// else zeros.
func guarded(n int64, fd int, write bool) (*mapping, error) {
	page := uintptr(unix.Getpagesize())
	inner := (uintptr(n) + page - 1) / page * page
	whole, err := unix.MmapPtr(-1, 0, nil, inner+2*page, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("no room for %d bytes: %w", n, err)
	}
	m := &mapping{at: unsafe.Add(whole, page), whole: whole, size: inner + 2*page}
	if inner == 0 {
		return m, nil
	}
	prot, flags := unix.PROT_READ, unix.MAP_FIXED|unix.MAP_SHARED
	if write {
		prot |= unix.PROT_WRITE
	}
	if fd < 0 {
		flags = unix.MAP_FIXED | unix.MAP_PRIVATE | unix.MAP_ANON
	}
	if _, err := unix.MmapPtr(fd, 0, m.at, inner, prot, flags); err != nil {
		m.free()
		return nil, fmt.Errorf("%d bytes cannot be mapped: %w", n, err)
	}
	return m, nil
}

// bytes is the first n bytes.
func (m *mapping) bytes(n int64) []byte { return unsafe.Slice((*byte)(m.at), n) }

func (m *mapping) free() error { return unix.MunmapPtr(m.whole, m.size) }
