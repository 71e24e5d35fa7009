package loops

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Span is a range of integers, with both ends.
type Span struct{ Lo, Hi int64 }

// Within reports that no integer of s is outside of o.
func (s Span) Within(o Span) bool { return o.Lo <= s.Lo && s.Hi <= o.Hi }

// SpanOf is the range of an integer kind or of Bool, as far as I64 has it.
func SpanOf(k num.Kind) Span {
	if k == num.Bool {
		return Span{0, 1}
	}
	return Span{k.MinInt(), int64(min(k.MaxInt(), math.MaxInt64))}
}

// spanSteps is how far Bounds looks back.
const spanSteps = 4

// Bounds is what is known of an integer from its kind and from the last few steps by which it came about. It is cut off where
// I64 ends.
func (a *Analysis) Bounds(v kernel.Value) Span { return a.boundsBy(v, spanSteps) }

func (a *Analysis) boundsBy(v kernel.Value, steps int) Span {
	if a.Kinds[v].IsFloat() {
		return Span{math.MinInt64, math.MaxInt64} // its bits say nothing
	}
	all := SpanOf(a.Kinds[v])
	d := a.Def[v]
	switch {
	case d == nil || steps == 0:
	case d.Code == kernel.Const && int64(d.Bits) >= all.Lo:
		return Span{int64(d.Bits), int64(d.Bits)}
	case d.Code == kernel.Bound:
		if n, ok := d.Poly.Const(); ok && n > 0 {
			return Span{0, n - 1}
		}
	case d.Code == kernel.Convert && d.From.IsFloat():
		if x, ok := a.Clamped(d.Args[0]); ok && d.Kind.Bits() >= 32 { // of NaN, 0
			return Span{0, int64(x)}
		}
	case d.Code == kernel.Convert:
		if from := a.boundsBy(d.Args[0], steps-1); from.Within(all) {
			return from
		}
	case d.Code == kernel.Select:
		x, y := a.boundsBy(d.Args[1], steps-1), a.boundsBy(d.Args[2], steps-1)
		return Span{min(x.Lo, y.Lo), max(x.Hi, y.Hi)}
	}
	return all
}

// UpTo is the most that an integer can be which is known not to be negative; not ok if it may be anything.
func (a *Analysis) UpTo(v kernel.Value) (most int64, ok bool) {
	s := a.Bounds(v)
	return s.Hi, s.Lo >= 0 && s.Hi < math.MaxInt64
}

// Clamped reports that a float is the result of limiting another one, from both sides, to what a signed 32-bit integer and any
// 64-bit one hold, and gives the greater limit.
func (a *Analysis) Clamped(v kernel.Value) (most float64, ok bool) {
	seen := map[num.Op]bool{}
	for range 2 {
		d := a.Def[v]
		if d == nil || d.Code != kernel.Arith || d.Op != num.Min && d.Op != num.Max || !d.Kind.IsFloat() {
			return 0, false
		}
		limit, rest := d.Args[1], d.Args[0]
		bits, ok := a.Const(limit)
		if !ok {
			limit, rest = rest, limit
			bits, ok = a.Const(limit)
		}
		if x := num.ToFloat(d.Kind, bits); !ok || !(x >= 0 && x < 1<<31) {
			return 0, false
		} else {
			most = max(most, x)
		}
		seen[d.Op], v = true, rest
	}
	return most, len(seen) == 2
}
