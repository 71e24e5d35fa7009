package lower

import (
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// pruning finds comparisons of an argument's columns with constants that
// hold for every row whose values matter to a group of reductions: they all
// walk over one filtered view of one array argument and look at it in no
// other way.
func (l *lowering) pruning(group []*graph.Node) []schedule.Predicate {
	filter := filterOf(group[0].Args[0])
	if filter == nil || filter.Args[0].Op != graph.Param {
		return nil
	}
	table := filter.Args[0]
	for _, n := range group {
		if filterOf(n.Args[0]) != filter || looksAt(n, table) {
			return nil
		}
	}
	return l.predicates(nil, filter.Blocks[0], filter.Blocks[0].Results[0], table)
}

// filterOf follows maps down to the filter that they walk over.
func filterOf(n *graph.Node) *graph.Node {
	for n.Op == graph.Map && len(n.Args) == 1 {
		n = n.Args[0]
	}
	if n.Op != graph.Filter {
		return nil
	}
	return n
}

// looksAt reports that a body on the way from table to n uses table itself.
func looksAt(n, table *graph.Node) bool {
	found := false
	for ; n.Op != graph.Param; n = n.Args[0] {
		for _, b := range n.Blocks {
			b.Walk(func(m *graph.Node) bool {
				for _, a := range m.Args {
					found = found || a == table
				}
				return !found
			})
		}
	}
	return found
}

var mirrored = map[num.Op]num.Op{num.Lt: num.Gt, num.Le: num.Ge, num.Gt: num.Lt, num.Ge: num.Le, num.Eq: num.Eq}

// predicates collects the comparisons that cond implies.
func (l *lowering) predicates(out []schedule.Predicate, b *graph.Block, cond, table *graph.Node) []schedule.Predicate {
	switch {
	case cond.Op == graph.If && isFalse(cond.Blocks[1].Results[0]):
		out = l.predicates(out, b, cond.Args[0], table)
		return l.predicates(out, b, cond.Blocks[0].Results[0], table)
	case cond.Op != graph.Arith:
		return out
	case cond.Num == num.And:
		out = l.predicates(out, b, cond.Args[0], table)
		return l.predicates(out, b, cond.Args[1], table)
	}
	op, ok := mirrored[cond.Num]
	if !ok {
		return out
	}
	column, constant := cond.Args[0], cond.Args[1]
	if column.Op == graph.Const {
		column, constant = constant, column
	} else {
		op = cond.Num
	}
	leaf, ok := columnLeaf(b, column)
	if !ok || constant.Op != graph.Const {
		return out
	}
	return append(out, schedule.Predicate{Buffer: l.mat[table][leaf].buffer, Op: op, Bits: constant.Bits})
}

func isFalse(n *graph.Node) bool { return n.Op == graph.Const && n.Bits == 0 }

// columnLeaf says which leaf of the element a node is, when it is one.
func columnLeaf(b *graph.Block, n *graph.Node) (int, bool) {
	elem := b.Params[1]
	if n == elem && len(graph.Leaves(n.Type)) == 1 {
		return 0, true
	}
	if n.Op != graph.Get || n.Args[0] != elem || !n.Type.IsScalar() {
		return 0, false
	}
	lo, _ := leafRange(elem.Type, n.Field)
	return lo, true
}
