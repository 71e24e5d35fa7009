package lower

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a scatter that threads share. Out: a kernel of which each outer index has a part of the elements that are changed, and walks
// over all updates for those of its own. Invariant: of each element the updates come in order, since one outer index has them all.
//
//	updates  | k k k k … leaf | k k k k … leaf | …     of a leaf, the slots of own updates first go to a list, without a branch
//	elements |   part o   |   part o + 1   | …         that nobody could foretell, and then they are done

// scatterShared scatters by all threads.
func (l *lowering) scatterShared(n *graph.Node, out []source) error {
	return l.inParts(n, n.Type.Size, func(p divided) error {
		return l.kernel("scatter parts of "+l.nameOf(n), func(k *kern) { k.scatterPart(n, p, out) })
	}, func() error { return l.solo(n, out) })
}

// owner is the outer index that has a part of a scatter's elements.
type owner struct {
	k    *kern
	n    *graph.Node
	src  *array
	out  backing
	list int // region: slots of a leaf
}

func (k *kern) scatterPart(n *graph.Node, p divided, out []source) {
	k.k.Outer, k.k.Grain, k.k.Count = k.poly(p.count), k.poly(p.part), k.poly(p.slots)
	dest, src := k.node(n.Args[0], k.root), k.node(n.Args[1], k.root).arr
	w := &owner{k: k, n: n, src: src, out: k.attach(n.Type, out, kernel.ReadWrite), list: k.scratch(k.l.slotKind(src.n), size.Const(num.Leaf))}
	k.mayWrite(w.out)
	k.branch(k.b.Wrap(num.Lt, k.lo, k.hi), func() []kernel.Value {
		if !lies(dest, w.out) {
			w.begin(dest.arr)
		}
		slots, leaf := k.sizeValue(src.n), k.b.Int(num.Leaf)
		leaves := k.b.Wrap(num.Div, k.b.Wrap(num.Add, slots, k.b.Int(num.Leaf-1)), leaf)
		k.each(k.b.Int(0), leaves, src.n, func(o kernel.Value) {
			from := k.b.Wrap(num.Mul, o, leaf)
			w.leaf(from, k.b.Wrap(num.Min, k.b.Wrap(num.Add, from, leaf), slots))
		})
		return nil
	}, func() []kernel.Value { return nil })
}

// begin brings the elements of the part to where they are changed.
func (w *owner) begin(dest *array) {
	k := w.k
	k.each(k.lo, k.hi, w.n.Type.Size, func(i kernel.Value) {
		k.slotScope(i, func() { k.store(w.n.Type.Elem(), k.element(dest, i).v, w.at(i)) })
	})
}

func (w *owner) at(i kernel.Value) backing {
	b := w.out
	b.off = i
	return b
}

// leaf does the updates of slots from..to that are of the part.
func (w *owner) leaf(from, to kernel.Value) {
	k := w.k
	found := k.loop(from, to, oneCount, []kernel.Value{k.b.Int(0)}, func(i kernel.Value, c []kernel.Value) (next []kernel.Value, _ kernel.Value) {
		k.inside(w.src.n, func() {
			k.slotScope(i, func() {
				own := w.owns(i)
				k.b.Store(w.list, k.bound(c[0], size.Const(num.Leaf)), k.b.Convert(i, k.k.Regions[w.list].Elem, false))
				next = []kernel.Value{k.b.Wrap(num.Add, c[0], k.b.Convert(own, num.I64, false))}
			})
		})
		return next, kernel.None
	})[0]
	count := k.b.Wrap(num.Max, k.b.Wrap(num.Min, found, k.b.Int(num.Leaf)), k.b.Int(0))
	k.each(k.b.Int(0), count, size.Const(num.Leaf), func(j kernel.Value) {
		k.inside(w.src.n, func() {
			i := k.bound(k.b.Convert(k.b.Load(w.list, j), num.I64, false), w.src.n)
			k.slotScope(i, func() { w.update(i) })
		})
	})
}

// owns reports that a slot is set, and its update of the part.
func (w *owner) owns(i kernel.Value) kernel.Value {
	k := w.k
	s := k.element(w.src, i)
	within := func(elem val) kernel.Value {
		key := k.body(w.n.Blocks[0], k.root, val{s: i, safe: true}, elem)[0].s
		return k.b.Wrap(num.And, k.b.Wrap(num.Ge, key, k.lo), k.b.Wrap(num.Lt, key, k.hi))
	}
	if w.src.masked == nil {
		return within(s.v)
	}
	return k.branch(s.set,
		func() []kernel.Value { return []kernel.Value{within(s.elem())} },
		func() []kernel.Value { return []kernel.Value{k.b.Const(num.Bool, 0)} })[0]
}

// update does the update of a slot that is set.
func (w *owner) update(i kernel.Value) {
	k := w.k
	do := func(elem val) {
		kv := k.body(w.n.Blocks[0], k.root, val{s: i, safe: true}, elem)
		key := kv[0].s
		// One turn, or none. It shows to verify that the place is of the part, and costs the comparisons that a bound would.
		k.each(k.b.Wrap(num.Max, key, k.lo), k.b.Wrap(num.Min, k.b.Wrap(num.Add, key, k.b.Int(1)), k.hi), w.n.Type.Size, func(at kernel.Value) {
			k.change(w.n, k.root, w.out, at, kv[1])
		})
	}
	s := k.element(w.src, i)
	if w.src.masked == nil {
		do(s.v)
		return
	}
	k.branch(s.set, func() []kernel.Value {
		do(s.elem())
		return nil
	}, func() []kernel.Value { return nil })
}
