package data

import "slices"

// In: columns of Parquet and Arrow for which the file has no type but that of nulls. Out: rows without a value, as whatever is asked for, and
// as text. Invariant: in a list of files such a column is what it is in the others.

// fillValueless writes rows of such a column; lo is the first of them.
func fillValueless(path string, lo int64, c *Column, w Want, dst Dest) error {
	if !w.Option {
		return nullAt(path, lo, c.Name)
	}
	clear(dst.Values)
	clear(dst.Valid)
	return nil
}

// valueless gives rows of text no value.
func (p *partText) valueless(rows int64) {
	for range rows {
		p.null()
	}
}

// learns gives column i of a list the type that a member's column has, if no file before it had one.
func (s *list) learns(i int, m *member) {
	c := m.src.Columns()[m.column(i)]
	if !s.cols[i].Unknown || c.Unknown || !slices.Equal(c.Dims, s.cols[i].Dims) {
		return
	}
	c.Nullable = true
	s.cols[i], s.like[i] = c, m.src.Path()
}
