package lower

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// In: filtered arrays over slots that are only counted, as the pairs of rows that join_all looks through. Out: which of them are computed by
// each who walks over them, however many do: held, they would take memory for every slot, and few are kept. What is dear to make
// is held all the same.

// manyTimes is from how many times the slots of an array on there are too many to hold what a filter keeps of them.
const manyTimes = 4

// isSparse reports such an array.
func (a *analysis) isSparse(n *graph.Node) bool {
	return n.Type.Kind == graph.Array && n.Type.Masked && spacious(n.Type.Size) && a.countedWork(n) <= dearElement
}

// spacious reports so many slots as no array of the arguments has, unless it is one of rows.
func spacious(p size.Poly) (is bool) {
	p.Terms(func(coef int64, names []string, _ bool) {
		is = is || len(names) > 1 || len(names) == 1 && coef > manyTimes
	})
	return is
}

// countedWork is how much work an element is with all that it is made of, down to the number of its slot; more than anything that is
// computed again where it is made of another array.
func (a *analysis) countedWork(n *graph.Node) int {
	if n.Op != graph.Map && n.Op != graph.Filter || len(n.Args) > 1 {
		return dearElement + 1
	}
	work := 0
	for _, m := range n.Blocks[0].Nodes {
		work += a.use[m].cost
	}
	if len(n.Args) == 1 {
		work += a.countedWork(n.Args[0])
	}
	return work
}
