//go:build (amd64 || arm64) && !static

package ucx

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// arena is memory that Go neither moves nor frees: the library keeps addresses of it.
type arena struct {
	bytes []byte
	used  int
}

func newArena(size int) (*arena, error) {
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, err
	}
	return &arena{bytes: b}, nil
}

// take takes the next bytes, at an address that is a multiple of a cache line.
func (a *arena) take(size int) []byte {
	b := a.bytes[a.used:][:size:size]
	a.used += (size + 63) &^ 63
	return b
}

// text is a string of C's in the arena.
func (a *arena) text(s string) uintptr {
	b := a.take(len(s) + 1)
	copy(b, s)
	return address(&b[0])
}

// in takes a zero T.
func in[T any](a *arena) *T {
	return (*T)(unsafe.Pointer(&a.take(int(unsafe.Sizeof(*new(T))))[0]))
}

func (a *arena) free() { _ = unix.Munmap(a.bytes) }
