package num

import (
	"math"
	"math/bits"
	"slices"
)

// Combine joins the Partials of two sets of slots. For an ordered operator a
// stands left of b in the tree; for all others the order does not matter.
func (o FoldOp) Combine(k Kind, a, b Partial) Partial {
	switch o {
	case FoldArgMin, FoldArgMax:
		if o.Better(k, b, a) {
			return b
		}
		return a
	case FoldAddWide:
		low, carry := bits.Add64(a[0], b[0], 0)
		high, _ := bits.Add64(a[1], b[1], carry)
		return Partial{low, high}
	}
	r, _ := Eval(o.Scalar(), k, a[0], b[0])
	return Partial{r, 0}
}

var foldScalar = [foldOps]Op{FoldAdd: Add, FoldMulAdd: Add, FoldMul: Mul, FoldMin: Min, FoldMax: Max, FoldAnd: And, FoldOr: Or, FoldXor: Xor}

// Scalar is the scalar operation, faults ignored, behind an operator with one
// result; NoOp of others.
func (o FoldOp) Scalar() Op { return foldScalar[o] }

// FoldOf is the operator that Scalar gives this operation for, BadFold if there is none.
func FoldOf(op Op) FoldOp { return FoldOp(max(slices.Index(foldScalar[:], op), 0)) }

// Better reports whether ArgMin or ArgMax takes a over b: its value comes
// strictly first in the total order, or it is the same value at an earlier
// index.
func (o FoldOp) Better(k Kind, a, b Partial) bool {
	x, y := a[0], b[0]
	if k.IsFloat() {
		x, y = o.totalOrder(k, x), o.totalOrder(k, y)
		k = I64
	}
	switch {
	case x == y:
		return int64(a[1]) < int64(b[1])
	case o == FoldArgMin:
		return less(k, x, y)
	}
	return less(k, y, x)
}

// totalOrder maps a float to an integer of the same order: the bits of a
// negative float grow the wrong way and are turned over, which also puts -0
// below +0. NaN goes to the end that wins.
func (o FoldOp) totalOrder(k Kind, v uint64) uint64 {
	f := ToFloat(k, v)
	switch {
	case f != f && o == FoldArgMin:
		return 1 << 63
	case f != f:
		return 1<<63 - 1
	}
	n := int64(math.Float64bits(f)) // F32 widens without changing the order
	if n < 0 {
		n ^= math.MaxInt64
	}
	return uint64(n)
}
