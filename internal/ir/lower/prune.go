package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// pruning finds comparisons of an argument's columns with scalars that
// hold for every row whose values matter to a group of reductions: they all
// walk over one choice of rows of one array argument and look at it in no
// other way.
func (l *lowering) pruning(group []*graph.Node) []schedule.Predicate {
	chosen := chosenBy(group[0])
	if chosen == nil {
		return nil
	}
	table := chosen.Args[0]
	for _, n := range group {
		if chosenBy(n) != chosen || looksAt(n, table) {
			return nil
		}
	}
	b := chosen.Blocks[0]
	return l.predicates(nil, b.Params[1], b, b.Results[0], table)
}

// chosenBy is the first filter of the rows of an argument that n walks over, or a condition on each of them, of which a row that fails it shows n
// nothing else; nil if there is neither.
func chosenBy(n *graph.Node) *graph.Node {
	walked := n.Args[0]
	for (walked.Op == graph.Map || walked.Op == graph.Filter) && len(walked.Args) == 1 && walked.Args[0].Op != graph.Param {
		walked = walked.Args[0]
	}
	says := walked.Op == graph.Filter || walked.Op == graph.Map && walked.Type.Elem().IsScalar() && walked.Type.Elem().KindOf() == num.Bool
	if !says || len(walked.Args) != 1 || walked.Args[0].Op != graph.Param {
		return nil
	}
	return walked
}

// looksAt reports that a body on the way from table to n uses table itself.
func looksAt(n, table *graph.Node) bool {
	for ; n.Op != graph.Param; n = n.Args[0] {
		if slices.ContainsFunc(n.Blocks, func(b *graph.Block) bool { return b.Uses(func(m *graph.Node) bool { return m == table }) }) {
			return true
		}
	}
	return false
}

var mirrored = map[num.Op]num.Op{num.Lt: num.Gt, num.Le: num.Ge, num.Gt: num.Lt, num.Ge: num.Le, num.Eq: num.Eq}

// predicates collects the comparisons that cond, of block b, implies. A row that fails one of them is not looked at
// further: what can fault before it is decided does so on rows that are not read, so nothing is collected from there on.
func (l *lowering) predicates(out []schedule.Predicate, elem *graph.Node, b *graph.Block, cond, table *graph.Node) []schedule.Predicate {
	for _, n := range b.Nodes {
		if n == cond && shortcut(n) && !n.Blocks[1].AnyFault() {
			continue // its block is evaluated on rows that satisfy what comes before
		}
		if n.AnyFault() {
			return out
		}
	}
	if !shortcut(cond) {
		return l.compared(out, elem, cond, table)
	}
	out = l.compared(out, elem, cond.Args[0], table)
	then := cond.Blocks[0]
	return l.predicates(out, elem, then, then.Results[0], table)
}

// shortcut reports `a && b` of which b is evaluated only where a holds.
func shortcut(cond *graph.Node) bool {
	return cond.Op == graph.If && isFalse(cond.Blocks[1].Results[0])
}

// compared collects the comparisons of a condition that is evaluated as a whole.
func (l *lowering) compared(out []schedule.Predicate, elem, cond, table *graph.Node) []schedule.Predicate {
	if cond.Op != graph.Arith {
		return out
	}
	if cond.Num == num.And {
		return l.compared(l.compared(out, elem, cond.Args[0], table), elem, cond.Args[1], table)
	}
	op, ok := mirrored[cond.Num]
	if !ok {
		return out
	}
	column, with := cond.Args[0], cond.Args[1]
	leaf, ok := columnLeaf(elem, column)
	if ok {
		op = cond.Num
	} else if leaf, ok = columnLeaf(elem, with); ok {
		with = column
	}
	if !ok {
		return out
	}
	p := schedule.Predicate{Buffer: l.mat[table][leaf].buffer, Op: op, Kind: with.Type.KindOf()}
	if with.Op == graph.Const {
		p.Bits = with.Bits
	} else if p.Scalar = l.known(with); p.Scalar == nil {
		return out
	}
	return append(out, p)
}

// known is where a scalar is that was there before the kernel; nil if it was not.
func (l *lowering) known(n *graph.Node) *schedule.ScalarArg {
	srcs, ok := l.component(n)
	switch {
	case !ok || len(srcs) != 1 || !n.Type.IsScalar():
		return nil
	case srcs[0].buffer < 0:
		return &srcs[0].scalar
	}
	return &schedule.ScalarArg{From: schedule.FromBuffer, Buffer: srcs[0].buffer}
}

func isFalse(n *graph.Node) bool { return n.Op == graph.Const && n.Bits == 0 }

// columnLeaf says which leaf of the element a node is, when it is one.
func columnLeaf(elem, n *graph.Node) (int, bool) {
	if n == elem && len(graph.Leaves(n.Type)) == 1 {
		return 0, true
	}
	if n.Op != graph.Get || n.Args[0] != elem || !n.Type.IsScalar() {
		return 0, false
	}
	lo, _ := leafRange(elem.Type, n.Field)
	return lo, true
}
