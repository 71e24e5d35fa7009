package elaborate

import (
	"math"

	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// wide computes an f32 in f64, so that the result is off by little more than the last
// rounding.
func wide(g func(*formula, []*graph.Node) *graph.Node) func(*formula, []*graph.Node) *graph.Node {
	return func(f *formula, x []*graph.Node) *graph.Node {
		if f.k != num.F32 {
			return g(f, x)
		}
		long := make([]*graph.Node, len(x))
		for i, a := range x {
			long[i] = f.e.cast(types.Scalars[num.F64], a, f.at)
		}
		return f.e.cast(types.Scalars[num.F32], g(f.in(num.F64), long), f.at)
	}
}

// one is a function of one float.
func one(g func(*formula, *graph.Node) *graph.Node) func(*formula, []*graph.Node) *graph.Node {
	return func(f *formula, x []*graph.Node) *graph.Node { return g(f, x[0]) }
}

// two is a function of two floats.
func two(g func(f *formula, x, y *graph.Node) *graph.Node) func(*formula, []*graph.Node) *graph.Node {
	return func(f *formula, x []*graph.Node) *graph.Node { return g(f, x[0], x[1]) }
}

// halfPi and its rest are π/2 as a sum of two floats.
const (
	halfPi     = 1.57079632679489655800e+00
	halfPiRest = 6.12323399573676603587e-17
)

// short is x with the lower half of its bits cleared.
func (f *formula) short(x *graph.Node) *graph.Node {
	return f.fromBits(f.iop(num.And, f.toBits(x), f.i(-1<<32)))
}

// arcSeries gives (asin(x) - x)/x for z = x², |x| <= ½.
func (f *formula) arcSeries(z *graph.Node) *graph.Node {
	p := f.mul(z, f.poly(z, 1.66666666666666657415e-01, -3.25565818622400915405e-01, 2.01212532134862925881e-01,
		-4.00555345006794114027e-02, 7.91534994289814532176e-04, 3.47933107596021167570e-05))
	q := f.poly(z, 1, -2.40339491173441421878e+00, 2.02094576023350569471e+00, -6.88283971605453293030e-01, 7.70381505559019352791e-02)
	return f.div(p, q)
}

// farArc gives √z in two parts for z = (1 - |x|)/2, and the series there: beyond ½ the arcs
// are π/2 - 2·asin(√z), or 2·asin(√z).
func (f *formula) farArc(a *graph.Node) (top, rest, r *graph.Node) {
	z := f.mul(f.sub(f.c(1), a), f.c(0.5))
	s := f.e.arith(num.Sqrt, f.at, z)
	top = f.short(s)
	rest = f.div(f.sub(z, f.mul(top, top)), f.add(s, top))
	rest = f.pick(f.equal(z, f.c(0)), f.c(0), rest)
	return top, rest, f.mul(s, f.arcSeries(z))
}

func (f *formula) asin(x *graph.Node) *graph.Node {
	a := f.abs(x)
	near := f.add(x, f.mul(x, f.arcSeries(f.mul(x, x))))
	top, rest, r := f.farArc(a)
	// π/2 - 2·(top + rest + r), as π/4 - (… - (π/4 - 2·top))
	p := f.sub(f.mul(f.c(2), r), f.sub(f.c(halfPiRest), f.mul(f.c(2), rest)))
	q := f.sub(f.c(halfPi/2), f.mul(f.c(2), top))
	far := f.sub(f.c(halfPi/2), f.sub(p, q))
	far = f.pick(f.less(x, f.c(0)), f.neg(far), far)
	return f.pick(f.less(a, f.c(0.5)), near, far)
}

func (f *formula) acos(x *graph.Node) *graph.Node {
	a := f.abs(x)
	near := f.sub(f.c(halfPi), f.sub(x, f.sub(f.c(halfPiRest), f.mul(x, f.arcSeries(f.mul(x, x))))))
	top, rest, r := f.farArc(a)
	up := f.mul(f.c(2), f.add(top, f.add(r, rest)))
	s := f.add(top, rest)
	down := f.sub(f.c(2*halfPi), f.mul(f.c(2), f.add(s, f.sub(r, f.c(halfPiRest)))))
	return f.pick(f.less(a, f.c(0.5)), near, f.pick(f.less(x, f.c(0)), down, up))
}

// atan reduces to |t| <= 7/16 by the difference to the arc of ½, 1, 3/2 or infinity.
func (f *formula) atan(x *graph.Node) *graph.Node {
	a, one := f.abs(x), f.c(1)
	arcs := []struct{ below, hi, lo float64 }{
		{0.6875, 4.63647609000806093515e-01, 2.26987774529616870924e-17},
		{1.1875, 7.85398163397448278999e-01, 3.06161699786838301793e-17},
		{2.4375, 9.82793723247329054082e-01, 1.39033110312309984516e-17},
	}
	up := []*graph.Node{f.sub(f.mul(f.c(2), a), one), f.sub(a, one), f.sub(a, f.c(1.5))}
	down := []*graph.Node{f.add(f.c(2), a), f.add(a, one), f.add(one, f.mul(f.c(1.5), a))}
	hi, lo, above, below := f.c(halfPi), f.c(halfPiRest), f.c(-1), a
	for i := len(arcs) - 1; i >= 0; i-- {
		in := f.less(a, f.c(arcs[i].below))
		hi, lo = f.pick(in, f.c(arcs[i].hi), hi), f.pick(in, f.c(arcs[i].lo), lo)
		above, below = f.pick(in, up[i], above), f.pick(in, down[i], below)
	}
	near := f.less(a, f.c(0.4375))
	t := f.div(f.pick(near, a, above), f.pick(near, one, below))
	z := f.mul(t, t)
	w := f.mul(z, z)
	odd := f.mul(z, f.poly(w, 3.33333333333329318027e-01, 1.42857142725034663711e-01, 9.09088713343650656196e-02,
		6.66107313738753120669e-02, 4.97687799461593236017e-02, 1.62858201153657823623e-02))
	even := f.mul(w, f.poly(w, -1.99999999998764832476e-01, -1.11111104054623557880e-01, -7.69187620504482999495e-02,
		-5.83357013379057348645e-02, -3.65315727442169155270e-02))
	s := f.mul(t, f.add(odd, even))
	r := f.pick(near, f.sub(t, s), f.sub(hi, f.sub(f.sub(s, lo), t)))
	return f.copysign(r, x)
}

// atan2 is the angle of the point (x, y): the arc of y/x, in the quadrant of the point. Signs
// of zeros count; two infinities are at 45°.
func (f *formula) atan2(y, x *graph.Node) *graph.Node {
	a, b := f.abs(y), f.abs(x)
	ratio := f.div(a, b)
	ratio = f.pick(f.equal(a, b), f.pick(f.equal(a, f.c(0)), f.c(0), f.c(1)), ratio)
	z := f.atan(ratio)
	left := f.sub(f.c(math.Pi), f.sub(z, f.c(2*halfPiRest)))
	left = f.pick(f.less(ratio, f.c(math.Inf(1))), left, z) // also for a NaN
	return f.copysign(f.pick(f.negative(x), left, z), y)
}
