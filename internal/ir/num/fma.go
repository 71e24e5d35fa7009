package num

import "math"

// EvalFma is a·b + c of float kind k, rounded once.
func EvalFma(k Kind, a, b, c uint64) uint64 {
	if k == F32 {
		return from32(fma32(to32(a), to32(b), to32(c)))
	}
	return from64(math.FMA(math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c)))
}

// fma32 needs no product of 48 bits to be rounded, because F64 holds it. The
// sum is rounded to F64 so that its last bit tells whether that was exact, and
// then to F32, which has so many bits less that both roundings are one.
// (S. Boldo and G. Melquiond, Emulation of a FMA and Correctly Rounded Sums:
// Proved Algorithms Using Rounding to Odd, 2008.)
func fma32(a, b, c float32) float32 {
	return float32(oddSum(float64(a)*float64(b), float64(c)))
}

// oddSum is x + y, where a sum that is not exact becomes the neighbour whose
// last bit is set. The difference of the rounded sum is a float itself (Knuth's
// sum of two); of infinities and NaN it is NaN, and nothing is done.
func oddSum(x, y float64) float64 {
	s := x + y
	t := s - x
	e := (x - (s - t)) + (y - t)
	bits := math.Float64bits(s)
	if !(e > 0 || e < 0) || bits&1 == 1 {
		return s
	}
	if (e > 0) == (s > 0) {
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}
