package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// packed gives the launch that moves the set elements of n together into out, and their number
// into total, the one that does so leaf by leaf: each leaf's elements go to the beginning of a
// stretch that only the leaf writes, and their number to an entry of its own. So leaves can be
// done anywhere, in any order, and what is not kept need not travel.
func (l *lowering) packed(n *graph.Node, out []source, total int) error {
	if !l.opt.Partials {
		return nil
	}
	launch := (*l.steps)[len(*l.steps)-1].(*schedule.Launch)
	slots, elem := n.Args[0].Type.Size, n.Type.Elem()
	leaves := ceilDiv(slots, num.Leaf)
	stretches := graph.ArrayOf(elem, leaves.Mul(size.Const(num.Leaf)))
	from := l.buffersFor("leaves of "+l.nameOf(n), stretches)
	p := &schedule.Packed{Counts: l.buffer("kept of "+l.nameOf(n), num.I64, leaves), Total: total}
	leafwise, err := l.aside(func() error {
		return l.kernel("leaves of "+l.nameOf(n), func(k *kern) {
			k.over(slots, num.Leaf)
			a := k.node(n.Args[0], k.root).arr
			dst := k.attach(stretches, from, kernel.Write)
			counts := k.region(p.Counts, leaves, kernel.Write)
			first := k.b.Wrap(num.Mul, k.o, k.b.Int(num.Leaf))
			kept := k.walkPart(a, k.lo, k.hi, oneCount, []kernel.Value{k.b.Int(0)}, func(_ kernel.Value, v val, c []kernel.Value) []kernel.Value {
				inner := dst
				inner.off = k.b.Wrap(num.Add, first, k.bound(c[0], size.Const(num.Leaf)))
				k.store(elem, v, inner)
				return []kernel.Value{k.b.Wrap(num.Add, c[0], k.b.Int(1))}
			})
			k.b.Store(counts, k.o, kept[0])
			k.launch.Pruning = launch.Pruning
		})
	})
	if err != nil {
		return err
	}
	p.Launch = leafwise
	for i := range from {
		p.From, p.Into = append(p.From, from[i].buffer), append(p.Into, out[i].buffer)
	}
	p.First = l.firstUsed(n)
	launch.Packed = p
	return nil
}

// aside gives a launch that stands for another one and is no step of its own.
func (l *lowering) aside(make func() error) (*schedule.Launch, error) {
	var list []schedule.Step
	steps := l.steps
	l.steps = &list
	err := make()
	if l.steps = steps; err != nil {
		return nil, err
	}
	return list[0].(*schedule.Launch), nil
}

// firstUsed is how many of the elements of n are used, if only a take of a number that is known before
// uses them, and nothing uses how many there are.
func (l *lowering) firstUsed(n *graph.Node) *schedule.ScalarSource {
	var take *graph.Node
	uses := 0
	l.g.Body.Walk(func(m *graph.Node) bool {
		for _, a := range m.Args {
			if a == n {
				uses, take = uses+1, m
			}
		}
		if m != n && (speaksOf(m.Type, n.Defines) || slices.Contains(m.Poly.Vars(), n.Defines)) {
			uses = 2
		}
		for _, b := range m.Blocks {
			if slices.Contains(b.Results, n) {
				uses = 2
			}
		}
		return true
	})
	if uses != 1 || take.Op != graph.Limit || take.Args[0] != n || slices.Contains(l.g.Body.Results, n) {
		return nil
	}
	many := take.Args[1]
	if many.Op == graph.Cast && many.Args[0].Type.IsScalar() && many.Args[0].Type.KindOf().IsInt() { // to i64
		many = many.Args[0]
	}
	switch many.Op {
	case graph.Const:
		return &schedule.ScalarSource{Poly: size.Const(int64(many.Bits))}
	case graph.Param:
		if srcs, ok := l.component(many); ok && srcs[0].buffer < 0 {
			return &schedule.ScalarSource{Scalar: &srcs[0].scalar}
		}
	}
	return nil
}

func speaksOf(t *graph.Type, name string) bool {
	return slices.Contains(t.Size.Vars(), name) || slices.Contains(t.Bound.Vars(), name) ||
		slices.ContainsFunc(t.Elems, func(e *graph.Type) bool { return speaksOf(e, name) })
}
