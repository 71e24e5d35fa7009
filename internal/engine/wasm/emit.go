package wasm

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// The parameters of run.
const (
	argsLocal local = 0 // address of the block of arguments
	loLocal   local = 1
	hiLocal   local = 2
)

// emitter turns one kernel into the code of run.
type emitter struct {
	*code
	k    *kernel.Kernel
	t    *tree
	lay  *layout
	at   []local // local of each value; noLocal for constants and values not yet computed
	base []local // per region
	fuel local
	// scaled holds index·size as i32 for values whose address was computed
	// in a block that is still open.
	scaled map[scaledKey]local
	undo   []scaledKey // keys of scaled in order of insertion
	err    error
	// scalarOnly keeps loops from being vectorised, for tests.
	scalarOnly bool
	fma64      bool // the module needs the function fma
}

const noLocal local = -1

type scaledKey struct {
	v     kernel.Value
	shift int32
}

func newEmitter(k *kernel.Kernel) *emitter {
	e := &emitter{code: &code{types: []valType{tI32, tI64, tI64}}, k: k, t: newTree(k), lay: newLayout(k), scaled: map[scaledKey]local{}}
	e.at = make([]local, len(e.t.Kinds))
	for i := range e.at {
		e.at[i] = noLocal
	}
	return e
}

// emit writes the code of run and lays out its arguments.
func emit(k *kernel.Kernel, scalarOnly bool) (*emitter, error) {
	e := newEmitter(k)
	e.scalarOnly = scalarOnly
	e.fuel = e.newLocal(tI32)
	e.refuel()
	e.loadBases()
	e.nodes(e.t.pre)
	e.outer()
	e.op(opEnd)
	return e, e.err
}

func (e *emitter) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf("wasm: "+format, args...)
	}
}

func typeOf(k num.Kind) valType {
	switch k {
	case num.I64, num.U64:
		return tI64
	case num.F32:
		return tF32
	case num.F64:
		return tF64
	}
	return tI32
}

func (e *emitter) kind(v kernel.Value) num.Kind { return e.t.Kinds[v] }

// value pushes a value.
func (e *emitter) value(v kernel.Value) {
	if bits, ok := e.t.Const(v); ok {
		e.constant(e.kind(v), bits)
		return
	}
	if e.at[v] == noLocal {
		e.fail("value %d used before it is computed", v)
		return
	}
	e.get(e.at[v])
}

func (e *emitter) values(vs ...kernel.Value) {
	for _, v := range vs {
		e.value(v)
	}
}

// constValue is the value of an integer constant, extended to 64 bits.
func (e *emitter) constValue(v kernel.Value) (int64, bool) {
	bits, ok := e.t.Const(v)
	return int64(bits), ok
}

func (e *emitter) constant(k num.Kind, bits uint64) {
	switch typeOf(k) {
	case tI32:
		e.i32(int32(bits))
	case tI64:
		e.i64(int64(bits))
	case tF32:
		e.f32(uint32(bits))
	case tF64:
		e.f64(bits)
	}
}

// define pops the top of the stack as value v.
func (e *emitter) define(v kernel.Value) {
	e.at[v] = e.fresh(typeOf(e.kind(v)))
}

// declare gives v a local that is set later.
func (e *emitter) declare(v kernel.Value) local {
	e.at[v] = e.newLocal(typeOf(e.kind(v)))
	return e.at[v]
}

func (e *emitter) loadBases() {
	e.base = make([]local, len(e.k.Regions))
	for r := len(e.base) - 1; r >= 0; r-- { // the first bounds check covers the rest
		e.get(argsLocal)
		e.mem(opI32Load, e.lay.base(r))
		e.base[r] = e.fresh(tI32)
	}
}

func (e *emitter) nodes(list []*node) {
	for _, n := range list {
		e.node(n)
	}
}

// scope runs f and then forgets addresses that were computed inside.
func (e *emitter) scope(f func()) {
	mark := len(e.undo)
	f()
	for _, k := range e.undo[mark:] {
		delete(e.scaled, k)
	}
	e.undo = e.undo[:mark]
}

// node emits one instruction.
func (e *emitter) node(n *node) {
	switch n.Code {
	case kernel.Const: // emitted where it is used
		return
	case kernel.SizeOf:
		e.poly(n.Instr)
	case kernel.ScalarArg:
		e.get(argsLocal)
		e.mem(argLoad(e.kind(n.Out[0])), e.lay.scalar(n.Index))
	case kernel.Arith:
		e.arith(n.Instr)
	case kernel.Convert:
		e.convert(n.Instr)
	case kernel.Bitcast:
		e.bitcast(n.Instr)
	case kernel.Select:
		e.selectValue(n.Instr)
	case kernel.Load:
		e.address(n.Region, n.Args[0])
		e.loadElement(e.k.Regions[n.Region].Elem)
	case kernel.Store:
		e.address(n.Region, n.Args[0])
		e.value(n.Args[1])
		e.mem(storeOp(e.k.Regions[n.Region].Elem), 0)
	case kernel.Bound:
		e.bound(n.Instr)
	case kernel.Positive:
		e.poly(n.Instr)
		e.i64(0)
		e.op(opI64GtS)
	case kernel.Fault:
		e.value(n.Args[0])
		e.faultIf(n.Instr)
	case kernel.If:
		e.branch(n)
	case kernel.For:
		e.forLoop(n)
	case kernel.Fold:
		e.fold(n)
	default:
		e.fail("instruction %d is not known", n.Code)
	}
	if len(n.Out) == 1 && n.blocks == nil {
		e.define(n.Out[0])
	}
}

func (e *emitter) poly(in *kernel.Instr) {
	e.get(argsLocal)
	e.mem(opI64Load, e.lay.poly(in.Poly))
}

// branch emits an If; both blocks set the same locals.
func (e *emitter) branch(n *node) {
	if x := e.t.appends[n.Instr]; x != nil {
		e.append(n, x)
		return
	}
	for _, v := range n.Out {
		e.declare(v)
	}
	e.value(n.Args[0])
	e.ifThen()
	e.arm(n, 0)
	if len(n.blocks[1].code) > 0 || len(n.Out) > 0 {
		e.otherwise()
		e.arm(n, 1)
	}
	e.end()
}

func (e *emitter) arm(n *node, i int) {
	e.scope(func() {
		e.nodes(n.blocks[i].code)
		e.values(n.blocks[i].results...)
		for j := len(n.Out) - 1; j >= 0; j-- {
			e.set(e.at[n.Out[j]])
		}
	})
}

// address pushes the address of element index of a region: base + index·size
// modulo 2^32, as the base of a window may lie outside of memory.
func (e *emitter) address(region int, index kernel.Value) {
	e.get(e.base[region])
	shift := sizeShift(e.k.Regions[region].Elem)
	if c, ok := e.constValue(index); ok {
		if off := int32(c << shift); off != 0 {
			e.i32(off)
			e.op(opI32Add)
		}
		return
	}
	key := scaledKey{index, shift}
	l, ok := e.scaled[key]
	if !ok {
		e.index32(index)
		e.shiftLeft(shift)
		l = e.fresh(tI32)
		e.scaled[key] = l
		e.undo = append(e.undo, key)
	}
	e.get(l)
	e.op(opI32Add)
}

// index32 pushes an index modulo 2^32. What was widened from 32 bits or fewer
// is taken as it was, which matters where one load waits for the next.
func (e *emitter) index32(index kernel.Value) {
	if d := e.t.Def[index]; d != nil && d.Code == kernel.Convert && typeOf(d.From) == tI32 {
		e.value(d.Args[0])
		return
	}
	e.value(index)
	e.op(opI32WrapI64)
}

func (e *emitter) shiftLeft(n int32) {
	if n > 0 {
		e.i32(n)
		e.op(opI32Shl)
	}
}

// sizeShift is the logarithm of a kind's size.
func sizeShift(k num.Kind) int32 {
	switch k.Size() {
	case 2:
		return 1
	case 4:
		return 2
	case 8:
		return 3
	}
	return 0
}

// loadElement pushes the element at the address on the stack. Whoever holds
// the region may have put any byte where a Bool is; its lowest bit counts,
// as everywhere.
func (e *emitter) loadElement(k num.Kind) {
	e.mem(loadOp(k), 0)
	if k == num.Bool {
		e.i32(1)
		e.op(opI32And)
	}
}

func loadOp(k num.Kind) opcode {
	switch k {
	case num.I8:
		return opI32Load8S
	case num.Bool, num.U8:
		return opI32Load8U
	case num.I16:
		return opI32Load16S
	case num.U16:
		return opI32Load16U
	case num.I64, num.U64:
		return opI64Load
	case num.F32:
		return opF32Load
	case num.F64:
		return opF64Load
	}
	return opI32Load
}

// argLoad loads a scalar argument, whose 64 bits are already extended.
func argLoad(k num.Kind) opcode {
	if typeOf(k) == tI32 {
		return opI32Load
	}
	return loadOp(k)
}

func storeOp(k num.Kind) opcode {
	switch k.Size() {
	case 1:
		return opI32Store8
	case 2:
		return opI32Store16
	}
	switch typeOf(k) {
	case tI64:
		return opI64Store
	case tF32:
		return opF32Store
	case tF64:
		return opF64Store
	}
	return opI32Store
}
