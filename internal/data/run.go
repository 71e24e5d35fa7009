package data

import (
	"github.com/godwit-run/godwit/internal/ir/num"
)

// columnRun is a run of rows of one column in Arrow's layout.
type columnRun struct {
	kind   num.Kind
	rows   int
	width  int    // elements per row
	values []byte // rows × width elements; bits if kind is Bool and packed
	packed bool   // bools are stored as bits, the first one at bit `first`
	first  int
	nulls  bitmap // by row
	inner  bitmap // by element; no null is allowed there
}

// bitmap has a 1 for every value that is present; nil bits mean all.
type bitmap struct {
	bits  []byte
	first int
}

func (m bitmap) at(i int) byte {
	i += m.first
	return m.bits[i>>3] >> (i & 7) & 1
}

// firstNull is the first i in [0, n) that is null, -1 if none is.
func (m bitmap) firstNull(n int) int {
	if m.bits == nil {
		return -1
	}
	for i := 0; i < n; i++ {
		if (i+m.first)&7 == 0 && i+8 <= n && m.bits[(i+m.first)>>3] == 0xff {
			i += 7
			continue
		}
		if m.at(i) == 0 {
			return i
		}
	}
	return -1
}

// expand writes a byte per row.
func (m bitmap) expand(valid []byte) {
	if m.bits == nil {
		fillOnes(valid)
		return
	}
	for i := range valid {
		valid[i] = m.at(i)
	}
}

// place says where a run goes and how errors name it.
type place struct {
	path, column string
	row          int64 // of the run's first row, in the file
	want         Want
	dst          Dest // of the run's rows
}

// fill converts a run into its destination.
func (r *columnRun) fill(p place) error {
	if p.want.Blanks != NotBlank {
		return r.fillBlanks(p)
	}
	first := r.nulls.firstNull(r.rows)
	if first >= 0 && !p.want.Option {
		return nullAt(p.path, p.row+int64(first), p.column)
	}
	if p.want.Option {
		r.nulls.expand(p.dst.Valid)
	}
	if i := r.firstInnerNull(); i >= 0 {
		e := nullAt(p.path, p.row+int64(i/r.width), p.column)
		e.Msg, e.Help = "expected a value, found a null inside a row", "only whole rows may be null; remove or fill the others"
		return e
	}
	if r.packed {
		unpackBits(p.dst.Values, bitmap{r.values, r.first})
		if first >= 0 {
			clearNulls(p.dst.Values, p.dst.Valid, r.width)
		}
		return nil
	}
	values := r.values
	if first >= 0 {
		// What lies under a null is arbitrary and must not be converted.
		values = append([]byte(nil), values...)
		clearNulls(values, p.dst.Valid, r.width*r.kind.Size())
	}
	if bad := convert(p.dst.Values, p.want, values, r.kind); bad >= 0 {
		return misfit(p.path, p.row+int64(bad/r.width), p.column, p.want, valueAt(values, r.kind, bad))
	}
	return nil
}

// firstInnerNull is the first null element in a row that is not null itself.
func (r *columnRun) firstInnerNull() int {
	if r.inner.bits == nil {
		return -1
	}
	for i := range r.rows * r.width {
		if r.inner.at(i) == 0 && (r.nulls.bits == nil || r.nulls.at(i/r.width) == 1) {
			return i
		}
	}
	return -1
}

func unpackBits(dst []byte, m bitmap) {
	for i := range dst {
		dst[i] = m.at(i)
	}
}

// clearNulls zeroes the rows of n bytes that are null.
func clearNulls(b, valid []byte, n int) {
	for i, v := range valid {
		if v == 0 {
			clear(b[i*n : (i+1)*n])
		}
	}
}

// slice is the rows [lo, hi) of a run.
func (r *columnRun) slice(lo, hi int) columnRun {
	s := *r
	s.rows = hi - lo
	if r.packed {
		s.first += lo * r.width
	} else {
		n := r.width * r.kind.Size()
		s.values = r.values[lo*n : hi*n]
	}
	s.nulls.first += lo
	s.inner.first += lo * r.width
	return s
}
