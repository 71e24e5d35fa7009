package lower

import (
	"github.com/godwit-run/godwit/graph"
	"github.com/godwit-run/godwit/kernel"
	"github.com/godwit-run/godwit/num"
	"github.com/godwit-run/godwit/schedule"
	"github.com/godwit-run/godwit/size"
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
	var aside []schedule.Step
	steps := l.steps
	l.steps = &aside
	err := l.kernel("leaves of "+l.nameOf(n), func(k *kern) {
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
	if l.steps = steps; err != nil {
		return err
	}
	p.Launch = aside[0].(*schedule.Launch)
	for i := range from {
		p.From, p.Into = append(p.From, from[i].buffer), append(p.Into, out[i].buffer)
	}
	launch.Packed = p
	return nil
}
