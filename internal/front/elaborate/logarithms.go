package elaborate

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// log10 multiplies ln(1+g), kept in two parts, by 1/ln(10), in two parts too, and the
// exponent by log10(2), of which the first part times an exponent is exact.
func (f *formula) log10(x *graph.Node) *graph.Node {
	n, g := f.split(x)
	half, rest := f.logParts(g)
	hi := f.short(f.sub(g, half))
	lo := f.add(f.sub(f.sub(g, hi), half), rest)
	top := f.mul(hi, f.c(4.34294481878168880939e-01))
	nf := f.float(n)
	low := f.add(f.mul(nf, f.c(3.69423907715893078616e-13)), f.add(f.mul(f.add(lo, hi), f.c(2.50829467116452752298e-11)), f.mul(lo, f.c(4.34294481878168880939e-01))))
	much := f.mul(nf, f.c(3.01029995663611771306e-01))
	sum := f.add(much, top)
	low = f.add(low, f.add(f.sub(much, sum), top))
	return f.logEnds(x, f.add(low, sum))
}

// ln1p is ln(1 + x), without the loss near 0: that of u = 1 + x as rounded, and what the
// rounding took, divided by u.
func (f *formula) ln1p(x *graph.Node) *graph.Node {
	one := f.c(1)
	u := f.add(one, x)
	lost := f.pick(f.less(u, f.c(2)), f.sub(x, f.sub(u, one)), f.sub(one, f.sub(u, x)))
	c := f.div(lost, u)
	n, g := f.split(u)
	half, rest := f.logParts(g)
	nf := f.float(n)
	r := f.add(rest, f.add(f.mul(nf, f.c(ln2Low)), c))
	r = f.add(f.add(f.sub(r, half), g), f.mul(nf, f.c(ln2High)))
	return f.pick(f.equal(x, f.c(0)), x, f.logEnds(u, r))
}

// asinh is ln(|x| + √(x² + 1)), as ln1p near 0, and as ln(2·|x|) where x² would be too large.
func (f *formula) asinh(x *graph.Node) *graph.Node {
	a, one := f.abs(x), f.c(1)
	z := f.mul(a, a)
	s := f.e.arith(num.Sqrt, f.at, f.add(z, one))
	near := f.ln1p(f.add(a, f.div(z, f.add(one, s))))
	far := f.add(f.ln(a), f.c(math.Ln2))
	return f.copysign(f.pick(f.less(a, f.c(0x1p28)), near, far), x)
}

// acosh is ln(x + √(x² - 1)), from t = x - 1.
func (f *formula) acosh(x *graph.Node) *graph.Node {
	t := f.sub(x, f.c(1))
	s := f.e.arith(num.Sqrt, f.at, f.mul(t, f.add(t, f.c(2))))
	near := f.ln1p(f.add(t, s))
	far := f.add(f.ln(x), f.c(math.Ln2))
	return f.pick(f.less(f.c(0x1p28), x), far, near)
}

// atanh is half of ln((1 + x)/(1 - x)).
func (f *formula) atanh(x *graph.Node) *graph.Node {
	a, one := f.abs(x), f.c(1)
	t := f.add(a, a)
	rest := f.sub(one, a)
	near := f.add(t, f.div(f.mul(t, a), rest))
	r := f.mul(f.c(0.5), f.ln1p(f.pick(f.less(a, f.c(0.5)), near, f.div(t, rest))))
	return f.copysign(r, x)
}
