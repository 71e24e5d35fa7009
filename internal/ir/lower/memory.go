package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/graph"
)

// memory says which arrays lie in the same memory, and until when it is
// read. It knows the graph only; whether a kernel may write there is known
// to the kernel.
//
// Inside of a kernel nodes are computed in the order of their block, but a
// map may wait until its elements are asked for; so its value counts as
// lying in all the memory that it reads.
type memory struct {
	home  map[*graph.Node]*graph.Block
	place map[*graph.Node]int // in its home; -1: a parameter
	owner map[*graph.Block]*graph.Node
	known map[*graph.Node][][]root
	read  map[*graph.Node][]root // by the node and its blocks
	kept  map[*graph.Node]bool   // rows that are moved to memory of their own, see keptrow.go
}

// root is memory: that of one array of a node's value, numbered as parts
// visits them.
type root struct {
	n    *graph.Node
	part int
}

func memoryOf(g *graph.Graph) *memory {
	m := &memory{
		home: map[*graph.Node]*graph.Block{}, place: map[*graph.Node]int{},
		owner: map[*graph.Block]*graph.Node{}, known: map[*graph.Node][][]root{}, read: map[*graph.Node][]root{},
		kept: map[*graph.Node]bool{},
	}
	m.enter(&g.Body)
	m.keepRows(&g.Body)
	return m
}

func (m *memory) enter(b *graph.Block) {
	for _, p := range b.Params {
		m.home[p], m.place[p] = b, -1
	}
	for i, n := range b.Nodes {
		m.home[n], m.place[n] = b, i
		for _, inner := range n.Blocks {
			m.owner[inner] = n
			m.enter(inner)
		}
	}
}

// arrays is how many arrays parts finds in a value of type t.
func arrays(t *graph.Type) int {
	_, list := shape(t)
	return len(list)
}

// roots lists, for each array of n's value, the memory that it is read from.
func (m *memory) roots(n *graph.Node) [][]root {
	if r, ok := m.known[n]; ok {
		return r
	}
	r := m.find(n)
	m.known[n] = r
	return r
}

func (m *memory) find(n *graph.Node) [][]root {
	count := arrays(n.Type)
	if count == 0 {
		return nil
	}
	switch n.Op {
	case graph.Param:
		return m.param(n, count)
	case graph.MakeTuple:
		var all [][]root
		for _, a := range n.Args {
			all = append(all, m.roots(a)...)
		}
		return all
	case graph.Get:
		first := firstPart(n)
		return m.roots(n.Args[0])[first : first+count]
	case graph.Some, graph.Unwrap, graph.Limit:
		return m.roots(n.Args[0])
	case graph.At:
		if m.kept[n] {
			return own(n, count)
		}
		return repeat(m.roots(n.Args[0])[0], count)
	case graph.Map, graph.Filter:
		return [][]root{append(slices.Clone(m.reads(n)), root{n, 0})}
	}
	return own(n, count)
}

// firstPart is the number of a field's first array among those of the tuple.
func firstPart(get *graph.Node) int {
	first := 0
	for _, t := range get.Args[0].Type.Elems[:get.Field] {
		first += arrays(t)
	}
	return first
}

func own(n *graph.Node, count int) [][]root {
	all := make([][]root, count)
	for i := range all {
		all[i] = []root{{n, i}}
	}
	return all
}

func repeat(r []root, count int) [][]root {
	all := make([][]root, count)
	for i := range all {
		all[i] = r
	}
	return all
}

// param: what a loop or fold carries lies in memory of its own; an element
// lies where its array does.
func (m *memory) param(p *graph.Node, count int) [][]root {
	b := m.home[p]
	n, i := m.owner[b], slices.Index(b.Params, p)
	if n == nil {
		return own(p, count)
	}
	from := func(array *graph.Node) [][]root { return repeat(slices.Concat(m.roots(array)...), count) }
	switch {
	case n.Op == graph.Loop, (n.Op == graph.Fold || n.Op == graph.Scan) && i == 1:
		return own(p, count)
	case n.Op == graph.Map:
		return from(n.Args[i-1])
	case n.Op == graph.Scatter && b == n.Blocks[0]:
		return from(n.Args[1])
	case n.Op == graph.Scatter && i == 0:
		return repeat([]root{{n, 0}}, count)
	case n.Op == graph.Scatter:
		return from(n.Blocks[0].Results[1])
	}
	return from(n.Args[0])
}

// reads lists the memory that n and its blocks read.
func (m *memory) reads(n *graph.Node) []root {
	all, ok := m.read[n]
	if !ok {
		all = m.add(slices.Clone(m.blocksRead(n)), n.Args)
		m.read[n] = all
	}
	return all
}

// blocksRead lists the memory that n's blocks read.
func (m *memory) blocksRead(n *graph.Node) (all []root) {
	for _, b := range n.Blocks {
		b.Walk(func(inner *graph.Node) bool { all = m.add(all, inner.Args); return true })
		for _, inner := range blocksOf(b) {
			all = m.add(all, inner.Results)
		}
	}
	return all
}

// add adds the memory of nodes to a list without repetition.
func (m *memory) add(list []root, nodes []*graph.Node) []root {
	for _, n := range nodes {
		for _, part := range m.roots(n) {
			for _, r := range part {
				if !slices.Contains(list, r) {
					list = append(list, r)
				}
			}
		}
	}
	return list
}

// blocksOf lists a block and the blocks inside.
func blocksOf(b *graph.Block) []*graph.Block {
	all := []*graph.Block{b}
	b.Walk(func(n *graph.Node) bool { all = append(all, n.Blocks...); return true })
	return all
}

// touches reports that n reads any of the memory when it is computed.
func (m *memory) touches(n *graph.Node, mem []root) bool {
	switch n.Op {
	case graph.MakeTuple, graph.Get, graph.Some, graph.Unwrap, graph.Limit:
		return false // it hands the memory on
	case graph.At:
		if n.Type.Kind == graph.Array && !m.kept[n] {
			return false
		}
	}
	return meet(m.reads(n), mem)
}

func meet(a, b []root) bool {
	return slices.ContainsFunc(a, func(r root) bool { return slices.Contains(b, r) })
}

// dead reports that nothing reads the memory after n, so that n may write
// there. What n itself reads is for the caller to see to. A turn of a loop
// that the memory was made outside of counts as what comes after.
func (m *memory) dead(n *graph.Node, mem []root) bool {
	for _, r := range mem {
		if !m.deadFrom(n, m.home[r.n], mem) {
			return false
		}
	}
	return true
}

func (m *memory) deadFrom(n *graph.Node, made *graph.Block, mem []root) bool {
	for {
		b := m.home[n]
		if slices.ContainsFunc(b.Nodes[m.place[n]+1:], func(x *graph.Node) bool { return m.touches(x, mem) }) {
			return false
		}
		for _, r := range b.Results {
			if meet(slices.Concat(m.roots(r)...), mem) {
				return false
			}
		}
		if b == made {
			return true
		}
		if n = m.owner[b]; n == nil || n.Op != graph.If {
			return false
		}
	}
}

// inside reports that n belongs to a block of outer.
func (m *memory) inside(n, outer *graph.Node) bool {
	for b := m.home[n]; b != nil; {
		o := m.owner[b]
		if o == nil {
			return false
		}
		if o == outer {
			return true
		}
		b = m.home[o]
	}
	return false
}

// base follows an array back through what may update it in place: to a value
// that was there before the choice n, or to where it was made.
func (m *memory) base(n, v *graph.Node, part int) root {
	for {
		switch {
		case v.Op == graph.MakeTuple:
			v, part = whose(v.Args, part)
		case v.Op == graph.Get:
			part += firstPart(v)
			v = v.Args[0]
		case !m.inside(v, n):
			return root{v, part}
		case v.Op == graph.Update || v.Op == graph.Scatter:
			v = v.Args[0]
		case v.Op == graph.Fold:
			v = v.Args[1]
		case v.Op == graph.Loop:
			v, part = whose(v.Args[2:], part)
		case v.Op == graph.If:
			a, b := m.base(n, v.Blocks[0].Results[0], part), m.base(n, v.Blocks[1].Results[0], part)
			if a != b {
				return root{v, part}
			}
			return a
		default:
			return root{v, part}
		}
	}
}

// whose is the value that an array of several values together belongs to, and which array of
// that value it is.
func whose(values []*graph.Node, part int) (*graph.Node, int) {
	for part >= arrays(values[0].Type) {
		part -= arrays(values[0].Type)
		values = values[1:]
	}
	return values[0], part
}
