package elaborate

import (
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

var manySamples = flag.Int("samples", 20_000, "inputs for each elementary function")

// function gives a way to evaluate a call on the floats x and y.
func function(t *testing.T, k num.Kind, fused bool, call string) func(x ...float64) float64 {
	g := callGraph(t, k, fused, call)
	v := &evaluator{known: map[*graph.Node]result{}}
	return func(x ...float64) float64 {
		clear(v.known)
		for i := range x {
			v.known[g.Body.Params[i]] = result{num.FromFloat(k, x[i]), true}
		}
		bits, ok := v.value(g.Body.Results[0])
		if !ok {
			panic("the call does not evaluate")
		}
		return num.ToFloat(k, bits)
	}
}

// ulps is the distance of got from the exact value in units of the last
// place of kind k at that value.
func ulps(k num.Kind, got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	if math.IsInf(w, 0) || math.IsInf(got, 0) {
		limit := math.MaxFloat64
		if k == num.F32 {
			limit = math.MaxFloat32
		}
		if math.Abs(w) >= limit && math.Abs(got) >= limit {
			return 0
		}
		if math.IsInf(got, 0) && math.Abs(w) > limit*(1-1e-7) {
			return 0
		}
		return math.Inf(1)
	}
	_, exp := math.Frexp(w)
	digits, least := 53, -1074
	if k == num.F32 {
		digits, least = 24, -149
	}
	unit := math.Ldexp(1, max(exp-digits, least))
	diff := new(big.Float).SetPrec(300).Sub(new(big.Float).SetFloat64(got), want)
	d, _ := diff.Float64()
	return math.Abs(d) / unit
}

// apartAndFused checks the formulas of ordinary functions, and those of fused ones.
func apartAndFused(t *testing.T, check func(t *testing.T, fused bool)) {
	t.Run("apart", func(t *testing.T) { check(t, false) })
	t.Run("fused", func(t *testing.T) { check(t, true) })
}

type accuracy struct {
	name   string // the function, and which inputs
	exact  func(x float64) *big.Float
	lo, hi float64 // of inputs
	log    bool    // inputs spread over exponents
	limit  float64
}

// TestAccuracy measures the elementary functions on random inputs.
func TestAccuracy(t *testing.T) { apartAndFused(t, checkAccuracy) }

func checkAccuracy(t *testing.T, fused bool) {
	cases := []accuracy{
		{"exp", bigExp, -745, 709, false, 2},
		{"ln", bigLn, -1074, 1023, true, 2},
		{"log2", bigLog2, -1074, 1023, true, 2},
		{"sin", bigSin, -1.6e6, 1.6e6, false, 2},
		{"cos", bigCos, -1.6e6, 1.6e6, false, 2},
		{"tanh", bigTanh, -25, 25, false, 2},
		{"sigmoid", bigSigmoid, -745, 50, false, 2},
		{"ln near 1", bigLn, 0.5, 2, false, 2},
		{"log2 near 1", bigLog2, 0.5, 2, false, 2},
		{"exp near 0", bigExp, -1, 1, false, 2},
		{"sin near 0", bigSin, -4, 4, false, 2},
		{"cos near 0", bigCos, -4, 4, false, 2},
		{"tanh near 0", bigTanh, -1, 1, false, 2},
		{"exp2", bigPower2, -1074, 1023, false, 1},
		{"exp2 near 0", bigPower2, -1, 1, false, 1},
		{"exp_m1", bigExpM1, -60, 709, false, 1},
		{"exp_m1 near 0", bigExpM1, -2, 2, false, 1},
		{"exp_m1 small", bigExpM1, -60, 2, true, 1},
		{"ln_1p", bigLn1p, -60, 1023, true, 1},
		{"ln_1p near 0", bigLn1p, -0.999, 2, false, 1},
		{"log10", bigLog10, -1074, 1023, true, 1},
		{"log10 near 1", bigLog10, 0.5, 2, false, 1},
		{"tan", bigTan, -1.6e6, 1.6e6, false, 1},
		{"tan near 0", bigTan, -4, 4, false, 1},
		{"asin", bigAsin, -1, 1, false, 1},
		{"asin small", bigAsin, -60, 0, true, 1},
		{"acos", bigAcos, -1, 1, false, 1},
		{"acos near 1", bigAcos, 0.99, 1, false, 1},
		{"atan", bigAtan, -60, 60, true, 1},
		{"atan near 0", bigAtan, -4, 4, false, 1},
		{"sinh", bigSinh, -50, 9.47, true, 2},
		{"sinh near 0", bigSinh, -3, 3, false, 2},
		{"cosh", bigCosh, -50, 9.47, true, 2},
		{"cosh near 0", bigCosh, -3, 3, false, 2},
		{"asinh", bigAsinh, -50, 1000, true, 2},
		{"asinh near 0", bigAsinh, -4, 4, false, 2},
		{"acosh", bigAcosh, 0, 1000, true, 2},
		{"acosh near 1", bigAcosh, 1, 3, false, 2},
		{"atanh", bigAtanh, -1, 1, false, 2},
		{"atanh small", bigAtanh, -50, 0, true, 2},
		{"cbrt", bigCbrt, -1074, 1023, true, 1},
		{"cbrt near 1", bigCbrt, -8, 8, false, 1},
	}
	for _, c := range cases {
		for _, k := range []num.Kind{num.F64, num.F32} {
			t.Run(c.name+" "+k.String(), func(t *testing.T) { c.measure(t, k, fused) })
		}
	}
}

func (c accuracy) measure(t *testing.T, k num.Kind, fused bool) {
	f := function(t, k, fused, "x."+strings.Fields(c.name)[0]+"()")
	r := rand.New(rand.NewPCG(1, 2))
	lo, hi := c.lo, c.hi
	if k == num.F32 && c.log {
		lo, hi = max(lo, -149), min(hi, 127)
	} else if k == num.F32 && lo < -700 {
		lo, hi = -103, min(hi, 88)
	}
	n := *manySamples / 20
	worst, at := 0.0, 0.0
	for range n {
		x := lo + r.Float64()*(hi-lo)
		if c.log {
			x = math.Exp2(x)
		}
		if k == num.F32 {
			x = float64(float32(x))
		}
		if u := ulps(k, f(x), c.exact(x)); u > worst || u != u {
			worst, at = u, x
		}
	}
	if !(worst <= c.limit) {
		t.Errorf("%.3f units at %v: %v", worst, at, f(at))
	}
	t.Logf("at most %.3f units", worst)
}

// TestEdges checks the values where functions are not finite.
func TestEdges(t *testing.T) { apartAndFused(t, checkEdges) }

func checkEdges(t *testing.T, fused bool) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	type in struct{ x, want float64 }
	for _, c := range []struct {
		name string
		ins  []in
	}{
		{"exp", []in{{inf, inf}, {-inf, 0}, {nan, nan}, {0, 1}, {zero, 1}, {1e30, inf}, {-1e30, 0}}},
		{"ln", []in{{inf, inf}, {-inf, nan}, {nan, nan}, {0, -inf}, {zero, -inf}, {-1, nan}, {1, 0}}},
		{"log2", []in{{inf, inf}, {-inf, nan}, {nan, nan}, {0, -inf}, {1, 0}, {8, 3}, {0.25, -2}}},
		{"sin", []in{{inf, nan}, {-inf, nan}, {nan, nan}, {0, 0}, {zero, zero}}},
		{"cos", []in{{inf, nan}, {-inf, nan}, {nan, nan}, {0, 1}, {zero, 1}}},
		{"tanh", []in{{inf, 1}, {-inf, -1}, {nan, nan}, {0, 0}, {zero, zero}, {40, 1}}},
		{"sigmoid", []in{{inf, 1}, {-inf, 0}, {nan, nan}, {0, 0.5}}},
		{"round", []in{{inf, inf}, {-inf, -inf}, {nan, nan}, {2.5, 3}, {-2.5, -3}, {0.49999997, 0}, {-0.25, zero}, {1e30, 1e30}, {8388609, 8388609}, {0.5, 1}}},
		{"round_ties_even", []in{{inf, inf}, {-inf, -inf}, {nan, nan}, {2.5, 2}, {3.5, 4}, {-2.5, -2}, {-0.25, zero}, {zero, zero}, {1e30, 1e30}, {8388609, 8388609}, {0.5, 0}, {1.75, 2}}},
		{"fract", []in{{inf, nan}, {nan, nan}, {2.5, 0.5}, {-2.5, -0.5}, {0, 0}, {3, 0}}},
		{"exp2", []in{{inf, inf}, {-inf, 0}, {nan, nan}, {0, 1}, {zero, 1}, {10, 1024}, {-3, 0.125}, {1e30, inf}, {-1e30, 0}}},
		{"exp_m1", []in{{inf, inf}, {-inf, -1}, {nan, nan}, {0, 0}, {zero, zero}, {1e30, inf}, {-1e30, -1}}},
		{"ln_1p", []in{{inf, inf}, {-inf, nan}, {nan, nan}, {0, 0}, {zero, zero}, {-1, -inf}, {-2, nan}}},
		{"log10", []in{{inf, inf}, {-inf, nan}, {nan, nan}, {0, -inf}, {zero, -inf}, {-1, nan}, {1, 0}, {1000, 3}, {1e10, 10}}},
		{"tan", []in{{inf, nan}, {-inf, nan}, {nan, nan}, {0, 0}, {zero, zero}}},
		{"asin", []in{{inf, nan}, {nan, nan}, {1.5, nan}, {-1.5, nan}, {0, 0}, {zero, zero}, {1, math.Pi / 2}, {-1, -math.Pi / 2}}},
		{"acos", []in{{inf, nan}, {nan, nan}, {1.5, nan}, {-1.5, nan}, {1, 0}, {-1, math.Pi}, {0, math.Pi / 2}}},
		{"atan", []in{{inf, math.Pi / 2}, {-inf, -math.Pi / 2}, {nan, nan}, {0, 0}, {zero, zero}, {1, math.Pi / 4}}},
		{"sinh", []in{{inf, inf}, {-inf, -inf}, {nan, nan}, {0, 0}, {zero, zero}, {1e30, inf}, {-1e30, -inf}}},
		{"cosh", []in{{inf, inf}, {-inf, inf}, {nan, nan}, {0, 1}, {zero, 1}, {1e30, inf}}},
		{"asinh", []in{{inf, inf}, {-inf, -inf}, {nan, nan}, {0, 0}, {zero, zero}}},
		{"acosh", []in{{inf, inf}, {-inf, nan}, {nan, nan}, {1, 0}, {0.5, nan}, {-1, nan}, {-3, nan}}},
		{"atanh", []in{{1, inf}, {-1, -inf}, {nan, nan}, {0, 0}, {zero, zero}, {2, nan}, {-inf, nan}}},
		{"cbrt", []in{{inf, inf}, {-inf, -inf}, {nan, nan}, {0, 0}, {zero, zero}, {27, 3}, {-8, -2}, {1e30, 1e10}}},
	} {
		for _, k := range []num.Kind{num.F64, num.F32} {
			f := function(t, k, fused, "x."+c.name+"()")
			for _, i := range c.ins {
				x, want := i.x, i.want
				if k == num.F32 {
					x, want = float64(float32(x)), float64(float32(want))
				}
				got := f(x)
				if got != want && (got == got || want == want) || want == 0 && math.Signbit(got) != math.Signbit(want) {
					t.Errorf("%s(%v) is %v in %s, want %v", c.name, x, got, k, want)
				}
			}
		}
	}
}

// TestPairs checks the functions of two floats: where they are special, and on random inputs.
func TestPairs(t *testing.T) { apartAndFused(t, checkPairs) }

func checkPairs(t *testing.T, fused bool) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	type in struct{ x, y, want float64 }
	for name, ins := range map[string][]in{
		"atan2": {
			{0, 1, 0}, {zero, 1, zero}, {0, -1, math.Pi}, {zero, -1, -math.Pi}, {0, 0, 0}, {zero, 0, zero}, {0, zero, math.Pi}, {zero, zero, -math.Pi},
			{1, 0, math.Pi / 2}, {-1, zero, -math.Pi / 2}, {inf, inf, math.Pi / 4}, {-inf, inf, -math.Pi / 4}, {inf, -inf, 3 * math.Pi / 4}, {1, inf, 0}, {-1, -inf, -math.Pi},
			{inf, 1, math.Pi / 2}, {nan, 1, nan}, {1, nan, nan}, {1, 1, math.Pi / 4}, {1, -1, 3 * math.Pi / 4}, {5e-324, -1, math.Pi},
		},
		"hypot":    {{3, 4, 5}, {-3, 4, 5}, {inf, nan, inf}, {nan, -inf, inf}, {nan, 1, nan}, {0, zero, 0}, {0, -2, 2}, {1e38, 0, 1e38}, {inf, 1, inf}},
		"copysign": {{2, -1, -2}, {-2, 1, 2}, {2, zero, -2}, {nan, -1, nan}, {0, -3, zero}, {-inf, 1, inf}},
	} {
		for _, k := range []num.Kind{num.F64, num.F32} {
			f := function(t, k, fused, "x."+name+"(y)")
			for _, i := range ins {
				x, y, want := i.x, i.y, i.want
				if k == num.F32 {
					x, y, want = float64(float32(x)), float64(float32(y)), float64(float32(want))
				}
				if got := f(x, y); got != want && (got == got || want == want) || want == 0 && math.Signbit(got) != math.Signbit(want) {
					t.Errorf("%s(%v, %v) is %v in %s, want %v", name, x, y, got, k, want)
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	draw := func(k num.Kind, most float64) float64 {
		x := math.Copysign(math.Exp2(r.Float64()*2*most-most), r.Float64()-0.5)
		if k == num.F32 {
			x = float64(float32(x))
		}
		return x
	}
	for name, exact := range map[string]func(x, y float64) *big.Float{"atan2": bigAtan2, "hypot": bigHypot} {
		for k, most := range map[num.Kind]float64{num.F64: 1000, num.F32: 120} {
			f, worst := function(t, k, fused, "x."+name+"(y)"), 0.0
			for i := range *manySamples / 20 {
				x, y := draw(k, most), 0.0
				if y = draw(k, most); i%2 == 0 {
					y = x * draw(k, 4)
				}
				if k == num.F32 {
					y = float64(float32(y))
				}
				worst = max(worst, ulps(k, f(x, y), exact(x, y)))
			}
			if limit := map[string]float64{"atan2": 2, "hypot": 1}[name]; !(worst <= limit) {
				t.Errorf("%s: %.3f units in %s", name, worst, k)
			}
			t.Logf("%s in %s: at most %.3f units", name, k, worst)
		}
	}
}

// TestPowers checks powf and powi.
func TestPowers(t *testing.T) { apartAndFused(t, checkPowers) }

func checkPowers(t *testing.T, fused bool) {
	inf, nan := math.Inf(1), math.NaN()
	f64, f32 := function(t, num.F64, fused, "x.powf(y)"), function(t, num.F32, fused, "x.powf(y)")
	for _, c := range []struct{ x, y, want float64 }{
		{2, 10, 1024}, {nan, 0, 1}, {1, nan, 1}, {0, 2, 0}, {0, -2, inf}, {-2, 2, nan}, {inf, 2, inf}, {inf, -1, 0}, {0.5, inf, 0}, {2, inf, inf}, {nan, 1, nan}, {-1, 0, 1},
	} {
		for _, f := range []func(...float64) float64{f64, f32} {
			if got := f(c.x, c.y); math.Abs(got-c.want) > 1e-9*c.want && (got == got || c.want == c.want) {
				t.Errorf("powf(%v, %v) = %v, want %v", c.x, c.y, got, c.want)
			}
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	worst64, worst32 := 0.0, 0.0
	for range *manySamples / 20 {
		x, y := math.Exp(r.Float64()*8-4), r.Float64()*40-20
		exact := bigExp2(x, y)
		worst64 = max(worst64, ulps(num.F64, f64(x, y), exact)/(1+math.Abs(y*math.Log(x))))
		x32, y32 := float64(float32(x)), float64(float32(y))
		worst32 = max(worst32, ulps(num.F32, f32(x32, y32), bigExp2(x32, y32)))
	}
	if worst64 > 2 || worst32 > 1 {
		t.Errorf("powf: %v units per unit of the exponent in f64, %v in f32", worst64, worst32)
	}
	for n := range int64(65) {
		p := function(t, num.F64, fused, fmt.Sprintf("x.powi::<%d>()", n))
		if got, want := p(1.1), math.Pow(1.1, float64(n)); math.Abs(got-want) > 1e-13*want {
			t.Errorf("1.1^%d = %v, want %v", n, got, want)
		}
	}
}

// The exact values, to far more digits than are compared.
const prec = 220

func bf(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }

func newBig() *big.Float { return new(big.Float).SetPrec(prec) }

// bigExpOf is exp by halving and a Taylor series.
func bigExpOf(x *big.Float) *big.Float {
	const halvings = 30
	r := newBig().SetMantExp(x, -halvings)
	sum, term := bf(1), bf(1)
	for i := 1; i < 30; i++ {
		term.Mul(term, r)
		term.Quo(term, bf(float64(i)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

func bigExp(x float64) *big.Float { return bigExpOf(bf(x)) }

// bigLn starts from the float logarithm and takes Newton steps.
func bigLn(x float64) *big.Float {
	frac, exp := math.Frexp(x) // math.Log itself may be wrong on subnormals
	y := bf(math.Log(frac) + float64(exp)*math.Ln2)
	for range 2 { // each trebles the digits
		e := bigExpOf(y)
		num, den := newBig().Sub(bf(x), e), newBig().Add(bf(x), e)
		num.Quo(num, den)
		y.Add(y, num.Mul(num, bf(2)))
	}
	return y
}

func bigLog2(x float64) *big.Float { return newBig().Quo(bigLn(x), ln2) }

func bigExp2(x, y float64) *big.Float { return bigExpOf(newBig().Mul(bigLn(x), bf(y))) }

var bigPi, _, _ = new(big.Float).SetPrec(prec).Parse("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798", 10)

func bigSin(x float64) *big.Float { return sinOf(bf(x)) }

func bigCos(x float64) *big.Float {
	half := newBig().Quo(bigPi, bf(2))
	return sinOf(half.Add(half, bf(x)))
}

func sinOf(x *big.Float) *big.Float {
	turn := newBig().Mul(bigPi, bf(2))
	q := newBig().Quo(x, turn)
	whole, _ := q.Add(q, bf(0.5)).Int(nil)
	if q.Sign() < 0 {
		whole.Sub(whole, big.NewInt(1))
	}
	r := newBig().Sub(x, newBig().Mul(turn, newBig().SetInt(whole)))
	sum, term, sq := newBig().Set(r), newBig().Set(r), newBig().Mul(r, r)
	for i := 1; i < 40; i++ {
		term.Mul(term, sq)
		term.Quo(term, bf(-float64(2*i)*float64(2*i+1)))
		sum.Add(sum, term)
		if term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-prec {
			break
		}
	}
	return sum
}

func bigTanh(x float64) *big.Float {
	e := bigExpOf(bf(2 * x))
	return newBig().Quo(newBig().Sub(e, bf(1)), newBig().Add(e, bf(1)))
}

func bigSigmoid(x float64) *big.Float {
	e := bigExpOf(bf(-x))
	return newBig().Quo(bf(1), e.Add(e, bf(1)))
}
