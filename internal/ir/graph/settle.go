package graph

// Settle is a graph in which it is known whether rows of arguments lie in shards on other machines, with what
// follows from that: g itself if nothing depends on it, otherwise a copy. What is computed only where it is not so is gone.
func Settle(g *Graph, spread bool) *Graph {
	found := false
	isOne := func(n *Node) bool {
		found = found || n.Op == Spread
		return !found
	}
	if g.Body.Walk(isOne); !found {
		return g
	}
	g = g.Clone()
	g.Body.Walk(func(n *Node) bool {
		if n.Op == Spread {
			if n.Op = Const; spread {
				n.Bits = 1
			}
		}
		return true
	})
	Simplify(g)
	Prune(g)
	return g
}
