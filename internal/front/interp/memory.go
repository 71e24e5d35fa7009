package interp

import "slices"

// The elements of an array lie in memory that belongs to one array at a time: the newest that
// was made there. An array with one part changed takes the memory over, and the one before it
// keeps what stood in that part. So a change costs as much as the part, and an array that is
// read after it was changed is made again, from the newest one and from what has changed since,
// the latest first. Whoever reads elements asks for them by cols, which sees to that.

type memory struct {
	cols    [][]uint64
	owner   *array
	changed int64 // scalars that changes have written since the memory was made
}

// change is what makes an array's successor of it.
type change struct {
	to  *array
	at  place
	old [][]uint64 // what stood there
}

// place is a part of an array's columns: for each of some leaves, the first of which has this
// number, where it begins.
type place struct {
	leaf int
	from []int64
}

// part says that an array is a part of another one, as a row is.
type part struct {
	whole *array
	place
	cols [][]uint64
}

// cols are the columns of an array. They hold until the next change.
func (a *array) cols() [][]uint64 {
	switch {
	case a.part != nil && a.mem.owner == a.part.whole:
		return a.part.cols
	case a.part != nil:
		p := a.part
		a.own(p.whole.before(p.place, p.cols))
	case a.mem.owner != a:
		a.own(a.before(place{from: make([]int64, len(a.mem.cols))}, a.mem.cols))
	}
	return a.mem.cols
}

// own gives an array memory of its own.
func (a *array) own(cols [][]uint64) {
	a.mem, a.part, a.next = &memory{cols: cols, owner: a}, nil, nil
}

// before is a copy of what stood at p when the array was the newest; like has columns as long.
func (a *array) before(p place, like [][]uint64) [][]uint64 {
	var since []*change
	now := a
	for ; now.mem.owner != now; now = now.next.to {
		since = append(since, now.next)
	}
	out := make([][]uint64, len(like))
	for l, col := range like {
		out[l] = slices.Clone(now.mem.cols[p.leaf+l][p.from[l] : p.from[l]+int64(len(col))])
	}
	for _, c := range slices.Backward(since) {
		c.undo(p, out)
	}
	return out
}

// undo brings back, in columns that stand at p, what the change replaced.
func (c *change) undo(p place, cols [][]uint64) {
	for k, old := range c.old {
		l := c.at.leaf + k - p.leaf
		if l < 0 || l >= len(cols) {
			continue
		}
		at, from := c.at.from[k], p.from[l]
		lo, hi := max(at, from), min(at+int64(len(old)), from+int64(len(cols[l])))
		if lo < hi {
			copy(cols[l][lo-from:hi-from], old[lo-at:hi-at])
		}
	}
}

// slice is the part of a that has so many elements, at p.
func (a *array) slice(n int64, elem *shape, p place) *array {
	cols := a.cols()
	r := &array{n: n, elem: elem, mem: a.mem}
	v := &part{whole: a, place: p, cols: make([][]uint64, len(p.from))}
	for l, from := range p.from {
		to := from + n*elem.strides[l]
		v.cols[l] = cols[p.leaf+l][from:to:to]
	}
	if a.part != nil {
		v.whole = a.part.whole
		v.leaf += a.part.leaf
		for l := range v.from {
			v.from[l] += a.part.from[p.leaf+l]
		}
	}
	r.part = v
	return r
}

// first is the part with the first n elements.
func (a *array) first(n int64) *array {
	return a.slice(n, a.elem, place{from: make([]int64, a.elem.leaves())})
}

// changedAt is a with value number slot of some leaves, the first of which has this number,
// replaced by v. What a change keeps must not outgrow the array, so from time to time there is a
// copy instead.
func (a *array) changedAt(s *shape, leaf int, slot int64, v val) *array {
	cols := a.cols()
	if a.part != nil || a.mem.changed >= a.n*a.elem.scalars() {
		r := newArray(a.elem, a.n)
		for l, col := range cols {
			copy(r.mem.cols[l], col)
		}
		s.store(r.mem.cols[leaf:], slot, v)
		return r
	}
	c := &change{to: &array{n: a.n, elem: a.elem, mem: a.mem}, at: place{leaf, make([]int64, s.leaves())}, old: make([][]uint64, s.leaves())}
	for l, stride := range s.strides {
		c.at.from[l] = slot * stride
		c.old[l] = slices.Clone(cols[leaf+l][slot*stride : (slot+1)*stride])
	}
	a.next, a.mem.owner = c, c.to
	a.mem.changed += s.scalars()
	s.store(cols[leaf:], slot, v) // v may read a, which is an older array now
	return c.to
}
