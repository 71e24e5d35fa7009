package wasm

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
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
	k     *kernel.Kernel
	kinds []num.Kind      // per value
	def   []*kernel.Instr // per value; nil for parameters
	// level is the depth of the loop that a value varies with: 0 is the same
	// for the whole run, 1 varies with the outer index, and so on inward.
	level   []int32
	carried []bool  // per value: a parameter carried by a loop or the state
	pre     []*node // what varies with nothing
	body    block

	loops []*loopScope // open loops, outermost first; index+1 is their level
}

// loopScope is a loop being rebuilt.
type loopScope struct {
	pre    *[]*node
	ifs    int    // open conditions inside the loop
	stored []bool // regions that the loop stores to
}

func newTree(k *kernel.Kernel) *tree {
	t := &tree{k: k}
	t.loops = []*loopScope{{pre: &t.pre, stored: make([]bool, len(k.Regions))}}
	for i, p := range k.Body.Params {
		kind := num.I64
		if i >= 3 {
			kind = k.State[i-3].Kind
		}
		t.define(p, kind, nil, 1)
		t.carried[p] = i >= 3
	}
	t.body = t.rebuild(&k.Body)
	return t
}

func (t *tree) define(v kernel.Value, kind num.Kind, by *kernel.Instr, level int32) {
	for int(v) >= len(t.kinds) {
		t.kinds = append(t.kinds, num.Invalid)
		t.def = append(t.def, nil)
		t.level = append(t.level, 0)
		t.carried = append(t.carried, false)
	}
	t.kinds[v], t.def[v], t.level[v] = kind, by, level
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
		for j, kind := range outKinds(t, in) {
			t.define(in.Out[j], kind, in, level)
		}
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
		scope := &loopScope{pre: &n.pre, stored: make([]bool, len(t.k.Regions))}
		storesIn(&n.Blocks[0], scope.stored)
		t.loops = append(t.loops, scope)
		level := int32(len(t.loops))
		for i, p := range n.Blocks[0].Params {
			kind := num.I64
			if i > 0 {
				kind = n.Carry[i-1].Kind
			}
			t.define(p, kind, nil, level)
			t.carried[p] = i > 0
		}
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
	for i := range b.Instrs {
		in := &b.Instrs[i]
		if in.Code == kernel.Store {
			stored[in.Region] = true
		}
		for j := range in.Blocks {
			storesIn(&in.Blocks[j], stored)
		}
	}
}

// outKinds lists the kinds of an instruction's results; its blocks must have
// been rebuilt.
func outKinds(t *tree, in *kernel.Instr) []num.Kind {
	switch in.Code {
	case kernel.Store, kernel.Fault:
		return nil
	case kernel.Load:
		return []num.Kind{t.k.Regions[in.Region].Elem}
	case kernel.SizeOf, kernel.Bound:
		return []num.Kind{num.I64}
	case kernel.Positive:
		return []num.Kind{num.Bool}
	case kernel.Arith:
		if in.Op.IsCompare() {
			return []num.Kind{num.Bool}
		}
	case kernel.ScalarArg:
		return []num.Kind{t.k.Scalars[in.Index].Kind}
	case kernel.Select:
		return []num.Kind{t.kinds[in.Args[1]]}
	case kernel.If:
		kinds := make([]num.Kind, len(in.Blocks[0].Results))
		for i, v := range in.Blocks[0].Results {
			kinds[i] = t.kinds[v]
		}
		return kinds
	case kernel.For:
		kinds := make([]num.Kind, len(in.Carry))
		for i, c := range in.Carry {
			kinds[i] = c.Kind
		}
		return kinds
	case kernel.Fold:
		var kinds []num.Kind
		for _, a := range in.Accs {
			kinds = append(kinds, a.Outs()...)
		}
		return kinds
	}
	return []num.Kind{in.Kind}
}
