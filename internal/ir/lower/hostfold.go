package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// reductions folds leaves in parallel and then combines them.
func (l *lowering) reductions(group []*graph.Node) error {
	slots := group[0].Args[0].Type.Size
	leaves := ceilDiv(slots, num.Leaf)
	var launch *schedule.Launch
	var joints []joint
	var tables []int // of all joints
	err := l.kernel("leaves of "+l.names(group), func(k *kern) {
		k.over(slots, num.Leaf)
		rs := k.reductionsOf(group)
		if launch == nil {
			joints, tables = l.leafTables(rs, leaves)
		}
		k.foldLeaf(rs, tables, leaves, slots)
		k.launch.Pruning = l.pruning(group)
		launch = k.launch
	})
	if err == nil {
		err = l.joinable(launch, joints)
	}
	if err != nil {
		return err
	}
	return l.combine(group, tables, leaves)
}

// foldLeaf folds the slots of the grain, a leaf, into its row of the tables.
func (k *kern) foldLeaf(rs []*reduction, tables []int, leaves, slots size.Poly) {
	for i, v := range k.foldAll(rs, k.lo, k.hi, slots) {
		k.b.Store(k.region(tables[i], leaves, kernel.Write), k.o, v)
	}
}

// leafTables makes a buffer for each word of the accumulators.
func (l *lowering) leafTables(rs []*reduction, leaves size.Poly) (joints []joint, tables []int) {
	for _, r := range rs {
		for _, acc := range r.accs() {
			j := joint{acc: acc, width: size.Const(1)}
			for _, kind := range acc.Outs() {
				j.buffers = append(j.buffers, l.buffer("leaves", kind, leaves))
			}
			joints, tables = append(joints, j), append(tables, j.buffers...)
		}
	}
	return joints, tables
}

func (k *kern) reductionsOf(group []*graph.Node) []*reduction {
	rs := make([]*reduction, len(group))
	for i, n := range group {
		rs[i] = k.reduction(n, k.root)
	}
	return rs
}

func (l *lowering) names(group []*graph.Node) string {
	s := ""
	for i, n := range group {
		if i > 0 {
			s += ", "
		}
		s += l.nameOf(n)
	}
	return s
}

// combine joins the leaves of all reductions in one kernel.
func (l *lowering) combine(group []*graph.Node, tables []int, leaves size.Poly) error {
	outs := make([][]source, len(group))
	for i, n := range group {
		outs[i] = l.buffersFor(l.nameOf(n), n.Type)
	}
	err := l.kernel("combine "+l.names(group), func(k *kern) {
		count := k.foldedRows(schedule.SizeArg{Poly: leaves}, tables[0])
		next := 0
		for i, r := range k.reductionsOf(group) {
			first := next
			next += len(r.outs())
			k.launch.Extremes = append(k.launch.Extremes, l.extremes(group[i], outs[i])...)
			vs := k.combineLeaves(r, count, func(out int, leaf kernel.Value) kernel.Value {
				return k.b.Load(k.regionOf(tables[first+out], count, kernel.Read), leaf)
			})
			k.store(group[i].Type, k.finish(r, vs), k.attach(group[i].Type, outs[i], kernel.Write))
		}
	})
	for i, n := range group {
		l.mat[n] = outs[i]
	}
	return err
}

// extremes is what a reduction finds of an input of integers.
func (l *lowering) extremes(n *graph.Node, out []source) []schedule.Extreme {
	column := l.columnUnder(n.Args[0])
	if column < 0 || n.Monoid != graph.MinOf && n.Monoid != graph.MaxOf || len(out) != 1 || !l.s.Buffers[out[0].buffer].Kind.IsInt() {
		return nil
	}
	return []schedule.Extreme{{Into: out[0].buffer, Column: column, Greatest: n.Monoid == graph.MaxOf}}
}

// keyedReductions fills one row of tables per leaf in parallel and then
// combines the rows. Where rows lie in shards on many machines, leaves are short if the order does not count: a leaf of several shards' rows
// is none's.
func (l *lowering) keyedReductions(group []*graph.Node) error {
	f := leaves{slots: group[0].Args[0].Type.Size, width: width(group[0])}
	f.short = l.opt.Partials && l.longLeaves(group[0]) && !slices.ContainsFunc(group, ordered)
	joints := make([]joint, len(group))
	var launch *schedule.Launch
	err := l.kernel("groups of "+l.names(group), func(k *kern) {
		length, count := k.leaves(f)
		k.k.Outer, k.k.Grain, k.k.Count = count, length, k.poly(f.slots)
		var qs []*keyed
		for i, n := range group {
			q, j := k.keyed(n, k.root), &joints[i]
			if launch == nil {
				*j = joint{acc: q.acc, width: q.width}
				for _, kind := range q.acc.Outs() {
					j.buffers = append(j.buffers, l.buffer("groups", kind, l.entries(f, q.width)))
				}
			}
			for _, b := range j.buffers {
				q.tables = append(q.tables, k.regionOf(b, count.Mul(k.poly(q.width)), kernel.ReadWrite))
			}
			qs = append(qs, q)
		}
		k.fillRow(qs, k.o, k.lo, k.hi, f.slots)
		k.launch.Pruning = l.pruning(group)
		launch = k.launch
	})
	if err == nil {
		err = l.joinable(launch, joints)
	}
	if err == nil && launch.Partial != nil {
		launch.Partial.Free = !slices.ContainsFunc(group, ordered)
	}
	if err == nil && l.opt.Partials {
		launch.InTurn, err = l.inTurn(group, joints, f)
	}
	for i, n := range group {
		if err == nil {
			err = l.combineRows(n, joints[i], f)
		}
	}
	return err
}

// combineRows joins the rows of one keyed reduction, columns in parallel.
func (l *lowering) combineRows(n *graph.Node, j joint, f leaves) error {
	out := l.buffersFor(l.nameOf(n), n.Type)
	err := l.kernel("combine "+l.nameOf(n), func(k *kern) {
		count := k.foldedRows(f.count(), j.buffers[0])
		q := &keyed{n: n, width: j.width, acc: j.acc}
		for _, b := range j.buffers {
			q.tables = append(q.tables, k.regionOf(b, count.Mul(k.poly(q.width)), kernel.Read))
		}
		k.over(q.width, 1024)
		r := k.region(out[0].buffer, q.width, kernel.Write)
		k.each(k.lo, k.hi, q.width, func(i kernel.Value) {
			k.b.Store(r, i, k.b.Convert(k.entry(q, i, count), k.k.Regions[r].Elem, false))
		})
	})
	l.mat[n] = out
	return err
}
