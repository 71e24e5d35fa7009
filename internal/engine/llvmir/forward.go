package llvmir

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
)

// In comes a loop whose turns run one after the other, out go its loads without
// those that need not ask the memory (see loops.Handed): what they load is carried
// from turn to turn. A processor takes about as long to hand a store on to a load
// as for an addition, and in a chain through all turns every such step counts.

type forward struct{ loops.Handed }

func (e *emitter) forwards(in *kernel.Instr) (list []forward) {
	if e.lanes == 1 {
		for _, h := range e.Handed(in) {
			list = append(list, forward{h})
		}
	}
	return list
}

// before loads what the loop would find from turn from on as stored by the turns
// before that, if it has turns.
func (f *forward) before(e *emitter, from, to string) []state {
	t := typ{e.k.Regions[f.Store.Region].Elem, 1}
	var init []state
	for range f.Loads {
		init = append(init, state{t, t.zero()})
	}
	values := e.when(e.set("icmp slt i64 %s, %s", from, to), init, func() []string {
		var list []string
		for j := range f.Loads {
			a := f.Index
			a.C -= int64(j+1) * a.Step
			list = append(list, e.load(f.Store.Region, e.sumText(a, from), t))
		}
		return list
	})
	return with(init, values)
}

// take makes the carried values what the loads load.
func (f *forward) take(e *emitter, carried []string) {
	for j, loads := range f.Loads {
		for _, in := range loads {
			e.carried[in] = carried[j]
		}
	}
}

// next is what the turn after this one gets.
func (f *forward) next(e *emitter, carried []string) []string {
	for _, loads := range f.Loads {
		for _, in := range loads {
			delete(e.carried, in)
		}
	}
	return append([]string{e.vector(f.Store.Args[1], 1)}, carried[:len(f.Loads)-1]...)
}
