package llvmir

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// span is a range of integers, with both ends.
type span struct{ lo, hi int64 }

func (s span) within(o span) bool { return o.lo <= s.lo && s.hi <= o.hi }

// spanOf is the range of an integer kind or of Bool, as far as I64 has it.
func spanOf(k num.Kind) span {
	if k == num.Bool {
		return span{0, 1}
	}
	return span{k.MinInt(), int64(min(k.MaxInt(), math.MaxInt64))}
}

// boundSteps is how far bounds looks back.
const boundSteps = 4

// bounds is what is known of an integer from its kind and from the last few
// steps by which it came about. It is cut off where I64 ends.
func (e *emitter) bounds(v kernel.Value) span { return e.boundsBy(v, boundSteps) }

func (e *emitter) boundsBy(v kernel.Value, steps int) span {
	if e.kind(v).IsFloat() {
		return span{math.MinInt64, math.MaxInt64} // its bits say nothing
	}
	all := spanOf(e.kind(v))
	d := e.def[v]
	switch {
	case d == nil || steps == 0:
	case d.Code == kernel.Const && int64(d.Bits) >= all.lo:
		return span{int64(d.Bits), int64(d.Bits)}
	case d.Code == kernel.Bound:
		if n, ok := d.Poly.Const(); ok && n > 0 {
			return span{0, n - 1}
		}
	case d.Code == kernel.Convert && d.From.IsFloat():
		if x, ok := e.clamped(d.Args[0]); ok && d.Kind.Bits() >= 32 { // of NaN, 0
			return span{0, int64(x)}
		}
	case d.Code == kernel.Convert:
		if from := e.boundsBy(d.Args[0], steps-1); from.within(all) {
			return from
		}
	case d.Code == kernel.Select:
		x, y := e.boundsBy(d.Args[1], steps-1), e.boundsBy(d.Args[2], steps-1)
		return span{min(x.lo, y.lo), max(x.hi, y.hi)}
	}
	return all
}

// upTo is the most that an integer can be which is known not to be negative; not
// ok if it may be anything.
func (e *emitter) upTo(v kernel.Value) (most int64, ok bool) {
	s := e.bounds(v)
	return s.hi, s.lo >= 0 && s.hi < math.MaxInt64
}
