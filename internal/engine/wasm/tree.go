package wasm

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
)

// node is an instruction with its blocks rebuilt after loop-invariant
// instructions have moved out of them.
type node struct {
	*kernel.Instr
	blocks []block
	pre    []*node // For, Fold: runs once, before the first turn, if there is one
	size   *loopSize
}

type block struct {
	params, results []kernel.Value
	code            []*node
}

// tree is a kernel's body with what is known about its values.
type tree struct {
	*loops.Analysis
	// level is the depth of the loop that a value varies with: 0 is the same
	// for the whole run, 1 varies with the outer index, and so on inward.
	level []int32
	pre   []*node // what varies with nothing
	body  block
	// appends are the conditions of loops that append, see append.go.
	appends map[*kernel.Instr]*loops.Appended

	loops []*loopScope // open loops, outermost first; index+1 is their level
}

// loopScope is a loop being rebuilt.
type loopScope struct {
	pre    *[]*node
	ifs    int    // open conditions inside the loop
	stored []bool // regions that the loop stores to
}

func newTree(k *kernel.Kernel) *tree {
	t := &tree{Analysis: loops.Of(k, Lanes())}
	t.level = make([]int32, len(t.Kinds))
	t.appends = appending(t.Analysis)
	t.loops = []*loopScope{{pre: &t.pre, stored: make([]bool, len(k.Regions))}}
	t.define(k.Body.Params, 1)
	t.body = t.rebuild(&k.Body)
	return t
}

func (t *tree) define(vs []kernel.Value, level int32) {
	for _, v := range vs {
		t.level[v] = level
	}
}

// rebuild turns a block's instructions into nodes and moves those that do
// not vary with the innermost loop out of it.
func (t *tree) rebuild(b *kernel.Block) block {
	r := block{params: b.Params, results: b.Results, code: make([]*node, 0, len(b.Instrs))}
	for i := range b.Instrs {
		in := &b.Instrs[i]
		n := &node{Instr: in}
		here := int32(len(t.loops))
		level := here
		if t.movable(in) {
			level = t.varies(in)
		}
		if in.Code == kernel.Load && level < here {
			level = t.loadLevel(in, level)
		}
		t.rebuildBlocks(n)
		t.define(in.Out, level)
		if level == here {
			r.code = append(r.code, n)
		} else {
			to := t.loops[level].pre
			*to = append(*to, n)
		}
	}
	return r
}

func (t *tree) rebuildBlocks(n *node) {
	switch n.Code {
	case kernel.If:
		scope := t.loops[len(t.loops)-1]
		scope.ifs++
		n.blocks = []block{t.rebuild(&n.Blocks[0]), t.rebuild(&n.Blocks[1])}
		scope.ifs--
	case kernel.For, kernel.Fold:
		scope := &loopScope{pre: &n.pre, stored: make([]bool, len(t.K.Regions))}
		storesIn(&n.Blocks[0], scope.stored)
		t.loops = append(t.loops, scope)
		t.define(n.Blocks[0].Params, int32(len(t.loops)))
		n.blocks = []block{t.rebuild(&n.Blocks[0])}
		t.loops = t.loops[:len(t.loops)-1]
	}
}

// movable reports whether an instruction may run earlier than where it
// stands: it has no effect, and no operation that this package emits traps.
// Loads may fault on memory that is not there and have rules of their own.
func (t *tree) movable(in *kernel.Instr) bool {
	switch in.Code {
	case kernel.Const, kernel.SizeOf, kernel.ScalarArg, kernel.Select, kernel.Bitcast, kernel.Positive, kernel.Load:
		return true
	case kernel.Arith, kernel.Convert, kernel.Bound:
		return in.Site == kernel.NoSite
	}
	return false
}

func (t *tree) varies(in *kernel.Instr) int32 {
	level := int32(0)
	for _, a := range in.Args {
		level = max(level, t.level[a])
	}
	return level
}

// loadLevel lets a load leave only its own loop, where the guard around the
// loop makes sure that it would have run anyway.
func (t *tree) loadLevel(in *kernel.Instr, level int32) int32 {
	here := int32(len(t.loops))
	scope := t.loops[here-1]
	if here == 1 || scope.ifs > 0 || scope.stored[in.Region] {
		return here
	}
	return here - 1
}

func storesIn(b *kernel.Block, stored []bool) {
	b.Each(func(in *kernel.Instr) {
		if in.Code == kernel.Store {
			stored[in.Region] = true
		}
	})
}
