package lower

import (
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: maps that are held because several walk over them and they are much work. Out: the same computed by each of these. It takes
// more time and less memory. Invariant: none of them can fault, and all who need one walk over all of it.

// held lists such maps. What is inside of a kernel, or not longer than a leaf, takes no memory to speak of.
func (l *lowering) held() (list []*graph.Node) {
	for n, u := range l.use {
		if n.Op != graph.Map && n.Op != graph.Filter || u.fused(n) || l.memory.home[n] != &l.g.Body {
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
