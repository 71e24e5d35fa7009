package wasm

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// The canonical order of float sums and products. Each accumulator has a row
// of lanes in scratch memory, all share the number of leaves finished. The
// roots of finished subtrees wait in scratch memory too, one at each level
// where a bit of that number is set, like the digits of a binary counter.

// levels of 2^63 leaves, and one more where the last may come to rest.
const levels = 65

// counter is the pending part of the tree of leaves.
type counter struct {
	single bool   // there never is more than one leaf
	leaves local  // I64, leaves so far
	stack  uint32 // offset of the pending roots: levels entries of 8 bytes for each accumulator
	stride int32
	leaf   []local // root of the leaf just finished, per accumulator
}

func (e *emitter) newCounter(ord []*accumulator) *counter {
	c := &counter{leaves: e.newLocal(tI64), stride: int32(8 * len(ord))}
	for _, a := range ord {
		a.row = e.lay.reserve(num.RowBytes)
		c.leaf = append(c.leaf, e.newLocal(typeOf(a.Kind)))
	}
	c.stack = e.lay.reserve(uint32(levels * c.stride))
	return c
}

// begin prepares the rows before the first turn.
func (f *folding) begin() {
	if f.counter == nil {
		return
	}
	f.i64(0)
	f.set(f.leaves)
	if f.n.Tree {
		return
	}
	f.slot = f.newLocal(tI32)
	f.i32(0)
	f.set(f.slot)
}

// stripOpens clears the rows at the start of a leaf.
func (f *folding) stripOpens() {
	if f.counter == nil || f.n.Tree {
		return
	}
	f.get(f.slot)
	f.i32(num.Leaf - 1)
	f.op(opI32And)
	f.op(opI32Eqz)
	f.ifThen()
	for i := len(f.ord) - 1; i >= 0; i-- {
		f.clearRow(f.ord[i])
	}
	f.end()
}

func splat(k num.Kind, bits uint64) uint64 {
	switch k.Size() {
	case 1:
		bits = bits & 0xff * 0x0101010101010101
	case 2:
		bits = bits & 0xffff * 0x0001000100010001
	case 4:
		bits = bits&0xffffffff | bits<<32
	}
	return bits
}

func (f *folding) clearRow(a *accumulator) {
	id := splat(a.Kind, a.Op.Identity(a.Kind, 0)[0])
	f.v128(id, id)
	v := f.fresh(tV128)
	for off := num.RowBytes - 16; off >= 0; off -= 16 { // the first bounds check covers the rest
		f.get(argsLocal)
		f.get(v)
		f.mem(opVStore, a.row+uint32(off))
	}
}

// addToLane combines the body's value into lane slot mod lanes.
func (f *folding) addToLane(a *accumulator) {
	f.get(argsLocal)
	f.get(f.slot)
	f.shiftLeft(sizeShift(a.Kind))
	f.i32(num.RowBytes - 1)
	f.op(opI32And)
	f.op(opI32Add)
	at := f.fresh(tI32)
	f.get(at)
	lane := func() {
		f.get(at)
		f.mem(loadOp(a.Kind), a.row)
	}
	if a.factors != nil {
		f.fused(a.Kind, func() { f.value(a.factors[0]) }, func() { f.value(a.factors[1]) }, lane)
	} else {
		lane()
		f.value(a.value)
		f.combine(a)
	}
	f.mem(storeOp(a.Kind), a.row)
}

func (f *folding) nextSlot() {
	if f.slot != 0 {
		f.addTo(f.slot, 1)
	}
}

// treeStep makes every slot a leaf.
func (f *folding) treeStep() {
	if f.counter == nil || !f.n.Tree {
		return
	}
	for i, a := range f.ord {
		f.value(a.value)
		f.set(f.leaf[i])
	}
	f.get(f.t.end)
	f.get(f.t.i)
	f.op(opI64Sub)
	f.i64(1)
	f.op(opI64Sub)
	f.get(f.t.rest)
	f.op(opI64Or)
	f.op(opI64Eqz)
	f.giveLeaf()
}

// stripDone closes the leaf where a strip ended with it or with the fold.
func (f *folding) stripDone() {
	if f.counter == nil || f.n.Tree {
		return
	}
	f.get(f.slot)
	f.i32(num.Leaf - 1)
	f.op(opI32And)
	f.op(opI32Eqz)
	f.get(f.t.rest)
	f.op(opI64Eqz)
	f.op(opI32Or)
	f.ifThen()
	f.closeLeaf()
	f.end()
}

func (f *folding) closeLeaf() {
	for i := len(f.ord) - 1; i >= 0; i-- {
		a := f.ord[i]
		f.halves(a)
		if f.single {
			f.set(a.out[0])
		} else {
			f.set(f.leaf[i])
		}
	}
	if !f.single {
		f.get(f.t.rest)
		f.op(opI64Eqz)
		f.giveLeaf()
	}
}

// halves folds a row's eight vectors by halves and pushes the last lane. It
// loads the last vector first, whose bounds check covers the others.
func (f *folding) halves(a *accumulator) {
	add := vectorCombine(a)
	var sum func(n, j int)
	sum = func(n, j int) {
		if n == num.RowBytes/16 {
			f.get(argsLocal)
			f.mem(opVLoad, a.row+uint32(16*j))
			return
		}
		sum(2*n, j+n)
		sum(2*n, j)
		f.op(add)
	}
	sum(1, 0)
	v := f.fresh(tV128)
	lane := opF64Lane
	if a.Kind == num.F32 {
		lane = opF32Lane
		f.get(v)
		f.get(v)
		f.get(v)
		f.shuffle([16]byte{8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7})
		f.op(add)
		f.set(v)
	}
	f.get(v)
	f.lane(lane, 0)
	f.get(v)
	f.lane(lane, 1)
	f.combine(a)
}

// vectorCombine is the instruction that combines two vectors of lanes.
func vectorCombine(a *accumulator) opcode {
	o := opF64x2Add
	if a.Kind == num.F32 {
		o = opF32x4Add
	}
	if a.Op == kernel.FoldMul {
		o += 2
	}
	return o
}

// giveLeaf pops whether the leaf is the last and adds it to the tree, like
// one to a binary counter: as long as a root waits at a level, the two
// combine and move up. The last leaf does not stop at an empty level, but
// goes on alone; what it ends as is the result.
func (f *folding) giveLeaf() {
	last, bit := f.fresh(tI32), f.newLocal(tI32)
	f.get(argsLocal)
	at := f.fresh(tI32)
	f.get(f.leaves)
	bits := f.fresh(tI64)
	out := f.block()
	again := f.loop()
	f.get(bits)
	f.op(opI64Eqz)
	f.get(bits)
	f.op(opI32WrapI64)
	f.i32(1)
	f.op(opI32And)
	f.tee(bit)
	f.get(last)
	f.ops(opI32Or, opI32Eqz, opI32Or)
	f.brIf(out)
	f.get(bit)
	f.ifThen()
	f.eachPending(at, func(i int, a *accumulator) {
		f.mem(loadOp(a.Kind), f.stack+uint32(8*i))
		f.get(f.leaf[i])
		f.combine(a)
		f.set(f.leaf[i])
	})
	f.end()
	f.addTo(at, f.stride)
	f.get(bits)
	f.i64(1)
	f.op(opI64ShrU)
	f.set(bits)
	f.br(again)
	f.end()
	f.end()
	f.eachPending(at, func(i int, a *accumulator) {
		f.get(f.leaf[i])
		f.tee(a.out[0])
		f.mem(storeOp(a.Kind), f.stack+uint32(8*i))
	})
	f.get(f.leaves)
	f.i64(1)
	f.op(opI64Add)
	f.set(f.leaves)
}

// eachPending calls do for each accumulator, last first, with the address of
// a level on the stack.
func (f *folding) eachPending(at local, do func(i int, a *accumulator)) {
	for i := len(f.ord) - 1; i >= 0; i-- {
		f.get(at)
		do(i, f.ord[i])
	}
}
