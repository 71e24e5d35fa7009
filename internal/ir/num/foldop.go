package num

import "math"

// FoldOp is the operator of an accumulator. Its numeric value is part of the
// kernel byte format and must not change.
type FoldOp uint8

const (
	BadFold FoldOp = iota
	FoldAdd        // integers wrap; floats in canonical order, identity -0.0
	FoldMul        // integers wrap; floats in canonical order, identity 1
	FoldMin        // identity: greatest value, +Inf
	FoldMax        // identity: least value, -Inf
	FoldAnd        // bool and integers; identity all ones
	FoldOr         // bool and integers; identity 0
	FoldXor        // bool and integers; identity 0
	// FoldArgMin gives the least value and the I64 index where it first
	// occurs; NaN is below all numbers here and -0 below +0. Identity:
	// the identity of FoldMin, at the first index of the fold.
	FoldArgMin
	FoldArgMax // likewise with the greatest value; NaN is above all numbers
	// FoldAddWide is the exact sum of I64 or U64 values in 128 bits: results
	// are the low word (U64) and the high word (I64).
	FoldAddWide
	// FoldMulAdd is the FoldAdd of products of floats, where a lane takes both
	// factors and rounds once: see Folder.AddProduct.
	FoldMulAdd
	foldOps
)

var foldNames = [foldOps]string{"badfold", "add", "mul", "min", "max", "and", "or", "xor", "argmin", "argmax", "addwide", "muladd"}

func (o FoldOp) String() string {
	if o >= foldOps {
		return "badfold"
	}
	return foldNames[o]
}

// Valid reports whether o names an operator.
func (o FoldOp) Valid() bool { return o > BadFold && o < foldOps }

// ParseFoldOp finds the operator with the given name.
func ParseFoldOp(name string) (FoldOp, bool) {
	for o := FoldAdd; o < foldOps; o++ {
		if foldNames[o] == name {
			return o, true
		}
	}
	return BadFold, false
}

// Takes reports whether the operator folds values of kind k.
func (o FoldOp) Takes(k Kind) bool {
	switch o {
	case FoldAdd, FoldMul, FoldMin, FoldMax, FoldArgMin, FoldArgMax:
		return k.IsInt() || k.IsFloat()
	case FoldAnd, FoldOr, FoldXor:
		return k.IsInt() || k == Bool
	case FoldAddWide:
		return k == I64 || k == U64
	case FoldMulAdd:
		return k.IsFloat()
	}
	return false
}

// IsOrdered reports whether the result depends on the order of combination,
// so that the canonical order applies.
func (o FoldOp) IsOrdered(k Kind) bool {
	return k.IsFloat() && (o == FoldAdd || o == FoldMul || o == FoldMulAdd)
}

// Join is the operator that combines what was folded apart.
func (o FoldOp) Join() FoldOp {
	if o == FoldMulAdd {
		return FoldAdd
	}
	return o
}

// Words is the number of results: 2 for a value with its index and for a
// wide sum, otherwise 1.
func (o FoldOp) Words() int {
	if o == FoldArgMin || o == FoldArgMax || o == FoldAddWide {
		return 2
	}
	return 1
}

// Outs lists the kinds of the results for values of kind k.
func (o FoldOp) Outs(k Kind) []Kind {
	switch o {
	case FoldArgMin, FoldArgMax:
		return []Kind{k, I64}
	case FoldAddWide:
		return []Kind{U64, I64}
	}
	return []Kind{k}
}

// Partial is what is known of a fold over some slots: the value, and in the
// second word the index of an ArgMin or the high half of an AddWide.
type Partial [2]uint64

// Identity is the Partial of no slots. The index matters to ArgMin and
// ArgMax only: it must be the first of the fold.
func (o FoldOp) Identity(k Kind, index int64) Partial {
	p := Partial{o.identityValue(k), 0}
	if o == FoldArgMin || o == FoldArgMax {
		p[1] = uint64(index)
	}
	return p
}

func (o FoldOp) identityValue(k Kind) uint64 {
	switch o {
	case FoldAdd, FoldMulAdd:
		if k.IsFloat() {
			return FromFloat(k, math.Copysign(0, -1))
		}
	case FoldMul:
		if k.IsFloat() {
			return FromFloat(k, 1)
		}
		return 1
	case FoldMin, FoldArgMin:
		if k.IsFloat() {
			return FromFloat(k, math.Inf(1))
		}
		return k.MaxInt()
	case FoldMax, FoldArgMax:
		if k.IsFloat() {
			return FromFloat(k, math.Inf(-1))
		}
		return uint64(k.MinInt())
	case FoldAnd:
		return Canon(k, ^uint64(0))
	}
	return 0
}

// Lift is the Partial of the one slot with this index and value.
func (o FoldOp) Lift(k Kind, index int64, v uint64) Partial {
	switch {
	case o == FoldArgMin || o == FoldArgMax:
		return Partial{v, uint64(index)}
	case o == FoldAddWide && k == I64:
		return Partial{v, uint64(int64(v) >> 63)}
	}
	return Partial{v, 0}
}
