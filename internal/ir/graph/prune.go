package graph

// Prune drops nodes whose value nobody uses and that cannot fault, neither
// themselves nor anything in their blocks. A node that defines a run-time
// size stays while anything speaks of that size.
func Prune(g *Graph) {
	live := map[*Node]bool{}
	sizes := map[string]bool{}
	for changed := true; changed; {
		// A size found in use keeps an earlier node, which may use others.
		changed = markBlock(&g.Body, live, sizes)
	}
	sweep(&g.Body, live)
}

// markBlock marks from the last node to the first and reports whether it
// marked anything new.
func markBlock(b *Block, live map[*Node]bool, sizes map[string]bool) bool {
	changed := false
	for _, r := range b.Results {
		changed = mark(r, live) || changed
	}
	for _, p := range b.Params {
		changed = markTypeSizes(p.Type, sizes) || changed
	}
	for i := len(b.Nodes) - 1; i >= 0; i-- {
		n := b.Nodes[i]
		if !live[n] && !n.AnyFault() && (n.Defines == "" || !sizes[n.Defines]) {
			continue
		}
		changed = mark(n, live) || changed
		for _, a := range n.Args {
			changed = mark(a, live) || changed
		}
		changed = markSizes(n, sizes) || changed
		for _, inner := range n.Blocks {
			changed = markBlock(inner, live, sizes) || changed
		}
	}
	return changed
}

func mark(n *Node, live map[*Node]bool) bool {
	if live[n] {
		return false
	}
	live[n] = true
	return true
}

// markSizes marks the sizes that n speaks of; its own definition is no use.
func markSizes(n *Node, sizes map[string]bool) bool {
	changed := false
	for _, names := range [][]string{n.Poly.Vars(), n.MaxPoly.Vars()} {
		changed = markNames(names, sizes) || changed
	}
	if n.Defines != "" {
		return markTypeSizes(n.Type.Elem(), sizes) || changed
	}
	return markTypeSizes(n.Type, sizes) || changed
}

func markTypeSizes(t *Type, sizes map[string]bool) bool {
	changed := markNames(t.Size.Vars(), sizes)
	changed = markNames(t.Bound.Vars(), sizes) || changed
	for _, e := range t.Elems {
		changed = markTypeSizes(e, sizes) || changed
	}
	return changed
}

func markNames(names []string, sizes map[string]bool) bool {
	changed := false
	for _, name := range names {
		if !sizes[name] {
			sizes[name], changed = true, true
		}
	}
	return changed
}

func sweep(b *Block, live map[*Node]bool) {
	kept := b.Nodes[:0]
	for _, n := range b.Nodes {
		if !live[n] {
			continue
		}
		kept = append(kept, n)
		for _, inner := range n.Blocks {
			sweep(inner, live)
		}
	}
	clear(b.Nodes[len(kept):])
	b.Nodes = kept
}
