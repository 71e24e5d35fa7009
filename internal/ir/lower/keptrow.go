package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/graph"
)

// In: the graph, and what lies in which memory. Out: the rows that are moved to memory of their
// own when they are taken out of an array, because the array changes while somebody still wants
// the row: `let r = m[i]; m[i] = m[j]; m[j] = r`. A row is a view of its array otherwise, and as
// long as somebody reads it, a change would need a copy of the whole array. A row is kept only
// if the array is then changed where it lies.

// keepRows decides which rows are kept.
func (m *memory) keepRows(b *graph.Block) {
	b.Walk(func(n *graph.Node) bool {
		switch n.Op {
		case graph.Update, graph.Scatter, graph.Loop, graph.Fold:
			m.keepFor(n)
		}
		return true
	})
}

// keepFor keeps the rows that stand in the way of a change in place.
func (m *memory) keepFor(n *graph.Node) {
	for _, mem := range m.changed(n) {
		if m.free(n, mem) {
			continue
		}
		rows := m.rowsAcross(n, mem)
		if len(rows) == 0 {
			continue
		}
		m.keep(rows, true)
		if free := m.free(n, mem); !free {
			m.keep(rows, false)
		}
	}
}

func (m *memory) keep(rows []*graph.Node, kept bool) {
	for _, r := range rows {
		m.kept[r] = kept
	}
	m.known, m.read = map[*graph.Node][][]root{}, map[*graph.Node][]root{}
}

// changed lists the memory of each array that n would like to change where it lies.
func (m *memory) changed(n *graph.Node) (list [][]root) {
	from := n.Args[:1]
	switch n.Op {
	case graph.Fold:
		from = n.Args[1:2]
	case graph.Loop:
		from = n.Args[2:]
	}
	for _, a := range from {
		list = append(list, m.roots(a)...)
	}
	return list
}

// free reports that nobody reads the memory after n, nor a body of n in its turns.
func (m *memory) free(n *graph.Node, mem []root) bool {
	return !meet(m.blocksRead(n), mem) && m.dead(n, mem)
}

// rowsAcross lists the rows of this memory that were taken before n and are wanted after it, or
// in its turns.
func (m *memory) rowsAcross(n *graph.Node, mem []root) (rows []*graph.Node) {
	at := n
	for b := m.home[n]; b != nil; b = m.home[at] {
		for _, r := range b.Nodes[:m.place[at]] {
			if r.Op == graph.At && !m.kept[r] && arrays(r.Type) > 0 && meet(m.roots(r.Args[0])[0], mem) && m.wanted(r, n) {
				rows = append(rows, r)
			}
		}
		if at = m.owner[b]; at == nil {
			break
		}
	}
	return rows
}

// wanted reports that a node after n, or in it, has the row for an argument or as a result.
func (m *memory) wanted(row, n *graph.Node) bool {
	is := func(x *graph.Node) bool { return x == row }
	in := func(x *graph.Node) (found bool) {
		for _, b := range x.Blocks {
			for _, b := range blocksOf(b) {
				found = found || slices.ContainsFunc(b.Results, is) || slices.ContainsFunc(b.Nodes, func(y *graph.Node) bool { return slices.ContainsFunc(y.Args, is) })
			}
		}
		return found
	}
	if in(n) {
		return true
	}
	for at := n; at != nil; {
		b := m.home[at]
		for _, x := range b.Nodes[m.place[at]+1:] {
			if slices.ContainsFunc(x.Args, is) || in(x) {
				return true
			}
		}
		if slices.ContainsFunc(b.Results, is) {
			return true
		}
		if b == m.home[row] {
			return false
		}
		at = m.owner[b]
	}
	return false
}
