package elaborate

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// cbrt divides the exponent by 3 for a first guess, betters it by a polynomial to 23 bits
// and by one step of Newton's method.
func (f *formula) cbrt(x *graph.Node) *graph.Node {
	a := f.abs(x)
	tiny := f.less(a, f.c(0x1p-1022))
	b := f.pick(tiny, f.mul(a, f.c(0x1p54)), a)
	guess := f.iop(num.Add, f.iop(num.Div, f.toBits(b), f.i(3)), f.i(715094163<<32))
	t := f.short(f.fromBits(guess))
	r := f.mul(f.mul(t, t), f.div(t, b))
	low := f.poly(r, 1.87595182427177009643, -1.88497979543377169875, 1.621429720105354466140)
	high := f.mul(f.mul(f.mul(r, r), r), f.poly(r, -0.758397934778766047437, 0.145996192886612446982))
	t = f.mul(t, f.add(low, high))
	t = f.fromBits(f.iop(num.And, f.iop(num.Add, f.toBits(t), f.i(0x80000000)), f.i(-0x40000000)))
	r = f.div(b, f.mul(t, t))
	r = f.div(f.sub(r, t), f.add(f.add(t, t), r))
	t = f.add(t, f.mul(t, r))
	t = f.copysign(f.pick(tiny, f.mul(t, f.c(0x1p-18)), t), x)
	// ±0, infinities and NaN are their own roots.
	return f.pick(f.e.arith(num.And, f.at, f.less(f.c(0), a), f.isFinite(x)), t, x)
}

// square is x·x as a sum of two floats, for moderate x.
func (f *formula) square(x *graph.Node) (hi, lo *graph.Node) {
	c := f.mul(x, f.c(0x1p27+1))
	a := f.add(f.sub(x, c), c)
	b := f.sub(x, a)
	hi = f.mul(x, x)
	lo = f.add(f.add(f.sub(f.mul(a, a), hi), f.mul(f.mul(f.c(2), a), b)), f.mul(b, b))
	return hi, lo
}

// hypot is √(x² + y²), scaled so that no square is too large or too small. It is infinite
// where x or y is, even beside a NaN.
func (f *formula) hypot(x, y *graph.Node) *graph.Node {
	a, b := f.abs(x), f.abs(y)
	big := f.pick(f.less(a, b), b, a)
	small := f.pick(f.less(a, b), a, b)
	up := f.pick(f.less(big, f.c(0x1p-450)), f.c(0x1p700), f.c(1))
	down := f.pick(f.less(big, f.c(0x1p-450)), f.c(0x1p-700), f.c(1))
	huge := f.less(f.c(0x1p510), big)
	up, down = f.pick(huge, f.c(0x1p-700), up), f.pick(huge, f.c(0x1p700), down)
	h1, l1 := f.square(f.mul(big, up))
	h2, l2 := f.square(f.mul(small, up))
	r := f.mul(down, f.e.arith(num.Sqrt, f.at, f.add(f.add(f.add(l2, l1), h2), h1)))
	inf := f.c(math.Inf(1))
	r = f.pick(f.less(big, f.mul(small, f.c(0x1p60))), r, f.add(big, small))
	return f.pick(f.e.arith(num.Or, f.at, f.equal(a, inf), f.equal(b, inf)), inf, r)
}
