package lower

import (
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a map. Out: how many elements one outer index computes. More make less of what every outer index begins with; fewer are shared better
// among threads. Invariant: whatever depends on the order of slots does not depend on it.

const (
	// fewElements are computed together where nobody knows how much work one is.
	fewElements = 16
	// muchWork is from how many operations on an element may be loops.
	muchWork = 100
)

// grain is a leaf of elements that are little work. Of others it is as many as are no more work than a leaf of the
// greatest of those.
func (l *lowering) grain(n *graph.Node) int64 {
	u, rows := l.use[n], n.Type.Elem().Kind == graph.Array
	if u == nil || u.cost < muchWork && !rows {
		return num.Leaf
	}
	grain := int64(fewElements)
	if work, ok := l.work(n.Blocks); ok && !rows {
		for 2*grain*work <= num.Leaf*muchWork && grain < num.Leaf {
			grain *= 2
		}
	}
	return grain
}

// work is how many operations blocks take, if all loops in them have lengths that are known.
func (l *lowering) work(blocks []*graph.Block) (sum int64, ok bool) {
	for _, b := range blocks {
		for _, n := range b.Nodes {
			turns, ok := turnsOf(n)
			if !ok {
				return 0, false
			}
			each, ok := l.work(n.Blocks)
			if !ok || each > num.Leaf*muchWork {
				return 0, false
			}
			if len(n.Blocks) == 0 && turns == 1 {
				each = int64(l.use[n].cost)
			} else if n.Op != graph.Map {
				each++
			}
			if sum += min(turns, num.Leaf*muchWork) * each; sum > num.Leaf*muchWork {
				return 0, false
			}
		}
	}
	return sum, true
}

// turnsOf is how often a node goes through its blocks.
func turnsOf(n *graph.Node) (turns int64, ok bool) {
	switch n.Op {
	case graph.Map:
		return n.Type.Size.Const()
	case graph.Filter, graph.Reduce, graph.Fold, graph.Scan:
		return n.Args[0].Type.Size.Const()
	case graph.KeyedReduce, graph.Compact, graph.Scatter, graph.Sort, graph.TopK, graph.Loop:
		return 0, false
	}
	return 1, true
}
