package object

import "unsafe"

// flush makes code that was just written visible to instruction fetches.
func flush(code []byte) {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(code)))
	synchronize(start, start+uintptr(len(code)))
}

//go:noescape
func synchronize(start, end uintptr)
