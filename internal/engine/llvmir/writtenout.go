package llvmir

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// writtenOut writes such a fold.
func (e *emitter) writtenOut(in *kernel.Instr) {
	lo, _ := e.ConstInt(in.Args[0])
	count, _ := e.Length(in)
	ordered, others := e.accumulators(in)
	f := &shortFold{emitter: e, accs: ordered, count: int(count)}
	f.slot = func(i int) []folded {
		e.bind(in.Blocks[0].Params[0], typ{num.I64, 1}.constant(uint64(lo+int64(i))))
		e.body(&in.Blocks[0])
		return e.values(ordered)
	}
	var c []string
	if len(ordered) != 1 || len(others) > 0 || slices.ContainsFunc(in.Blocks[0].Instrs, loops.HasEffectInOrder) {
		c = texts(e.start(others, e.lanes))
		slots := make([][]folded, f.count)
		for i := range slots {
			slots[i] = f.slot(i)
			c = e.take(others, e.lanes, c, in.Blocks[0].Params[0])
		}
		f.slot = func(i int) []folded { return slots[i] }
	}
	var sums []string
	for acc := range ordered {
		sums = append(sums, f.sum(acc, 0, 1))
	}
	e.finish(in, e.lanes, sums, c)
}

// shortFold combines count slots in canonical order. A tree is walked to its
// leaves before the next begins, so that few values exist at a time: where
// slots can be computed in any order, they are when they are needed.
type shortFold struct {
	*emitter
	accs  []accumulator // ordered ones
	count int
	slot  func(i int) []folded // what goes into them
}

// sum is what lanes first, first+step, … fold to. Lanes that get no slot are
// left out: the identity keeps all bits.
func (f *shortFold) sum(acc, first, step int) string {
	a := f.accs[acc]
	if n := num.Lanes(a.Kind); step < n {
		left := f.sum(acc, first, 2*step)
		if first+step >= f.count {
			return left
		}
		return f.combine(a, f.lanes, []string{left}, []string{f.sum(acc, first+step, 2*step)})[0]
	}
	sum := f.alone(a, f.lanes, f.slot(first)[acc])
	for i := first + step; i < f.count; i += step {
		sum = f.into(a, f.lanes, sum, f.slot(i)[acc])
	}
	return sum
}
