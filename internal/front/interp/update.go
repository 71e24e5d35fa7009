package interp

import "github.com/godwit-run/godwit/internal/ir/graph"

// update works on a copy, because values are never changed.
func (m *machine) update(in *inst) *array {
	a := m.arg(in, 0).array
	m.tick(a.n * a.elem.scalars() / 8)
	r := &array{n: a.n, elem: a.elem, cols: make([][]uint64, len(a.cols))}
	for l, col := range a.cols {
		r.cols[l] = append([]uint64(nil), col...)
	}
	// cols narrow to the leaves of the part, slot is its number in them.
	s, cols, slot, next := a.elem, r.cols, int64(0), 2
	n := a.n
	for k, step := range in.Path {
		if step != graph.ByIndex {
			for _, e := range s.elems[:step] {
				cols = cols[e.leaves():]
			}
			s = s.elems[step]
			continue
		}
		if k > 0 {
			n, s = s.n, s.elems[0]
		}
		i := int64(m.arg(in, next).bits)
		next++
		if i < 0 || i >= n {
			if !m.faulted {
				m.stop("the index %d is outside of %d elements", i, n)
			}
			return a
		}
		slot = slot*n + i
	}
	s.store(cols, slot, m.arg(in, 1))
	return r
}
