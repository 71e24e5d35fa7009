package interp

import "github.com/godwit-run/godwit/internal/ir/num"

// keyed folds values into a table of groups. Where the order counts, the
// slots are cut into leaves of num.KeyedLeaf(entries of the table) slots:
// inside a leaf each entry takes its values in the order of slots, starting
// from the identity, and then the leaves' tables are combined pairwise by
// leaf number, entry by entry, the last of an odd number moving up alone. A
// leaf without a value counts as identities, which change no bit.
func (m *machine) keyed(in *inst) *array {
	a, groups := m.arg(in, 0).array, m.polyOf(in)
	if groups < 0 {
		m.stop("the number of groups %s is negative", in.Poly)
	}
	r := m.array(m.shape(in.Type.Elem()), groups)
	per := r.elem.strides[0]
	leaf := max(a.n, 1)
	op, kind := in.Monoid.Fold(in.scalarKind())
	if op.IsOrdered(kind) {
		leaf = num.KeyedLeaf(groups * per)
	}
	tables := make([]table, (a.n+leaf-1)/leaf)
	b := in.blocks[0]
	m.visit(a, b, func(i int64) {
		t := tables[i/leaf]
		if t == nil {
			m.room(r.elem, groups)
			t = newTable(op, kind, groups*per)
			tables[i/leaf] = t
		}
		m.addTo(in, t, op, kind, i)
	})
	m.finishTable(in, r, combineTables(tables, op, kind))
	return r
}

// scalarKind is the kind of the scalars that a KeyedReduce combines.
func (in *inst) scalarKind() num.Kind {
	t := in.Blocks[0].Results[1].Type
	for !t.IsScalar() {
		t = t.Elem()
	}
	return t.KindOf()
}

// table holds an accumulator for each scalar of each group.
type table []num.Partial

func newTable(op num.FoldOp, kind num.Kind, entries int64) table {
	t := make(table, entries)
	for e := range t {
		t[e] = op.Identity(kind, 0)
	}
	return t
}

// addTo takes the key and value that the body has just given for slot i. A
// key outside can only follow a fault (see at) and counts for nothing.
func (m *machine) addTo(in *inst, t table, op num.FoldOp, kind num.Kind, i int64) {
	b := in.blocks[0]
	key, v := int64(m.regs[b.results[0]].bits), m.regs[b.results[1]]
	scalars := []uint64{v.bits}
	if v.array != nil {
		scalars = v.array.cols()[0]
	}
	per := int64(len(scalars))
	if key < 0 || (key+1)*per > int64(len(t)) {
		if !m.faulted {
			m.stop("the key %d is outside of the groups", key)
		}
		return
	}
	for j, s := range scalars {
		e := key*per + int64(j)
		t[e] = op.Combine(kind, t[e], op.Lift(kind, i, s))
	}
}

func combineTables(tables []table, op num.FoldOp, kind num.Kind) table {
	if len(tables) == 0 {
		return nil
	}
	for len(tables) > 1 {
		var next []table
		for k := 0; k+1 < len(tables); k += 2 {
			next = append(next, combineTwo(tables[k], tables[k+1], op, kind))
		}
		if len(tables)%2 == 1 {
			next = append(next, tables[len(tables)-1])
		}
		tables = next
	}
	return tables[0]
}

// combineTwo joins two leaves; a nil table is one of identities.
func combineTwo(a, b table, op num.FoldOp, kind num.Kind) table {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	for e := range a {
		a[e] = op.Combine(kind, a[e], b[e])
	}
	return a
}

func (m *machine) finishTable(in *inst, r *array, t table) {
	if t == nil {
		op, kind := in.Monoid.Fold(in.scalarKind())
		t = newTable(op, kind, int64(len(r.mem.cols[0])))
	}
	for e := range t {
		r.mem.cols[0][e] = m.finish(in, t[e])
	}
}
