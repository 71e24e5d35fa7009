package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a loop over the slots of a grain that stores an element for each, and behind it a fold over the same slots that loads these. Out:
// the fold alone, which stores what it folds. The additions of a leaf wait for each other and for their loads; so they go on while the
// next elements are computed.

// foldStored joins the kernel's loops that are so.
func (k *kern) foldStored() {
	list := k.k.Body.Instrs
	for at := 0; at+1 < len(list); at++ {
		if in, ok := k.joinedFold(&list[at], &list[at+1]); ok {
			list = slices.Replace(list, at, at+2, in)
			k.k.Body.Instrs = list
			k.onlyStored(&list[at])
		}
	}
}

// onlyStored has the kernel only write what it no longer loads: its caller need not clear that memory first, and no cache need keep it.
func (k *kern) onlyStored(fold *kernel.Instr) {
	loaded := map[int]bool{}
	for i := range k.k.Body.Instrs {
		k.k.Body.Instrs[i].Each(func(in *kernel.Instr) {
			loaded[in.Region] = loaded[in.Region] || in.Code == kernel.Load
		})
	}
	fold.Each(func(in *kernel.Instr) {
		if r := in.Region; in.Code == kernel.Store && !loaded[r] && k.k.Regions[r].Access == kernel.ReadWrite {
			k.k.Regions[r].Access = kernel.Write
		}
	})
}

// joinedFold is the fold with the loop's body in its own. A fold of least or greatest floats may go over a leaf twice, so it stays as it is.
func (k *kern) joinedFold(loop, fold *kernel.Instr) (in kernel.Instr, ok bool) {
	if loop.Code != kernel.For || len(loop.Carry) > 0 || loop.Stop || fold.Code != kernel.Fold || fold.Tree || !slices.Equal(loop.Args, fold.Args) {
		return in, false
	}
	if slices.ContainsFunc(fold.Accs, func(a kernel.Acc) bool { return a.Op != num.FoldAdd && a.Op != num.FoldMul }) {
		return in, false
	}
	body, i := &loop.Blocks[0], loop.Blocks[0].Params[0]
	stored := map[int]kernel.Value{}
	for x := range body.Instrs {
		in := &body.Instrs[x]
		_, twice := stored[in.Region]
		switch {
		case len(in.Blocks) > 0 || in.Site != kernel.NoSite && in.Code != kernel.Load && in.Code != kernel.Store:
			return *in, false
		case in.Code == kernel.Store && (twice || in.Args[0] != i):
			return *in, false
		case in.Code == kernel.Load && in.Args[0] > i: // from anywhere: a loop does that one by one beside its lanes, a fold has no lanes then
			return *in, false
		case in.Code == kernel.Store:
			stored[in.Region] = in.Args[1]
		}
	}
	rest, ok := handedOn(body, &fold.Blocks[0], stored)
	if !ok {
		return in, false
	}
	to := map[kernel.Value]kernel.Value{fold.Blocks[0].Params[0]: i}
	joined := *fold
	joined.Blocks = []kernel.Block{{Params: body.Params}}
	for _, x := range rest {
		if v, ok := stored[x.Region]; ok && x.Code == kernel.Load {
			to[x.Out[0]] = v
			continue
		}
		x.Args, x.At = kernel.Replaced(x.Args, to), kernel.Replaced([]kernel.Value{x.At}, to)[0]
		joined.Blocks[0].Instrs = append(joined.Blocks[0].Instrs, x)
	}
	joined.Blocks[0].Instrs = append(slices.Clone(body.Instrs), joined.Blocks[0].Instrs...)
	joined.Blocks[0].Results = kernel.Replaced(fold.Blocks[0].Results, to)
	return joined, true
}

// handedOn is the fold's body, if it loads what the loop has just stored and nothing else of the same memory.
func handedOn(loop, fold *kernel.Block, stored map[int]kernel.Value) (rest []kernel.Instr, ok bool) {
	for _, in := range fold.Instrs {
		_, written := stored[in.Region]
		switch {
		case len(in.Blocks) > 0 || loops.HasEffect(in) && in.Code != kernel.Load:
			return nil, false
		case in.Code == kernel.Load && written && in.Args[0] != fold.Params[0]:
			return nil, false
		}
		ok = ok || in.Code == kernel.Load && written
	}
	for _, in := range loop.Instrs {
		if _, written := stored[in.Region]; in.Code == kernel.Load && written {
			return nil, false
		}
	}
	return fold.Instrs, ok
}
