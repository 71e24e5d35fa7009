package lower

import (
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: maps that are held because several walk over them and they are much work. Out: the same computed by each of these. It takes
// more time and less memory. Invariant: none of them can fault, and all who need one walk over all of it.

// held lists such maps, in their order. What is inside of a kernel, or not longer than a leaf, takes no memory to speak of.
func (l *lowering) held() (list []*graph.Node) {
	for _, n := range l.g.Body.Nodes {
		u := l.use[n]
		if n.Op != graph.Map && n.Op != graph.Filter || u.fused(n) {
			continue
		}
		again := *u
		if again.again = true; u.live && again.fused(n) && l.most(n.Type.Size) > num.Leaf {
			list = append(list, n)
		}
	}
	return list
}

// holdNone has all such maps computed by those who walk over them.
func (l *lowering) holdNone() {
	for _, n := range l.held() {
		l.use[n].again = true
	}
}

// holdLittle has those computed again that are little work: where rows lie in shards on other machines, what is held lies here, and would come here and
// go back to the rows. So are elements that are asked for by their index, and what is taken of a map.
func (l *lowering) holdLittle() {
	l.g.Body.Walk(func(n *graph.Node) bool {
		if n.Op == graph.Limit && l.memory.home[n] == &l.g.Body && cuttable(n.Args[0]) && !l.use[n.Args[0]].deep {
			l.use[n.Args[0]].others--
			l.use[n.Args[0]].streams++
		}
		return true
	})
	for _, n := range l.g.Body.Nodes { // those that it is made of first
		u := l.use[n]
		u.indexed = n.Op == graph.Map && u.live && u.others > 0 && u.others == u.ats && !u.deep && !hasArray(n.Type.Elem()) &&
			l.most(n.Type.Size) > num.Leaf && l.made(n) <= dearElement
	}
	for _, n := range l.held() {
		l.use[n].again = l.made(n) <= dearElement
	}
}

// dearElement is how many operations an element takes that is not made twice.
const dearElement = 50

// made is how much work an element of a map is, with those of maps that are computed with it.
func (l *lowering) made(n *graph.Node) int {
	cost := 0
	for _, b := range n.Blocks {
		for _, m := range b.Nodes {
			cost += l.use[m].cost
		}
	}
	for j, arg := range n.Args {
		if walks(n, j) && l.waits(arg) {
			cost += l.made(arg)
		}
	}
	return cost
}
