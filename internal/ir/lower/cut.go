package lower

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// A map that chooses by whether its index is below a size, as concat does, becomes two loops that do not
// choose: one below the cut and one from there on. In each an index that the choice made valid needs no limits,
// so that a loop is a copy.

// cut is the place of the choice in a map.
type cut struct {
	choice *graph.Node // the map's element: an If
	index  *graph.Node
	at     size.Poly
	rest   size.Poly // slots from there on
	above  bool      // the loop from there on is being emitted
}

// cutOf finds the cut of a map; nil if it has none.
func cutOf(n *graph.Node) *cut {
	if n.Op != graph.Map || len(n.Args) > 0 {
		return nil
	}
	choice, index := n.Blocks[0].Results[0], n.Blocks[0].Params[0]
	if choice.Op != graph.If || hasArray(choice.Type) {
		return nil
	}
	below := choice.Args[0]
	if below.Op != graph.Arith || below.Num != num.Lt || below.Args[0] != index || below.Args[1].Op != graph.SizeVal {
		return nil
	}
	at := below.Args[1].Poly
	return &cut{choice: choice, index: index, at: at, rest: n.Type.Size.Sub(at)}
}

// halves calls each for the slots of the grain on either side of the cut.
func (k *kern) halves(c *cut, each func(lo, hi kernel.Value)) {
	at := k.sizeValue(c.at)
	k.cut = c
	each(k.lo, k.b.Wrap(num.Min, k.hi, at))
	c.above = true
	each(k.b.Wrap(num.Max, k.lo, at), k.hi)
	k.cut = nil
}

// chosen is the value of a choice of which the side is known.
func (k *kern) chosen(n *graph.Node, e *env) (v val, ok bool) {
	if k.cut == nil || k.cut.choice != n {
		return v, false
	}
	b := n.Blocks[0]
	if k.cut.above {
		b = n.Blocks[1]
	}
	return k.body(b, e)[0], true
}

// withinCut reports an index that a side of the choice keeps inside of its array.
func (k *kern) withinCut(n *graph.Node) bool {
	c := k.cut
	switch {
	case c == nil || n.Op != graph.Clamp:
		return false
	case !c.above:
		return n.Args[0] == c.index && n.Poly.Equal(c.at)
	}
	sub := n.Args[0]
	return sub.Op == graph.Arith && sub.Num == num.Sub && sub.Args[0] == c.index &&
		sub.Args[1].Op == graph.SizeVal && sub.Args[1].Poly.Equal(c.at) && n.Poly.Equal(c.rest)
}
