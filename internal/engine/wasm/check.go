package wasm

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// faultIf pops a condition and, where it holds, lowers the fault table's
// entry for the instruction's site to the place of the fault.
func (e *emitter) faultIf(in *kernel.Instr) {
	if in.Site == kernel.NoSite {
		e.set(e.newLocal(tI32))
		return
	}
	off := e.lay.fault(in.Site)
	place := func() {
		if in.At == kernel.None {
			e.i64(-1)
		} else {
			e.value(in.At)
		}
	}
	e.ifThen()
	e.get(argsLocal)
	place()
	e.get(argsLocal)
	e.mem(opI64Load, off)
	place()
	e.get(argsLocal)
	e.mem(opI64Load, off)
	e.op(opI64LtS)
	e.op(opSelect)
	e.mem(opI64Store, off)
	e.end()
}

// bound pushes the index, or 0 where it lies outside 0..Poly.
func (e *emitter) bound(in *kernel.Instr) {
	e.value(in.Args[0])
	e.poly(in)
	e.op(opI64LtU)
	inside := e.fresh(tI32)
	e.value(in.Args[0])
	e.i64(0)
	e.get(inside)
	e.op(opSelect)
	if in.Site != kernel.NoSite {
		e.get(inside)
		e.op(opI32Eqz)
		e.faultIf(in)
	}
}

// wrapped normalises a result that was computed exactly in an i32 and
// compares the two.
func (a *arithmetic) wrapped() {
	if !a.checked() {
		a.normalise(a.k)
		return
	}
	exact := a.fresh(tI32)
	a.get(exact)
	a.normalise(a.k)
	r := a.fresh(tI32)
	a.get(r)
	a.get(r)
	a.get(exact)
	a.op(opI32Ne)
	a.faultIf(a.in)
}

// add finds a fault of the wide kinds by the sign of the result or the carry.
func (a *arithmetic) add() {
	a.x()
	a.y()
	a.op(intOp(a.k, opI32Add, opI64Add))
	switch {
	case isNarrow(a.k):
		a.wrapped()
	case a.checked() && a.k.IsSigned():
		r := a.fresh(typeOf(a.k))
		a.get(r)
		a.signsDiffer(a.x, func() { a.get(r) }, a.y, func() { a.get(r) })
		a.faultIf(a.in)
	case a.checked():
		r := a.fresh(typeOf(a.k))
		a.get(r)
		a.get(r)
		a.x()
		a.op(intOp(a.k, opI32LtU, opI64LtU))
		a.faultIf(a.in)
	}
}

func (a *arithmetic) sub() {
	a.x()
	a.y()
	a.op(intOp(a.k, opI32Sub, opI64Sub))
	switch {
	case isNarrow(a.k):
		a.wrapped()
	case a.checked() && a.k.IsSigned():
		r := a.fresh(typeOf(a.k))
		a.get(r)
		a.signsDiffer(a.x, a.y, a.x, func() { a.get(r) })
		a.faultIf(a.in)
	case a.checked():
		a.x()
		a.y()
		a.op(intOp(a.k, opI32LtU, opI64LtU))
		a.faultIf(a.in)
	}
}

// signsDiffer pushes whether p and q have different signs and s and t too.
func (a *arithmetic) signsDiffer(p, q, s, t func()) {
	xor := intOp(a.k, opI32Xor, opI64Xor)
	p()
	q()
	a.op(xor)
	s()
	t()
	a.op(xor)
	a.op(intOp(a.k, opI32And, opI64And))
	a.constant(a.k, 0)
	a.op(intOp(a.k, opI32LtS, opI64LtS))
}

func (a *arithmetic) mul() {
	switch {
	case isNarrow(a.k) || !a.checked():
		a.x()
		a.y()
		a.op(intOp(a.k, opI32Mul, opI64Mul))
		if isNarrow(a.k) {
			a.wrapped()
		}
	case typeOf(a.k) == tI32:
		a.mul32()
	default:
		a.mul64()
	}
}

// mul32 multiplies in 64 bits.
func (a *arithmetic) mul32() {
	extend := signOp(a.k, opI64ExtendI32S)
	a.x()
	a.op(extend)
	a.y()
	a.op(extend)
	a.op(opI64Mul)
	p := a.fresh(tI64)
	a.get(p)
	a.op(opI32WrapI64)
	r := a.fresh(tI32)
	a.get(r)
	a.get(r)
	a.op(extend)
	a.get(p)
	a.op(opI64Ne)
	a.faultIf(a.in)
}

// mul64 has no wider product to look at. Factors below 2^31 (unsigned: 2^32)
// cannot overflow; for others it divides the product again.
func (a *arithmetic) mul64() {
	a.x()
	a.y()
	a.op(opI64Mul)
	p := a.fresh(tI64)
	a.big(a.x)
	a.big(a.y)
	a.ops(opI64Or)
	a.i64(32)
	a.ops(opI64ShrU, opI64Eqz, opI32Eqz)
	a.ifThen()
	a.productWrong(p)
	a.faultIf(a.in)
	a.end()
	a.get(p)
}

// big pushes a factor, shifted so that the harmless ones lie in 0..2^32.
func (a *arithmetic) big(x func()) {
	x()
	if a.k.IsSigned() {
		a.i64(1 << 31)
		a.op(opI64Add)
	}
}

// productWrong pushes whether p/x differs from y. Division must not meet
// x = 0 (never wrong) nor MIN/-1 (x = -1, wrong just for y = MIN).
func (a *arithmetic) productWrong(p local) {
	a.x()
	a.op(opI64Eqz)
	safe := a.newLocal(tI32)
	if a.k.IsSigned() {
		a.x()
		a.i64(-1)
		a.op(opI64Eq)
		a.op(opI32Or)
	}
	a.set(safe)
	a.get(p)
	a.i64(1)
	a.x()
	a.get(safe)
	a.op(opSelect)
	a.op(signOp(a.k, opI64DivS))
	a.y()
	a.op(opI64Ne)
	a.get(safe)
	a.op(opI32Eqz)
	a.op(opI32And)
	if a.k.IsSigned() {
		a.x()
		a.i64(-1)
		a.op(opI64Eq)
		a.isMin(a.y)
		a.op(opI32And)
		a.op(opI32Or)
	}
}

// satAdd clamps a sum that was computed wide enough, or replaces it where it
// overflowed.
func (a *arithmetic) satAdd() {
	switch {
	case isNarrow(a.k):
		a.x()
		a.y()
		a.op(opI32Add)
		a.clamp(tI32, a.k)
	case typeOf(a.k) == tI32:
		extend := signOp(a.k, opI64ExtendI32S)
		a.x()
		a.op(extend)
		a.y()
		a.op(extend)
		a.op(opI64Add)
		a.clamp(tI64, a.k)
		a.op(opI32WrapI64)
	case a.k.IsSigned():
		a.x()
		a.y()
		a.op(opI64Add)
		r := a.fresh(tI64)
		a.x()
		a.i64(63)
		a.op(opI64ShrS)
		a.constant(a.k, a.k.MaxInt())
		a.op(opI64Xor)
		a.get(r)
		a.signsDiffer(a.x, func() { a.get(r) }, a.y, func() { a.get(r) })
		a.op(opSelect)
	default:
		a.x()
		a.y()
		a.op(opI64Add)
		r := a.fresh(tI64)
		a.i64(-1)
		a.get(r)
		a.get(r)
		a.x()
		a.op(opI64LtU)
		a.op(opSelect)
	}
}

// clamp limits the signed number on the stack, an i32 or i64, to the range
// of k.
func (e *emitter) clamp(t valType, k num.Kind) {
	wide, less := num.I32, opI32LtS
	if t == tI64 {
		wide, less = num.I64, opI64LtS
	}
	limit := func(end uint64, low bool) {
		v := e.fresh(t)
		e.constant(wide, end)
		e.get(v)
		if low {
			e.get(v)
			e.constant(wide, end)
		} else {
			e.constant(wide, end)
			e.get(v)
		}
		e.op(less)
		e.op(opSelect)
	}
	limit(k.MaxInt(), false)
	if k.IsSigned() {
		limit(uint64(k.MinInt()), true)
	}
}
