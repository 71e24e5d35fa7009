package lower

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// sequential reports an operation that walks over many slots in order and
// carries only scalars: its kernel goes grain by grain with its state in
// memory between grains, so that its argument may pass by in windows.
func (l *lowering) sequential(n *graph.Node) bool {
	switch n.Op {
	case graph.Fold, graph.Scan:
		_, arrays := shape(n.Args[1].Type)
		return len(arrays) == 0 && !l.small(n)
	case graph.Compact, graph.TopK:
		return !l.small(n)
	}
	return false
}

// sequence computes such an operation: one kernel sets the state, one walks.
func (l *lowering) sequence(n *graph.Node) error {
	state := l.stateBuffers(n)
	err := l.kernel("start "+l.nameOf(n), func(k *kern) {
		for j, v := range k.startOf(n) {
			k.b.Store(k.region(state[j].buffer, size.Const(1), kernel.Write), k.b.Int(0), v)
		}
	})
	if err != nil {
		return err
	}
	t, out, keys := l.sequenceSpace(n)
	err = l.kernel(opName(n)+" "+l.nameOf(n), func(k *kern) {
		k.over(n.Args[0].Type.Size, num.Leaf)
		for _, s := range state {
			k.stream = append(k.stream, k.region(s.buffer, size.Const(1), kernel.ReadWrite))
		}
		if out != nil {
			access := kernel.Write
			if n.Op == graph.TopK {
				access = kernel.ReadWrite
			}
			dst := k.attach(t, out, access)
			dst.keys = keys
			k.target[n] = &dst
		}
		k.emit(n, k.root)
		k.launch.Pruning = l.pruning([]*graph.Node{n})
	})
	if err == nil && n.Op == graph.Compact && out != nil {
		err = l.packed(n, out, state[0].buffer)
	}
	if l.mat[n] = out; out == nil && n.Op != graph.Compact {
		l.mat[n] = state
	}
	if n.Defines != "" {
		most := n.Args[0].Type.Size
		if n.Op == graph.TopK {
			most = n.Poly
		}
		l.define(n, state[0].buffer, most)
	}
	return err
}

// stateBuffers holds what is carried: the accumulator, or how many elements
// there are so far.
func (l *lowering) stateBuffers(n *graph.Node) []source {
	kinds := []num.Kind{num.I64}
	if n.Op == graph.Fold || n.Op == graph.Scan {
		kinds = nil
		scalars, _ := shape(n.Args[1].Type)
		for _, s := range scalars {
			kinds = append(kinds, s.KindOf())
		}
	}
	var out []source
	for _, kind := range kinds {
		out = append(out, source{buffer: l.buffer(l.nameOf(n)+" so far", kind, size.Const(1))})
	}
	return out
}

// startOf is the state before the first slot.
func (k *kern) startOf(n *graph.Node) (out []kernel.Value) {
	if n.Op == graph.Compact || n.Op == graph.TopK {
		return []kernel.Value{k.b.Int(0)}
	}
	parts(n.Args[1].Type, k.node(n.Args[1], k.root),
		func(_ *graph.Type, v val) { out = append(out, v.s) }, func(*graph.Type, val) {})
	return out
}

// keeps reports that the elements that a Compact moves together are wanted, and not their number alone. Where rows may lie on other machines it is they
// that leaves are counted by.
func (l *lowering) keeps(n *graph.Node) bool { return l.opt.Partials || l.use[n].isRead() }

// sequenceSpace makes the buffers of an array result; keys is what a top-k
// needs besides.
func (l *lowering) sequenceSpace(n *graph.Node) (t *graph.Type, out, keys []source) {
	switch n.Op {
	case graph.Scan:
		t = n.Type
	case graph.Compact:
		if !l.keeps(n) {
			return nil, nil, nil
		}
		t = graph.ArrayOf(n.Type.Elem(), n.Args[0].Type.Size)
	case graph.TopK:
		t = graph.ArrayOf(n.Type.Elem(), n.Poly)
		keys = []source{{buffer: l.buffer(l.nameOf(n)+" keys", topKey(n), n.Poly)}}
	default:
		return nil, nil, nil
	}
	return t, l.buffersFor(l.nameOf(n), t), keys
}
