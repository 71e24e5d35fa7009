package kernel

import "github.com/godwit-run/godwit/internal/front/size"

// A step is the unit in which work is bounded and metered: every executed
// instruction is one, and these come on top.
const OuterSteps = 1 // per outer index

// TurnSteps is what each turn of a For or Fold costs besides the
// instructions of its block.
func TurnSteps(in *Instr) int64 {
	if in.Code == Fold {
		return 1 + int64(len(in.Accs))
	}
	return 1
}

// Values is the number of values that k defines.
func (k *Kernel) Values() int {
	n := len(k.Body.Params)
	k.Body.Each(func(in *Instr) {
		n += len(in.Out)
		for i := range in.Blocks {
			n += len(in.Blocks[i].Params)
		}
	})
	return n
}

// EvalPoly is the value of a polynomial over size parameters; ok is false
// when it leaves the range of int64.
func EvalPoly(p size.Poly, sizes []int64) (n int64, ok bool) { return EvalPolyAt(p, sizes, "", 0) }

// EvalPolyAt is EvalPoly where the polynomial is over one more variable, x, whose value is at.
func EvalPolyAt(p size.Poly, sizes []int64, x string, at int64) (n int64, ok bool) {
	return p.Eval(func(name string) (int64, bool) {
		if name == x {
			return at, true
		}
		i, ok := SizeIndex(name)
		if !ok || i >= len(sizes) {
			return 0, false
		}
		return sizes[i], true
	})
}
