package llvmir

import (
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a fold that looks for the place of the least or greatest float, one slot after the other in each lane. Out: whether the floats
// themselves may be compared, which takes four operations, and not their keys, which takes eight. Invariant: a key tells -0 from +0 and a
// comparison does not, so there must be no -0; NaN is looked for in each comparison.

// compares reports a best of floats that are never -0: a distance is a sum of squares.
func (e *emitter) compares(in *kernel.Instr, i int) bool {
	a := accumulator{Acc: in.Accs[i]}
	return e.comparing == in && a.isBest() && a.Kind.IsFloat() && e.neverMinusZero(in.Blocks[0].Results[i], 0)
}

// deepest is how many instructions a proof goes back.
const deepest = 16

// neverMinusZero reports a float that is a number other than -0, or NaN.
func (e *emitter) neverMinusZero(v kernel.Value, depth int) bool {
	d := e.Def[v]
	if d == nil || depth == deepest {
		return false
	}
	arg := func(i int) bool { return e.neverMinusZero(d.Args[i], depth+1) }
	switch d.Code {
	case kernel.Const:
		return d.Bits != num.FromFloat(d.Kind, math.Copysign(0, -1))
	case kernel.Convert:
		return d.From.IsInt()
	case kernel.Select:
		return arg(1) && arg(2)
	case kernel.Fold:
		return e.sumsNoMinusZero(d, depth)
	case kernel.Arith:
		switch d.Op {
		case num.Abs:
			return true
		case num.Mul:
			return d.Args[0] == d.Args[1]
		case num.Sqrt, num.Sub: // -0 is the root of -0 alone, and the difference of -0 and +0 alone
			return arg(0)
		case num.Add: // and the sum of -0 and -0
			return arg(0) || arg(1)
		case num.Min, num.Max:
			return arg(0) && arg(1)
		}
	}
	return false
}

// sumsNoMinusZero reports a sum of at least one slot, of which none is -0.
func (e *emitter) sumsNoMinusZero(d *kernel.Instr, depth int) bool {
	n, ok := e.Length(d)
	return ok && n > 0 && len(d.Out) == 1 && slices.Contains([]num.FoldOp{num.FoldAdd, num.FoldMulAdd}, d.Accs[0].Op) &&
		e.neverMinusZero(d.Blocks[0].Results[0], depth+1)
}

// wins is whether the float of y comes before that of x: NaN comes before all but another one.
func (e *emitter) wins(a accumulator, n int, x, y string) string {
	t, op := typ{a.Kind, n}, "fcmp ult"
	if a.Op == kernel.FoldArgMax {
		op = "fcmp ugt"
	}
	return e.two("and", t.bool(), e.two(op, t, y, x), e.two("fcmp ord", t, x, x))
}
