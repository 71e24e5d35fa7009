package store

import (
	"cmp"
	"slices"
)

// extent is a run of bytes.
type extent struct{ lo, hi int64 }

// extents are disjoint, ascending and apart from each other.
type extents []extent

// add joins e with what is there.
func (x *extents) add(e extent) {
	i, _ := slices.BinarySearchFunc(*x, e.lo, func(a extent, lo int64) int { return cmp.Compare(a.hi, lo) })
	j := i
	for ; j < len(*x) && (*x)[j].lo <= e.hi; j++ {
		e = extent{min(e.lo, (*x)[j].lo), max(e.hi, (*x)[j].hi)}
	}
	*x = slices.Replace(*x, i, j, e)
}

// missing are the parts of e that are not there.
func (x extents) missing(e extent) []extent {
	var out []extent
	for _, h := range x {
		if h.hi <= e.lo {
			continue
		}
		if h.lo >= e.hi {
			break
		}
		if h.lo > e.lo {
			out = append(out, extent{e.lo, h.lo})
		}
		e.lo = h.hi
	}
	if e.lo < e.hi {
		out = append(out, e)
	}
	return out
}
