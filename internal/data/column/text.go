package column

import (
	"math"
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// Text writes a scalar as the language writes it: the shortest digits that
// read back to the same value, floats always with a point or exponent.
func Text(k num.Kind, bits uint64) string {
	switch {
	case k == num.Bool:
		return strconv.FormatBool(bits != 0)
	case k == num.F32:
		return floatText(float64(math.Float32frombits(uint32(bits))), 32)
	case k == num.F64:
		return floatText(math.Float64frombits(bits), 64)
	case k.IsSigned():
		return strconv.FormatInt(int64(bits), 10)
	}
	return strconv.FormatUint(bits, 10)
}

func floatText(x float64, bits int) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	format := byte('g')
	if a := math.Abs(x); a == 0 || a >= 1e-5 && a < 1e16 {
		format = 'f'
	}
	s := strconv.FormatFloat(x, format, -1, bits)
	for _, c := range s {
		if c == '.' || c == 'e' {
			return s
		}
	}
	return s + ".0"
}
