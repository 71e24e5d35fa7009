package llvmir

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

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
