package data

import (
	"math/bits"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// Integers become floats and bools where that is exact. A float that is not the integer
// of the file would be another value, and silently so.

// mantissa is how many bits of an integer a float kind holds.
func mantissa(k num.Kind) int {
	if k == num.F32 {
		return 24
	}
	return 53
}

// fromInts converts integers to a float kind or to bool, and returns the index of the
// first that this kind cannot hold, -1 if there is none.
func fromInts(dst []byte, to num.Kind, src []byte, from num.Kind) int {
	switch from {
	case num.I8:
		return fromIntsAs(dst, to, view[int8](src))
	case num.I16:
		return fromIntsAs(dst, to, view[int16](src))
	case num.I32:
		return fromIntsAs(dst, to, view[int32](src))
	case num.I64:
		return fromIntsAs(dst, to, view[int64](src))
	case num.U8:
		return fromIntsAs(dst, to, view[uint8](src))
	case num.U16:
		return fromIntsAs(dst, to, view[uint16](src))
	case num.U32:
		return fromIntsAs(dst, to, view[uint32](src))
	default:
		return fromIntsAs(dst, to, view[uint64](src))
	}
}

func fromIntsAs[S integer](dst []byte, to num.Kind, src []S) int {
	switch to {
	case num.Bool:
		return intsToBools(dst, src)
	case num.F32:
		return intsToFloats(view[float32](dst), src, mantissa(to))
	default:
		return intsToFloats(view[float64](dst), src, mantissa(to))
	}
}

func intsToBools[S integer](dst []byte, src []S) int {
	for i, x := range src {
		if x != 0 && x != 1 {
			return i
		}
		dst[i] = byte(x)
	}
	return -1
}

func intsToFloats[D float32 | float64, S integer](dst []D, src []S, mantissa int) int {
	for i, x := range src {
		m := uint64(int64(x)) // of an unsigned x these are its bits
		if x < 0 {
			m = -m
		}
		if m>>mantissa != 0 && bits.Len64(m)-bits.TrailingZeros64(m) > mantissa {
			return i
		}
		dst[i] = D(x)
	}
	return -1
}
