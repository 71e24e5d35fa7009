// Package mem holds the memory that kernels work in: one reserved range of
// addresses into which buffers are allocated and windows of files mapped.
package mem

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Page is the granularity of spans, in bytes.
const Page = 4096

// guard is never handed out at the low end, so that address 0 and small
// wrapped addresses are not data.
const guard = 1 << 16

// Arena is a reserved range of addresses. Offsets into it are what kernels
// use as addresses. It is safe for concurrent use.
type Arena struct {
	base []byte // the whole reservation; pages outside spans are inaccessible
	mu   sync.Mutex
	free []Span // sorted by Off, never adjacent
	spare
}

// Span is a run of whole pages in an arena.
type Span struct{ Off, Len int64 }

// NewArena reserves size bytes of address space, at most 4 GiB for an arena
// that WebAssembly code uses. No memory is committed yet.
func NewArena(size int64) (*Arena, error) {
	size = roundUp(size)
	base, err := unix.Mmap(-1, 0, int(size), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("reserve %d bytes of address space: %w", size, err)
	}
	return &Arena{base: base, free: []Span{{guard, size - guard}}}, nil
}

// Size is the number of bytes reserved.
func (a *Arena) Size() int64 { return int64(len(a.base)) }

// All is the whole reservation. Touching pages outside spans faults.
func (a *Arena) All() []byte { return a.base }

// Bytes is the memory from off on, n bytes long.
func (a *Arena) Bytes(off, n int64) []byte { return a.base[off : off+n : off+n] }

// Reserve sets aside address space without memory, for MapFile. Spare spans
// make room for it.
func (a *Arena) Reserve(n int64) (Span, error) {
	s, err := a.reserve(n)
	if err != nil && a.DropSpare() {
		return a.reserve(n)
	}
	return s, err
}

// reserve takes long spans from below and small ones from above: what is small often stays
// for long, and would leave no room for anything long between.
func (a *Arena) reserve(n int64) (Span, error) {
	n = roundUp(max(n, 1))
	a.mu.Lock()
	defer a.mu.Unlock()
	fits := func(s Span) bool { return s.Len >= n }
	i := slices.IndexFunc(a.free, fits)
	if i < 0 {
		return Span{}, &FullError{Want: n, Size: a.Size()}
	}
	if n <= maxSmall {
		for i = len(a.free) - 1; !fits(a.free[i]); i-- {
		}
		return a.cut(i, a.free[i].Off+a.free[i].Len-n, n), nil
	}
	return a.cut(i, a.free[i].Off, n), nil
}

// cut takes n bytes at one end of a free span.
func (a *Arena) cut(i int, off, n int64) Span {
	s := &a.free[i]
	if off == s.Off {
		s.Off += n
	}
	if s.Len -= n; s.Len == 0 {
		a.free = slices.Delete(a.free, i, i+1)
	}
	return Span{off, n}
}

// FullError says that an arena has no room for a span.
type FullError struct{ Want, Size int64 }

func (e *FullError) Error() string {
	return fmt.Sprintf("no room for %d bytes in %d bytes of kernel memory", e.Want, e.Size)
}

// Alloc gives zeroed memory of at least n bytes.
func (a *Arena) Alloc(n int64) (Span, error) {
	if n <= maxSpare {
		return a.allocSpare(n)
	}
	s, used, err := a.spareSpan(n)
	if used { // its pages are zeroed as they are touched, if they are
		err = a.renew(s)
	}
	return s, err
}

// AllocUsed is Alloc of memory with anything in it, for who fills it before anybody looks.
func (a *Arena) AllocUsed(n int64) (Span, error) {
	s, _, err := a.spareSpan(n)
	if err == nil {
		spoil(a.Bytes(s.Off, s.Len))
	}
	return s, err
}

// allocFresh gives memory that comes from the system.
func (a *Arena) allocFresh(n int64) (Span, error) {
	s, err := a.Reserve(n)
	if err != nil {
		return s, err
	}
	if err := a.Commit(s); err != nil {
		a.release(s)
		return Span{}, err
	}
	return s, nil
}

// Commit backs a reserved span with zeroed private memory.
func (a *Arena) Commit(s Span) error {
	err := a.mapFixed(s.Off, s.Len, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE, -1, 0)
	if err == nil && s.Len >= 1<<21 {
		_ = unix.Madvise(a.Bytes(s.Off, s.Len), unix.MADV_HUGEPAGE) // a hint; kernels without it work too
	}
	return err
}

// MapFile maps n bytes of a file, from the page-aligned offset off on, to
// the start of a reserved span. The mapping is private: stores never reach
// the file. The caller vouches that the file is at least off+n bytes long;
// touching pages behind its end kills the process.
func (a *Arena) MapFile(s Span, fd int, off, n int64, populate bool) error {
	if n > s.Len || off%Page != 0 {
		return fmt.Errorf("map %d bytes at file offset %d into a span of %d bytes", n, off, s.Len)
	}
	flags := unix.MAP_PRIVATE | unix.MAP_NORESERVE
	if populate {
		flags |= unix.MAP_POPULATE
	}
	return a.mapFixed(s.Off, n, unix.PROT_READ, flags, fd, off)
}

// Free returns a span's memory and address space.
func (a *Arena) Free(s Span) {
	if s.Len == 0 {
		return
	}
	for _, b := range a.keep(s) {
		a.giveBack(b)
	}
}

func (a *Arena) giveBack(s Span) {
	if err := a.Decommit(s); err != nil {
		return // the range stays reserved and unused rather than half mapped
	}
	a.release(s)
}

// renew makes all pages of a span fresh.
func (a *Arena) renew(s Span) error {
	if err := unix.Madvise(a.Bytes(s.Off, s.Len), unix.MADV_DONTNEED); err != nil {
		return fmt.Errorf("zero %d bytes: %w", s.Len, err)
	}
	return nil
}

// Decommit drops what a span holds but keeps its address space.
func (a *Arena) Decommit(s Span) error {
	return a.mapFixed(s.Off, s.Len, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE, -1, 0)
}

func (a *Arena) mapFixed(at, n int64, prot, flags, fd int, off int64) error {
	addr := unsafe.Pointer(&a.base[at])
	_, err := unix.MmapPtr(fd, off, addr, uintptr(n), prot, flags|unix.MAP_FIXED)
	if err != nil {
		return fmt.Errorf("map %d bytes: %w", n, err)
	}
	return nil
}

func (a *Arena) release(s Span) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.put(s)
}

// put puts a span among those that are free. a.mu is held.
func (a *Arena) put(s Span) {
	i, _ := slices.BinarySearchFunc(a.free, s, func(x, y Span) int { return int(x.Off - y.Off) })
	a.free = slices.Insert(a.free, i, s)
	if i+1 < len(a.free) && a.free[i].Off+a.free[i].Len == a.free[i+1].Off {
		a.free[i].Len += a.free[i+1].Len
		a.free = slices.Delete(a.free, i+1, i+2)
	}
	if i > 0 && a.free[i-1].Off+a.free[i-1].Len == a.free[i].Off {
		a.free[i-1].Len += a.free[i].Len
		a.free = slices.Delete(a.free, i, i+1)
	}
}

// Close unmaps the whole arena. Nothing may use it afterwards.
func (a *Arena) Close() error {
	a.mu.Lock()
	base := a.base
	a.base, a.large = nil, nil
	if a.idle.timer != nil {
		a.idle.timer.Stop()
	}
	a.mu.Unlock()
	return unix.Munmap(base)
}

func roundUp(n int64) int64 { return (n + Page - 1) &^ (Page - 1) }
