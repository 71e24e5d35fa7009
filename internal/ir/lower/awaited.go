package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a loop over the slots of a grain that divides, or takes a root of, what its windows give, and then has a loop or a fold which
// waits for that. Out: the same as two loops: what is waited for goes into scratch memory first. A processor divides the next slots'
// while it is still at the first ones' only if nothing of these stands between.

const mostAwaited = 2 // values of a slot that are kept: each costs a store and a load

// awaited is where the second loop begins, and which values the first one keeps for it.
func (k *kern) awaited(body *kernel.Block, list []rolled) (cut int, keep []kernel.Value, ok bool) {
	waits, derived := false, map[kernel.Value]bool{}
	for ; cut < len(body.Instrs); cut++ {
		in := &body.Instrs[cut]
		switch {
		case len(list) > 0 && list[0].at == cut:
			for _, v := range in.Out {
				derived[v] = true
			}
			list = list[1:]
			continue
		case len(in.Blocks) > 0 && len(list) == 0:
			keep, ok = keptFor(body.Instrs[cut:], derived)
			return cut, keep, ok && waits
		case !kernel.IsPure(k.k, in) || in.Site != kernel.NoSite: // faults keep their order
			return 0, nil, false
		}
		if slices.ContainsFunc(in.Args, func(v kernel.Value) bool { return derived[v] }) {
			derived[in.Out[0]] = true
			waits = waits || in.Code == kernel.Arith && (in.Op == num.Div || in.Op == num.Sqrt)
		}
	}
	return 0, nil, false
}

// keptFor lists the derived values that the instructions need, if the first of them needs one and they are few.
func keptFor(rest []kernel.Instr, derived map[kernel.Value]bool) (keep []kernel.Value, ok bool) {
	for v := range derived {
		if slices.ContainsFunc(rest, func(in kernel.Instr) bool { return loops.Uses(&in, v) }) {
			keep = append(keep, v)
		}
	}
	slices.Sort(keep)
	return keep, loops.Uses(&rest[0], keep...) && len(keep) <= mostAwaited
}

// copyNeeded copies the instructions from cut on, and those before it that they need and to does not have.
func (k *kern) copyNeeded(instrs []kernel.Instr, cut int, to map[kernel.Value]kernel.Value) {
	needed := slices.Clone(instrs[cut:])
	for x := cut - 1; x >= 0; x-- {
		v := instrs[x].Out[0]
		if _, has := to[v]; !has && slices.ContainsFunc(needed, func(in kernel.Instr) bool { return loops.Uses(&in, v) }) {
			needed = slices.Insert(needed, 0, instrs[x])
		}
	}
	k.b.Copy(needed, to)
}
