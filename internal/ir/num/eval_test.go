package num

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

var intKinds = []Kind{I8, I16, I32, I64, U8, U16, U32, U64}

func bigOf(k Kind, v uint64) *big.Int {
	if k.IsSigned() {
		return big.NewInt(int64(v))
	}
	return new(big.Int).SetUint64(v)
}

func fits(k Kind, x *big.Int) bool {
	return x.Cmp(big.NewInt(k.MinInt())) >= 0 && x.Cmp(new(big.Int).SetUint64(k.MaxInt())) <= 0
}

// wrapBig is x modulo 2^width, in the range of k.
func wrapBig(k Kind, x *big.Int) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), uint(k.Bits()))
	return wrapInt(k, new(big.Int).Mod(x, m).Uint64())
}

// wantInt says what op means on unbounded integers, where a fault mostly is
// a result that does not fit.
func wantInt(op Op, k Kind, a, b uint64) (r uint64, fault bool) {
	x, y, z := bigOf(k, a), bigOf(k, b), new(big.Int)
	width := big.NewInt(int64(k.Bits()))
	switch op {
	case Add:
		z.Add(x, y)
	case Sub:
		z.Sub(x, y)
	case Mul:
		z.Mul(x, y)
	case Div, Rem:
		if y.Sign() == 0 {
			return 0, true
		}
		if op == Div {
			z.Quo(x, y)
		} else {
			z.Rem(x, y)
		}
	case Min:
		z = map[bool]*big.Int{true: x, false: y}[x.Cmp(y) <= 0]
	case Max:
		z = map[bool]*big.Int{true: x, false: y}[x.Cmp(y) >= 0]
	case And:
		z.And(x, y)
	case Or:
		z.Or(x, y)
	case Xor:
		z.Xor(x, y)
	case Shl, Shr:
		n := uint(new(big.Int).Mod(y, width).Uint64())
		if op == Shl {
			z.Lsh(x, n)
		} else {
			z.Rsh(x, n)
		}
		return wrapBig(k, z), y.Sign() < 0 || y.Cmp(width) >= 0
	case SatAdd:
		z.Add(x, y)
		if lo := big.NewInt(k.MinInt()); z.Cmp(lo) < 0 {
			z = lo
		}
		if hi := new(big.Int).SetUint64(k.MaxInt()); z.Cmp(hi) > 0 {
			z = hi
		}
	case Neg:
		z.Neg(x)
	case Abs:
		z.Abs(x)
	case Not:
		return wrapBig(k, z.Not(x)), false
	case Eq:
		return fromBool(x.Cmp(y) == 0), false
	case Ne:
		return fromBool(x.Cmp(y) != 0), false
	case Lt:
		return fromBool(x.Cmp(y) < 0), false
	case Le:
		return fromBool(x.Cmp(y) <= 0), false
	case Gt:
		return fromBool(x.Cmp(y) > 0), false
	case Ge:
		return fromBool(x.Cmp(y) >= 0), false
	}
	return wrapBig(k, z), !fits(k, z)
}

func checkInt(t interface{ Fatalf(string, ...any) }, op Op, k Kind, a, b uint64) {
	r, fault := Eval(op, k, a, b)
	want, wantFault := wantInt(op, k, a, b)
	if r != want || fault != wantFault {
		t.Fatalf("%s %s (%#x, %#x) = %#x, %v; want %#x, %v", op, k, a, b, r, fault, want, wantFault)
	}
	if fault && !op.CanFault(k) {
		t.Fatalf("%s on %s cannot fault, but did on (%#x, %#x)", op, k, a, b)
	}
}

func TestEightBitIntegersExhaustively(t *testing.T) {
	for _, k := range []Kind{I8, U8} {
		for op := Add; op < ops; op++ {
			if !op.Takes(k) {
				continue
			}
			for a := range uint64(256) {
				for b := range uint64(256) {
					checkInt(t, op, k, wrapInt(k, a), wrapInt(k, b))
				}
			}
		}
	}
}

// drawInt favours the ends of the range and small numbers.
func drawInt(t *rapid.T, k Kind, name string) uint64 {
	edge := rapid.SampledFrom([]uint64{0, 1, 2, 31, 32, 63, 64, ^uint64(0), ^uint64(0) - 1, uint64(k.MinInt()), k.MaxInt(), k.MaxInt() - 1, 1 << 31, 1 << 32})
	return wrapInt(k, rapid.OneOf(edge, rapid.Uint64()).Draw(t, name))
}

func TestIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom(intKinds).Draw(t, "kind")
		a, b := drawInt(t, k, "a"), drawInt(t, k, "b")
		for op := Add; op < ops; op++ {
			if op.Takes(k) {
				checkInt(t, op, k, a, b)
			}
		}
	})
}

func TestBool(t *testing.T) {
	for a := range uint64(2) {
		for b := range uint64(2) {
			for op, want := range map[Op]uint64{And: a & b, Or: a | b, Xor: a ^ b, Not: 1 - a, Eq: 1 - (a ^ b), Ne: a ^ b} {
				if r, fault := Eval(op, Bool, a, b); r != want || fault {
					t.Errorf("%s(%d, %d) = %d", op, a, b, r)
				}
			}
		}
	}
	if r, _ := Eval(Add, Bool, 1, 1); r != 0 {
		t.Error("an operation that Bool does not take gave", r)
	}
}

// numbers are the floats where rules differ.
var numbers = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3.999, 1e10, -1e10, 1 << 53, math.MaxFloat32,
	math.SmallestNonzeroFloat32, math.Inf(1), math.Inf(-1), math.NaN(), math.Pi, -1e-30, 4, 1e30, 7}

func TestFloatOps(t *testing.T) {
	for _, k := range []Kind{F32, F64} {
		for _, x := range numbers {
			for _, y := range numbers {
				a, b := FromFloat(k, x), FromFloat(k, y)
				for op := Add; op < ops; op++ {
					if !op.Takes(k) || op.Arity() > 2 {
						continue
					}
					r, fault := Eval(op, k, a, b)
					out := k
					if op.IsCompare() {
						out = Bool
					}
					if fault || !IsCanon(out, r) {
						t.Errorf("%s %s(%g, %g) = %#x, %v", op, k, x, y, r, fault)
					}
					if want, known := wantFloat(op, k, ToFloat(k, a), ToFloat(k, b)); known && FromFloat(k, want) != r {
						t.Errorf("%s %s(%g, %g) = %g, want %g", op, k, x, y, ToFloat(k, r), want)
					}
				}
			}
		}
	}
}

// wantFloat computes finite results in 2000 bits and rounds once.
func wantFloat(op Op, k Kind, x, y float64) (float64, bool) {
	if op.Arity() == 1 {
		y = 1
	}
	if math.IsNaN(x) || math.IsNaN(y) {
		return math.NaN(), !op.IsCompare()
	}
	if math.IsInf(x, 0) || math.IsInf(y, 0) || x == 0 || y == 0 {
		return 0, false
	}
	z := new(big.Float).SetPrec(2000)
	p, q := new(big.Float).SetFloat64(x), new(big.Float).SetFloat64(y)
	switch op {
	case Add:
		z.Add(p, q)
	case Sub:
		z.Sub(p, q)
	case Mul:
		z.Mul(p, q)
	case Div:
		z.Quo(p, q)
	case Sqrt:
		if x < 0 {
			return math.NaN(), true
		}
		z.Sqrt(p)
	default:
		return 0, false
	}
	if z.Sign() == 0 {
		return 0, true
	}
	if k == F32 {
		f, _ := z.Float32()
		return float64(f), true
	}
	f, _ := z.Float64()
	return f, true
}

func TestFloatTable(t *testing.T) {
	zero, inf, nan := math.Copysign(0, -1), math.Inf(1), math.NaN()
	for _, c := range []struct {
		op      Op
		x, y, r float64
	}{
		{Min, 0, zero, zero}, {Min, zero, 0, zero}, {Max, 0, zero, 0}, {Max, zero, 0, 0},
		{Min, nan, 1, nan}, {Min, 1, nan, nan}, {Min, nan, -inf, nan}, {Max, inf, nan, nan},
		{Min, -inf, 3, -inf}, {Max, 2, 3, 3},
		{Neg, 0, 0, zero}, {Neg, zero, 0, 0}, {Neg, inf, 0, -inf}, {Neg, nan, 0, nan},
		{Abs, zero, 0, 0}, {Abs, -inf, 0, inf}, {Sqrt, zero, 0, zero}, {Sqrt, -1, 0, nan},
		{Floor, -0.5, 0, -1}, {Ceil, -0.5, 0, zero}, {Trunc, -1.9, 0, -1}, {Nearest, 2.5, 0, 2}, {Nearest, -0.5, 0, zero}, {Nearest, 3.5, 0, 4},
		{Add, zero, zero, zero}, {Add, zero, 0, 0}, {Add, inf, -inf, nan}, {Div, 1, zero, -inf}, {Div, 0, 0, nan},
	} {
		for _, k := range []Kind{F32, F64} {
			if r, _ := Eval(c.op, k, FromFloat(k, c.x), FromFloat(k, c.y)); r != FromFloat(k, c.r) {
				t.Errorf("%s %s(%g, %g) = %g, want %g", c.op, k, c.x, c.y, ToFloat(k, r), c.r)
			}
		}
	}
	for _, c := range []struct {
		op   Op
		x, y float64
		r    uint64
	}{
		{Eq, 0, zero, 1}, {Ne, nan, nan, 1}, {Eq, nan, nan, 0}, {Lt, zero, 0, 0}, {Le, zero, 0, 1}, {Le, nan, 1, 0}, {Ge, nan, nan, 0}, {Gt, inf, 1, 1},
	} {
		if r, _ := Eval(c.op, F64, FromFloat(F64, c.x), FromFloat(F64, c.y)); r != c.r {
			t.Errorf("%s(%g, %g) = %d", c.op, c.x, c.y, r)
		}
	}
}

func TestCanon(t *testing.T) {
	for _, c := range []struct {
		k        Kind
		in, want uint64
	}{
		{F32, 0xffc00001, nan32}, {F32, 0x7f800001, nan32}, {F32, 0xdead_0000_3f800000, 0x3f800000},
		{F64, 0xfff0000000000001, nan64}, {F64, 1 << 63, 1 << 63},
		{I8, 0xff, ^uint64(0)}, {I8, 0x17f, 0x7f}, {U8, 0x1ff, 0xff}, {I32, 1 << 31, 0xffffffff80000000}, {Bool, 3, 1},
	} {
		if got := Canon(c.k, c.in); got != c.want {
			t.Errorf("Canon(%s, %#x) = %#x, want %#x", c.k, c.in, got, c.want)
		}
	}
}
