package llvmir

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// slotLoop finds the loop of a kernel that only goes over the slots of its
// outer indices: for i in lo..hi. Outer indices are independent, so that one
// loop over the slots of all of them does the same, and is not cut into
// grains.
func (e *emitter) slotLoop() *kernel.Instr {
	b := &e.k.Body
	slots, _ := only(b, kernel.For)
	if len(e.k.State) > 0 || slots == nil || len(slots.Carry) > 0 || slots.Stop || slots.Args[0] != b.Params[1] || slots.Args[1] != b.Params[2] {
		return nil
	}
	for i := range b.Instrs {
		if in := &b.Instrs[i]; in != slots && (hasEffect(*in) && in.Code != kernel.Load || uses(in, b.Params)) {
			return nil
		}
	}
	for i := range slots.Blocks[0].Instrs {
		if uses(&slots.Blocks[0].Instrs[i], b.Params) {
			return nil
		}
	}
	return slots
}

// uses reports that an instruction has one of these operands.
func uses(in *kernel.Instr, vs []kernel.Value) bool {
	found := false
	each(in, func(in *kernel.Instr) {
		for _, v := range vs {
			found = found || in.At == v || slices.Contains(in.Args, v)
			for _, b := range in.Blocks {
				found = found || slices.Contains(b.Results, v)
			}
		}
	})
	return found
}

// allSlots writes that loop, from the first slot of outer index %lo to the
// last of %hi - 1. What stands around it does not vary.
func (e *emitter) allSlots(slots *kernel.Instr) {
	b := &e.k.Body
	for i := range b.Instrs {
		if in := &b.Instrs[i]; in != slots {
			e.instr(in)
			continue
		}
		grain, count := e.poly(e.k.Grain), e.poly(e.k.Count)
		e.bind(b.Params[1], e.set("mul i64 %%lo, %s", grain))
		e.bind(b.Params[2], e.pure("llvm.smin", typ{num.I64, 1}, e.set("mul i64 %%hi, %s", grain), count))
		e.instr(slots)
	}
}
