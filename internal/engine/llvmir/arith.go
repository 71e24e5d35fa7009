package llvmir

import (
	"fmt"
	"math"
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// arith writes an operation on scalars or vectors. Nothing that LLVM leaves
// undefined can happen: divisors are made harmless, shifts masked.
func (e *emitter) arith(in *kernel.Instr) {
	if x := e.running[in]; x != nil {
		x.take(e)
		return
	}
	n := e.width(in.Args...)
	if n > 1 && e.linearArith(in) {
		return
	}
	a := arithmetic{e, in, typ{in.Kind, n}, e.vector(in.Args[0], n), ""}
	if len(in.Args) > 1 {
		a.y = e.vector(in.Args[1], n)
	}
	if in.Op == num.Fma {
		e.give(in.Out[0], e.fused(a.t, a.x, a.y, e.vector(in.Args[2], n)), n)
		return
	}
	e.give(in.Out[0], a.result(), n)
}

// linearArith keeps an index that grows from lane to lane a scalar.
func (e *emitter) linearArith(in *kernel.Instr) bool {
	if len(in.Args) < 2 {
		return false
	}
	x, y := e.at(in.Args[0]), e.at(in.Args[1])
	if s := loops.Linear(in, x.shape(), y.shape()); s != loops.Unit && s != loops.Strided {
		return false
	}
	a := arithmetic{e, in, typ{in.Kind, 1}, x.text, y.text}
	r := operand{text: a.result(), stride: x.stride + y.stride} // one of them is empty
	switch {
	case in.Op == num.Sub && y.stride != "":
		r.stride = e.negative(y.stride)
	case in.Op == num.Mul:
		factor := x.text
		if x.stride != "" {
			factor = y.text
		}
		r.stride = factor
		if old := x.stride + y.stride; old != "1" {
			r.stride = e.set("mul i64 %s, %s", old, factor)
		}
	}
	e.vals[in.Out[0]] = r
	return true
}

// negative is the stride with which something falls from lane to lane.
func (e *emitter) negative(stride string) string {
	if s, err := strconv.ParseInt(stride, 10, 64); err == nil {
		return strconv.FormatInt(-s, 10)
	}
	return e.set("sub i64 0, %s", stride)
}

// arithmetic is one operation with its operands in the text.
type arithmetic struct {
	*emitter
	in   *kernel.Instr
	t    typ
	x, y string
}

func (a arithmetic) checked() bool { return a.in.Site != kernel.NoSite }

// two writes an instruction with two operands of one type.
func (e *emitter) two(op string, t typ, x, y string) string {
	return e.set("%s %s %s, %s", op, t, x, y)
}

// pure calls an intrinsic whose operands and result have one type.
func (e *emitter) pure(name string, t typ, args ...string) string {
	for i := range args {
		args[i] = t.String() + " " + args[i]
	}
	return e.call(t, name, []typ{t}, args...)
}

// pick is cond ? x : y.
func (e *emitter) pick(cond string, t typ, x, y string) string {
	return e.set("select %s %s, %s %s, %s %s", t.bool(), cond, t, x, t, y)
}

// guessed says of the choice just written, in a walk whose turns are interleaved, that a branch would be guessed wrong: the condition
// is of what has just been loaded from anywhere. To wait for it costs nothing meanwhile, since the turns of the others do not.
func (e *emitter) guessed() {
	e.guesses = true
	e.lines[len(e.lines)-1] += fmt.Sprintf(", !unpredictable !%d", e.guessNode())
}

func (a arithmetic) result() string {
	switch k := a.in.Kind; {
	case a.in.Op.IsCompare():
		return a.two(comparison(a.in.Op, k), a.t, a.x, a.y)
	case k.IsFloat():
		return a.float()
	}
	return a.integer()
}

func comparison(op num.Op, k num.Kind) string {
	if k.IsFloat() {
		return "fcmp " + map[num.Op]string{num.Eq: "oeq", num.Ne: "une", num.Lt: "olt", num.Le: "ole", num.Gt: "ogt", num.Ge: "oge"}[op]
	}
	sign := "u"
	if k.IsSigned() {
		sign = "s"
	}
	switch op {
	case num.Eq:
		return "icmp eq"
	case num.Ne:
		return "icmp ne"
	}
	return "icmp " + sign + op.String()
}

var floatInstr = map[num.Op]string{num.Add: "fadd", num.Sub: "fsub", num.Mul: "fmul", num.Div: "fdiv"}

var floatCall = map[num.Op]string{num.Min: "llvm.minimum", num.Max: "llvm.maximum", num.Abs: "llvm.fabs", num.Sqrt: "llvm.sqrt",
	num.Floor: "llvm.floor", num.Ceil: "llvm.ceil", num.Trunc: "llvm.trunc", num.Nearest: "llvm.roundeven"}

func (a arithmetic) float() string {
	if op, ok := floatInstr[a.in.Op]; ok {
		return a.two(op, a.t, a.x, a.y)
	}
	if a.in.Op == num.Neg {
		return a.set("fneg %s %s", a.t, a.x)
	}
	args := []string{a.x}
	if a.in.Op.Arity() == 2 {
		args = append(args, a.y)
	}
	return a.pure(floatCall[a.in.Op], a.t, args...)
}

// fused is x·y + z in one rounding. LLVM 19 crashes at min(fma(x, y, z), min(x, y)): it takes any intrinsic with the operands
// of a min for another one (foldMinimumMaximumSharedOp). Behind a fence, which makes no code, it does not see the fma.
func (e *emitter) fused(t typ, x, y, z string) string {
	if !e.t.fuses() {
		e.fail("%w", ErrNoFma)
	}
	r := e.pure("llvm.fma", t, x, y, z)
	if e.extremes {
		return e.pure("llvm.arithmetic.fence", t, r)
	}
	return r
}

func (a arithmetic) integer() string {
	switch a.in.Op {
	case num.Add, num.Sub, num.Mul:
		return a.overflowing(a.in.Op.String(), a.x, a.y)
	case num.And, num.Or, num.Xor:
		return a.two(a.in.Op.String(), a.t, a.x, a.y)
	case num.Div, num.Rem:
		return a.divide()
	case num.Shl, num.Shr:
		return a.shift()
	case num.Min, num.Max:
		return a.pure("llvm."+a.signed()+a.in.Op.String(), a.t, a.x, a.y)
	case num.SatAdd:
		return a.pure("llvm."+a.signed()+"add.sat", a.t, a.x, a.y)
	case num.Neg:
		return a.overflowing("sub", a.t.zero(), a.x)
	case num.Abs:
		return a.abs()
	case num.Not:
		return a.two("xor", a.t, a.x, a.t.constant(math.MaxUint64))
	}
	a.fail("%s on %s is not known", a.in.Op, a.in.Kind)
	return ""
}

func (a arithmetic) signed() string {
	if a.in.Kind.IsSigned() {
		return "s"
	}
	return "u"
}

// overflowing is an operation that wraps, and faults where it does.
func (a arithmetic) overflowing(op, x, y string) string {
	if !a.checked() {
		return a.two(op, a.t, x, y)
	}
	if op == "mul" && a.t.n > 1 && a.t.kind.Size() == 8 {
		return a.wideProduct()
	}
	r, over := a.withOverflow(op, x, y)
	a.note(a.in, over, a.t.n)
	return r
}

// withOverflow is an operation that wraps, and whether it does.
func (a arithmetic) withOverflow(op, x, y string) (r, over string) {
	pair := "{ " + a.t.String() + ", " + a.t.bool().String() + " }"
	args := []string{a.t.String() + " " + x, a.t.String() + " " + y}
	both := a.set("%s", a.called(pair, "llvm."+a.signed()+op+".with.overflow", []typ{a.t}, args))
	return a.set("extractvalue %s %s, 0", pair, both), a.set("extractvalue %s %s, 1", pair, both)
}

// divide takes another divisor where the result would be undefined: MIN/1 is
// what MIN/-1 wraps to, and any remainder by 1 is 0.
func (a arithmetic) divide() string {
	if r, ok := a.byConstant(); ok {
		return r
	}
	t := a.t
	zero := a.two("icmp eq", t, a.y, t.zero())
	bad := zero
	if a.in.Kind.IsSigned() {
		least := a.two("icmp eq", t, a.x, t.constant(uint64(a.in.Kind.MinInt())))
		one := a.two("icmp eq", t, a.y, t.constant(math.MaxUint64))
		bad = a.two("or", t.bool(), zero, a.two("and", t.bool(), least, one))
	}
	r := a.two(a.signed()+a.in.Op.String(), t, a.x, a.pick(bad, t, t.constant(1), a.y))
	if a.in.Op == num.Rem {
		a.note(a.in, zero, t.n)
		return r
	}
	a.note(a.in, bad, t.n)
	return a.pick(zero, t, t.zero(), r)
}

func (a arithmetic) shift() string {
	width := uint64(a.in.Kind.Bits())
	a.noteIf(func() string { return a.two("icmp uge", a.t, a.y, a.t.constant(width)) })
	amount := a.two("and", a.t, a.y, a.t.constant(width-1))
	switch {
	case a.in.Op == num.Shl:
		return a.two("shl", a.t, a.x, amount)
	case a.in.Kind.IsSigned():
		return a.two("ashr", a.t, a.x, amount)
	}
	return a.two("lshr", a.t, a.x, amount)
}

func (a arithmetic) abs() string {
	if !a.in.Kind.IsSigned() {
		return a.x
	}
	a.noteIf(func() string { return a.two("icmp eq", a.t, a.x, a.t.constant(uint64(a.in.Kind.MinInt()))) })
	return a.call(a.t, "llvm.abs", []typ{a.t}, a.t.String()+" "+a.x, "i1 false")
}

// noteIf notes a fault whose condition is only computed where it counts.
func (a arithmetic) noteIf(cond func() string) {
	if a.checked() {
		a.note(a.in, cond(), a.t.n)
	}
}

func (e *emitter) choose(in *kernel.Instr) {
	n := e.width(in.Args...)
	t := typ{e.Kind(in.Out[0]), n}
	if e.at(in.Args[0]).shape() == loops.Uniform && n > 1 { // a scalar condition chooses whole vectors
		e.give(in.Out[0], e.set("select i1 %s, %s %s, %s %s", e.scalar(in.Args[0]), t, e.vector(in.Args[1], n), t, e.vector(in.Args[2], n)), n)
		return
	}
	x := e.pick(e.vector(in.Args[0], n), t, e.vector(in.Args[1], n), e.vector(in.Args[2], n))
	if e.weaving != nil && !e.weaving.behind {
		e.guessed()
	}
	e.give(in.Out[0], x, n)
}
