package lower

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// oneKernel reports a loop that changes elements of arrays and does little
// else in a turn, so that starting a kernel for each turn would be most of
// the work.
func (l *lowering) oneKernel(n *graph.Node) bool { return changes(n) && l.elementwise(n.Blocks[0]) }

// opens reports an update of the array that a loop of one kernel begins with,
// and that nothing else uses: the loop's kernel does it where the loop works.
func (l *lowering) opens(n *graph.Node) bool {
	u := l.use[n]
	if u.streams+u.others != 1 || len(u.walkers) != 1 {
		return false
	}
	user := u.walkers[0]
	switch {
	case l.memory.home[user] != l.memory.home[n]:
		return false
	case user.Op == graph.Update:
		return user.Args[0] == n && l.opens(user)
	}
	return user.Op == graph.Loop && l.oneKernel(user)
}

// changes reports an update of elements in a node's blocks.
func changes(n *graph.Node) bool {
	found := false
	for _, b := range n.Blocks {
		b.Walk(func(m *graph.Node) bool {
			found = found || m.Op == graph.Update || m.Op == graph.Scatter
			return !found
		})
	}
	return found
}

// elementwise reports that no array operation of a block deserves threads of
// its own: each is over few slots, or over not many more than a loop beside
// it has turns.
func (l *lowering) elementwise(b *graph.Block) bool {
	for _, n := range b.Nodes {
		if !l.use[n].live {
			continue
		}
		if n.Op == graph.Loop && l.shares(n) {
			return false
		}
		if n.Defines != "" || n.Op >= graph.Map && n.Op != graph.Update && n.Op != graph.Loop && !l.little(n, b) {
			return false
		}
		for _, inner := range n.Blocks {
			if !l.elementwise(inner) {
				return false
			}
		}
	}
	return true
}

func (l *lowering) little(n *graph.Node, b *graph.Block) bool {
	slots := n.Type.Size
	switch n.Op {
	case graph.Map:
	case graph.Scatter:
		slots = n.Args[1].Type.Size
	default:
		slots = n.Args[0].Type.Size
	}
	return l.most(slots) <= fewSlots || l.use[n].cost <= 3*dear && l.covered(slots, b)
}

// covered reports a loop in b that changes elements and has at least an
// eighth as many turns as there are slots.
func (l *lowering) covered(slots size.Poly, b *graph.Block) bool {
	found := false
	b.Walk(func(n *graph.Node) bool {
		if n.Op == graph.Loop && changes(n) {
			found = found || l.facts.Proves(mostTurns(n).MulConst(8).AddConst(fewSlots).Sub(slots))
		}
		return !found
	})
	return found
}
