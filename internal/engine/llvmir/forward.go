package llvmir

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// In comes a loop whose turns run one after the other, out goes which of its
// loads need not ask the memory: what they load is what the turn before stored,
// or one a few turns before that, and is carried from turn to turn. A processor
// takes about as long to hand a store on to a load as for an addition, and in a
// chain through all turns every such step counts.
//
// The element is the same for sure: the store is the only one to its region in
// the loop, comes in every turn, and its index and the load's differ by as much as
// the store's grows in so many turns.

// mostCarried is how many turns back a value is carried at most.
const mostCarried = 4

// forward is a store whose values later turns load.
type forward struct {
	store *kernel.Instr
	index affine
	loads [][]*kernel.Instr // of what was stored one turn ago, two turns ago, …
}

// forwards finds them. That the loads of a turn before the first stay inside of
// the region is known of those that come in every turn, the first too. So what was
// stored two turns ago is carried only if what was stored one turn ago is loaded.
func (e *emitter) forwards(in *kernel.Instr) []forward {
	if e.lanes > 1 {
		return nil
	}
	b := &in.Blocks[0]
	var list []forward
	for i := range b.Instrs {
		store := &b.Instrs[i]
		if store.Code != kernel.Store || storesTo(b, store.Region) > 1 {
			continue
		}
		index, ok := e.affine(store.Args[0], b)
		if !ok || index.turn == 0 {
			continue
		}
		f := forward{store, index, make([][]*kernel.Instr, mostCarried)}
		for j := range b.Instrs {
			load := &b.Instrs[j]
			if back := f.turnsBack(e, load, b); back > 0 {
				f.loads[back-1] = append(f.loads[back-1], load)
			}
		}
		for j, loads := range f.loads {
			if len(loads) == 0 {
				f.loads = f.loads[:j]
				break
			}
		}
		if len(f.loads) > 0 {
			list = append(list, f)
		}
	}
	return list
}

// storesTo counts the stores to a region in a block.
func storesTo(b *kernel.Block, region int) int {
	n := 0
	for i := range b.Instrs {
		each(&b.Instrs[i], func(in *kernel.Instr) {
			if in.Code == kernel.Store && in.Region == region {
				n++
			}
		})
	}
	return n
}

// turnsBack is how many turns ago the element of a load was stored, 0 if that is
// not known or too long ago.
func (f *forward) turnsBack(e *emitter, load *kernel.Instr, b *kernel.Block) int64 {
	if load.Code != kernel.Load || load.Region != f.store.Region {
		return 0
	}
	index, ok := e.affine(load.Args[0], b)
	if !ok {
		return 0
	}
	d := f.index.minus(index)
	for back := int64(1); back <= mostCarried; back++ {
		if d.constant() && d.c == back*f.index.turn {
			return back
		}
	}
	return 0
}

// before loads what the loop would find from turn from on as stored by the turns
// before that, if it has turns.
func (f *forward) before(e *emitter, from, to string) []state {
	t := typ{e.k.Regions[f.store.Region].Elem, 1}
	var init []state
	for range f.loads {
		init = append(init, state{t, t.zero()})
	}
	values := e.when(e.set("icmp slt i64 %s, %s", from, to), init, func() []string {
		var list []string
		for j := range f.loads {
			a := f.index
			a.c -= int64(j+1) * a.turn
			list = append(list, e.load(f.store.Region, e.affineText(a, from), t))
		}
		return list
	})
	return with(init, values)
}

// take makes the carried values what the loads load.
func (f *forward) take(e *emitter, carried []string) {
	for j, loads := range f.loads {
		for _, in := range loads {
			e.carried[in] = carried[j]
		}
	}
}

// next is what the turn after this one gets.
func (f *forward) next(e *emitter, carried []string) []string {
	for _, loads := range f.loads {
		for _, in := range loads {
			delete(e.carried, in)
		}
	}
	return append([]string{e.vector(f.store.Args[1], 1)}, carried[:len(f.loads)-1]...)
}
