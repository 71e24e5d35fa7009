package lower

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// In: keyed folds. Out: the same in stretches of num.Leaf slots, in
// order: each goes on with the tables as the one before left them, and the first of a leaf clears them. So a leaf whose slots lie on
// several machines has its tables go from one to the next, and its slots stay where they are. Leaves are long where the order counts, since they
// are part of the language, and where there are many groups. The tables are those of one leaf: no other travels with them.

// inTurn gives the tables that joints name.
func (l *lowering) inTurn(group []*graph.Node, joints []joint, f leaves) (*schedule.Turns, error) {
	done := l.buffer("stretches of "+l.names(group), num.I64, size.Const(1))
	t := &schedule.Turns{}
	for i, n := range group {
		for _, b := range joints[i].buffers {
			t.From, t.Into = append(t.From, l.buffer("leaf of "+l.nameOf(n), l.s.Buffers[b].Kind, joints[i].width)), append(t.Into, b)
		}
	}
	var err error
	t.Launch, err = l.aside(func() error {
		return l.kernel("groups of "+l.names(group)+" in turn", func(k *kern) {
			k.over(f.slots, num.Leaf)
			k.stream = []int{k.region(done, size.Const(1), kernel.ReadWrite)}
			before := k.resume([]kernel.Carry{{Kind: num.I64}})
			from := t.From
			var qs []*keyed
			for i, n := range group {
				q := k.keyed(n, k.root)
				q.plain = true
				for range joints[i].buffers {
					q.tables = append(q.tables, k.regionOf(from[0], k.poly(q.width), kernel.ReadWrite))
					from = from[1:]
				}
				qs = append(qs, q)
			}
			k.goOn(qs, k.sizeArg(f.length()), f.slots)
			k.state = []kernel.Value{k.b.Wrap(num.Add, before[0], k.b.Int(1))}
		})
	})
	return t, err
}

// goOn combines the slots of the grain into the row of their leaf, which is all there is of the tables.
func (k *kern) goOn(qs []*keyed, length, slots size.Poly) {
	begins := k.b.Wrap(num.Eq, k.b.Wrap(num.Rem, k.lo, k.b.SizeOf(length)), k.b.Int(0))
	k.branch(begins, func() []kernel.Value {
		for _, q := range qs {
			k.clearRow(q, kernel.None)
		}
		return nil
	}, func() []kernel.Value { return nil })
	k.each(k.lo, k.hi, slots, func(i kernel.Value) {
		k.slotScope(i, func() { k.fillSlots(qs, kernel.None, i) })
	})
}
