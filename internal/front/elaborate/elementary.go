package elaborate

import (
	"math"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// The elementary functions are written out as sequences of the scalar
// operations that every engine has, so that all engines give the same bits.
// There is no branch in them; where cases differ, both are computed and one is
// chosen. In a fused function polynomials and the exponential's reduction are
// made of fused multiply-adds, elsewhere there are none.
//
// Errors against the exact value, in units of the last place: exp, ln, log2,
// sin, cos, tanh and sigmoid stay below 2 in both widths. See sin for large
// arguments and powf for what holds there. The methods are those of the
// freely distributable libm of Sun Microsystems (fdlibm) and of Cephes,
// rewritten.

// formula emits one function of floats of kind k.
type formula struct {
	e     *elab
	at    diag.Span
	k     num.Kind
	fused bool
}

// formula begins one, for the text at hand.
func (e *elab) formula(at diag.Span, k num.Kind) *formula { return &formula{e, at, k, e.isFused()} }

// in is a part of the formula in floats of another kind.
func (f *formula) in(k num.Kind) *formula { return &formula{f.e, f.at, k, f.fused} }

func (f *formula) c(v float64) *graph.Node            { return f.e.float(f.k, v, f.at) }
func (f *formula) add(a, b *graph.Node) *graph.Node   { return f.e.arith(num.Add, f.at, a, b) }
func (f *formula) sub(a, b *graph.Node) *graph.Node   { return f.e.arith(num.Sub, f.at, a, b) }
func (f *formula) mul(a, b *graph.Node) *graph.Node   { return f.e.arith(num.Mul, f.at, a, b) }
func (f *formula) div(a, b *graph.Node) *graph.Node   { return f.e.arith(num.Div, f.at, a, b) }
func (f *formula) neg(a *graph.Node) *graph.Node      { return f.e.arith(num.Neg, f.at, a) }
func (f *formula) abs(a *graph.Node) *graph.Node      { return f.e.arith(num.Abs, f.at, a) }
func (f *formula) less(a, b *graph.Node) *graph.Node  { return f.e.arith(num.Lt, f.at, a, b) }
func (f *formula) equal(a, b *graph.Node) *graph.Node { return f.e.arith(num.Eq, f.at, a, b) }

// limit brings a into lo..hi; a NaN stays one.
func (f *formula) limit(a *graph.Node, lo, hi float64) *graph.Node {
	return f.e.arith(num.Min, f.at, f.e.arith(num.Max, f.at, a, f.c(lo)), f.c(hi))
}

// pick is a where cond holds and b elsewhere.
func (f *formula) pick(cond, a, b *graph.Node) *graph.Node {
	return f.e.choose(f.at, cond, func() *graph.Node { return a }, func() *graph.Node { return b })
}

// poly evaluates c[0] + x·(c[1] + x·(…)).
func (f *formula) poly(x *graph.Node, c ...float64) *graph.Node {
	r := f.c(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		r = f.addProduct(f.c(c[i]), x, r)
	}
	return r
}

// addProduct is c + a·b.
func (f *formula) addProduct(c, a, b *graph.Node) *graph.Node {
	if f.fused {
		return f.e.arith(num.Fma, f.at, a, b, c)
	}
	return f.add(c, f.mul(a, b))
}

// subProduct is c - a·b.
func (f *formula) subProduct(c, a *graph.Node, b float64) *graph.Node {
	if f.fused {
		return f.addProduct(c, a, f.c(-b))
	}
	return f.sub(c, f.mul(a, f.c(b)))
}

// whole is the integer kind of the float's width.
func (f *formula) whole() num.Kind {
	if f.k == num.F32 {
		return num.I32
	}
	return num.I64
}

func (f *formula) i(v int64) *graph.Node { return f.e.int(f.whole(), v, f.at) }

func (f *formula) iop(op num.Op, a, b *graph.Node) *graph.Node { return f.e.arith(op, f.at, a, b) }

// toBits and fromBits look at a float as the integer with its bits.
func (f *formula) toBits(a *graph.Node) *graph.Node {
	return f.e.add(graph.Bits, types.Scalars[f.whole()], f.at, a)
}

func (f *formula) fromBits(a *graph.Node) *graph.Node {
	return f.e.add(graph.Bits, types.Scalars[f.k], f.at, a)
}

// mantissa, bias and magic of the float's format. Adding magic to a small
// float rounds it to an integer, which then stands in the low bits.
func (f *formula) mantissa() int64 {
	if f.k == num.F32 {
		return 23
	}
	return 52
}

func (f *formula) bias() int64 {
	if f.k == num.F32 {
		return 127
	}
	return 1023
}

func (f *formula) magic() float64 { return math.Ldexp(3, int(f.mantissa())-1) }

func (f *formula) magicBits() int64 {
	if f.k == num.F32 {
		return int64(math.Float32bits(float32(f.magic())))
	}
	return int64(math.Float64bits(f.magic()))
}

// nearest gives a rounded to an integer, as float and as integer.
func (f *formula) nearest(a *graph.Node) (asFloat, asInt *graph.Node) {
	t := f.add(a, f.c(f.magic()))
	return f.sub(t, f.c(f.magic())), f.iop(num.Sub, f.toBits(t), f.i(f.magicBits()))
}

// float turns a small integer into a float.
func (f *formula) float(a *graph.Node) *graph.Node {
	if f.k == num.F32 {
		return f.e.cast(types.Scalars[num.F32], a, f.at)
	}
	return f.sub(f.fromBits(f.iop(num.Add, a, f.i(f.magicBits()))), f.c(f.magic()))
}

// powerOf2 rounds a to an integer n. The low bits of u are n + 2·bias.
func (f *formula) powerOf2(a *graph.Node) (n, u *graph.Node) {
	magic := f.powerMagic()
	t := f.add(a, magic)
	return f.sub(t, magic), f.toBits(t)
}

func (f *formula) powerMagic() *graph.Node { return f.c(f.magic() + float64(2*f.bias())) }

// powerOfE is powerOf2 of x·log2(e).
func (f *formula) powerOfE(x *graph.Node) (n, u *graph.Node) {
	if !f.fused {
		return f.powerOf2(f.mul(x, f.c(math.Log2E)))
	}
	magic := f.powerMagic()
	t := f.addProduct(magic, x, f.c(math.Log2E))
	return f.sub(t, magic), f.toBits(t)
}

// scale is a·2^n for the u of powerOf2, in two steps so that it overflows and
// underflows as it should, with one rounding. The exponents of the two factors
// are the halves of n + 2·bias: the upper bits of a shift by one less than the
// mantissa's width, and what is left of all of it.
func (f *formula) scale(a, u *graph.Node) *graph.Node {
	m := f.mantissa()
	half := f.iop(num.And, f.iop(num.Shl, u, f.i(m-1)), f.i(-1<<m))
	rest := f.iop(num.Sub, f.iop(num.Shl, u, f.i(m)), half)
	return f.mul(f.mul(a, f.fromBits(half)), f.fromBits(rest))
}

// exp reduces to |r| <= ln(2)/2 with x = n·ln(2) + r.
func (f *formula) exp(x *graph.Node) *graph.Node {
	if f.k == num.F32 {
		return f.exp32(x)
	}
	x = f.limit(x, -760, 720)
	nf, u := f.powerOfE(x)
	hi := f.subProduct(x, nf, ln2High)
	return f.expOf(hi, f.mul(nf, f.c(ln2Low)), u)
}

func (f *formula) exp32(x *graph.Node) *graph.Node {
	x = f.limit(x, -110, 95)
	nf, u := f.powerOfE(x)
	r := f.subProduct(f.subProduct(x, nf, 0.693359375), nf, -2.12194440e-4)
	return f.scale(f.nearOne(r), u)
}

// nearOne is e^r in f32 for |r| <= ln(2)/2, as 1 + (r + r²·q). q is the polynomial of degree 4 whose
// greatest relative error of e^r is the least, 2^-28, evaluated as three short ones whose
// operations need not wait for each other.
func (f *formula) nearOne(r *graph.Node) *graph.Node {
	z := f.mul(r, r)
	low := f.poly(r, 4.9999994040e-1, 1.6666519642e-1)
	high := f.poly(r, 4.1668407619e-2, 8.3689214662e-3)
	q := f.addProduct(low, z, f.addProduct(high, z, f.c(1.3814173872e-3)))
	return f.add(f.c(1), f.addProduct(r, z, q))
}

// split writes a positive x as 2^n·(1+g) with 1+g between √½ and √2.
func (f *formula) split(x *graph.Node) (n, g *graph.Node) {
	tiny, up := math.Ldexp(1, int(1-f.bias())), f.mantissa()+2
	small := f.less(x, f.c(tiny))
	u := f.toBits(f.pick(small, f.mul(x, f.c(math.Ldexp(1, int(up)))), x))
	one, root := int64(math.Float64bits(1)), int64(math.Float64bits(math.Sqrt2/2))>>32<<32
	if f.k == num.F32 {
		one, root = int64(math.Float32bits(1)), int64(math.Float32bits(math.Sqrt2/2))
	}
	u = f.iop(num.Add, u, f.i(one-root))
	exponent := f.iop(num.Sub, f.iop(num.Shr, u, f.i(f.mantissa())), f.i(f.bias()))
	n = f.iop(num.Sub, exponent, f.pick(small, f.i(up), f.i(0)))
	u = f.iop(num.Add, f.iop(num.And, u, f.i(1<<f.mantissa()-1)), f.i(root))
	return n, f.sub(f.fromBits(u), f.c(1))
}

// logParts gives g²/2 and s·(g²/2+R), from which ln(1+g) = g - (g²/2 - …).
func (f *formula) logParts(g *graph.Node) (half, rest *graph.Node) {
	s := f.div(g, f.add(f.c(2), g))
	z := f.mul(s, s)
	w := f.mul(z, z)
	var r *graph.Node
	if f.k == num.F32 {
		r = f.add(f.mul(z, f.poly(w, 0.66666662693, 0.28498786688)), f.mul(w, f.poly(w, 0.40000972152, 0.24279078841)))
	} else {
		odd := f.poly(w, 6.666666666666735130e-01, 2.857142874366239149e-01, 1.818357216161805012e-01, 1.479819860511658591e-01)
		even := f.poly(w, 3.999999999940941908e-01, 2.222219843214978396e-01, 1.531383769920937332e-01)
		r = f.add(f.mul(z, odd), f.mul(w, even))
	}
	half = f.mul(f.mul(f.c(0.5), g), g)
	return half, f.mul(s, f.add(half, r))
}

func (f *formula) ln(x *graph.Node) *graph.Node {
	n, g := f.split(x)
	half, rest := f.logParts(g)
	hi, lo := ln2High, ln2Low
	if f.k == num.F32 {
		hi, lo = 6.9313812256e-01, 9.0580006145e-06
	}
	nf := f.float(n)
	r := f.add(rest, f.mul(nf, f.c(lo)))
	r = f.add(f.add(f.sub(r, half), g), f.mul(nf, f.c(hi)))
	return f.logEnds(x, r)
}

// logEnds puts in the values where a logarithm is no finite number.
func (f *formula) logEnds(x, r *graph.Node) *graph.Node {
	zero := f.c(0)
	r = f.pick(f.equal(x, zero), f.c(math.Inf(-1)), r)
	r = f.pick(f.less(x, zero), f.c(math.NaN()), r)
	// Neither for infinity nor for NaN is x less than infinity.
	odd := f.e.arith(num.Or, f.at, f.less(x, f.c(math.Inf(1))), f.less(x, zero))
	return f.pick(odd, r, x)
}

// log2 multiplies ln(1+g), kept in two parts, by 1/ln(2), in two parts too.
func (f *formula) log2(x *graph.Node) *graph.Node {
	n, g := f.split(x)
	half, rest := f.logParts(g)
	keep, invHi, invLo := int64(-1)<<32, 1.44269504072144627571e+00, 1.67517131648865118353e-10
	if f.k == num.F32 {
		keep, invHi, invLo = int64(-1)<<12, 1.4428710938e+00, -1.7605285393e-04
	}
	hi := f.fromBits(f.iop(num.And, f.toBits(f.sub(g, half)), f.i(keep)))
	lo := f.add(f.sub(f.sub(g, hi), half), rest)
	top := f.mul(hi, f.c(invHi))
	low := f.add(f.mul(f.add(lo, hi), f.c(invLo)), f.mul(lo, f.c(invHi)))
	nf := f.float(n)
	sum := f.add(nf, top)
	low = f.add(low, f.add(f.sub(nf, sum), top))
	return f.logEnds(x, f.add(low, sum))
}

// tanh is a rational function of x near 0, where exponentials would cancel.
func (f *formula) tanh(x *graph.Node) *graph.Node {
	a := f.abs(x)
	z := f.mul(x, x)
	var small *graph.Node
	if f.k == num.F32 {
		small = f.mul(z, f.poly(z, -3.33332819422e-1, 1.33314422036e-1, -5.37397155531e-2, 2.06390887954e-2, -5.70498872745e-3))
	} else {
		p := f.poly(z, -1.61468768441708447952e3, -9.92877231001918586564e1, -9.64399179425052238628e-1)
		q := f.poly(z, 4.84406305325125486048e3, 2.23548839060100448583e3, 1.12811678491632931402e2, 1)
		small = f.div(f.mul(z, p), q)
	}
	near := f.add(x, f.mul(x, small))
	far := f.sub(f.c(1), f.div(f.c(2), f.add(f.exp(f.add(a, a)), f.c(1))))
	far = f.pick(f.less(x, f.c(0)), f.neg(far), far)
	r := f.pick(f.less(a, f.c(0.625)), near, far)
	return f.pick(f.equal(x, f.c(0)), x, r)
}

// sigmoid is 1/(1+exp(-x)), from the exponential that is at most 1.
func (f *formula) sigmoid(x *graph.Node) *graph.Node {
	p := f.exp(f.neg(f.abs(x)))
	top := f.pick(f.less(x, f.c(0)), p, f.c(1))
	return f.div(top, f.add(f.c(1), p))
}

// powf is exp(y·ln x). In f64 the relative error is about |y·ln x|·2^-52, so
// it grows to some hundred units of the last place for the largest results;
// in f32, which is computed in f64, it is below 1 unit. x^0 and 1^y are 1
// for all x and y; a negative x gives NaN otherwise.
func (f *formula) powf(x, y *graph.Node) *graph.Node {
	if f.k == num.F32 {
		wide := f.in(num.F64)
		t := types.Scalars[num.F64]
		r := wide.powf(f.e.cast(t, x, f.at), f.e.cast(t, y, f.at))
		return f.e.cast(types.Scalars[num.F32], r, f.at)
	}
	one := f.c(1)
	r := f.exp(f.mul(y, f.ln(x)))
	always := f.e.arith(num.Or, f.at, f.equal(y, f.c(0)), f.equal(x, one))
	return f.pick(always, one, r)
}

// powi multiplies the powers x, x², x⁴, … whose bits are set in n, the
// lowest first; x^0 is 1.
func (f *formula) powi(x *graph.Node, n int64) *graph.Node {
	var r *graph.Node
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			if r == nil {
				r = x
			} else {
				r = f.mul(r, x)
			}
		}
		if n > 1 {
			x = f.mul(x, x)
		}
	}
	if r == nil {
		return f.c(1)
	}
	return r
}

// round goes to the nearest integer, half away from zero. What is cut off is
// exact, and an infinity has none.
func (f *formula) round(x *graph.Node) *graph.Node {
	t := f.e.arith(num.Trunc, f.at, x)
	far := f.e.arith(num.Ge, f.at, f.abs(f.sub(x, t)), f.c(0.5))
	step := f.pick(f.less(x, f.c(0)), f.c(-1), f.c(1))
	return f.pick(far, f.add(t, step), t)
}
