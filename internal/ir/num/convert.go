package num

import "math"

// ConvertCanFault reports whether some value of kind from has no counterpart
// of kind to.
func ConvertCanFault(from, to Kind) bool {
	switch {
	case !to.IsInt():
		return false
	case from.IsFloat():
		return true
	case !from.IsInt():
		return false
	}
	return from.MinInt() < to.MinInt() || from.MaxInt() > to.MaxInt()
}

// Convert turns a value of kind from into one of kind to; nothing but a Bool
// converts to Bool.
//
// Integer to integer: a value that does not fit is a fault and wraps. Float
// to integer truncates; NaN is a fault and gives 0, a value out of range is a
// fault and gives the nearest end. Everything to float rounds to nearest,
// ties to even, once. A Bool becomes 0 or 1.
func Convert(from, to Kind, v uint64) (r uint64, fault bool) {
	switch {
	case from == to:
		return v, false
	case to == Bool:
		return 0, false
	case from.IsFloat() && to.IsFloat():
		return FromFloat(to, ToFloat(from, v)), false
	case from.IsFloat():
		return truncate(to, ToFloat(from, v))
	case to.IsFloat():
		return roundInt(from, to, v), false
	}
	return convertInt(from, to, v)
}

func convertInt(from, to Kind, v uint64) (uint64, bool) {
	r := wrapInt(to, v)
	// Equal bits stand for equal numbers, except where the top bit is a sign
	// on one side only.
	return r, r != v || (int64(v) < 0 && from.IsSigned() != to.IsSigned())
}

// truncate compares with powers of two, which are exact in F64 where the
// largest integers are not.
func truncate(to Kind, x float64) (uint64, bool) {
	if x != x {
		return 0, true
	}
	x = math.Trunc(x)
	width := to.Bits()
	if to.IsSigned() {
		end := math.Ldexp(1, width-1)
		switch {
		case x < -end:
			return uint64(to.MinInt()), true
		case x >= end:
			return to.MaxInt(), true
		}
		return uint64(int64(x)), false
	}
	switch {
	case x < 0:
		return 0, true
	case x >= math.Ldexp(1, width):
		return to.MaxInt(), true
	case x >= 1<<63:
		return uint64(int64(x-1<<63)) | 1<<63, false
	}
	return uint64(int64(x)), false
}

// roundInt goes from 64-bit integers to F32 in one rounding. Go's own
// conversion from uint64 is not spelled out by its specification to do that,
// so the last bits are gathered here.
func roundInt(from, to Kind, v uint64) uint64 {
	negative := from.IsSigned() && int64(v) < 0
	if negative {
		v = -v
	}
	f := magnitude(to, v)
	if negative {
		f = -f
	}
	return FromFloat(to, f)
}

// magnitude rounds v to the precision of a float kind.
func magnitude(k Kind, v uint64) float64 {
	precision := 53
	if k == F32 {
		precision = 24
	}
	scale := 0
	for v>>scale >= 1<<precision {
		scale++
	}
	if scale == 0 {
		return float64(int64(v))
	}
	half, rest := uint64(1)<<(scale-1), v&(1<<scale-1)
	v >>= scale
	if rest > half || (rest == half && v&1 == 1) {
		v++
	}
	return math.Ldexp(float64(int64(v)), scale)
}
