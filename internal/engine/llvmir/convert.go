package llvmir

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// convert writes Args[0] as another kind; see num.Convert.
func (e *emitter) convert(in *kernel.Instr) {
	n := e.width(in.Args[0])
	x := e.vector(in.Args[0], n)
	from, to := typ{in.From, n}, typ{in.Kind, n}
	r := x
	switch {
	case in.From == in.Kind:
	case in.From.IsFloat() && in.Kind.IsFloat():
		op := "fptrunc"
		if in.Kind == num.F64 {
			op = "fpext"
		}
		r = e.set("%s %s %s to %s", op, from, x, to)
	case in.From.IsFloat():
		r = e.truncate(in, x, from, to)
	case in.Kind.IsFloat():
		op := "uitofp"
		if in.From.IsSigned() {
			op = "sitofp"
		}
		r = e.set("%s %s %s to %s", op, from, x, to)
		if e.extremes && n == 1 {
			// LLVM 19 takes a signaling NaN for less than a number that cannot be NaN, in the lesser of two scalars (it looks for quiet ones
			// alone). Behind a fence, which makes no code, it does not know that this cannot be NaN.
			r = e.pure("llvm.arithmetic.fence", to, r)
		}
	default:
		r = e.resize(x, in.From, in.Kind, n)
		if in.Site != kernel.NoSite && num.ConvertCanFault(in.From, in.Kind) {
			e.note(in, e.changed(in, x, r, from, to), n)
		}
	}
	e.give(in.Out[0], r, n)
}

// resize goes between integers, modulo the width.
func (e *emitter) resize(x string, from, to num.Kind, n int) string {
	op := "zext"
	switch {
	case from.Bits() == to.Bits():
		return x
	case from.Bits() > to.Bits():
		op = "trunc"
	case from.IsSigned():
		op = "sext"
	}
	return e.set("%s %s %s to %s", op, typ{from, n}, x, typ{to, n})
}

// changed is whether the integer r stands for another number than x.
func (e *emitter) changed(in *kernel.Instr, x, r string, from, to typ) string {
	lost := ""
	if in.From.Bits() > in.Kind.Bits() {
		lost = e.two("icmp ne", from, e.resize(r, in.Kind, in.From, from.n), x)
	}
	if in.From.IsSigned() == in.Kind.IsSigned() {
		return lost
	}
	// One side reads the top bit as a sign. Where bits were dropped, x is
	// the wider: its sign shows whether it is negative or too large.
	negative := e.two("icmp slt", from, x, from.zero())
	if lost == "" {
		return negative
	}
	return e.two("or", from.bool(), lost, negative)
}

// truncate goes from float to integer, to the nearest end if it does not fit.
func (e *emitter) truncate(in *kernel.Instr, x string, from, to typ) string {
	if from.n == 1 {
		return e.saturate(in, x, from, to)
	}
	if _, ok := e.Clamped(in.Args[0]); ok && in.Kind.Bits() == 64 { // only NaN does not fit
		l := e.limited(in.Args[0], from)
		nan := e.two("fcmp uno", from, l.before, l.before)
		e.note(in, nan, from.n)
		if !l.zero {
			l.x = e.pick(nan, from, from.zero(), l.x)
		}
		return e.through32(l.x, from, to)
	}
	return e.mostlySmall(in, x, from, to)
}

// limiting is a float within constant limits, and what it was before these.
type limiting struct {
	before string // NaN if and only if the value is
	x      string // the value where it is a number, but for the sign of zero
	zero   bool   // x is 0 where the value is NaN
}

// limited takes one instruction for a limit, and not the three with which NaN comes through.
func (e *emitter) limited(v kernel.Value, t typ) limiting {
	c, ok := e.limit(v, t)
	if !ok {
		x := e.vector(v, t.n)
		return limiting{before: x, x: x}
	}
	d := e.Def[v]
	l := e.limited(d.Args[0], t)
	// A comparison with NaN is false. So the first limit takes the place of NaN, and the later limits treat it like any number.
	if _, again := e.limit(d.Args[0], t); !again {
		l.zero = c == 0
	} else {
		l.zero = l.zero && (d.Op == num.Min && c >= 0 || d.Op == num.Max && c <= 0)
	}
	within := "fcmp ogt" // above a lower limit
	if d.Op == num.Min {
		within = "fcmp olt"
	}
	l.x = e.pick(e.two(within, t, l.x, t.float(c)), t, l.x, t.float(c))
	return l
}

// limit is the constant, no NaN, by which a value is limited.
func (e *emitter) limit(v kernel.Value, t typ) (c float64, ok bool) {
	d := e.Def[v]
	if d == nil || d.Code != kernel.Arith || d.Op != num.Min && d.Op != num.Max || e.at(d.Args[0]).shape() == loops.Uniform {
		return 0, false
	}
	bits, ok := e.Const(d.Args[1])
	c = num.ToFloat(t.kind, bits)
	return c, ok && c == c
}

// saturate handles all values. Powers of two are exact in every float kind,
// which the ends of integers are not.
func (e *emitter) saturate(in *kernel.Instr, x string, from, to typ) string {
	if in.Site != kernel.NoSite {
		e.note(in, e.tooLarge(in, x, from), from.n)
	}
	name := "llvm.fptoui.sat"
	if in.Kind.IsSigned() {
		name = "llvm.fptosi.sat"
	}
	return e.call(to, name, []typ{to, from}, from.String()+" "+x)
}

// tooLarge is whether a value, or NaN, does not fit.
func (e *emitter) tooLarge(in *kernel.Instr, x string, from typ) string {
	whole := e.pure("llvm.trunc", from, x)
	lo, hi := 0.0, math.Ldexp(1, in.Kind.Bits())
	if in.Kind.IsSigned() {
		hi = math.Ldexp(1, in.Kind.Bits()-1)
		lo = -hi
	}
	low := e.two("fcmp ult", from, whole, from.float(lo)) // also NaN
	high := e.two("fcmp oge", from, whole, from.float(hi))
	return e.two("or", from.bool(), low, high)
}

// through32 converts values that fit into a signed 32-bit integer, for which
// every processor has vector instructions.
func (e *emitter) through32(x string, from, to typ) string {
	narrow := typ{num.I32, from.n}
	return e.resize(e.set("fptosi %s %s to %s", from, x, narrow), narrow.kind, to.kind, from.n)
}

// mostlySmall takes the short way to integers if all lanes fit into them and into 32 bits with a sign.
func (e *emitter) mostlySmall(in *kernel.Instr, x string, from, to typ) string {
	low, high := 0.0, math.Ldexp(1, min(in.Kind.Bits(), 31))
	if in.Kind.IsSigned() {
		high = math.Ldexp(1, min(in.Kind.Bits(), 32)-1)
		low = -high
	}
	fits := e.two("and", from.bool(), e.two("fcmp oge", from, x, from.float(low)), e.two("fcmp olt", from, x, from.float(high)))
	small, large, done := e.label(), e.label(), e.label()
	e.rarely(e.anyLane(e.two("xor", from.bool(), fits, from.bool().constant(1)), from.n), large, small)
	e.open(small)
	quick := e.through32(x, from, to)
	e.br(done)
	e.open(large)
	outside := e.pending
	e.pending = nil
	exact := e.saturate(in, x, from, to)
	e.flush()
	e.pending = outside
	end := e.block
	e.br(done)
	e.open(done)
	return e.set("phi %s [ %s, %%%s ], [ %s, %%%s ]", to, quick, small, exact, end)
}

// bitcast keeps the bits, except that there is one NaN only: which one the
// processor made must not show.
func (e *emitter) bitcast(in *kernel.Instr) {
	n := e.width(in.Args[0])
	x := e.vector(in.Args[0], n)
	from, to := typ{in.From, n}, typ{in.Kind, n}
	r := x
	switch {
	case in.From == num.Bool || in.Kind == num.Bool:
		r = e.resize(x, in.From, in.Kind, n)
	case in.From.IsFloat() == in.Kind.IsFloat(): // signs alone differ
	case in.From.IsFloat():
		nan := e.two("fcmp uno", from, x, x)
		bits := e.set("bitcast %s %s to %s", from, x, to)
		r = e.pick(nan, to, to.constant(num.Canon(in.From, math.MaxUint64)), bits)
	default:
		r = e.set("bitcast %s %s to %s", from, x, to)
	}
	e.give(in.Out[0], r, n)
}
