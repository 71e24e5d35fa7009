package wasm

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Integers narrower than 32 bits live in an i32, sign- or zero-extended, so
// that comparisons and conversions need no care. Operations that may leave
// the range normalise their result.

// normalise cuts the i32 on the stack to the width of k.
func (e *emitter) normalise(k num.Kind) {
	switch k {
	case num.I8:
		e.op(opI32Extend8S)
	case num.I16:
		e.op(opI32Extend16S)
	case num.U8:
		e.i32(0xff)
		e.op(opI32And)
	case num.U16:
		e.i32(0xffff)
		e.op(opI32And)
	}
}

func isNarrow(k num.Kind) bool { return k.Size() < 4 }

// intOp picks the 32- or 64-bit form of an instruction.
func intOp(k num.Kind, op32, op64 opcode) opcode {
	if typeOf(k) == tI64 {
		return op64
	}
	return op32
}

// signOp picks the signed form of an instruction, or the unsigned one, which
// follows it.
func signOp(k num.Kind, signed opcode) opcode {
	if k.IsSigned() {
		return signed
	}
	return signed + 1
}

// plainOps are the operations that are one instruction on 32-bit integers
// (and narrower ones), 64-bit integers, F32 and F64; signed where that
// matters. Zero where they are not.
var plainOps = [32][4]opcode{
	num.Add:     {0, 0, opF32Add, opF64Add},
	num.Sub:     {0, 0, opF32Sub, opF64Add + 1},
	num.Mul:     {0, 0, opF32Mul, opF64Mul},
	num.Div:     {0, 0, opF32Div, opF64Mul + 1},
	num.Min:     {0, 0, opF32Min, opF32Min + 14},
	num.Max:     {0, 0, opF32Max, opF32Max + 14},
	num.And:     {opI32And, opI64And, 0, 0},
	num.Or:      {opI32Or, opI64Or, 0, 0},
	num.Xor:     {opI32Xor, opI64Xor, 0, 0},
	num.Neg:     {0, 0, opF32Neg, opF32Neg + 14},
	num.Abs:     {0, 0, opF32Abs, opF64Abs},
	num.Sqrt:    {0, 0, opF32Sqrt, opF32Sqrt + 14},
	num.Floor:   {0, 0, opF32Floor, opF32Floor + 14},
	num.Ceil:    {0, 0, opF32Ceil, opF32Ceil + 14},
	num.Trunc:   {0, 0, opF32Trunc, opF64Trunc},
	num.Nearest: {0, 0, opF32Nearest, opF32Nearest + 14},
	num.Eq:      {opI32Eq, opI64Eq, opF32Eq, opF64Eq},
	num.Ne:      {opI32Ne, opI64Ne, opF32Ne, opF64Ne},
	num.Lt:      {opI32LtS, opI64LtS, opF32Lt, opF32Lt + 6},
	num.Le:      {opI32LeS, opI32LeS + 11, opF32Le, opF32Le + 6},
	num.Gt:      {opI32GtS, opI64GtS, opF32Gt, opF32Gt + 6},
	num.Ge:      {opI32GeS, opI64GeS, opF32Ge, opF32Ge + 6},
}

func typeIndex(k num.Kind) int {
	switch typeOf(k) {
	case tI64:
		return 1
	case tF32:
		return 2
	case tF64:
		return 3
	}
	return 0
}

// plainOp is the instruction for an operation that needs only one.
func plainOp(op num.Op, k num.Kind) opcode {
	o := plainOps[op][typeIndex(k)]
	if o != 0 && op >= num.Lt && op <= num.Ge && !k.IsFloat() {
		o = signOp(k, o)
	}
	return o
}

// arith pushes the result of an operation and records its fault if it has a
// site.
func (e *emitter) arith(in *kernel.Instr) {
	if op, args := e.constantLast(in); plainOp(op, in.Kind) != 0 {
		e.values(args...)
		e.op(plainOp(op, in.Kind))
		return
	}
	if in.Op == num.Fma {
		e.fusedArgs(in)
		return
	}
	a := arithmetic{emitter: e, in: in, k: in.Kind, x: func() { e.value(in.Args[0]) }}
	if len(in.Args) > 1 {
		a.y = func() { e.value(in.Args[1]) }
	}
	switch in.Op {
	case num.Add:
		a.add()
	case num.Sub:
		a.sub()
	case num.Mul:
		a.mul()
	case num.Div, num.Rem:
		a.div()
	case num.Min:
		a.pick(num.Lt)
	case num.Max:
		a.pick(num.Gt)
	case num.Shl, num.Shr:
		a.shift()
	case num.SatAdd:
		a.satAdd()
	case num.Neg:
		a.y, a.x = a.x, func() { e.constant(in.Kind, 0) }
		a.sub()
	case num.Abs:
		a.abs()
	case num.Not:
		a.not()
	default:
		e.fail("%s on %s is not known", in.Op, in.Kind)
	}
}

// turned are the comparisons with their sides changed.
var turned = map[num.Op]num.Op{num.Eq: num.Eq, num.Ne: num.Ne, num.Lt: num.Gt, num.Le: num.Ge, num.Gt: num.Lt, num.Ge: num.Le}

// constantLast has an integer comparison's constant on its right. Where it decides a branch, wazero 1.12 (tryLowerBandToFlag)
// takes 0 > x & m for x & m > 0: it tests x & m, whichever side 0 stands on.
func (e *emitter) constantLast(in *kernel.Instr) (num.Op, []kernel.Value) {
	op, compares := turned[in.Op]
	if !compares || in.Kind.IsFloat() {
		return in.Op, in.Args
	}
	if _, ok := e.constValue(in.Args[0]); !ok {
		return in.Op, in.Args
	}
	return op, []kernel.Value{in.Args[1], in.Args[0]}
}

// arithmetic emits one integer operation. x and y push the operands.
type arithmetic struct {
	*emitter
	in   *kernel.Instr
	k    num.Kind
	x, y func()
}

func (a *arithmetic) checked() bool { return a.in.Site != kernel.NoSite }

func (a *arithmetic) isMin(x func()) {
	x()
	a.constant(a.k, uint64(a.k.MinInt()))
	a.op(intOp(a.k, opI32Eq, opI64Eq))
}

func (a *arithmetic) pick(op num.Op) {
	a.x()
	a.y()
	a.x()
	a.y()
	a.op(plainOp(op, a.k))
	a.op(opSelect)
}

// shift takes the amount modulo the width, as the wide instructions do by
// themselves.
func (a *arithmetic) shift() {
	a.x()
	a.y()
	if isNarrow(a.k) {
		a.i32(int32(a.k.Bits() - 1))
		a.op(opI32And)
	}
	if a.in.Op == num.Shl {
		a.op(intOp(a.k, opI32Shl, opI64Shl))
		a.normalise(a.k)
	} else {
		a.op(signOp(a.k, intOp(a.k, opI32ShrS, opI64ShrS)))
	}
	if a.checked() {
		a.y() // as unsigned, so that a negative amount is out of range too
		a.constant(a.k, uint64(a.k.Bits()))
		a.op(intOp(a.k, opI32GeU, opI64GeU))
		a.faultIf(a.in)
	}
}

func (a *arithmetic) abs() {
	if !a.k.IsSigned() {
		a.x()
		return
	}
	a.constant(a.k, 0)
	a.x()
	a.op(intOp(a.k, opI32Sub, opI64Sub))
	a.normalise(a.k)
	a.x()
	a.x()
	a.constant(a.k, 0)
	a.op(intOp(a.k, opI32LtS, opI64LtS))
	a.op(opSelect)
	if a.checked() {
		a.isMin(a.x)
		a.faultIf(a.in)
	}
}

func (a *arithmetic) not() {
	a.x()
	if a.k == num.Bool {
		a.i32(1)
		a.op(opI32Xor)
		return
	}
	a.constant(a.k, ^uint64(0))
	a.op(intOp(a.k, opI32Xor, opI64Xor))
	a.normalise(a.k)
}

// div makes the divisor harmless where the instruction would trap and mends
// the result.
func (a *arithmetic) div() {
	if a.harmlessDivisor() {
		a.x()
		a.y()
		a.op(a.divOp())
		return
	}
	a.y()
	a.op(intOp(a.k, opI32Eqz, opI64Eqz))
	zero := a.fresh(tI32)
	bad := zero
	if a.k.IsSigned() && a.in.Op == num.Div {
		a.isMin(a.x)
		a.y()
		a.constant(a.k, ^uint64(0))
		a.op(intOp(a.k, opI32Eq, opI64Eq))
		a.op(opI32And)
		a.get(zero)
		a.op(opI32Or)
		bad = a.fresh(tI32)
	}
	a.x()
	a.constant(a.k, 1) // MIN/1 is what MIN/-1 wraps to
	a.y()
	a.get(bad)
	a.op(opSelect)
	a.op(a.divOp())
	if a.in.Op == num.Div {
		q := a.fresh(typeOf(a.k))
		a.constant(a.k, 0)
		a.get(q)
		a.get(zero)
		a.op(opSelect)
	}
	if a.checked() {
		a.get(bad)
		a.faultIf(a.in)
	}
}

func (a *arithmetic) harmlessDivisor() bool {
	c, ok := a.constValue(a.in.Args[1])
	return ok && c != 0 && (c != -1 || !a.k.IsSigned())
}

func (a *arithmetic) divOp() opcode {
	if a.in.Op == num.Div {
		return signOp(a.k, intOp(a.k, opI32DivS, opI64DivS))
	}
	return signOp(a.k, intOp(a.k, opI32RemS, opI64DivU+1))
}
