package llvmir

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In come instructions and what is known of some values, out goes what follows for others. Every
// number that a value may be lies in its interval; NaN is kept apart.

// interval is what is known of a value: of a float the least and the greatest number, and whether it
// may be NaN; of an integer the least and the greatest, if it is ranged, and the bits, if they are exact.
type interval struct {
	lo, hi      float64
	nan         bool
	exact       bool
	bits        uint64
	ranged      bool
	least, most int64
}

var anything = interval{lo: math.Inf(-1), hi: math.Inf(1), nan: true}

// point is a value known exactly.
func point(k num.Kind, bits uint64) interval {
	r := anything
	if k.IsFloat() {
		x := num.ToFloat(k, bits)
		if x != x {
			return r
		}
		r = interval{lo: x, hi: x}
	}
	r.exact, r.bits = true, bits
	return r
}

// around is an interval with these numbers and all that they may have been rounded to in floats of
// kind k.
func around(k num.Kind, xs ...float64) interval {
	r := interval{lo: math.Inf(1), hi: math.Inf(-1)}
	for _, x := range xs {
		r.lo, r.hi = min(r.lo, x), max(r.hi, x)
	}
	// Far more than half a unit in the last place, here and in the kernel. What is beyond the
	// greatest number may have become an infinity.
	unit, most := 0x1p-20, float64(math.MaxFloat32)/2
	least := 0x1p-140
	if k == num.F64 {
		unit, most, least = 0x1p-48, math.MaxFloat64/2, 0x1p-1060
	}
	r.lo, r.hi = min(r.lo, most), max(r.hi, -most)
	r.lo -= math.Abs(r.lo)*unit + least
	r.hi += math.Abs(r.hi)*unit + least
	if r.lo < -most {
		r.lo = math.Inf(-1)
	}
	if r.hi > most {
		r.hi = math.Inf(1)
	}
	return r
}

// bounds evaluates instructions for one case.
type bounds struct {
	e     *emitter
	known map[kernel.Value]interval
}

func (b *bounds) of(v kernel.Value) interval {
	if r, ok := b.known[v]; ok {
		return r
	}
	if d := b.e.Def[v]; d != nil && d.Code == kernel.Const {
		return point(d.Kind, d.Bits)
	}
	return anything
}

// take notes what an instruction's result is, unless that is given.
func (b *bounds) take(in *kernel.Instr) {
	if len(in.Out) != 1 {
		return
	}
	if _, given := b.known[in.Out[0]]; !given {
		b.known[in.Out[0]] = b.result(in)
	}
}

func (b *bounds) result(in *kernel.Instr) interval {
	switch in.Code {
	case kernel.Bitcast:
		return b.bitcast(in)
	case kernel.Convert:
		if lo, hi, ok := b.of(in.Args[0]).ends(in.From); ok && in.Kind.IsFloat() {
			return around(in.Kind, float64(lo), float64(hi))
		}
	case kernel.Select:
		if c := b.of(in.Args[0]); c.exact && c.bits != 0 {
			return b.of(in.Args[1])
		} else if c.exact {
			return b.of(in.Args[2])
		}
	case kernel.Arith:
		switch {
		case in.Op.IsCompare():
		case in.Kind.IsFloat():
			return b.float(in)
		default:
			return b.integer(in)
		}
	}
	return anything
}

// bitcast goes between floats and integers. Those of positive floats have the same order.
func (b *bounds) bitcast(in *kernel.Instr) interval {
	x := b.of(in.Args[0])
	switch {
	case x.exact:
		return point(in.Kind, num.Canon(in.Kind, x.bits))
	case in.From.IsFloat() && in.Kind.IsInt() && !x.nan && x.lo > 0:
		least, most := int64(num.FromFloat(in.From, x.lo)), int64(num.FromFloat(in.From, x.hi))
		return ranged(max(least-1, 0), most+1) // the ends may have been rounded
	case in.From.IsInt() && in.Kind.IsFloat():
		lo, hi, ok := x.ends(in.From)
		if infinite := int64(num.FromFloat(in.Kind, math.Inf(1))); ok && lo >= 0 && hi < infinite {
			return interval{lo: num.ToFloat(in.Kind, uint64(lo)), hi: num.ToFloat(in.Kind, uint64(hi))}
		}
	}
	return anything
}

func ranged(least, most int64) interval {
	r := anything
	r.ranged, r.least, r.most = true, least, most
	return r
}

// ends are the least and the greatest that an integer of kind k may be.
func (x interval) ends(k num.Kind) (least, most int64, ok bool) {
	switch {
	case !k.IsInt() || !k.IsSigned():
		return 0, 0, false
	case x.exact:
		at := int64(x.bits) << (64 - k.Bits()) >> (64 - k.Bits())
		return at, at, true
	}
	return x.least, x.most, x.ranged
}

func (b *bounds) integer(in *kernel.Instr) interval {
	var args []uint64
	exact := true
	for _, v := range in.Args {
		x := b.of(v)
		args, exact = append(args, x.bits), exact && x.exact
	}
	if exact {
		bits, _ := num.Apply(in.Op, in.Kind, args)
		return point(in.Kind, bits)
	}
	if len(args) != 2 {
		return anything
	}
	lo, hi, ok := b.of(in.Args[0]).ends(in.Kind)
	by, to, known := b.of(in.Args[1]).ends(in.Kind)
	if in.Op == num.And && known && by >= 0 {
		return ranged(0, to)
	}
	if !ok || !known {
		return anything
	}
	switch in.Op {
	case num.Sub:
		by, to, known = -to, -by, by > math.MinInt64 && to > math.MinInt64
		fallthrough
	case num.Add:
		lo, hi, ok = lo+by, hi+to, fits(lo, by) && fits(hi, to)
	case num.Shr:
		ok = by == to && by >= 0 && by < int64(in.Kind.Bits())
		lo, hi = lo>>max(by, 0), hi>>max(by, 0)
	default:
		return anything
	}
	if !ok || !known || lo < in.Kind.MinInt() || hi > int64(in.Kind.MaxInt()) {
		return anything
	}
	return ranged(lo, hi)
}

// fits reports that a sum does not overflow.
func fits(x, y int64) bool { return (x+y > x) == (y > 0) }

func (b *bounds) float(in *kernel.Instr) interval {
	var x []interval
	exact := true
	var bits []uint64
	for _, v := range in.Args {
		a := b.of(v)
		x, bits, exact = append(x, a), append(bits, a.bits), exact && a.exact
	}
	if exact {
		r, _ := num.Apply(in.Op, in.Kind, bits)
		return point(in.Kind, r)
	}
	for _, a := range x {
		if a.nan || math.IsInf(a.lo, 0) || math.IsInf(a.hi, 0) {
			return anything
		}
	}
	return floatOf(in.Op, in.Kind, x)
}

// floatOf is an operation on finite numbers. Those here are monotone in each operand on either side of 0,
// so the ends of the operands give the ends of the result.
func floatOf(op num.Op, k num.Kind, x []interval) interval {
	switch op {
	case num.Add:
		return around(k, x[0].lo+x[1].lo, x[0].hi+x[1].hi)
	case num.Sub:
		return around(k, x[0].lo-x[1].hi, x[0].hi-x[1].lo)
	case num.Mul:
		return around(k, ends(x[0], x[1], func(a, b float64) float64 { return a * b })...)
	case num.Div:
		if x[1].lo > 0 || x[1].hi < 0 {
			return around(k, ends(x[0], x[1], func(a, b float64) float64 { return a / b })...)
		}
	case num.Fma:
		// The product is not rounded; what is added to it here is on the safe side.
		p := around(k, ends(x[0], x[1], func(a, b float64) float64 { return a * b })...)
		if !math.IsInf(p.lo, 0) && !math.IsInf(p.hi, 0) {
			return around(k, p.lo+x[2].lo, p.hi+x[2].hi)
		}
	case num.Neg:
		return interval{lo: -x[0].hi, hi: -x[0].lo}
	}
	return anything
}

func ends(x, y interval, f func(a, b float64) float64) []float64 {
	return []float64{f(x.lo, y.lo), f(x.lo, y.hi), f(x.hi, y.lo), f(x.hi, y.hi)}
}
