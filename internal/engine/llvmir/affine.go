package llvmir

import (
	"maps"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In comes an index inside of a loop, out goes the same number as a sum: a
// multiple of the loop's counter, multiples of values known before the loop, and
// a constant. All of it wraps as the index does, so that equal sums are equal
// indices, and what two differ by is exact.

// affine is such a sum.
type affine struct {
	turn  int64                  // times the counter
	terms map[kernel.Value]int64 // times values known before the loop; none is 0
	c     int64
}

// affineSteps is how far affine looks back; an index is made in a few steps.
const affineSteps = 8

// affine is an integer as a sum, for the loop with this body. It is not ok if the
// integer depends on anything else that the loop computes.
func (e *emitter) affine(v kernel.Value, body *kernel.Block) (a affine, ok bool) {
	a.terms = map[kernel.Value]int64{}
	return a, e.addAffine(&a, v, 1, body.Params[0], affineSteps)
}

func (e *emitter) addAffine(a *affine, v kernel.Value, times int64, counter kernel.Value, steps int) bool {
	if v == counter {
		a.turn += times
		return true
	}
	if n, ok := e.constInt(v); ok {
		a.c += n * times
		return true
	}
	d := e.def[v]
	if d != nil && d.Code == kernel.Arith && d.Kind == num.I64 && d.Site == kernel.NoSite && steps > 0 {
		sign := int64(1)
		switch d.Op {
		case num.Sub:
			sign = -1
			fallthrough
		case num.Add:
			return e.addAffine(a, d.Args[0], times, counter, steps-1) && e.addAffine(a, d.Args[1], sign*times, counter, steps-1)
		case num.Mul:
			for i, f := range d.Args {
				if n, ok := e.constInt(f); ok {
					return e.addAffine(a, d.Args[1-i], n*times, counter, steps-1)
				}
			}
		}
	}
	if v > counter { // made inside of the loop
		return false
	}
	a.terms[v] += times
	if a.terms[v] == 0 {
		delete(a.terms, v)
	}
	return true
}

// minus is a - b.
func (a affine) minus(b affine) affine {
	d := affine{a.turn - b.turn, maps.Clone(a.terms), a.c - b.c}
	for v, n := range b.terms {
		d.terms[v] -= n
		if d.terms[v] == 0 {
			delete(d.terms, v)
		}
	}
	return d
}

// constant reports a sum that is its constant.
func (a affine) constant() bool { return a.turn == 0 && len(a.terms) == 0 }

// text writes the sum, in turn i.
func (e *emitter) affineText(a affine, i string) string {
	sum := typ{num.I64, 1}.constant(uint64(a.c))
	add := func(x string, times int64) {
		switch {
		case times == 0:
			return
		case times == -1:
			sum = e.set("sub i64 %s, %s", sum, x)
			return
		case times != 1:
			x = e.set("mul i64 %s, %d", x, times)
		}
		if sum == "0" {
			sum = x
			return
		}
		sum = e.set("add i64 %s, %s", sum, x)
	}
	for _, v := range slices.Sorted(maps.Keys(a.terms)) {
		add(e.scalar(v), a.terms[v])
	}
	add(i, a.turn)
	return sum
}
