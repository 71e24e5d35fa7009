package wasm

import (
	"context"
	"math"

	"github.com/tetratelabs/wazero/api"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// WebAssembly has no fused multiply-add. That of F32 is made of operations on
// F64, which holds the product; that of F64 is a function of the module, made
// of a product and two sums in two parts. Both round to odd before they round,
// so that both roundings are one. (S. Boldo and G. Melquiond, Emulation of a
// FMA and Correctly Rounded Sums: Proved Algorithms Using Rounding to Odd, 2008.)
//
// A module with such a function imports another one, which it calls where the
// parts could overflow or underflow.
const (
	fmaName = "fma"
	// Numbers of functions in such a module; run comes between.
	fmaHostFunc = 1
	fmaFunc     = 3
)

// hostFma is a·b + c of F64 for all operands.
func hostFma(_ context.Context, stack []uint64) {
	stack[0] = num.EvalFma(num.F64, stack[0], stack[1], stack[2])
}

var fmaParams, fmaResults = []api.ValueType{api.ValueTypeF64, api.ValueTypeF64, api.ValueTypeF64}, []api.ValueType{api.ValueTypeF64}

// Opcodes of F64 that only this file needs.
const (
	opF64Sub opcode = 0xa1
	opF64Lt  opcode = 0x63
	opF64Gt  opcode = 0x64
)

// fused pushes a·b + c of kind k; each pushes an operand.
func (e *emitter) fused(k num.Kind, a, b, c func()) {
	if k == num.F64 {
		e.fma64 = true
		a()
		b()
		c()
		e.call(fmaFunc)
		return
	}
	a()
	e.op(opF64PromoteF32)
	b()
	e.ops(opF64PromoteF32, opF64Mul)
	x := e.fresh(tF64)
	c()
	e.op(opF64PromoteF32)
	y := e.fresh(tF64)
	e.oddSum(x, y)
	e.op(opF32DemoteF64)
}

// fusedArgs is fused of values of the kernel.
func (e *emitter) fusedArgs(in *kernel.Instr) {
	push := func(i int) func() { return func() { e.value(in.Args[i]) } }
	e.fused(in.Kind, push(0), push(1), push(2))
}

// twoSum sets s to x + y and gives what was rounded off.
func (c *code) twoSum(x, y local) (s, err local) {
	c.get(x)
	c.get(y)
	c.op(opF64Add)
	s = c.fresh(tF64)
	c.get(s)
	c.get(x)
	c.op(opF64Sub)
	t := c.fresh(tF64)
	c.get(x)
	c.get(s)
	c.get(t)
	c.ops(opF64Sub, opF64Sub)
	c.get(y)
	c.get(t)
	c.ops(opF64Sub, opF64Add)
	return s, c.fresh(tF64)
}

// oddSum pushes x + y rounded to odd; see num.EvalFma. The bits of an inexact
// sum that is even grow or shrink by one, towards the exact one.
func (c *code) oddSum(x, y local) {
	s, err := c.twoSum(x, y)
	zero := math.Float64bits(0)
	c.get(s)
	c.op(opI64FromF64)
	bits := c.fresh(tI64)
	c.get(err)
	c.f64(zero)
	c.op(opF64Gt)
	up := c.fresh(tI32)
	c.get(up)
	c.get(err)
	c.f64(zero)
	c.ops(opF64Lt, opI32Or, opI64ExtendI32U)
	c.get(bits)
	c.i64(-1)
	c.ops(opI64Xor, opI64And) // 1 where the bits are to change
	by := c.fresh(tI64)
	c.i64(0)
	c.get(up)
	c.get(s)
	c.f64(zero)
	c.ops(opF64Gt, opI32Xor, opI64ExtendI32U, opI64Sub) // all ones where they shrink
	down := c.fresh(tI64)
	c.get(bits)
	c.get(by)
	c.get(down)
	c.op(opI64Xor)
	c.get(down)
	c.ops(opI64Sub, opI64Add, opF64FromI64)
}

// Bounds on the exponents, as they stand in the bits, within which nothing in
// fmaBody overflows and the product's second part is exact: each factor, their
// sum, and the term, which may be small.
const (
	leastFactor  = 1023 - 900
	mostFactor   = 1023 + 900
	leastProduct = 2*1023 - 900
	mostProduct  = 2*1023 + 900
	mostTerm     = 1023 + 960
)

// splitter cuts an F64 in halves of at most 26 bits (T. Dekker, A
// Floating-Point Technique for Extending the Available Precision, 1971).
const splitter = 1<<27 + 1

// fmaBody is the function fma(a, b, c f64) f64.
func fmaBody() *code {
	const a, b, z = local(0), local(1), local(2)
	c := &code{types: []valType{tF64, tF64, tF64}}
	ea, eb := c.exponent(a), c.exponent(b)
	c.within(ea, leastFactor, mostFactor)
	c.within(eb, leastFactor, mostFactor)
	c.op(opI32And)
	c.get(ea)
	c.get(eb)
	c.op(opI64Add)
	sum := c.fresh(tI64)
	c.within(sum, leastProduct, mostProduct)
	c.op(opI32And)
	c.within(c.exponent(z), 0, mostTerm)
	c.ops(opI32And, opI32Eqz)
	c.ifThen()
	c.plainWithZero(a, b, z)
	c.get(a)
	c.get(b)
	c.get(z)
	c.call(fmaHostFunc)
	c.op(opReturn)
	c.end()
	high, low := c.twoProduct(a, b)
	th, tl := c.twoSum(z, low)
	vh, vl := c.twoSum(high, th)
	c.get(vh)
	c.oddSum(tl, vl)
	c.ops(opF64Add, opEnd)
	return c
}

// plainWithZero returns a·b + z where a factor is 0, which needs no rounding.
func (c *code) plainWithZero(a, b, z local) {
	for _, x := range []local{a, b} {
		c.get(x)
		c.f64(0)
		c.op(opF64Eq)
	}
	c.op(opI32Or)
	c.ifThen()
	c.get(a)
	c.get(b)
	c.op(opF64Mul)
	c.get(z)
	c.ops(opF64Add, opReturn)
	c.end()
}

// exponent is that of an F64 as it stands in the bits.
func (c *code) exponent(x local) local {
	c.get(x)
	c.op(opI64FromF64)
	c.i64(52)
	c.op(opI64ShrU)
	c.i64(0x7ff)
	c.op(opI64And)
	return c.fresh(tI64)
}

// within pushes whether lo ≤ x ≤ hi.
func (c *code) within(x local, lo, hi int64) {
	c.get(x)
	c.i64(lo)
	c.op(opI64Sub)
	c.i64(hi - lo + 1)
	c.op(opI64LtU)
}

// twoProduct is a·b in two parts, of which the first is the rounded product.
func (c *code) twoProduct(a, b local) (p, err local) {
	c.get(a)
	c.get(b)
	c.op(opF64Mul)
	p = c.fresh(tF64)
	ah, al := c.split(a)
	bh, bl := c.split(b)
	times := func(x, y local) {
		c.get(x)
		c.get(y)
		c.op(opF64Mul)
	}
	times(ah, bh)
	c.get(p)
	c.op(opF64Sub)
	times(ah, bl)
	c.op(opF64Add)
	times(al, bh)
	c.op(opF64Add)
	times(al, bl)
	c.op(opF64Add)
	return p, c.fresh(tF64)
}

func (c *code) split(x local) (high, low local) {
	c.get(x)
	c.f64(math.Float64bits(splitter))
	c.op(opF64Mul)
	t := c.fresh(tF64)
	c.get(t)
	c.get(t)
	c.get(x)
	c.ops(opF64Sub, opF64Sub)
	high = c.fresh(tF64)
	c.get(x)
	c.get(high)
	c.op(opF64Sub)
	return high, c.fresh(tF64)
}
