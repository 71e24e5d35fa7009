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
func (e *elab) formula(at diag.Span, k num.Kind) *formula { return &formula{e, at, k, e.fusesPolys()} }

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
