package loops

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In comes a loop that hands something on from one iteration to the next, out goes what of it is no chain: a maximum, or the
// like, that can be kept in lanes and joined at the end; one that every iteration uses, as in a scan, which can be joined within a
// group of lanes; and elements that a load need not ask the memory for, because an
// iteration before stored them.

// Exact is the operator of a fold that combines as this operation does, with the same bits in any order.
func Exact(in *kernel.Instr) (kernel.Acc, bool) {
	fold := num.FoldOf(in.Op)
	return kernel.Acc{Op: fold, Kind: in.Kind}, fold.Valid()
}

// reductions are the operations by which a For carries its values, if they are all that makes an iteration depend on the one
// before: integers without a check, and the lesser or greater of floats.
func reductions(in *kernel.Instr) ([]kernel.Acc, bool) {
	b := &in.Blocks[0]
	var list []kernel.Acc
	for j, c := range in.Carry {
		param, result := b.Params[1+j], b.Results[j]
		at := slices.IndexFunc(b.Instrs, func(in kernel.Instr) bool { return slices.Contains(in.Out, result) })
		if at < 0 {
			return nil, false
		}
		op := &b.Instrs[at]
		if op.Code != kernel.Arith || len(op.Args) != 2 || op.Site != kernel.NoSite || op.Kind != c.Kind || !slices.Contains(op.Args, param) || !onlyUse(b, param, op) || !onlyUse(b, result, nil) {
			return nil, false
		}
		a, ok := Exact(op)
		if !ok || a.Op.IsOrdered(a.Kind) || op.Args[0] == op.Args[1] {
			return nil, false
		}
		list = append(list, a)
	}
	return list, true
}

// Prefix is one carried value with the operation of the body that gives the next. The operation is exact and associative.
type Prefix struct {
	kernel.Acc
	Op      *kernel.Instr
	Summand kernel.Value // what it joins with the carried value
}

// prefixes are the operations by which a For carries its values, if what is carried is used by nothing else.
func (a *Analysis) prefixes(in *kernel.Instr) ([]Prefix, bool) {
	b := &in.Blocks[0]
	var list []Prefix
	for j, c := range in.Carry {
		param := b.Params[1+j]
		op := a.Def[b.Results[j]]
		if op == nil || !onlyUse(b, param, op) || slices.ContainsFunc(list, func(p Prefix) bool { return p.Op == op }) {
			return nil, false
		}
		if op.Code != kernel.Arith || len(op.Args) != 2 || op.Site != kernel.NoSite || op.Kind != c.Kind || c.Kind == num.Bool || op.Args[0] == op.Args[1] {
			return nil, false
		}
		acc, ok := Exact(op)
		at := slices.Index(op.Args, param)
		if !ok || at < 0 || op.Op.IsCompare() || acc.Op.IsOrdered(acc.Kind) {
			return nil, false
		}
		list = append(list, Prefix{acc, op, op.Args[1-at]})
	}
	return list, true
}

// onlyUse reports that of a loop's body only one instruction uses a value; if it is nil, only the next iteration does, as one of
// its values.
func onlyUse(b *kernel.Block, v kernel.Value, by *kernel.Instr) bool {
	for i := range b.Instrs {
		if in := &b.Instrs[i]; in != by && Uses(in, v) {
			return false
		}
	}
	times := 0
	for _, r := range b.Results {
		if r == v {
			times++
		}
	}
	return by == nil && times == 1 || by != nil && times == 0
}

// mostHanded is how many iterations back a value is handed on at most.
const mostHanded = 4

// Handed is a store whose values later iterations load. The element is the same for sure: the store is the only one to its
// region in the loop, comes in every iteration, and its index and the load's differ by as much as the store's grows in so
// many iterations.
type Handed struct {
	Store *kernel.Instr
	Index Sum
	Loads [][]*kernel.Instr // of what was stored one iteration ago, two iterations ago, …
}

// Handed finds them. That the loads of an iteration before the first stay inside of the region is known of those that come in
// every iteration, the first too. So what was stored two iterations ago is handed on only if what was stored one ago is loaded.
func (a *Analysis) Handed(in *kernel.Instr) []Handed {
	b := &in.Blocks[0]
	var list []Handed
	for i := range b.Instrs {
		store := &b.Instrs[i]
		if store.Code != kernel.Store || storesTo(b, store.Region) > 1 {
			continue
		}
		index, ok := a.Sum(store.Args[0], b)
		if !ok || index.Step == 0 {
			continue
		}
		h := Handed{store, index, make([][]*kernel.Instr, mostHanded)}
		for j := range b.Instrs {
			load := &b.Instrs[j]
			if back := h.back(a, load, b); back > 0 {
				h.Loads[back-1] = append(h.Loads[back-1], load)
			}
		}
		if first := slices.IndexFunc(h.Loads, func(l []*kernel.Instr) bool { return len(l) == 0 }); first >= 0 {
			h.Loads = h.Loads[:first]
		}
		if len(h.Loads) > 0 {
			list = append(list, h)
		}
	}
	return list
}

// storesTo counts the stores to a region in a block.
func storesTo(b *kernel.Block, region int) int {
	n := 0
	b.Each(func(in *kernel.Instr) {
		if in.Code == kernel.Store && in.Region == region {
			n++
		}
	})
	return n
}

// back is how many iterations ago the element of a load was stored, 0 if that is not known or too long ago.
func (h *Handed) back(a *Analysis, load *kernel.Instr, b *kernel.Block) int64 {
	if load.Code != kernel.Load || load.Region != h.Store.Region {
		return 0
	}
	index, ok := a.Sum(load.Args[0], b)
	if !ok {
		return 0
	}
	d := h.Index.Minus(index)
	for back := int64(1); back <= mostHanded; back++ {
		if d.IsConst() && d.C == back*h.Index.Step {
			return back
		}
	}
	return 0
}
