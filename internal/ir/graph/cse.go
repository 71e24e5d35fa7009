package graph

import "slices"

// Share computes once what a block computes twice: two nodes of one block
// with the same operation on the same arguments, blocks included. Each node
// is pure, so only faults tell them apart: both nodes are evaluated for the
// same slots, and of their two sites the lower one is the one reported.
// Nodes inside of blocks must have the same sites. A node that defines a
// run-time size has a result of its own.
func Share(g *Graph) { shareBlock(&g.Body) }

func shareBlock(b *Block) {
	seen := map[shareKey][]*Node{}
	by := map[*Node]*Node{}
	kept := b.Nodes[:0]
	for _, n := range b.Nodes {
		swap(n.Args, by)
		for _, inner := range n.Blocks {
			inner.Replace(by)
			shareBlock(inner)
		}
		key := keyOf(n)
		if first := findSame(seen[key], n); first != nil {
			if n.Site >= 0 {
				first.Site = min(first.Site, n.Site)
			}
			if first.Name == "" {
				first.Name = n.Name
			}
			by[n] = first
			continue
		}
		seen[key] = append(seen[key], n)
		kept = append(kept, n)
	}
	clear(b.Nodes[len(kept):])
	b.Nodes = kept
	swap(b.Results, by)
}

// shareKey brings together nodes that may be equal.
type shareKey struct {
	op    Op
	args  int
	first *Node
	bits  uint64
	extra int
}

func keyOf(n *Node) shareKey {
	k := shareKey{op: n.Op, args: len(n.Args), bits: n.Bits, extra: int(n.Num)<<16 + int(n.Monoid)<<8 + n.Field}
	if len(n.Args) > 0 {
		k.first = n.Args[0]
	}
	return k
}

func findSame(among []*Node, n *Node) *Node {
	if n.Defines != "" {
		return nil
	}
	for _, m := range among {
		if (m.Site < 0) == (n.Site < 0) && sameNode(m, n, map[*Node]*Node{}) {
			return m
		}
	}
	return nil
}

// sameNode compares everything but sites and names; with maps the inner
// nodes of b to those of a.
func sameNode(a, b *Node, with map[*Node]*Node) bool {
	if a.Op != b.Op || a.Num != b.Num || a.Checked != b.Checked || a.Bits != b.Bits || a.Field != b.Field ||
		a.Monoid != b.Monoid || a.Desc != b.Desc || a.Stop != b.Stop || a.Max != b.Max || a.HasPoly != b.HasPoly ||
		a.Defines != b.Defines || !slices.Equal(a.Path, b.Path) || len(a.Blocks) != len(b.Blocks) {
		return false
	}
	if !a.Poly.Equal(b.Poly) || !a.MaxPoly.Equal(b.MaxPoly) || !a.Type.Equal(b.Type) || !sameNodes(a.Args, b.Args, with) {
		return false
	}
	for i := range a.Blocks {
		if !sameBlock(a.Blocks[i], b.Blocks[i], with) {
			return false
		}
	}
	return true
}

func sameNodes(a, b []*Node, with map[*Node]*Node) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		m, inner := with[b[i]]
		if a[i] != b[i] && !(inner && m == a[i]) {
			return false
		}
	}
	return true
}

func sameBlock(a, b *Block, with map[*Node]*Node) bool {
	if len(a.Params) != len(b.Params) || len(a.Nodes) != len(b.Nodes) {
		return false
	}
	for i := range a.Params {
		if !a.Params[i].Type.Equal(b.Params[i].Type) {
			return false
		}
		with[b.Params[i]] = a.Params[i]
	}
	for i := range a.Nodes {
		if a.Nodes[i].Defines != "" || a.Nodes[i].Site != b.Nodes[i].Site || !sameNode(a.Nodes[i], b.Nodes[i], with) {
			return false
		}
		with[b.Nodes[i]] = a.Nodes[i]
	}
	return sameNodes(a.Results, b.Results, with)
}
