package totals

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a kernel with its classes. Out: what of it the next states are made of.

// needed is what the kernel of totals has to compute.
type needed struct {
	k       *kernel.Kernel
	value   []bool
	instr   map[*kernel.Instr]bool
	loaded  map[int]bool // Scratch regions
	changed bool
}

// neededOf finds that out; false if it takes too long.
func neededOf(k *kernel.Kernel, ops []num.FoldOp) (*needed, bool) {
	n := &needed{k: k, value: make([]bool, k.Values()), instr: map[*kernel.Instr]bool{}, loaded: map[int]bool{}}
	for i, op := range ops {
		if op != num.BadFold {
			n.want(k.Body.Results[i])
		}
	}
	for range mostRounds {
		n.changed = false
		if n.block(&k.Body); !n.changed {
			return n, true
		}
	}
	return nil, false
}

func (n *needed) want(vs ...kernel.Value) {
	for _, v := range vs {
		if !n.value[v] {
			n.value[v], n.changed = true, true
		}
	}
}

func (n *needed) any(vs []kernel.Value) bool {
	return slices.ContainsFunc(vs, func(v kernel.Value) bool { return n.value[v] })
}

// block looks through a block once, backwards. It reports whether the block has to run for what it stores.
func (n *needed) block(b *kernel.Block) (stores bool) {
	for i := len(b.Instrs) - 1; i >= 0; i-- {
		in := &b.Instrs[i]
		live := in.Code == kernel.Store && n.loaded[in.Region]
		n.results(in)
		for j := range in.Blocks {
			live = n.block(&in.Blocks[j]) || live
		}
		stores = stores || live
		if live = live || n.any(in.Out); live {
			n.operands(in)
		}
	}
	return stores
}

// results wants of an instruction's blocks what is wanted of it.
func (n *needed) results(in *kernel.Instr) {
	switch in.Code {
	case kernel.If:
		for i, v := range in.Out {
			if n.value[v] {
				n.want(in.Blocks[0].Results[i], in.Blocks[1].Results[i])
			}
		}
	case kernel.For:
		b := &in.Blocks[0]
		for i, v := range in.Out {
			if n.value[v] || n.value[b.Params[1+i]] {
				n.want(v, b.Params[1+i], b.Results[i], in.Args[2+i])
			}
		}
	case kernel.Fold:
		if n.any(in.Out) {
			n.want(in.Blocks[0].Results...)
		}
	}
}

// operands wants what an instruction needs to run at all.
func (n *needed) operands(in *kernel.Instr) {
	if !n.instr[in] {
		n.instr[in], n.changed = true, true
	}
	switch in.Code {
	case kernel.If:
		n.want(in.Args[0])
	case kernel.For:
		n.want(in.Args[:2]...)
		if b := &in.Blocks[0]; in.Stop {
			n.want(b.Results[len(b.Results)-1])
		}
	default:
		n.want(in.Args...)
	}
	if in.Code == kernel.Load && n.k.Regions[in.Region].Access == kernel.Scratch && !n.loaded[in.Region] {
		n.loaded[in.Region], n.changed = true, true
	}
}
