package mem

import (
	"math/bits"
	"slices"

	"golang.org/x/sys/unix"
)

// To map and unmap memory takes microseconds, as long as many a small kernel runs, and to
// touch a fresh page takes ten times as long as to zero an old one. So spans are kept when
// they are freed, and zeroed when they are given out again.

// maxSmall is the greatest span of which the length is a power of two of pages; maxSpare is
// how many bytes of such are kept, and how many of longer ones. Those that are longer than that wait for a while, as what Keep takes
// back, in at most a keptPart of the arena.
const (
	maxSmall = 256 << 10
	maxSpare = 16 << 20
)

// spare is what an arena knows of the spans that it keeps, guarded by its mutex.
type spare struct {
	given map[int64]struct{} // offsets of spans that may be kept, or are
	small [smallLengths][]Span
	long  []Span // above maxSmall, the oldest first
	large []Span // above maxSpare, the oldest first
	kept  struct{ small, long, large int64 }
	idle  idle // since a large one was kept
}

// smallLengths are those from a page to maxSmall, each twice the one before.
const smallLengths = 7

// smallLength is the number of a length of small spans.
func smallLength(size int64) int { return bits.Len64(uint64(size/Page)) - 1 }

// spareLength is the length of the span for n bytes.
func spareLength(n int64) int64 {
	if n > maxSmall {
		return roundUp(n)
	}
	size := int64(Page)
	for size < n {
		size *= 2
	}
	return size
}

// allocSpare gives zeroed memory of at least n bytes that may be kept when it is freed.
func (a *Arena) allocSpare(n int64) (Span, error) {
	s, used, err := a.spareSpan(n)
	if used {
		clear(a.Bytes(s.Off, s.Len))
	}
	return s, err
}

// AllocSmall is Alloc of which only the first n bytes are zeroed.
func (a *Arena) AllocSmall(n int64) (Span, error) {
	if n > maxSpare {
		return a.allocFresh(n)
	}
	s, used, err := a.spareSpan(n)
	if used {
		clear(a.Bytes(s.Off, n))
	}
	return s, err
}

// spareSpan gives memory of at least n bytes that may be kept when it is freed, and tells whether it is used.
func (a *Arena) spareSpan(n int64) (s Span, used bool, err error) {
	size := spareLength(n)
	a.mu.Lock()
	s, used = a.takeSpare(size)
	a.mu.Unlock()
	if used {
		return s, true, nil
	}
	if s, err = a.allocFresh(size); err != nil {
		return s, false, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.given == nil {
		a.given = map[int64]struct{}{}
	}
	a.given[s.Off] = struct{}{}
	return s, false, nil
}

// takeSpare finds a span of this length among those kept.
func (a *Arena) takeSpare(size int64) (s Span, ok bool) {
	if size > maxSmall {
		list, kept := &a.long, &a.kept.long
		if size > maxSpare {
			list, kept = &a.large, &a.kept.large
		}
		i := slices.IndexFunc(*list, func(x Span) bool { return x.Len == size })
		if ok = i >= 0; ok {
			s = (*list)[i]
			*list = slices.Delete(*list, i, i+1)
			*kept -= size
		}
	} else if list := &a.small[smallLength(size)]; len(*list) > 0 {
		s, ok = (*list)[len(*list)-1], true
		*list = (*list)[:len(*list)-1]
		a.kept.small -= size
	}
	return s, ok
}

// keep keeps a span that is freed, if it came from allocSpare. It gives the spans that are
// to be given back instead: this one, if there are enough small ones, or the oldest long ones.
func (a *Arena) keep(s Span) (back []Span) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, may := a.given[s.Off]
	switch {
	case !may || s.Len <= maxSmall && a.kept.small+s.Len > maxSpare:
		delete(a.given, s.Off)
		return []Span{s}
	case s.Len <= maxSmall:
		list := &a.small[smallLength(s.Len)]
		*list = append(*list, s)
		a.kept.small += s.Len
		return nil
	case s.Len > maxSpare:
		return a.keepLarge(s)
	}
	a.long = append(a.long, s)
	a.kept.long += s.Len
	return a.oldest(&a.long, &a.kept.long, maxSpare)
}

// oldest takes the oldest spans out of a list until it has at most so many bytes. a.mu is held.
func (a *Arena) oldest(list *[]Span, kept *int64, most int64) (back []Span) {
	n := 0
	for ; *kept > most; n++ {
		*kept -= (*list)[n].Len
		delete(a.given, (*list)[n].Off)
	}
	back = slices.Clone((*list)[:n])
	*list = slices.Delete(*list, 0, n)
	return back
}

// keepLarge keeps a large span, which the system may take the pages of, and gives what is to be given back instead. a.mu is held.
func (a *Arena) keepLarge(s Span) (back []Span) {
	most := min(a.Size()/keptPart, mostWaiting())
	if s.Len > most || unix.Madvise(a.Bytes(s.Off, s.Len), unix.MADV_FREE) != nil {
		delete(a.given, s.Off)
		return []Span{s}
	}
	a.large = append(a.large, s)
	a.kept.large += s.Len
	a.idle.begin(a.dropLarge)
	return a.oldest(&a.large, &a.kept.large, most)
}

// dropLarge gives all large spans back, if none was kept for some time.
func (a *Arena) dropLarge() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.base == nil || !a.idle.over() { // closed, or in use
		return
	}
	for _, s := range a.oldest(&a.large, &a.kept.large, 0) {
		if a.Decommit(s) == nil {
			a.put(s)
		}
	}
}

// DropSpare gives all spare spans back to the system, and reports whether there were any.
func (a *Arena) DropSpare() bool {
	a.mu.Lock()
	all := append(a.long, a.large...)
	for _, list := range a.small {
		all = append(all, list...)
	}
	for _, s := range all {
		delete(a.given, s.Off)
	}
	a.small, a.long, a.large, a.kept.small, a.kept.long, a.kept.large = [smallLengths][]Span{}, nil, nil, 0, 0, 0
	a.mu.Unlock()
	for _, s := range all {
		a.giveBack(s)
	}
	return len(all) > 0
}
