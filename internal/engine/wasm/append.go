package wasm

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
)

// In: the condition of a loop that appends elements where it holds, as a filter does. Out: code without a branch. A processor
// guesses wrong which elements are kept, and each wrong guess takes as long as some dozen operations. Invariant: what is not kept
// goes to eight bytes that nobody reads.

// asideBytes is room for the widest element.
const asideBytes = 8

// appending are the conditions of a kernel's loops that append, where no bound is looked at for faults.
func appending(a *loops.Analysis) map[*kernel.Instr]*loops.Appended {
	found := map[*kernel.Instr]*loops.Appended{}
	a.K.Body.Each(func(in *kernel.Instr) {
		x := a.Appends(in)
		if x != nil && !slices.ContainsFunc(x.Bounds, func(b *kernel.Instr) bool { return b.Site != kernel.NoSite }) {
			found[x.If] = x
		}
	})
	return found
}

// append emits such an If: its stores go to the next places, or aside.
func (e *emitter) append(n *node, x *loops.Appended) {
	aside := e.lay.reserve(asideBytes)
	e.declare(n.Out[0])
	e.scope(func() {
		for _, in := range n.blocks[0].code {
			if in.Code != kernel.Store {
				e.node(in)
				continue
			}
			e.address(in.Region, in.Args[0])
			e.get(argsLocal)
			e.i32(int32(aside))
			e.op(opI32Add)
			e.value(x.Cond)
			e.op(opSelect)
			e.value(in.Args[1])
			e.mem(storeOp(e.k.Regions[in.Region].Elem), 0)
		}
		e.value(n.blocks[1].results[0])
		e.value(x.Cond)
		e.op(opI64ExtendI32U)
		e.op(opI64Add)
		e.set(e.at[n.Out[0]])
	})
}
