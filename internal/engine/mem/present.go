package mem

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// In: a part of a mapped file, from anywhere to anywhere in a page. Out: its pages there, or left to the page cache.

// Bring makes the pages of b present, in one call and not fault by fault.
func Bring(b []byte) {
	if b = wholePages(b); len(b) > 0 {
		_ = unix.Madvise(b, unix.MADV_POPULATE_READ) // without it, each page faults
	}
}

// Leave gives the pages of b back to the page cache alone, so that the process does not
// seem to hold the whole file.
func Leave(b []byte) {
	if b = wholePages(b); len(b) > 0 {
		_ = unix.Madvise(b, unix.MADV_DONTNEED)
	}
}

// wholePages widens a part of a mapping to page boundaries.
func wholePages(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	first := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	before := first % Page
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), -int(before))), int64(len(b))+int64(before))
}
