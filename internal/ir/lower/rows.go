package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a loop that changes arrays, as in for i in 1..N - 1 { for j in … { b[i][j] = …; } }. Out: a launch that gives every
// iteration an outer index of its own, so that threads share them. Invariant: of an array that the loop carries,
// iteration i reads and changes element i alone, so iterations meet nowhere, and their order does not show. The verifier holds the
// kernel to that once more; one that it refuses is not made.

// rowsApart reports such a loop. Its ends are known before it, and nothing in it can fault: a fault's place would have to tell
// the iteration.
func (l *lowering) rowsApart(n *graph.Node) bool {
	if byRow, known := l.byRow[n]; known {
		return byRow
	}
	byRow := n.Op == graph.Loop && !n.Stop && !l.opt.Partials && !l.use[n].faults && l.countOf(n) != nil && carriesRows(n)
	l.byRow[n] = byRow
	return byRow
}

// shares reports a loop whose iterations threads share: such a loop over rows, or one that no other loop is around, where
// a launch for each iteration of that would be most of the work.
func (l *lowering) shares(n *graph.Node) bool {
	if !l.rowsApart(n) || !rowsOf(n) && l.memory.home[n] != &l.g.Body {
		return false
	}
	slots := size.Const(0)
	for _, leaf := range graph.Leaves(n.Type) {
		slots = slots.Add(volume(leaf.Dims))
	}
	return l.most(slots) > fewSlots
}

// countOf is how many iterations a loop has between ends that sizes tell; nil if they do not, or it may have none.
func (l *lowering) countOf(n *graph.Node) *size.Poly {
	lo, ok := endOf(n.Args[0])
	hi, known := endOf(n.Args[1])
	if !ok || !known {
		return nil
	}
	count := hi.Sub(lo)
	if !l.facts.Proves(count) || !l.facts.Proves(lo) {
		return nil
	}
	return &count
}

func endOf(n *graph.Node) (size.Poly, bool) {
	switch n.Op {
	case graph.Const:
		return size.Const(int64(n.Bits)), true
	case graph.SizeVal:
		return n.Poly, true
	}
	return size.Poly{}, false
}

// carriesRows reports that a loop carries arrays alone, and touches of each the element of its own iteration alone.
func carriesRows(n *graph.Node) bool {
	b := n.Blocks[0]
	w := &whole{at: b.Params[0], of: map[*graph.Node]int{}}
	for j, t := range n.Type.Elems {
		if t.Kind != graph.Array || t.Masked {
			return false
		}
		w.of[b.Params[1+j]] = 1 + j
	}
	if !w.block(b) {
		return false
	}
	for j := range n.Type.Elems {
		if w.of[b.Results[j]] != 1+j {
			return false
		}
	}
	return changes(n)
}

// whole follows the arrays that a loop carries through its body.
type whole struct {
	at *graph.Node         // the loop's counter
	of map[*graph.Node]int // values that are all of a carried array: its number, from 1; or together
}

// block reports that nodes take of these arrays nothing but elements at the counter.
func (w *whole) block(b *graph.Block) bool {
	for _, n := range b.Nodes {
		if !w.node(n) {
			return false
		}
	}
	return true
}

func (w *whole) node(n *graph.Node) bool {
	switch n.Op {
	case graph.At:
		return (w.of[n.Args[0]] == 0 || n.Args[1] == w.at) && w.none(n.Args[1:]) && w.blocks(n)
	case graph.Update:
		if w.of[n.Args[0]] == 0 {
			return w.none(n.Args)
		}
		w.of[n] = w.of[n.Args[0]]
		return len(n.Path) > 0 && n.Path[0] == graph.ByIndex && n.Args[2] == w.at && w.none(n.Args[1:])
	case graph.Loop:
		return w.loop(n)
	case graph.If:
		return w.choice(n)
	case graph.Get:
		if inner := n.Args[0]; inner.Op == graph.Loop {
			w.of[n] = w.carried(inner, n.Field)
			return true
		}
	}
	return w.none(n.Args) && w.blocks(n)
}

// loop follows arrays that a loop inside carries on.
func (w *whole) loop(n *graph.Node) bool {
	b := n.Blocks[0]
	for j, a := range n.Args[2:] {
		w.of[b.Params[1+j]] = w.of[a]
	}
	if !w.none(n.Args[:2]) || !w.block(b) {
		return false
	}
	for j, a := range n.Args[2:] {
		if w.of[b.Results[j]] != w.of[a] {
			return false
		}
		if w.of[a] != 0 {
			w.of[n] = together
		}
	}
	return true
}

// together stands for a loop's result with such an array among others, of which fields alone are to be taken.
const together = -1

// choice follows an array that both sides of an if go on from.
func (w *whole) choice(n *graph.Node) bool {
	if !w.none(n.Args) || !w.block(n.Blocks[0]) || !w.block(n.Blocks[1]) {
		return false
	}
	a, b := n.Blocks[0].Results, n.Blocks[1].Results
	w.of[n] = w.of[a[0]]
	return w.of[a[0]] == w.of[b[0]]
}

// carried is which array a field of a loop's result is.
func (w *whole) carried(loop *graph.Node, field int) int { return w.of[loop.Args[2+field]] }

// none reports that none of these values is all of such an array.
func (w *whole) none(values []*graph.Node) bool {
	return !slices.ContainsFunc(values, func(v *graph.Node) bool { return w.of[v] != 0 })
}

// blocks looks at what an operation's bodies take and give.
func (w *whole) blocks(n *graph.Node) bool {
	for _, b := range n.Blocks {
		if !w.block(b) || !w.none(b.Results) {
			return false
		}
	}
	return true
}

// rows computes such a loop, in the buffers of the arrays that it begins with where it may.
func (l *lowering) rows(n *graph.Node) error {
	out := l.changed(n)
	count := *l.countOf(n)
	for j, init := range n.Args[2:] {
		lo, hi := leafRange(n.Type, j)
		if at, ok := l.component(init); !ok || !sameSources(at, out[lo:hi]) {
			if err := l.fill(init, out[lo:hi]); err != nil {
				return err
			}
		}
	}
	err := l.kernel("rows "+l.nameOf(n), func(k *kern) {
		k.over(count, rowGrain(n))
		c := k.carrying(n.Type)
		for j, t := range n.Type.Elems {
			lo, hi := leafRange(n.Type, j)
			dst := k.attach(t, out[lo:hi], kernel.ReadWrite)
			k.mayWrite(dst)
			c.now = append(c.now, dst)
		}
		first := k.node(n.Args[0], k.root).s
		k.each(k.lo, k.hi, count, func(slot kernel.Value) {
			k.slotScope(slot, func() {
				at := val{s: k.b.Wrap(num.Add, first, slot), safe: n.HasPoly}
				params := append([]val{at}, c.value(k, n.Type, nil).fields...)
				c.next(k, n.Type, k.body(n.Blocks[0], k.root, params...))
			})
		})
	})
	if err != nil { // verify does not see it: then as any other loop
		l.byRow[n] = false
		out, err = l.compute(n)
	}
	l.mat[n] = out
	return err
}

// rowGrain is how many iterations make an outer index: one, if an element is an array, over which there is a loop inside.
func rowGrain(n *graph.Node) int64 {
	if rowsOf(n) {
		return 1
	}
	return num.Leaf
}

// rowsOf reports that a loop changes arrays of arrays.
func rowsOf(n *graph.Node) bool {
	return !slices.ContainsFunc(n.Type.Elems, func(t *graph.Type) bool { return t.Elem().Kind != graph.Array })
}

func sameSources(a, b []source) bool {
	return slices.EqualFunc(a, b, func(x, y source) bool { return x.buffer >= 0 && x.buffer == y.buffer })
}
