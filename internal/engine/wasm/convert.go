package wasm

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// convert pushes Args[0] as another kind; see num.Convert.
func (e *emitter) convert(in *kernel.Instr) {
	from, to := in.From, in.Kind
	switch {
	case from == to:
		e.value(in.Args[0])
	case from.IsFloat() && to.IsFloat():
		e.value(in.Args[0])
		if to == num.F32 {
			e.op(opF32DemoteF64)
		} else {
			e.op(opF64PromoteF32)
		}
	case from.IsFloat():
		e.truncate(in)
	case to.IsFloat():
		e.value(in.Args[0])
		e.op(roundOp(from, to))
	default:
		e.convertInt(in)
	}
}

func roundOp(from, to num.Kind) opcode {
	o := opF32ConvI32S
	if to == num.F64 {
		o = opF64ConvI32S
	}
	if typeOf(from) == tI64 {
		o += 2
	}
	return signOp(from, o)
}

// truncate goes from float to integer; the instruction saturates, narrow
// kinds are clamped further.
func (e *emitter) truncate(in *kernel.Instr) {
	from, to := in.From, in.Kind
	o := opI32TruncF32S
	if from == num.F64 {
		o += 2
	}
	if typeOf(to) == tI64 {
		o += 4
	}
	e.value(in.Args[0])
	e.op(signOp(to, o))
	if isNarrow(to) {
		e.clampNarrow(to)
	}
	if in.Site != kernel.NoSite {
		e.outOfRange(in)
		e.faultIf(in)
	}
}

// clampNarrow limits the result of a saturating truncation, which for
// unsigned kinds is unsigned.
func (e *emitter) clampNarrow(k num.Kind) {
	if k.IsSigned() {
		e.clamp(tI32, k)
		return
	}
	v := e.fresh(tI32)
	e.i32(int32(k.MaxInt()))
	e.get(v)
	e.i32(int32(k.MaxInt()))
	e.get(v)
	e.op(opI32LtU)
	e.op(opSelect)
}

// outOfRange pushes whether a float's integer part does not fit, by
// comparing it with powers of two, which are exact. NaN fits nowhere.
func (e *emitter) outOfRange(in *kernel.Instr) {
	k := in.From
	e.value(in.Args[0])
	e.op(plainOp(num.Trunc, k))
	x := e.fresh(typeOf(k))
	lo, hi := 0.0, math.Ldexp(1, in.Kind.Bits())
	if in.Kind.IsSigned() {
		hi = math.Ldexp(1, in.Kind.Bits()-1)
		lo = -hi
	}
	e.get(x)
	e.constant(k, num.FromFloat(k, lo))
	e.op(plainOp(num.Ge, k))
	e.get(x)
	e.constant(k, num.FromFloat(k, hi))
	e.op(plainOp(num.Lt, k))
	e.op(opI32And)
	e.op(opI32Eqz)
}

// convertInt goes between integers (and from Bool). Narrowing normalises;
// that shows as a fault when the result, widened again, is another number.
func (e *emitter) convertInt(in *kernel.Instr) {
	from, to, v := in.From, in.Kind, in.Args[0]
	e.value(v)
	switch {
	case typeOf(from) == tI32 && typeOf(to) == tI64:
		e.op(signOp(from, opI64ExtendI32S))
	case typeOf(from) == tI64 && typeOf(to) == tI32:
		e.op(opI32WrapI64)
		e.normalise(to)
	case typeOf(to) == tI32 && !fits(from, to):
		e.normalise(to)
	}
	if in.Site == kernel.NoSite {
		return
	}
	r := e.fresh(typeOf(to))
	e.get(r)
	e.changed(in, r)
	e.faultIf(in)
}

// fits reports whether every value of kind from is one of kind to.
func fits(from, to num.Kind) bool { return !num.ConvertCanFault(from, to) }

// changed pushes whether the result r stands for another number than the
// operand: other bits, or the same with the top bit read differently.
func (e *emitter) changed(in *kernel.Instr, r local) {
	from, to, v := in.From, in.Kind, in.Args[0]
	e.value(v)
	switch {
	case typeOf(from) == tI64 && typeOf(to) == tI32:
		e.get(r)
		e.op(signOp(to, opI64ExtendI32S))
		e.op(opI64Ne)
	case typeOf(from) == tI32 && typeOf(to) == tI64:
		e.i32(0)
		e.op(opI32LtS) // signed to U64: only the sign can be lost
		return
	default:
		e.get(r)
		e.op(intOp(from, opI32Ne, opI64Ne))
	}
	if from.IsSigned() != to.IsSigned() {
		e.value(v)
		e.constant(from, 0)
		e.op(intOp(from, opI32LtS, opI64LtS))
		e.op(opI32Or)
	}
}

// bitcast reinterprets; floats and integers of one width, and integers that
// differ in sign.
func (e *emitter) bitcast(in *kernel.Instr) {
	e.value(in.Args[0])
	switch from, to := typeOf(in.From), typeOf(in.Kind); {
	case from == to:
		e.normalise(in.Kind)
		if in.Kind == num.Bool {
			e.i32(1)
			e.op(opI32And)
		}
	case from == tF32 && to == tI32:
		e.oneNaN(in, opI32FromF32)
	case from == tF64 && to == tI64:
		e.oneNaN(in, opI64FromF64)
	case from == tI32 && to == tF32:
		e.op(opF32FromI32)
	case from == tI64 && to == tF64:
		e.op(opF64FromI64)
	default:
		e.fail("bitcast from %s to %s", in.From, in.Kind)
	}
}

// oneNaN turns the float on the stack into its bits. Which NaN the processor
// made must not show, so all become the one that num has.
func (e *emitter) oneNaN(in *kernel.Instr, o opcode) {
	e.op(o)
	bits := e.fresh(typeOf(in.Kind))
	unsigned, inf := num.U64, num.FromFloat(num.F64, math.Inf(1))
	if in.From == num.F32 {
		unsigned, inf = num.U32, num.FromFloat(num.F32, math.Inf(1))
	}
	e.constant(in.Kind, num.Canon(in.From, ^uint64(0)))
	e.get(bits)
	e.get(bits)
	e.constant(unsigned, 1)
	e.op(intOp(unsigned, opI32Shl, opI64Shl))
	e.constant(unsigned, num.Canon(unsigned, inf<<1))
	e.op(plainOp(num.Gt, unsigned))
	e.op(opSelect)
}

// selectValue selects floats as their bits: wazero 1.12 on amd64 compiles a
// select of floats wrongly when an operand has been spilled around a call.
func (e *emitter) selectValue(in *kernel.Instr) {
	var toBits, fromBits opcode
	switch typeOf(in.Kind) {
	case tF32:
		toBits, fromBits = opI32FromF32, opF32FromI32
	case tF64:
		toBits, fromBits = opI64FromF64, opF64FromI64
	default:
		e.values(in.Args[1], in.Args[2], in.Args[0])
		e.op(opSelect)
		return
	}
	e.value(in.Args[1])
	e.op(toBits)
	e.value(in.Args[2])
	e.op(toBits)
	e.value(in.Args[0])
	e.op(opSelect)
	e.op(fromBits)
}
