package lower

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// In: keyed folds. Out: the same in stretches of num.Leaf slots, in
// order: each goes on with the tables as the one before left them, and the first of a leaf clears its row. So a leaf whose slots lie on
// several machines has its tables go from one to the next, and its slots stay where they are. Leaves are long where the order counts, since they
// are part of the language, and where there are many groups.

// inTurn fills the tables that joints name.
func (l *lowering) inTurn(group []*graph.Node, joints []joint, f leaves) (*schedule.Launch, error) {
	done := l.buffer("stretches of "+l.names(group), num.I64, size.Const(1))
	return l.aside(func() error {
		return l.kernel("groups of "+l.names(group)+" in turn", func(k *kern) {
			k.over(f.slots, num.Leaf)
			length, count := k.leaves(f)
			k.stream = []int{k.region(done, size.Const(1), kernel.ReadWrite)}
			before := k.resume([]kernel.Carry{{Kind: num.I64}})
			var qs []*keyed
			for i, n := range group {
				q := k.keyed(n, k.root)
				q.plain = true
				for _, b := range joints[i].buffers {
					q.tables = append(q.tables, k.regionOf(b, count.Mul(k.poly(q.width)), kernel.ReadWrite))
				}
				qs = append(qs, q)
			}
			k.goOn(qs, length, count, f.slots)
			k.state = []kernel.Value{k.b.Wrap(num.Add, before[0], k.b.Int(1))}
		})
	})
}

// goOn combines the slots of the grain into the row of their leaf. There is a leaf if there is a slot, which verify does not see.
func (k *kern) goOn(qs []*keyed, length, count, slots size.Poly) {
	nothing := func() []kernel.Value { return nil }
	k.b.Guard(count, func() []kernel.Value {
		return k.block(func() []kernel.Value {
			row := k.boundBelow(k.b.Wrap(num.Div, k.lo, k.b.SizeOf(length)), count)
			begins := k.b.Wrap(num.Eq, k.lo, k.b.Wrap(num.Mul, row, k.b.SizeOf(length)))
			k.branch(begins, func() []kernel.Value {
				for _, q := range qs {
					k.clearRow(q, row)
				}
				return nil
			}, nothing)
			k.each(k.lo, k.hi, slots, func(i kernel.Value) {
				k.slotScope(i, func() { k.fillSlots(qs, row, i) })
			})
			return nil
		})
	}, nothing)
}
