package num

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestIntegerToInteger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.SampledFrom(intKinds).Draw(t, "from")
		v := drawInt(t, from, "v")
		for _, to := range intKinds {
			r, fault := Convert(from, to, v)
			x := bigOf(from, v)
			if r != wrapBig(to, x) || fault == fits(to, x) {
				t.Fatalf("%s %s to %s: %#x, %v", from, x, to, r, fault)
			}
			if fault && !ConvertCanFault(from, to) {
				t.Fatalf("%s to %s cannot fault", from, to)
			}
		}
	})
}

// TestConvertCanFault: kinds differ in their ends, so the ends show it.
func TestConvertCanFault(t *testing.T) {
	for _, from := range intKinds {
		for _, to := range intKinds {
			_, low := Convert(from, to, uint64(from.MinInt()))
			_, high := Convert(from, to, from.MaxInt())
			if ConvertCanFault(from, to) != (low || high) {
				t.Errorf("%s to %s", from, to)
			}
		}
	}
	if !ConvertCanFault(F32, I64) || ConvertCanFault(I64, F32) || ConvertCanFault(Bool, I8) || ConvertCanFault(F64, F32) {
		t.Error("floats and bool")
	}
}

func TestIntegerToFloat(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, from, to Kind, v uint64) {
		r, fault := Convert(from, to, v)
		x := new(big.Float).SetPrec(64).SetInt(bigOf(from, v))
		want, _ := x.Float64()
		if to == F32 {
			single, _ := x.Float32()
			want = float64(single)
		}
		if r != FromFloat(to, want) || fault {
			t.Fatalf("%s %s to %s: %v, want %v", from, x, to, ToFloat(to, r), want)
		}
	}
	// Rounding to F64 first would give 2^60 here.
	check(t, U64, F32, 1<<60|1<<36|1)
	check(t, I64, F32, 1<<60|1<<36|1)
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.SampledFrom(intKinds).Draw(t, "from")
		v := drawInt(t, from, "v")
		if rapid.Bool().Draw(t, "halfway") {
			n := rapid.IntRange(1, 40).Draw(t, "n")
			v = wrapInt(from, v>>n<<n|1<<(n-1))
		}
		check(t, from, F32, v)
		check(t, from, F64, v)
	})
}

func TestFloatToInteger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		edge := rapid.SampledFrom([]float64{0, math.Copysign(0, -1), -0.99, 127.9, 128, -128.9, -129, 255.5, 256, 1 << 31, -1<<31 - 0.5, 1 << 32,
			1 << 63, -1 << 63, 1 << 64, 1<<63 + 1<<11, 1<<64 - 1<<11, -1<<63 - 1<<11, math.Inf(1), math.Inf(-1), math.NaN(), 5e-324})
		x := rapid.OneOf(edge, rapid.Float64(), rapid.Float64Range(-1e20, 1e20)).Draw(t, "x")
		from := rapid.SampledFrom([]Kind{F32, F64}).Draw(t, "from")
		v := FromFloat(from, x)
		x = ToFloat(from, v)
		for _, to := range intKinds {
			r, fault := Convert(from, to, v)
			want, wantFault := wantTrunc(to, x)
			if r != want || fault != wantFault {
				t.Fatalf("%s %g to %s: %#x, %v; want %#x, %v", from, x, to, r, fault, want, wantFault)
			}
		}
	})
}

func wantTrunc(to Kind, x float64) (uint64, bool) {
	switch {
	case math.IsNaN(x):
		return 0, true
	case math.IsInf(x, 1):
		return to.MaxInt(), true
	case math.IsInf(x, -1):
		return uint64(to.MinInt()), true
	}
	z, _ := new(big.Float).SetFloat64(x).Int(nil)
	switch {
	case fits(to, z):
		return wrapBig(to, z), false
	case z.Sign() < 0:
		return uint64(to.MinInt()), true
	}
	return to.MaxInt(), true
}

func TestFloatToFloat(t *testing.T) {
	for _, x := range numbers {
		v, _ := Convert(F64, F32, FromFloat(F64, x))
		if v != FromFloat(F32, x) {
			t.Errorf("%g to f32: %#x", x, v)
		}
		if w, _ := Convert(F32, F64, v); w != FromFloat(F64, float64(float32(x))) {
			t.Errorf("%g back to f64: %#x", x, w)
		}
	}
	for _, k := range append(intKinds, F32, F64) {
		v, fault := Convert(Bool, k, 1)
		one := uint64(1)
		if k.IsFloat() {
			one = FromFloat(k, 1)
		}
		if v != one || fault {
			t.Errorf("true to %s: %#x", k, v)
		}
	}
}
