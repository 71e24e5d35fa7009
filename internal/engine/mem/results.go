package mem

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"
	"weak"

	"golang.org/x/sys/unix"
)

// In: how many bytes a column of a result has, and columns that their owners have given up. Out: memory for
// columns. It is always Go's: callers hold slices of it, and only the garbage collector knows when the last one
// is gone. Invariant: memory is given out to one owner at a time, and what is kept in between is
// garbage for the collector, so it adds nothing to what a process may hold.

// hugePage is the size of a page from which on the system may use a huge one: 2 MiB where base pages have 4 KiB.
const hugePage = 1 << 21

const (
	// Kept is from how many bytes on columns are kept, a page: to ask the collector for so much, and to have it zeroed, takes
	// longer than to find it here.
	Kept = 4 << 10
	// ownPages is from how many bytes on Go takes pages for each object (maxSmallSize of its allocator).
	ownPages = 32 << 10
)

// Results keeps the memory of results that were closed until the next garbage collection. The zero
// value is ready, and safe for concurrent use.
type Results struct {
	mu   sync.Mutex
	kept []kept
}

// kept is memory that nothing but the list knows of.
type kept struct {
	first weak.Pointer[uint64]
	words int
}

// FreshResult gives zeroed memory of n bytes, aligned for all elements, in huge pages where huge says so and the
// system has them. With filled it may hold anything: who asks for it stores all bytes before anybody looks.
func FreshResult(n int64, huge, filled bool) []byte {
	var b []byte
	skip, more := Stagger(n)
	if filled && n >= ownPages {
		b = anything(n + more)
	} else {
		b = bytesOf(make([]uint64, (n+more+7)/8), n+more)
	}
	if huge {
		AskHuge(b)
	}
	if filled {
		spoil(b)
	}
	return b[skip : skip+n]
}

// anything is Go's memory as it comes, of n bytes in whole words. Go zeroes the memory of a slice that it had given out before, which
// takes as long as many a kernel; that of a Builder it does not. Objects of this size begin at a page.
func anything(n int64) []byte {
	var b strings.Builder
	b.Grow(int(n+7) &^ 7)
	b.WriteByte(0) // an empty string has no address
	words := b.Cap() / 8
	return unsafe.Slice(unsafe.StringData(b.String()), 8*words)[:n]
}

// Reuse gives n bytes that hold what an earlier result left there, or nil.
func (r *Results) Reuse(n int64) []byte {
	if w := r.reuse(int((n + 7) / 8)); w != nil {
		return spoil(bytesOf(w, n))
	}
	return nil
}

// reuse finds the least memory that is enough, of which at most half stays unused.
func (r *Results) reuse(words int) []uint64 {
	if words*8 < Kept {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	best, first := r.find(words)
	if best < 0 {
		return nil
	}
	k := r.kept[best]
	r.kept = slices.Delete(r.kept, best, best+1)
	return unsafe.Slice(first, k.words)
}

// Has reports that Reuse would find n bytes.
func (r *Results) Has(n int64) bool {
	words := int((n + 7) / 8)
	if words*8 < Kept { // Go has them at hand
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	best, _ := r.find(words)
	return best >= 0
}

func (r *Results) find(words int) (best int, first *uint64) {
	best = -1
	for i, k := range r.kept {
		if k.words < words || k.words/2 > words || best >= 0 && k.words >= r.kept[best].words {
			continue
		}
		if p := k.first.Value(); p != nil {
			best, first = i, p
		}
	}
	return best, first
}

// Give takes back what FreshResult or Reuse has given. Nothing may use it afterwards.
func (r *Results) Give(b []byte) {
	words := cap(b) / 8 // always whole words
	if words*8 < Kept {
		return
	}
	first := (*uint64)(unsafe.Pointer(unsafe.SliceData(b)))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = slices.DeleteFunc(r.kept, func(k kept) bool { return k.first.Value() == nil })
	r.kept = append(r.kept, kept{weak.Make(first), words})
	runtime.KeepAlive(b)
}

// bytesOf is the first n bytes of words, with the capacity of all.
func bytesOf(w []uint64, n int64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), 8*len(w))[:n]
}

// AskHuge asks the system for huge pages where whole ones of them fit into b. It is a hint: what the system does
// not do costs time and nothing else.
func AskHuge(b []byte) {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	from := (hugePage - at%hugePage) % hugePage
	if to := (at + uintptr(len(b))) &^ (hugePage - 1); at+from < to {
		_ = unix.Madvise(b[from:to-at], unix.MADV_HUGEPAGE)
	}
}

// TouchTime is how long it takes to fill n bytes of fresh memory, in huge pages or without any.
func TouchTime(n int64, huge bool) (time.Duration, error) {
	b, err := unix.Mmap(-1, 0, int(roundUp(n)), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return 0, fmt.Errorf("map %d bytes: %w", n, err)
	}
	advice := unix.MADV_NOHUGEPAGE
	if huge {
		advice = unix.MADV_HUGEPAGE
	}
	_ = unix.Madvise(b, advice) // a system without huge pages knows neither
	start := time.Now()
	clear(b)
	d := time.Since(start)
	return d, Unmap(b)
}
