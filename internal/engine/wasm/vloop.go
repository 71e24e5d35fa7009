package wasm

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// heavy is the number of vector instructions beyond which a block is not
// unrolled to a whole row of lanes.
const heavy = 200

// maxBlock is the greatest number of elements in a block; strips are cut at
// multiples of it.
const maxBlock = 64

// vectorLoop is the vector part of a loop. Within a strip it takes whole
// blocks and leaves the rest to the scalar part.
type vectorLoop struct {
	*vectorCode
	t    *turns
	slot local // 0 unless there are rows
}

// vectorise plans the vector part of a loop and broadcasts what does not vary
// in it; nil if the loop must stay scalar.
func (e *emitter) vectorise(n *node, t *turns, accs []*accumulator, slot local) *vectorLoop {
	p := e.planVector(n, accs)
	if p == nil {
		return nil
	}
	v := &vectorLoop{newVectorCode(p), t, slot}
	v.broadcast()
	return v
}

// lanes is the number of elements that a row holds, 0 without rows.
func (v *vectorLoop) lanes() int {
	n := 0
	for _, a := range v.accs {
		if a.mode == accRow {
			n = max(n, num.Lanes(a.Kind))
		}
	}
	return n
}

// strip emits the vector loops for the turns from t.i to t.end; t.i moves to
// the first turn that is left.
func (v *vectorLoop) strip() {
	rows, weight := v.lanes(), v.weight()+1
	nested := v.emitter.t.level[v.Body.Params[0]] > 2
	switch {
	case rows > 0 && weight*rows/v.chunk <= heavy:
		v.blocks(rows/v.chunk, false)
		if nested {
			v.blocks(1, true)
		}
	case rows > 0:
		v.blocks(1, true)
	default:
		unroll := 4
		for unroll > 1 && weight*unroll > heavy/3 {
			unroll /= 2
		}
		v.blocks(unroll, false)
		if nested && unroll > 1 {
			v.blocks(1, false)
		}
	}
}

// blocks emits a loop over blocks of unroll chunks. moving tells that a
// block is not a whole row, so that its lanes are found from the slot.
func (v *vectorLoop) blocks(unroll int, moving bool) {
	size := int64(unroll * v.chunk)
	start, stop := v.newLocal(tI64), v.newLocal(tI64)
	v.get(v.t.i)
	v.tee(start)
	v.get(v.t.end)
	v.get(v.t.i)
	v.op(opI64Sub)
	v.i64(-size)
	v.op(opI64And)
	v.op(opI64Add)
	v.tee(stop)
	v.get(start)
	v.op(opI64Ne)
	v.ifThen()
	v.prepareAccs(!moving && v.rowsFit(), unroll)
	v.openAccs()
	again := v.loop()
	v.scope(func() { v.turn(unroll, moving, start) })
	v.get(v.t.i)
	v.i64(size)
	v.op(opI64Add)
	v.tee(v.t.i)
	v.get(stop)
	v.op(opI64Ne)
	v.brIf(again)
	v.end()
	v.closeBlocks(start, moving)
	v.end()
}

func (v *vectorLoop) closeBlocks(start local, moving bool) {
	v.get(v.t.i)
	v.get(start)
	v.op(opI64Sub)
	elements := v.fresh(tI64)
	v.closeAccs(start, elements)
	if v.slot != 0 && !moving {
		v.get(v.slot)
		v.get(elements)
		v.op(opI32WrapI64)
		v.op(opI32Add)
		v.set(v.slot)
	}
}

// rowsFit reports whether the lanes fit in registers beside the body.
func (v *vectorLoop) rowsFit() bool {
	rows, others := 0, 0
	for _, a := range v.accs {
		if a.mode == accRow {
			rows++
		} else {
			others++
		}
	}
	return rows == 1 && others <= 1
}

// turn emits one block.
func (v *vectorLoop) turn(unroll int, moving bool, start local) {
	v.startBlock()
	v.startBest(unroll, start)
	v.clearNotes()
	var row map[int]local
	if moving {
		row = v.rowAddresses()
	}
	v.pooled = true
	backwards := v.oneRow(unroll) // then the first bounds check covers the block
	for c := range unroll {
		if backwards {
			c = unroll - 1 - c
		}
		code := v.body(c * v.chunk)
		for _, a := range v.accs {
			code.accumulate(a, row)
		}
	}
	v.pooled = false
	if moving && v.slot != 0 {
		v.addTo(v.slot, int32(v.chunk))
	}
	if v.faulty {
		v.faulted()
		v.ifThen()
		v.again(int64(unroll * v.chunk))
		v.end()
	}
}

// oneRow reports that no two elements of a block meet in a lane. Where F64 is
// summed beside F32 a block is two rows of it, which combine in order.
func (v *vectorLoop) oneRow(unroll int) bool {
	for _, a := range v.accs {
		if a.mode == accRow && unroll*v.chunk > num.Lanes(a.Kind) {
			return false
		}
	}
	return true
}

// rowAddresses finds the address of the chunk's lanes for each width of
// rows.
func (v *vectorLoop) rowAddresses() map[int]local {
	row := map[int]local{}
	for _, a := range v.accs {
		size := a.Kind.Size()
		if _, ok := row[size]; a.mode != accRow || ok {
			continue
		}
		v.get(argsLocal)
		v.get(v.slot)
		v.shiftLeft(sizeShift(a.Kind))
		v.i32(num.RowBytes - 1)
		v.op(opI32And)
		v.op(opI32Add)
		row[size] = v.fresh(tI32)
	}
	return row
}

// again goes over a block element by element for its faults only.
func (v *vectorLoop) again(size int64) {
	v.get(v.t.i)
	save := v.fresh(tI64)
	v.get(save)
	v.i64(size)
	v.op(opI64Add)
	end := v.fresh(tI64)
	loop := v.loop()
	v.isolated(func() { v.nodes(v.faultNodes()) })
	v.get(v.t.i)
	v.i64(1)
	v.op(opI64Add)
	v.tee(v.t.i)
	v.get(end)
	v.op(opI64Ne)
	v.brIf(loop)
	v.end()
	v.get(save)
	v.set(v.t.i)
}

// isolated runs f without the addresses known outside, which belong to
// another turn.
func (e *emitter) isolated(f func()) {
	scaled, undo := e.scaled, e.undo
	e.scaled, e.undo = map[scaledKey]local{}, nil
	f()
	e.scaled, e.undo = scaled, undo
}

// faultNodes are the instructions that may fault and what they need.
func (v *vectorLoop) faultNodes() []*node {
	need := make([]bool, len(v.need))
	var list []*node
	for i := len(v.instrs) - 1; i >= 0; i-- {
		n := v.instrs[i]
		if n.Site == kernel.NoSite && (len(n.Out) == 0 || !need[n.Out[0]]) {
			continue
		}
		for _, a := range n.Args {
			need[a] = true
		}
		if n.At != kernel.None {
			need[n.At] = true
		}
		list = append(list, &node{Instr: n})
	}
	slices.Reverse(list)
	return list
}
