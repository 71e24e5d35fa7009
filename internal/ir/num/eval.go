package num

import "math"

// A value travels as 64 bits: a Bool is 0 or 1, an integer is sign- or
// zero-extended, an F32 lies in the low half, an F64 is as it is. A float has
// one NaN only: whatever could make another is followed by Canon.
const (
	nan32 = 0x7fc00000
	nan64 = 0x7ff8000000000000
)

// Canon gives the one form of a value of kind k that has these bits: the
// quiet NaN without sign or payload, and an integer cut to its width and
// extended again.
func Canon(k Kind, bits uint64) uint64 {
	switch k {
	case Bool:
		return bits & 1
	case F32:
		if f := math.Float32frombits(uint32(bits)); f != f {
			return nan32
		}
		return uint64(uint32(bits))
	case F64:
		if f := math.Float64frombits(bits); f != f {
			return nan64
		}
		return bits
	}
	return wrapInt(k, bits)
}

// IsCanon reports that bits already are the one form of a value of kind k.
func IsCanon(k Kind, bits uint64) bool { return k.Valid() && Canon(k, bits) == bits }

// wrapInt cuts bits to the width of an integer kind and extends them again.
func wrapInt(k Kind, bits uint64) uint64 {
	shift := 64 - k.Bits()
	if k.IsSigned() {
		return uint64(int64(bits<<shift) >> shift)
	}
	return bits << shift >> shift
}

// FromFloat gives the bits of x, rounded to kind k.
func FromFloat(k Kind, x float64) uint64 {
	if k == F32 {
		return from32(float32(x))
	}
	return from64(x)
}

// ToFloat gives the number that bits of float kind k stand for.
func ToFloat(k Kind, bits uint64) float64 {
	if k == F32 {
		return float64(to32(bits))
	}
	return math.Float64frombits(bits)
}

func to32(bits uint64) float32 { return math.Float32frombits(uint32(bits)) }
func from32(x float32) uint64  { return Canon(F32, uint64(math.Float32bits(x))) }
func from64(x float64) uint64  { return Canon(F64, math.Float64bits(x)) }

func fromBool(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// less is false when either is NaN.
func less(k Kind, a, b uint64) bool {
	switch {
	case k.IsFloat():
		return ToFloat(k, a) < ToFloat(k, b)
	case k.IsSigned():
		return int64(a) < int64(b)
	}
	return a < b
}

func equal(k Kind, a, b uint64) bool {
	if k.IsFloat() {
		return ToFloat(k, a) == ToFloat(k, b)
	}
	return a == b
}

// Apply is Eval for as many operands as op has.
func Apply(op Op, k Kind, args []uint64) (r uint64, fault bool) {
	switch len(args) {
	case 1:
		return Eval(op, k, args[0], 0)
	case 3:
		return EvalFma(k, args[0], args[1], args[2]), false
	}
	return Eval(op, k, args[0], args[1])
}

// Eval applies op, of one operand or two, to operands of kind k (b is ignored when op is unary) and
// tells whether that was a fault, with the result that a fault leaves
// behind. The operands must be canonical and op must take k; otherwise the
// result is 0.
func Eval(op Op, k Kind, a, b uint64) (r uint64, fault bool) {
	switch {
	case !op.Takes(k) || op == Fma:
		return 0, false
	case op.IsCompare():
		return fromBool(compare(op, k, a, b)), false
	case k == Bool:
		return evalBool(op, a, b), false
	case k == F32:
		return eval32(op, a, b), false
	case k == F64:
		return eval64(op, a, b), false
	}
	return evalInt(op, k, a, b)
}

func compare(op Op, k Kind, a, b uint64) bool {
	switch op {
	case Eq:
		return equal(k, a, b)
	case Ne:
		return !equal(k, a, b)
	case Lt:
		return less(k, a, b)
	case Le:
		return less(k, a, b) || equal(k, a, b)
	case Gt:
		return less(k, b, a)
	}
	return less(k, b, a) || equal(k, a, b)
}

func evalBool(op Op, a, b uint64) uint64 {
	switch op {
	case And:
		return a & b
	case Or:
		return a | b
	case Xor:
		return a ^ b
	}
	return a ^ 1
}

// eval64 rounds every result by an explicit conversion, which forbids Go to
// fuse a product with a later sum.
func eval64(op Op, a, b uint64) uint64 {
	x, y := math.Float64frombits(a), math.Float64frombits(b)
	switch op {
	case Add:
		return from64(float64(x + y))
	case Sub:
		return from64(float64(x - y))
	case Mul:
		return from64(float64(x * y))
	case Div:
		return from64(float64(x / y))
	}
	return from64(rounding(op, x, y))
}

func eval32(op Op, a, b uint64) uint64 {
	x, y := to32(a), to32(b)
	switch op {
	case Add:
		return from32(float32(x + y))
	case Sub:
		return from32(float32(x - y))
	case Mul:
		return from32(float32(x * y))
	case Div:
		return from32(float32(x / y))
	}
	// These are exact in F64, except Sqrt, whose result has so many more
	// bits there that rounding it again gives the correctly rounded F32.
	return from32(float32(rounding(op, float64(x), float64(y))))
}

func rounding(op Op, x, y float64) float64 {
	switch op {
	case Min:
		if x != x || y != y {
			return math.NaN()
		}
		return math.Min(x, y)
	case Max:
		if x != x || y != y {
			return math.NaN()
		}
		return math.Max(x, y)
	case Neg:
		return math.Copysign(x, -math.Copysign(1, x))
	case Abs:
		return math.Abs(x)
	case Sqrt:
		return math.Sqrt(x)
	case Floor:
		return math.Floor(x)
	case Ceil:
		return math.Ceil(x)
	case Trunc:
		return math.Trunc(x)
	}
	return math.RoundToEven(x)
}
