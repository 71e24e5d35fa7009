package llvmir

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: stores to the next place of one of several runs, as a pass of a sort by digits has them: the place is a count in memory, which
// goes up. Out: the same stores, each of which asks for the line behind its own. A processor sees at once where a single run
// goes on, but not for some dozens of them side by side; and as stores become visible in order, each that begins a line which is not
// in a near cache keeps all behind it waiting. Invariant: what is asked for need not exist.

// lineBytes is a line of a cache.
const lineBytes = 64

// counted is how many instructions there are at most from a count to the place that it stands for: bounds, a half, a beginning.
const counted = 8

// appending are the stores whose places are counts that the same block increases.
func (e *emitter) appending() map[*kernel.Instr]bool {
	found := map[*kernel.Instr]bool{}
	e.appendingOf(&e.k.Body, found)
	return found
}

func (e *emitter) appendingOf(b *kernel.Block, found map[*kernel.Instr]bool) {
	counts := map[kernel.Value]bool{}
	for i := range b.Instrs {
		if n := e.increased(&b.Instrs[i]); n != nil {
			counts[n.Out[0]] = true
		}
	}
	for i := range b.Instrs {
		in := &b.Instrs[i]
		if in.Code == kernel.Store && len(counts) > 0 && e.isCounted(in.Args[0], counts, counted) {
			found[in] = true
		}
		for j := range in.Blocks {
			e.appendingOf(&in.Blocks[j], found)
		}
	}
}

// increased is the load of the count that a store puts back, with one more.
func (e *emitter) increased(st *kernel.Instr) *kernel.Instr {
	if st.Code != kernel.Store {
		return nil
	}
	sum := e.Def[st.Args[1]]
	if sum == nil || sum.Code != kernel.Arith || sum.Op != num.Add || sum.Kind != num.I64 {
		return nil
	}
	for j, v := range sum.Args {
		n := e.Def[v]
		if one, ok := e.ConstInt(sum.Args[1-j]); ok && one == 1 && n != nil && n.Code == kernel.Load && n.Region == st.Region && n.Args[0] == st.Args[0] {
			return n
		}
	}
	return nil
}

// isCounted reports a place that is a count, within bounds and from some beginning on.
func (e *emitter) isCounted(v kernel.Value, counts map[kernel.Value]bool, steps int) bool {
	in := e.Def[v]
	if counts[v] || in == nil || steps == 0 {
		return counts[v]
	}
	switch {
	case in.Code == kernel.Bound:
		return e.isCounted(in.Args[0], counts, steps-1)
	case in.Code == kernel.Arith && in.Op == num.Add && in.Kind == num.I64:
		return e.isCounted(in.Args[0], counts, steps-1) || e.isCounted(in.Args[1], counts, steps-1)
	}
	return false
}

// askBehind asks for the line behind an element that is stored to.
func (e *emitter) askBehind(region int, index string) {
	at := e.set("getelementptr i8, ptr %s, i64 %d", e.address(region, index), lineBytes)
	e.line("%s", e.called("void", "llvm.prefetch.p0", nil, []string{"ptr " + at, "i32 1", "i32 3", "i32 1"}))
}
