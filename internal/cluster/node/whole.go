package node

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// group is rows of all written operands that belong to the same pieces.
type group struct {
	extents []parcel.Extent
	columns [][]byte
}

// compare orders groups by where they begin, and of those that begin at one
// place the empty ones come first.
func (g group) compare(o group) int {
	return slices.CompareFunc(g.extents, o.extents, func(x, y parcel.Extent) int {
		return cmp.Or(cmp.Compare(x.First, y.First), cmp.Compare(x.Count, y.Count))
	})
}

// whole puts the answers together in the order of the rows, whatever the order
// in which they came.
func (f *fan) whole() (*parcel.Answer, error) {
	all := new(parcel.Answer)
	var groups []group
	for i := range f.parts {
		a := f.parts[i].answer
		if err := f.fits(a); err != nil {
			return nil, fmt.Errorf("part %d of %d: %w", i, len(f.parts), err)
		}
		for at := 0; at < len(a.Columns); at += f.outs {
			groups = append(groups, group{a.Extents[at : at+f.outs], a.Columns[at : at+f.outs]})
		}
		all.Faults = LeastFaults(all.Faults, a.Faults)
		all.Hops = max(all.Hops, a.Hops)
		all.Steps += a.Steps
		m := &all.Micros
		m.Queue, m.Verify = max(m.Queue, a.Micros.Queue), max(m.Verify, a.Micros.Verify)
		m.Compile, m.Run = max(m.Compile, a.Micros.Compile), max(m.Run, a.Micros.Run)
	}
	slices.SortStableFunc(groups, group.compare)
	for len(groups) > 0 {
		n, err := adjacent(groups)
		if err != nil {
			return nil, err
		}
		all.Extents, all.Columns = join(all.Extents, all.Columns, groups[:n])
		groups = groups[n:]
	}
	if len(all.Columns) > parcel.MaxAnswer {
		return nil, fmt.Errorf("the rows of the pieces make %d columns, an answer has at most %d; ask for fewer pieces at a time", len(all.Columns), parcel.MaxAnswer)
	}
	return all, nil
}

// fits compares the columns of a part with the tree's operands.
func (f *fan) fits(a *parcel.Answer) error {
	n := len(a.Columns)
	if len(a.Extents) != n || f.outs == 0 && n > 0 || f.outs > 0 && (n == 0 || n%f.outs != 0) {
		return fmt.Errorf("expected columns of %d operands, found %d with %d extents", f.outs, n, len(a.Extents))
	}
	return nil
}

// adjacent is how many of the groups follow each other without a gap, from the
// first on. Rows that are in two groups have no one value.
func adjacent(groups []group) (n int, err error) {
	for n = 1; n < len(groups); n++ {
		gap := false
		for out, e := range groups[n].extents {
			before := groups[n-1].extents[out]
			switch end := before.First + before.Count; {
			case e.First < end:
				return 0, fmt.Errorf("the rows of a fan's pieces overlap: those of operand %d that is written end at %d and go on at %d; "+
					"cut pieces at multiples of the block of the partial kernel", out, end, e.First)
			case e.First > end:
				gap = true
			}
		}
		if gap {
			break
		}
	}
	return n, nil
}

// join adds groups that follow each other to an answer, as one.
func join(extents []parcel.Extent, columns [][]byte, groups []group) ([]parcel.Extent, [][]byte) {
	if len(groups) == 1 {
		return append(extents, groups[0].extents...), append(columns, groups[0].columns...)
	}
	for out, e := range groups[0].extents {
		last := groups[len(groups)-1].extents[out]
		e.Count = last.First + last.Count - e.First
		parts := make([][]byte, len(groups))
		for i := range groups {
			parts[i] = groups[i].columns[out]
		}
		extents, columns = append(extents, e), append(columns, slices.Concat(parts...))
	}
	return extents, columns
}

// LeastFaults merges two lists by site, and keeps the least place of each.
func LeastFaults(a, b []parcel.Fault) []parcel.Fault {
	if len(a)+len(b) == 0 {
		return nil
	}
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y parcel.Fault) int {
		if x.Site != y.Site {
			return cmp.Compare(x.Site, y.Site)
		}
		return cmp.Compare(x.Place, y.Place)
	})
	return slices.CompactFunc(all, func(x, y parcel.Fault) bool { return x.Site == y.Site })
}
