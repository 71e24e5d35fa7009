package llvmir

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In come instructions and what is known of some values, out goes what follows for others. Every
// number that a value may be lies in its interval; NaN is kept apart.

// interval is what is known of a value: of a float the least and the greatest number, and whether it
// may be NaN; of an integer the bits, if they are exact.
type interval struct {
	lo, hi float64
	nan    bool
	exact  bool
	bits   uint64
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
		if x := b.of(in.Args[0]); x.exact {
			return point(in.Kind, num.Canon(in.Kind, x.bits))
		}
	case kernel.Arith:
		switch {
		case in.Op.IsCompare():
		case in.Kind.IsFloat():
			return b.float(in)
		case in.Kind.IsInt():
			return b.integer(in)
		}
	}
	return anything
}

func (b *bounds) integer(in *kernel.Instr) interval {
	var args []uint64
	for _, v := range in.Args {
		x := b.of(v)
		if !x.exact {
			return anything
		}
		args = append(args, x.bits)
	}
	bits, _ := num.Apply(in.Op, in.Kind, args)
	return point(in.Kind, bits)
}

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

// floatOf is an operation on finite numbers. Those here are monotonous in each operand on either side of 0,
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
