package interp

import (
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// reduce folds the set slots of an array of scalars, each at its position
// among all slots. A minimum or maximum that has no site gives the identity
// for nothing.
func (m *machine) reduce(in *inst) uint64 {
	a := m.arg(in, 0).array
	m.tick(a.n)
	op, kind := in.Monoid.Fold(in.Monoid.Kind(in.Args[0].Type.Elem()))
	f := num.NewFolder(op, kind, false, 0)
	cols := a.cols()
	for i := range a.n {
		switch {
		case !a.has(i):
		case op == num.FoldMulAdd:
			f.AddProduct(i, cols[0][i], cols[1][i])
		default:
			f.Add(i, cols[0][i])
		}
	}
	if in.Monoid.NeedsElement() && in.Site >= 0 && a.empty() {
		m.report(in.Node)
		if in.Type.Kind == graph.Index {
			return 0
		}
	}
	return m.finish(in, num.Partial(padded(f.Result())))
}

func padded(words []uint64) [2]uint64 {
	var p [2]uint64
	copy(p[:], words)
	return p
}

// finish gives the scalar that a complete fold stands for. An exact sum that
// does not fit is a fault and leaves its low word.
func (m *machine) finish(in *inst, p num.Partial) uint64 {
	switch in.Monoid {
	case graph.ArgMinOf, graph.ArgMaxOf:
		return p[1]
	case graph.SumOf:
		if m.overflows(in, p) {
			m.report(in.Node)
		}
	}
	return p[0]
}

// overflows reports that a 128-bit sum is no value of its 64-bit kind.
func (m *machine) overflows(in *inst, p num.Partial) bool {
	t := in.Type
	for t.Kind == graph.Array {
		t = t.Elem()
	}
	switch t.Num {
	case num.I64:
		return p[1] != uint64(int64(p[0])>>63)
	case num.U64:
		return p[1] != 0
	}
	return false // a float
}
