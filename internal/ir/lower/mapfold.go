package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// In: a map that is stored because several walk over it, and reductions that come next. Out: one kernel that stores a
// leaf of elements and folds them while they lie in the first cache. Invariant: the folds read no element but
// those that the same outer index has just stored.

// mapAndFold stores n together with the leaves of reductions over it, if there are any. Rows that other machines
// fold stay apart: they would send the elements, too.
func (l *lowering) mapAndFold(n *graph.Node, later []*graph.Node) (done bool, err error) {
	if n.Op != graph.Map || l.opt.Partials || l.most(n.Type.Size) <= num.Leaf || hasArray(n.Type.Elem()) || l.grain(n) != num.Leaf {
		return false, nil
	}
	group := l.foldsOver(n, later)
	if len(group) == 0 {
		return false, nil
	}
	for _, old := range l.replaceable(n) {
		if tables, ok := l.mapFolding(n, group, []source{old}); ok {
			return true, l.combine(group, tables, leavesOf(n))
		}
	}
	out := l.buffersFor(l.nameOf(n), n.Type)
	if tables, ok := l.mapFolding(n, group, out); ok {
		return true, l.combine(group, tables, leavesOf(n))
	}
	l.s.Buffers = l.s.Buffers[:len(l.s.Buffers)-len(out)]
	return false, nil
}

func leavesOf(n *graph.Node) size.Poly { return ceilDiv(n.Type.Size, num.Leaf) }

// mapFolding is the kernel that stores n in out and folds leaves of it into tables; false if that cannot be.
func (l *lowering) mapFolding(n *graph.Node, group []*graph.Node, out []source) (tables []int, ok bool) {
	buffers, steps, was := len(l.s.Buffers), len(*l.steps), l.s.Buffers[out[0].buffer].Canonical
	l.canonical(out, l.returned[n])
	err := l.kernel("map "+l.nameOf(n)+", leaves of "+l.names(group), func(k *kern) {
		k.over(n.Type.Size, num.Leaf)
		dst := k.elementsOf(n, out, kernel.ReadWrite)
		k.root.val[n] = k.backed(n.Type, dst)
		rs := k.reductionsOf(group)
		if tables == nil {
			_, tables = l.leafTables(rs, leavesOf(n))
		}
		k.foldLeaf(rs, tables, leavesOf(n), n.Type.Size)
	})
	if err == nil && rightOrder((*l.steps)[steps].(*schedule.Launch), out) {
		l.mat[n] = out
		return tables, true
	}
	l.s.Buffers, *l.steps = l.s.Buffers[:buffers], (*l.steps)[:steps]
	l.canonical(out, was)
	return nil, false
}

// canonical notes whether buffers get one NaN only.
func (l *lowering) canonical(out []source, are bool) {
	for _, o := range out {
		l.s.Buffers[o.buffer].Canonical = are
	}
}

// rightOrder reports that a launch touches the buffers that it stores elements in at its own slots only, and that
// none of its turns stores before it loads.
func rightOrder(last *schedule.Launch, out []source) bool {
	return !slices.ContainsFunc(out, func(o source) bool {
		t := touchesOf(last, o.buffer)
		return !t.slots || t.after
	})
}

// foldsOver lists the reductions that walk over n, and over nothing that is not computed then.
func (l *lowering) foldsOver(n *graph.Node, later []*graph.Node) []*graph.Node {
	l.mat[n] = nil // as if it were
	defer delete(l.mat, n)
	for i, m := range later {
		if m.Op == graph.Reduce && !l.small(m) && l.use[m].live && m.Args[0].Type.Size.Equal(n.Type.Size) && walksOver(m, n) && l.ready(m) {
			group := l.together(m, later[i+1:])
			return slices.DeleteFunc(group, func(m *graph.Node) bool { return !walksOver(m, n) })
		}
	}
	return nil
}

// walksOver reports that m walks over n, perhaps by way of maps and filters.
func walksOver(m, n *graph.Node) bool {
	return slices.ContainsFunc(m.Args, func(a *graph.Node) bool {
		return a == n || (a.Op == graph.Map || a.Op == graph.Filter) && walksOver(a, n)
	})
}
