package graph

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// Simplify evaluates what is known: scalar operations on constants, sizes
// that are numbers, fields of tuples and values of Options that were just
// made, maps that change nothing, elements that a map has from another array, and choices whose condition is a constant. What would fault stays.
func Simplify(g *Graph) {
	s := &simplifier{by: map[*Node]*Node{}}
	s.block(&g.Body)
}

type simplifier struct{ by map[*Node]*Node }

func (s *simplifier) block(b *Block) {
	var nodes []*Node
	for _, n := range b.Nodes {
		for i, a := range n.Args {
			n.Args[i] = s.now(a)
		}
		nodes = append(nodes, s.node(n)...)
	}
	b.Nodes = nodes
	for i, r := range b.Results {
		b.Results[i] = s.now(r)
	}
}

func (s *simplifier) now(n *Node) *Node {
	for m, ok := s.by[n]; ok; m, ok = s.by[n] {
		n = m
	}
	return n
}

// node gives what stands in the place of n: n itself, nothing when another
// node has its value, or the nodes of the branch that is taken.
func (s *simplifier) node(n *Node) []*Node {
	if same := sameValue(n); same != nil && same.Type.Equal(n.Type) {
		s.by[n] = same
		return nil
	}
	for through(n) {
	}
	foldScalar(n)
	for _, inner := range n.Blocks {
		s.block(inner)
	}
	if n.Op == If && n.Args[0].Op == Const {
		return s.branch(n)
	}
	return []*Node{n}
}

// branch puts the nodes of the taken block in the place of the choice.
func (s *simplifier) branch(n *Node) []*Node {
	taken := n.Blocks[1]
	if n.Args[0].Bits != 0 {
		taken = n.Blocks[0]
	}
	s.by[n] = taken.Results[0]
	return taken.Nodes
}

// sameValue is the node that already has n's value.
func sameValue(n *Node) *Node {
	switch {
	case n.Op == Get && n.Args[0].Op == MakeTuple:
		return n.Args[0].Args[n.Field]
	case n.Op == Unwrap && n.Args[0].Op == Some:
		return n.Args[0].Args[0]
	case n.Op == Cast:
		return n.Args[0] // when the types are equal
	case n.Op == Map && len(n.Args) == 1 && len(n.Blocks[0].Nodes) == 0 && n.Blocks[0].Results[0] == n.Blocks[0].Params[1]:
		return n.Args[0] // each element is what it was
	}
	return nil
}

// through takes an element, or its field, from the array that a map has it from, and reports whether it did: an array that is read at
// random is held, and so would be all fields of the map's.
func through(n *Node) bool {
	at := n
	if n.Op == Get {
		at = n.Args[0]
	}
	if at.Op != At || at.Args[0].Op != Map || at.Args[0].Type.Masked {
		return false
	}
	m := at.Args[0]
	r := m.Blocks[0].Results[0]
	if n.Op == Get {
		if r.Op != MakeTuple {
			return false
		}
		r = r.Args[n.Field]
	}
	i := slices.Index(m.Blocks[0].Params, r) - 1
	if i < 0 || !m.Args[i].Type.Elem().Equal(n.Type) {
		return false
	}
	n.Op, n.Args, n.Field = At, []*Node{m.Args[i], at.Args[1]}, 0
	return true
}

// foldScalar turns n into the constant it is.
func foldScalar(n *Node) {
	bits, ok := constantOf(n)
	if !ok || n.Type.Kind != Scalar {
		return
	}
	*n = Node{ID: n.ID, Op: Const, Type: n.Type, Pos: n.Pos, Bits: num.Canon(n.Type.Num, bits), Site: -1, Name: n.Name}
}

func constantOf(n *Node) (bits uint64, ok bool) {
	fault := false
	switch {
	case n.Op == SizeVal:
		v, known := n.Poly.Const()
		return uint64(v), known
	case n.Op == IsSome && n.Args[0].Op == Some:
		return 1, true
	case n.Op == IsSome && n.Args[0].Op == Nothing:
		return 0, true
	case slices.ContainsFunc(n.Args, func(a *Node) bool { return a.Op != Const }):
		return 0, false
	case n.Op == Cast:
		bits, fault = num.Convert(n.Args[0].Type.KindOf(), n.Type.KindOf(), n.Args[0].Bits)
	case n.Op == Arith:
		var args [3]uint64
		for i, a := range n.Args {
			args[i] = a.Bits
		}
		bits, fault = num.Apply(n.Num, n.Args[0].Type.KindOf(), args[:len(n.Args)])
	default:
		return 0, false
	}
	return bits, !(fault && n.Checked)
}
