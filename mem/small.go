package mem

// To map and unmap memory takes microseconds, as long as many a small kernel runs. So
// small spans are kept when they are freed, and zeroed when they are given out again.

// maxSmall is the greatest span that is kept, maxSpare how many bytes of them.
const (
	maxSmall = 256 << 10
	maxSpare = 16 << 20
)

// small is what an arena knows of its small spans, guarded by its mutex.
type small struct {
	given map[int64]struct{} // offsets of spans in use
	spare map[int64][]Span   // by length
	kept  int64              // bytes in spare
}

// allocSmall gives zeroed memory of at least n bytes, a power of two of pages.
func (a *Arena) allocSmall(n int64) (Span, error) {
	size := int64(Page)
	for size < n {
		size *= 2
	}
	a.mu.Lock()
	list := a.spare[size]
	if len(list) > 0 {
		s := list[len(list)-1]
		a.spare[size] = list[:len(list)-1]
		a.kept -= s.Len
		a.given[s.Off] = struct{}{}
		a.mu.Unlock()
		clear(a.Bytes(s.Off, s.Len))
		return s, nil
	}
	a.mu.Unlock()
	s, err := a.allocFresh(size)
	if err != nil {
		return s, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.given == nil {
		a.given, a.spare = map[int64]struct{}{}, map[int64][]Span{}
	}
	a.given[s.Off] = struct{}{}
	return s, nil
}

// keepSmall keeps a span that is freed, if it came from allocSmall and there are not
// too many.
func (a *Arena) keepSmall(s Span) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.given[s.Off]; !ok {
		return false
	}
	delete(a.given, s.Off)
	if a.kept+s.Len > maxSpare {
		return false
	}
	a.spare[s.Len] = append(a.spare[s.Len], s)
	a.kept += s.Len
	return true
}

// dropSpare gives all spare spans back, and reports whether there were any.
func (a *Arena) dropSpare() bool {
	a.mu.Lock()
	var all []Span
	for _, list := range a.spare {
		all = append(all, list...)
	}
	clear(a.spare)
	a.kept = 0
	a.mu.Unlock()
	for _, s := range all {
		a.Free(s)
	}
	return len(all) > 0
}
