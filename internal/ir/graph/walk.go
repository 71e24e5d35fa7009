package graph

import "slices"

// Walk calls visit for every node of the block and of the blocks inside, in
// an order in which they can be evaluated: parameters of a block before its
// nodes, a node before what is inside its own blocks. The walk does not
// enter the blocks of a node for which visit returns false.
func (b *Block) Walk(visit func(*Node) bool) {
	for _, p := range b.Params {
		visit(p)
	}
	for _, n := range b.Nodes {
		if !visit(n) {
			continue
		}
		for _, inner := range n.Blocks {
			if inner != nil { // a broken graph can still be printed
				inner.Walk(visit)
			}
		}
	}
}

// Uses reports a node that something in the block, or in the blocks inside, takes as an argument or gives as a result, and of which is
// holds. A branch may give what is computed outside of it as it is, so arguments alone are not enough.
func (b *Block) Uses(is func(*Node) bool) bool {
	found := slices.ContainsFunc(b.Results, is)
	b.Walk(func(n *Node) bool {
		found = found || slices.ContainsFunc(n.Args, is)
		for _, inner := range n.Blocks {
			found = found || inner != nil && slices.ContainsFunc(inner.Results, is)
		}
		return !found
	})
	return found
}

// CanFault reports whether evaluating n itself, its blocks left out, can
// fault. A node without a site cannot: whoever made it has shown so.
func (n *Node) CanFault() bool {
	if n.Site < 0 {
		return false
	}
	switch n.Op {
	case Arith:
		return n.Checked && n.Num.CanFault(n.Args[0].Type.KindOf())
	case Cast:
		return n.Checked
	case Clamp, Wrap, Check:
		return true
	case Reduce:
		return n.Monoid.CanFault(n.Monoid.Kind(n.Args[0].Type.Elem()), false)
	case KeyedReduce:
		return n.Monoid.CanFault(keyedScalar(n.Blocks[0].Results[1].Type).KindOf(), true)
	}
	return false
}

// AnyFault reports whether n or anything in its blocks can fault.
func (n *Node) AnyFault() bool {
	found := n.CanFault()
	for _, b := range n.Blocks {
		found = found || b.AnyFault()
	}
	return found
}

// AnyFault reports whether anything in the block can fault.
func (b *Block) AnyFault() bool {
	found := false
	b.Walk(func(n *Node) bool {
		found = found || n.CanFault()
		return !found
	})
	return found
}

// keyedScalar is the scalar that a KeyedReduce combines.
func keyedScalar(t *Type) *Type {
	for t.Kind == Array {
		t = t.Elem()
	}
	return t
}

// MaxID is the largest ID of any node.
func (g *Graph) MaxID() int {
	most := 0
	g.Body.Walk(func(n *Node) bool {
		most = max(most, n.ID)
		return true
	})
	return most
}

// Replace puts what by maps to in place of nodes in all arguments and
// results of the block and of the blocks inside.
func (b *Block) Replace(by map[*Node]*Node) {
	if len(by) == 0 {
		return
	}
	swap(b.Results, by)
	for _, n := range b.Nodes {
		swap(n.Args, by)
		for _, inner := range n.Blocks {
			inner.Replace(by)
		}
	}
}

func swap(nodes []*Node, by map[*Node]*Node) {
	for i, n := range nodes {
		for next, ok := by[n]; ok; next, ok = by[nodes[i]] {
			nodes[i] = next
		}
	}
}
