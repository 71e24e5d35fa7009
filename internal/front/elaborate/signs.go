package elaborate

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// negative reports the sign bit, also that of -0.
func (f *formula) negative(x *graph.Node) *graph.Node { return f.less(f.toBits(x), f.i(0)) }

// copysign is the size of x with the sign of y; a NaN stays one, without a sign.
func (f *formula) copysign(x, y *graph.Node) *graph.Node {
	a := f.abs(x)
	return f.pick(f.negative(y), f.neg(a), a)
}

// sign is -1, 1, or x itself for ±0 and NaN.
func (f *formula) sign(x *graph.Node) *graph.Node {
	zero := f.c(0)
	return f.pick(f.less(x, zero), f.c(-1), f.pick(f.less(zero, x), f.c(1), x))
}

// fract is what trunc cuts off.
func (f *formula) fract(x *graph.Node) *graph.Node {
	return f.sub(x, f.e.arith(num.Trunc, f.at, x))
}

// roundEven goes to the nearest integer, half to the even one: beside 2^mantissa there is
// no room for a fraction.
func (f *formula) roundEven(x *graph.Node) *graph.Node {
	a, big := f.abs(x), f.c(math.Ldexp(1, int(f.mantissa())))
	r := f.pick(f.less(a, big), f.sub(f.add(a, big), big), a)
	return f.copysign(r, x)
}

// isInfinite is false for NaN.
func (f *formula) isInfinite(x *graph.Node) *graph.Node { return f.equal(f.abs(x), f.c(math.Inf(1))) }

// isFinite is false for infinities and NaN.
func (f *formula) isFinite(x *graph.Node) *graph.Node { return f.less(f.abs(x), f.c(math.Inf(1))) }
