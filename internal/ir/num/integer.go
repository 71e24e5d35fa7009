package num

import (
	"math"
	"math/bits"
)

func evalInt(op Op, k Kind, a, b uint64) (r uint64, fault bool) {
	switch op {
	case Add:
		return addInt(k, a, b)
	case Sub:
		return subInt(k, a, b)
	case Mul:
		return mulInt(k, a, b)
	case Div, Rem:
		return divInt(op, k, a, b)
	case Min:
		if less(k, b, a) {
			return b, false
		}
		return a, false
	case Max:
		if less(k, a, b) {
			return b, false
		}
		return a, false
	case And:
		return a & b, false
	case Or:
		return a | b, false
	case Xor:
		return a ^ b, false
	case Shl, Shr:
		return shift(op, k, a, b)
	case SatAdd:
		return satAdd(k, a, b), false
	case Neg:
		return subInt(k, 0, a)
	case Abs:
		if k.IsSigned() && int64(a) < 0 {
			return subInt(k, 0, a)
		}
		return a, false
	}
	return wrapInt(k, ^a), false // Not
}

// addInt finds the fault from the wrapped result alone: narrow kinds never
// leave 64 bits, wide ones show it by the sign or the carry.
func addInt(k Kind, a, b uint64) (uint64, bool) {
	s := a + b
	r := wrapInt(k, s)
	switch {
	case k == I64:
		return r, int64((a^s)&(b^s)) < 0
	case k == U64:
		return r, s < a
	}
	return r, r != s
}

func subInt(k Kind, a, b uint64) (uint64, bool) {
	s := a - b
	r := wrapInt(k, s)
	switch {
	case k == I64:
		return r, int64((a^b)&(a^s)) < 0
	case k == U64:
		return r, a < b
	}
	return r, r != s
}

func mulInt(k Kind, a, b uint64) (uint64, bool) {
	switch k {
	case I64:
		hi, lo := bits.Mul64(a, b)
		// Mul64 is unsigned: a negative factor adds 2^64 times the other.
		if int64(a) < 0 {
			hi -= b
		}
		if int64(b) < 0 {
			hi -= a
		}
		return lo, hi != uint64(int64(lo)>>63)
	case U64:
		hi, lo := bits.Mul64(a, b)
		return lo, hi != 0
	}
	s := a * b
	r := wrapInt(k, s)
	return r, r != s
}

func divInt(op Op, k Kind, a, b uint64) (uint64, bool) {
	switch {
	case b == 0:
		return 0, true
	case k.IsSigned() && int64(b) == -1 && op == Rem:
		return 0, false
	case k.IsSigned() && int64(b) == -1:
		return subInt(k, 0, a)
	case k.IsSigned() && op == Rem:
		return uint64(int64(a) % int64(b)), false
	case k.IsSigned():
		return uint64(int64(a) / int64(b)), false
	case op == Rem:
		return a % b, false
	}
	return a / b, false
}

func shift(op Op, k Kind, a, b uint64) (uint64, bool) {
	width := uint64(k.Bits())
	n := b % width // two's complement: also the remainder of a negative amount
	switch {
	case op == Shl:
		a = wrapInt(k, a<<n)
	case k.IsSigned():
		a = uint64(int64(a) >> n)
	default:
		a >>= n
	}
	return a, b >= width // as unsigned, so a negative amount is outside too
}

func satAdd(k Kind, a, b uint64) uint64 {
	r, over := addInt(k, a, b)
	switch {
	case !over:
		return r
	case k.IsSigned() && int64(a) < 0:
		return uint64(k.MinInt())
	}
	return k.MaxInt()
}

// IntRange is the inclusive range of an integer kind, U64 cut off at
// MaxInt64.
func IntRange(k Kind) (lo, hi int64) {
	return k.MinInt(), int64(min(k.MaxInt(), math.MaxInt64))
}
