package elaborate

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// ln2High and ln2Low are ln 2 as a sum; times an exponent the first is exact.
const (
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10
)

// expOf is 2^n·exp(hi - lo) for |hi - lo| <= ln(2)/2 and the u of powerOf2.
func (f *formula) expOf(hi, lo, u *graph.Node) *graph.Node {
	r := f.sub(hi, lo)
	t := f.mul(r, r)
	c := f.sub(r, f.mul(t, f.poly(t, 1.66666666666666019037e-01, -2.77777777770155933842e-03,
		6.61375632143793436117e-05, -1.65339022054652515390e-06, 4.13813679705723846039e-08)))
	q := f.div(f.mul(r, c), f.sub(f.c(2), c))
	return f.scale(f.sub(f.c(1), f.sub(f.sub(lo, q), hi)), u)
}

// exp2 is exp(r·ln 2)·2^n with x = n + r. r·ln 2 is taken in two parts, of which the first
// is a product of two numbers of 26 bits.
func (f *formula) exp2(x *graph.Node) *graph.Node {
	const top = 0x1.62e42fp-1 // the first 25 bits of ln 2
	x = f.limit(x, -1100, 1100)
	nf, u := f.powerOf2(x)
	r := f.sub(x, nf)
	high := f.fromBits(f.iop(num.And, f.toBits(r), f.i(-1<<27)))
	rest := f.mul(f.sub(r, high), f.c(top))
	lo := f.add(rest, f.mul(r, f.c(math.Ln2-top)))
	return f.expOf(f.mul(high, f.c(top)), f.neg(lo), u)
}

// expM1 is exp(x) - 1, without the loss near 0: with x = n·ln 2 + r it is
// 2^n·((1 - 2^-n) + (exp(r) - 1)).
func (f *formula) expM1(x *graph.Node) *graph.Node {
	one, half := f.c(1), f.c(0.5)
	y := f.limit(x, -50, 720)
	nf, u := f.powerOfE(y)
	hi := f.sub(y, f.mul(nf, f.c(ln2High)))
	lo := f.mul(nf, f.c(ln2Low))
	r := f.sub(hi, lo)
	c := f.sub(f.sub(hi, r), lo)
	h := f.mul(half, r)
	z := f.mul(r, h)
	p := f.poly(z, 1, -3.33333333333331316428e-02, 1.58730158725481460165e-03, -7.93650757867487942473e-05,
		4.00821782732936239552e-06, -2.01099218183624371326e-07)
	t := f.sub(f.c(3), f.mul(p, h))
	e := f.mul(z, f.div(f.sub(p, t), f.sub(f.c(6), f.mul(r, t))))
	near := f.sub(r, f.sub(f.mul(r, e), z)) // n = 0, and c = 0
	e = f.sub(f.sub(f.mul(r, f.sub(e, c)), c), z)
	// exp(r) - 1 = r - e
	n := f.limit(nf, -100, 100)
	_, down := f.powerOf2(f.neg(n))
	step := f.scale(one, down)
	low := f.sub(f.sub(one, step), f.sub(e, r))
	cancels := f.e.arith(num.And, f.at, f.equal(nf, one), f.less(r, f.c(-0.25)))
	low = f.pick(cancels, f.sub(f.add(half, r), e), low)
	high := f.add(one, f.sub(r, f.add(e, step)))
	far := f.pick(f.less(n, f.c(20)), low, high)
	w := f.pick(f.equal(nf, f.c(0)), near, f.scale(far, u))
	return f.pick(f.equal(x, f.c(0)), x, w)
}

// sinh is (t + t/(t + 1))/2 for t = exp(|x|) - 1; the exponential is halved before it could
// overflow alone.
func (f *formula) sinh(x *graph.Node) *graph.Node {
	a, one := f.abs(x), f.c(1)
	t := f.expM1(f.limit(a, 0, 40))
	q := f.div(t, f.add(t, one))
	near := f.mul(f.c(0.5), f.pick(f.less(a, one), f.sub(f.mul(f.c(2), t), f.mul(t, q)), f.add(t, q)))
	r := f.pick(f.less(a, f.c(22)), near, f.halfExp(a))
	return f.pick(f.equal(x, f.c(0)), x, f.e.prelude(f.at, "copysign", r, x))
}

// cosh is (e + 1/e)/2 for e = exp(|x|).
func (f *formula) cosh(x *graph.Node) *graph.Node {
	a, one, half := f.abs(x), f.c(1), f.c(0.5)
	t := f.expM1(f.limit(a, 0, 1))
	w := f.add(one, t)
	small := f.add(one, f.div(f.mul(t, t), f.add(w, w)))
	e := f.exp(f.limit(a, 0, 40))
	near := f.add(f.mul(half, e), f.div(half, e))
	return f.pick(f.less(a, f.c(math.Ln2/2)), small, f.pick(f.less(a, f.c(22)), near, f.halfExp(a)))
}

// halfExp is exp(x)/2 for large x, also where exp(x) itself is too large.
func (f *formula) halfExp(x *graph.Node) *graph.Node {
	y := f.limit(x, 0, 720)
	nf, u := f.powerOfE(y)
	hi := f.sub(y, f.mul(nf, f.c(ln2High)))
	return f.expOf(hi, f.mul(nf, f.c(ln2Low)), f.iop(num.Sub, u, f.i(1)))
}
