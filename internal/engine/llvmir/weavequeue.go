package llvmir

import (
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a batch of walks that end as data says, begun and at rest in their columns. Out: all of them at their ends. As many as are
// wanted are under way; one that ends makes room for the next in the queue, and when the queue is empty, for the last of those
// under way (asynchronous memory access chaining, Kocberber, Falsafi and Grot, VLDB 2015).

// queue runs so many walks.
func (x *weaving) queue(ready string) {
	index := typ{num.I64, 1}
	first := x.pure("llvm.smin", index, ready, x.inFlight)
	x.loop("0", first, 1, nil, func(k string, _ []string) ([]string, string) {
		x.enter(k, k)
		return nil, ""
	})
	states := []state{{index, first}, {index, first}} // walks under way, and the next in the queue
	x.repeat(states, func(c []string) string { return x.set("icmp sgt i64 %s, 0", c[0]) }, func(c []string) []string {
		x.lookAtStop()
		round := []state{{index, "0"}, {index, c[0]}, {index, c[1]}}
		out := x.repeat(round, func(c []string) string { return x.set("icmp slt i64 %s, %s", c[0], c[1]) }, func(c []string) []string {
			return x.step(c[0], c[1], c[2], ready)
		})
		return out[1:]
	})
}

// enter gives place k to walk number next of the queue, and asks for what it loads first.
func (x *weaving) enter(k, next string) {
	row := next
	if x.ready != "" {
		row = x.recall(typ{num.I64, 1}, x.place(x.ready, next))
	}
	x.keep(typ{num.I64, 1}, row, x.place(x.live, k))
	x.bindRow(row)
	x.ask(x.get(x.turn[0], row), x.getAll(x.carried, row))
}

// step is a turn of the walk at place k. It gives the place that comes next, how many walks are under way, and which is the next
// in the queue.
func (x *weaving) step(k, live, next, ready string) []string {
	index := typ{num.I64, 1}
	row := x.recall(index, x.place(x.live, k))
	i := x.get(x.turn[0], row)
	carried, stop := x.advance(row, i)
	i = x.set("add i64 %s, 1", i)
	x.put(x.turn[0], row, i)
	to := x.scalar(x.Walk.Args[1])
	if x.end != nil {
		to = x.get(x.end[0], row)
	}
	ended := x.set("icmp sge i64 %s, %s", i, to)
	if stop != "" {
		ended = x.set("or i1 %s, %s", ended, stop)
	}
	after := x.set("add i64 %s, 1", k)
	s := []state{{index, after}, {index, live}, {index, next}}
	return x.oneOf(ended, s, func() []string {
		return x.oneOf(x.set("icmp slt i64 %s, %s", next, ready), s, func() []string {
			x.enter(k, next)
			return []string{after, live, x.set("add i64 %s, 1", next)}
		}, func() []string {
			less := x.set("add i64 %s, -1", live)
			x.keep(index, x.recall(index, x.place(x.live, less)), x.place(x.live, k))
			return []string{k, less, next}
		})
	}, func() []string {
		x.ask(i, carried)
		return []string{after, live, next}
	})
}
