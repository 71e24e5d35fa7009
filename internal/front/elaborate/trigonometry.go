package elaborate

import (
	"math"

	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// sin subtracts the nearest multiple of π/2. Up to |x| = 2^20·π/2 (f32: 2^28)
// the error is below 2 units of the last place, except next to a multiple of
// π/2, where the absolute error is below 2^-100. Beyond, the absolute error
// grows as |x|·2^-53: as if x had been rounded once more; from 2^52 on
// no digit is right, but the result is still between -1 and 1. The sine of
// an infinity is NaN.
func (f *formula) sin(x *graph.Node) *graph.Node { return f.wave(x, 0) }

// cos is sin a quarter turn ahead.
func (f *formula) cos(x *graph.Node) *graph.Node { return f.wave(x, 1) }

func (f *formula) wave(x *graph.Node, ahead int64) *graph.Node {
	if f.k == num.F32 {
		wide := f.in(num.F64)
		r := wide.wave32(f.e.cast(types.Scalars[num.F64], x, f.at), ahead)
		return f.e.cast(types.Scalars[num.F32], r, f.at)
	}
	nf, n := f.nearest(f.mul(x, f.c(2/math.Pi)))
	y, tail := f.reduce(x, nf)
	s, c := f.kernelSin(y, tail), f.kernelCos(y, tail)
	r := f.quadrant(n, ahead, s, c)
	if ahead == 0 { // also keeps the sign of zero
		r = f.pick(f.less(f.abs(x), f.c(0x1p-27)), x, r)
	}
	return r
}

// quadrant chooses and signs by the number of quarter turns.
func (f *formula) quadrant(n *graph.Node, ahead int64, s, c *graph.Node) *graph.Node {
	if ahead != 0 {
		n = f.iop(num.Add, n, f.i(ahead))
	}
	zero := f.i(0)
	even := f.e.arith(num.Eq, f.at, f.iop(num.And, n, f.i(1)), zero)
	r := f.pick(even, s, c)
	positive := f.e.arith(num.Eq, f.at, f.iop(num.And, n, f.i(2)), zero)
	return f.limit(f.pick(positive, r, f.neg(r)), -1, 1)
}

// reduce gives x - n·π/2 as a sum of two floats. π/2 is taken in three parts,
// of which the first two have 33 bits, so that n times them is exact.
func (f *formula) reduce(x, n *graph.Node) (y, tail *graph.Node) {
	a := f.sub(x, f.mul(n, f.c(1.57079632673412561417e+00)))
	w := f.mul(n, f.c(6.07710050630396597660e-11))
	b := f.sub(a, w)
	back := f.sub(b, a)
	rest := f.sub(f.sub(a, f.sub(b, back)), f.add(w, back)) // a - w = b + rest, exactly
	rest = f.sub(rest, f.mul(n, f.c(2.02226624879595063154e-21)))
	y = f.add(b, rest)
	back = f.sub(y, b)
	return y, f.add(f.sub(b, f.sub(y, back)), f.sub(rest, back))
}

func (f *formula) kernelSin(x, tail *graph.Node) *graph.Node {
	z := f.mul(x, x)
	v := f.mul(z, x)
	r := f.poly(z, 8.33333333332248946124e-03, -1.98412698298579493134e-04, 2.75573137070700676789e-06,
		-2.50507602534068634195e-08, 1.58969099521155010221e-10)
	inner := f.sub(f.mul(z, f.sub(f.mul(f.c(0.5), tail), f.mul(v, r))), tail)
	return f.sub(x, f.sub(inner, f.mul(v, f.c(-1.66666666666666324348e-01))))
}

func (f *formula) kernelCos(x, tail *graph.Node) *graph.Node {
	z := f.mul(x, x)
	r := f.mul(z, f.poly(z, 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
		-2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11))
	half := f.mul(f.c(0.5), z)
	w := f.sub(f.c(1), half)
	return f.add(w, f.add(f.sub(f.sub(f.c(1), w), half), f.sub(f.mul(z, r), f.mul(x, tail))))
}

// wave32 works in f64 to f32's precision.
func (f *formula) wave32(x *graph.Node, ahead int64) *graph.Node {
	nf, n := f.nearest(f.mul(x, f.c(2/math.Pi)))
	y := f.sub(f.sub(x, f.mul(nf, f.c(1.57079631090164184570e+00))), f.mul(nf, f.c(1.58932547735281966916e-08)))
	z := f.mul(y, y)
	s := f.mul(y, f.poly(z, 1, -0x15555554cbac77p-55, 0x111110896efbb2p-59, -0x1a00f9e2cae774p-65, 0x16cd878c3b46a7p-71))
	c := f.poly(z, 1, -0x1ffffffd0c5e81p-54, 0x155553e1053a42p-57, -0x16c087e80f1e27p-62, 0x199342e0ee5069p-68)
	r := f.quadrant(n, ahead, s, c)
	if ahead == 0 {
		r = f.pick(f.equal(x, f.c(0)), x, r)
	}
	return r
}

// tan is that of the nearest multiple of π/2 taken away, or minus its inverse.
func (f *formula) tan(x *graph.Node) *graph.Node {
	nf, n := f.nearest(f.mul(x, f.c(2/math.Pi)))
	y, tail := f.reduce(x, nf)
	even := f.e.arith(num.Eq, f.at, f.iop(num.And, n, f.i(1)), f.i(0))
	r := f.kernelTan(y, tail, even)
	return f.pick(f.less(f.abs(x), f.c(0x1p-27)), x, r)
}

// kernelTan is tan(y + tail) for |y| <= π/4 where even holds, and -1/tan(y + tail) elsewhere.
// Beside π/4 it goes by tan(π/4 - y) = (1 - t)/(1 + t).
func (f *formula) kernelTan(y, tail, even *graph.Node) *graph.Node {
	minus := f.less(y, f.c(0))
	a, at := f.pick(minus, f.neg(y), y), f.pick(minus, f.neg(tail), tail)
	far := f.less(f.c(0.67434), a)
	x := f.pick(far, f.add(f.sub(f.c(halfPi/2), a), f.sub(f.c(halfPiRest/2), at)), a)
	rest := f.pick(far, f.c(0), at)
	z := f.mul(x, x)
	w := f.mul(z, z)
	odd := f.poly(w, 1.33333333333201242699e-01, 2.18694882948595424599e-02, 3.59207910759131235356e-03,
		5.88041240820264096874e-04, 7.81794442939557092300e-05, -1.85586374855275456654e-05)
	even2 := f.mul(z, f.poly(w, 5.39682539762260521377e-02, 8.86323982359930005737e-03, 1.45620945432529025516e-03,
		2.46463134818469906812e-04, 7.14072491382608190305e-05, 2.59073051863633712884e-05))
	s := f.mul(z, x)
	r := f.add(rest, f.mul(z, f.add(f.mul(s, f.add(odd, even2)), rest)))
	r = f.add(r, f.mul(f.c(3.33333333333334091986e-01), s))
	t := f.add(x, r)
	v := f.pick(even, f.c(1), f.c(-1))
	beside := f.sub(v, f.mul(f.c(2), f.sub(x, f.sub(f.div(f.mul(t, t), f.add(t, v)), r))))
	near := f.pick(even, t, f.minusInverse(t, x, r))
	result := f.pick(far, beside, near)
	return f.pick(minus, f.neg(result), result)
}

// minusInverse is -1/(x + r) for t = x + r as rounded.
func (f *formula) minusInverse(t, x, r *graph.Node) *graph.Node {
	z := f.short(t)
	v := f.sub(r, f.sub(z, x))
	a := f.div(f.c(-1), t)
	top := f.short(a)
	s := f.add(f.c(1), f.mul(top, z))
	return f.add(top, f.mul(a, f.add(s, f.mul(top, v))))
}
