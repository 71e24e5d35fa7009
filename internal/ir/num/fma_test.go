package num_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// exactSum is a·b + c rounded once, by numbers of so many digits that nothing
// else is; ok is false where the result is not finite or is zero.
func exactSum(k num.Kind, a, b, c float64) (bits uint64, ok bool) {
	for _, x := range []float64{a, b, c} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return 0, false
		}
	}
	of := func(x float64) *big.Float { return new(big.Float).SetPrec(5000).SetFloat64(x) }
	r := of(a)
	r.Mul(r, of(b)).Add(r, of(c))
	if r.Sign() == 0 {
		return 0, false
	}
	if k == num.F32 {
		f, _ := r.Float32()
		return uint64(math.Float32bits(f)), true
	}
	f, _ := r.Float64()
	return math.Float64bits(f), true
}

// TestFma holds fused multiply-adds against exact numbers where the result is
// one, and otherwise against plain operations, which then round nothing.
func TestFma(t *testing.T) {
	for _, k := range []num.Kind{num.F32, num.F64} {
		v := kerneltest.FusedTriples(k)
		exact, twice, small := 0, 0, 0
		for i := range v[0] {
			a, b, c := num.ToFloat(k, v[0][i]), num.ToFloat(k, v[1][i]), num.ToFloat(k, v[2][i])
			got := num.EvalFma(k, v[0][i], v[1][i], v[2][i])
			product, _ := num.Eval(num.Mul, k, v[0][i], v[1][i])
			plain, _ := num.Eval(num.Add, k, product, v[2][i])
			want, ok := exactSum(k, a, b, c)
			switch {
			case ok && got != plain:
				twice++
			case !ok:
				want = plain
				if c != 0 && a != 0 && b != 0 && a*b+c == 0 {
					want = 0 // what cancels is +0
				}
				if math.IsInf(c, 0) && !math.IsInf(a, 0) && !math.IsInf(b, 0) && a == a && b == b {
					want = v[2][i] // a finite product that overflows when it is rounded
				}
			}
			if ok {
				exact++
			}
			if x := math.Abs(num.ToFloat(k, got)); ok && x < 0x1p-1022 || ok && k == num.F32 && x < 0x1p-126 {
				small++
			}
			if got != want {
				t.Fatalf("%s: %x * %x + %x is %x, want %x", k, v[0][i], v[1][i], v[2][i], got, want)
			}
		}
		if exact < 10000 || twice < 2000 || small < 500 {
			t.Errorf("%s: of %d triples %d are finite, %d differ from two roundings, %d are below all normal numbers", k, len(v[0]), exact, twice, small)
		}
	}
}

// TestAddProduct folds products as a loop over the lanes does.
func TestAddProduct(t *testing.T) {
	const n = 16 // lanes of F64
	f := num.NewFolder(num.FoldMulAdd, num.F64, false, 0)
	var lanes [n]float64
	for i := range lanes {
		lanes[i] = math.Copysign(0, -1)
	}
	for i := range 100 {
		x, y := 1+math.Ldexp(float64(i), -40), 1-math.Ldexp(float64(i), -41)
		f.AddProduct(int64(i), math.Float64bits(x), math.Float64bits(y))
		lanes[i%n] = math.FMA(x, y, lanes[i%n])
	}
	for half := n / 2; half > 0; half /= 2 {
		for j := range half {
			lanes[j] += lanes[j+half]
		}
	}
	if got := math.Float64frombits(f.Result()[0]); got != lanes[0] {
		t.Errorf("got %v, want %v", got, lanes[0])
	}
	if got := num.NewFolder(num.FoldMulAdd, num.F32, false, 0).Result()[0]; got != 1<<31 {
		t.Errorf("the sum of no products is %x, want -0", got)
	}
}
