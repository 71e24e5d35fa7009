package llvmir

import (
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Between two looks at the stop word lie at most so many turns of an innermost
// loop, or of a loop around others.
const (
	innerStrip = num.Leaf
	outerStrip = 64
)

// stripSize is the number of turns between two looks at the stop word.
func (e *emitter) stripSize(b *kernel.Block) int64 {
	size := int64(innerStrip)
	b.Each(func(in *kernel.Instr) {
		if loops.IsLoop(in) && !e.Short(in, loops.WrittenOut) {
			size = outerStrip
		}
	})
	return size
}

// turnCount is to - from, or 0 if the loop has no turns. The work of a
// verified kernel is bounded, so the number is far below 2^62.
func (e *emitter) turnCount(from, to string) string {
	if from == "0" && to[0] != '%' {
		if n, err := strconv.ParseInt(to, 10, 64); err == nil {
			return strconv.FormatInt(max(n, 0), 10)
		}
	}
	n := e.set("sub i64 %s, %s", to, from)
	return e.set("select i1 %s, i64 %s, i64 0", e.set("icmp slt i64 %s, %s", from, to), n)
}

// strips cuts from..to into pieces of at most size turns, with a look at the
// stop word between two, unless there is but one.
func (e *emitter) strips(from, to string, size int64, one bool, init []state, body func(from, to string, s []state) (next []string, stop string)) []string {
	if one {
		next, _ := body(from, to, init)
		return next
	}
	count := e.turnCount(from, to)
	return e.loop("0", count, size, init, func(done string, c []string) ([]string, string) {
		rest := e.set("sub i64 %s, %s", count, done)
		more := e.set("icmp sgt i64 %s, %d", rest, size)
		look, on := e.label(), e.label()
		e.brIf(more, look, on)
		e.open(look)
		e.lookAtStop()
		e.br(on)
		e.open(on)
		start := e.set("add i64 %s, %s", from, done)
		turns := e.set("select i1 %s, i64 %d, i64 %s", more, size, rest)
		return body(start, e.set("add i64 %s, %s", start, turns), with(init, c))
	})
}

// turns runs the body once for each i in from..to, with a look at the stop
// word now and then.
func (e *emitter) turns(in *kernel.Instr, from, to string, init []state, body func(i string, c []string) (next []string, stop string)) []string {
	w := e.weaves(in)
	if w == nil {
		return e.inOrderAsking(in, from, to, init, body)
	}
	inOrder := func() []string { return e.inOrder(in, from, to, init, body) }
	woven := func() []string { return e.woven(w, from, to, init, body) }
	if e.mode == always {
		return woven()
	}
	return e.oneOf(e.isWoven(), init, woven, inOrder)
}

// inOrder runs each turn to its end before the next one.
func (e *emitter) inOrder(in *kernel.Instr, from, to string, init []state, body func(i string, c []string) (next []string, stop string)) []string {
	_, ends := e.going(in)
	if ends = ends || in.Stop; ends { // the condition itself is carried out of each strip
		init = append(init, state{typ{num.Bool, 1}, "false"})
	}
	last := len(init) - 1
	size := e.stripSize(&in.Blocks[0])
	r := e.strips(from, to, size, e.Short(in, size), init, func(from, to string, s []state) ([]string, string) {
		next := e.loop(from, to, 1, s, func(i string, c []string) ([]string, string) {
			if !ends {
				return body(i, c)
			}
			next, stop := body(i, c[:last])
			return append(next, stop), stop
		})
		if ends {
			return next, next[last]
		}
		return next, ""
	})
	if ends {
		return r[:last]
	}
	return r
}

// going gives the value that is false once the iterations of a loop change nothing any more, if there is one.
func (e *emitter) going(in *kernel.Instr) (kernel.Value, bool) {
	if e.lanes > 1 {
		return kernel.None, false
	}
	return e.Going(in)
}

// settled is the condition, at the end of an iteration, that those after it change nothing; "" if there is none.
func (e *emitter) settled(in *kernel.Instr) string {
	v, ok := e.going(in)
	if !ok {
		return ""
	}
	return e.set("xor i1 %s, true", e.scalar(v))
}

// forLoop picks the form of a For.
func (e *emitter) forLoop(in *kernel.Instr) {
	plain := func() { e.plainFor(in, e.scalar(in.Args[0]), e.scalar(in.Args[1])) }
	if e.lanes > 1 || e.plain {
		plain()
		return
	}
	if p, _ := e.Plan(in); p != nil && e.weaves(in) != nil {
		e.either(e.isWoven(), func() { e.weavingIs(always, plain) }, func() { e.weavingIs(never, func() { e.sideBySide(in) }) })
		return
	}
	if !e.sideBySide(in) {
		plain()
	}
}

// plainFor runs the turns one after the other.
func (e *emitter) plainFor(in *kernel.Instr, from, to string) {
	var init []state
	for j, c := range in.Carry {
		n := e.wide(in.Blocks[0].Params[1+j])
		init = append(init, state{typ{c.Kind, n}, e.vector(in.Args[2+j], n)})
	}
	e.forFrom(in, from, to, init)
}

// forFrom does so with these values carried into the first turn.
func (e *emitter) forFrom(in *kernel.Instr, from, to string, init []state) {
	b := &in.Blocks[0]
	own, forwards, asides := len(init), e.forwards(in), e.asides(in)
	for _, f := range forwards {
		init = append(init, f.before(e, from, to)...)
	}
	out := e.turns(in, from, to, init, func(i string, c []string) ([]string, string) {
		e.bind(b.Params[0], i)
		for j, v := range c[:own] {
			e.give(b.Params[1+j], v, init[j].typ.n)
		}
		e.askRows(asides, i)
		carried := c[own:]
		for _, f := range forwards {
			f.take(e, carried)
			carried = carried[len(f.Loads):]
		}
		e.body(b)
		var next []string
		for j, s := range init[:own] {
			next = append(next, e.vector(b.Results[j], s.typ.n))
		}
		carried = c[own:]
		for _, f := range forwards {
			next = append(next, f.next(e, carried)...)
			carried = carried[len(f.Loads):]
		}
		if in.Stop {
			return next, e.scalar(b.Results[own])
		}
		return next, e.settled(in)
	})
	for j, v := range in.Out {
		e.give(v, out[j], init[j].typ.n)
	}
}
