package interp

import "github.com/godwit-run/godwit/internal/ir/graph"

// update changes one part of an array. Values do not change: see memory.
func (m *machine) update(in *inst) *array {
	a := m.arg(in, 0).array
	// leaf is the first of the leaves of the part, slot is its number in them.
	s, leaf, slot, next := a.elem, 0, int64(0), 2
	n := a.n
	for k, step := range in.Path {
		if step != graph.ByIndex {
			for _, e := range s.elems[:step] {
				leaf += e.leaves()
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
	m.tick(s.scalars() / 8)
	return a.changedAt(s, leaf, slot, m.arg(in, 1))
}
