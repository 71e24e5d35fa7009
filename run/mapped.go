package run

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/data"
	"github.com/godwit-run/godwit/mem"
)

// mapping is the file of an input as memory outside of the arena. It is made when a window
// first wants it and stays until the end of the run. A lease keeps everybody from writing to
// the file and from cutting it short meanwhile.
type mapping struct {
	once  sync.Once
	pages []byte // what is mapped, from a page of the file on; nil if that is not possible
	skip  int64  // bytes of it before the column
}

// mapped gives the column's bytes in memory; nil where the file must be read.
func (r *runner) mapped(in *input) []byte {
	in.file.once.Do(func() { r.mapColumn(in) })
	if in.file.pages == nil {
		return nil
	}
	return in.file.pages[in.file.skip:][:in.raw.Length]
}

func (r *runner) mapColumn(in *input) {
	path := in.raw.path
	lease, err := mem.TakeLease(in.raw.File, func() { r.cancel(&data.ChangedError{Path: path}) })
	if err != nil {
		return
	}
	start := in.raw.Offset &^ (mem.Page - 1)
	n := in.raw.Offset + in.raw.Length - start
	if lease.Size() < start+n {
		lease.Close()
		return // reading says what is wrong
	}
	if in.raw.Offset%int64(in.kind.Size()) != 0 {
		lease.Close()
		return // kernels want aligned elements
	}
	r.keep(lease)
	if pages, err := r.mapPages(lease, start, n); err == nil {
		in.file.pages, in.file.skip = pages, in.raw.Offset-start
	}
}

// mapPages maps a part of a leased file outside of the arena until the end of the run.
func (r *runner) mapPages(lease *mem.Lease, start, n int64) ([]byte, error) {
	pages, err := unix.Mmap(lease.Fd(), start, int(n), unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.maps = append(r.maps, pages)
	return pages, nil
}

// keep holds a lease until the end of the run.
func (r *runner) keep(lease *mem.Lease) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leases = append(r.leases, lease)
}

// canMap reports that windows on an input may lie in a mapping of its file.
func (p *launching) canMap(in *input) bool {
	if in.raw == nil || in.raw.File == nil || in.moved || in.raw.Length < mapFrom || !p.c.ReachesAll() {
		return false
	}
	// What has checksums is compared block by block as it is read the first time.
	return in.raw.Check == nil || in.raw.Check.Known(in.raw.Offset, in.raw.Offset+in.raw.Length)
}

// bring makes the pages of b present, in one call and not fault by fault.
func bring(b []byte) {
	if b = wholePages(b); len(b) > 0 {
		_ = unix.Madvise(b, unix.MADV_POPULATE_READ) // without it, each page faults
	}
}

// leave gives the pages of b back to the page cache alone, so that the process does not
// seem to hold the whole file.
func leave(b []byte) {
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
	before := first % mem.Page
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), -int(before))), int64(len(b))+int64(before))
}
