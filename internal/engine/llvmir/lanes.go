package llvmir

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// leastWork is how many values must be computed side by side to make up for
// taking them apart again.
const leastWork = 3

// sideBySide writes a For whose turns are computed in vectors, with loops
// inside run once for all lanes. What cannot be done so is done for one lane
// after the other behind that.
func (e *emitter) sideBySide(in *kernel.Instr) bool {
	p, ok := e.examine(in)
	if !ok {
		return false
	}
	w := p.weigh()
	if w.data == 0 || len(p.single) > 0 && !w.loops && (w.data < leastWork || p.dominated(w)) {
		return false
	}
	n := p.lanesFor(w)
	check, ok := p.shortOnly()
	if n == 0 || !ok {
		return false
	}
	from, to := e.scalar(in.Args[0]), e.scalar(in.Args[1])
	switch {
	case len(p.reduced) > 0:
		p.writeReduced(from, to, n)
		return true
	case len(p.prefixed) > 0:
		p.writePrefixes(from, to, n)
		return true
	}
	if len(check) == 0 {
		p.write(from, to, n, w)
		return true
	}
	e.either(p.areShort(check), func() {
		for _, c := range check {
			e.atMost[c] = shortTurns(c)
		}
		p.write(from, to, n, w)
		for _, c := range check {
			delete(e.atMost, c)
		}
	}, func() { e.plainFor(in, from, to) })
	return true
}

// shadow is the number of operations up to which a processor has done them when a
// turn's element has gone through a short chain of operations to the next turn.
const shadow = 16

// dominated reports that the single instructions take the time, whatever else is
// computed side by side: a loop, or a chain from turn to turn.
func (p *plan) dominated(w *weight) bool {
	for in := range p.single {
		loops := false
		each(in, func(in *kernel.Instr) { loops = loops || isLoop(in) })
		if loops {
			return true
		}
	}
	return w.work() <= shadow && len(p.forwards(p.in)) > 0
}

// either writes both sides of a branch without results.
func (e *emitter) either(cond string, yes, no func()) {
	a, b, done := e.label(), e.label(), e.label()
	e.brIf(cond, a, b)
	e.open(a)
	yes()
	e.br(done)
	e.open(b)
	no()
	e.br(done)
	e.open(done)
}

func (p *plan) areShort(loops []*kernel.Instr) string {
	all := ""
	for _, in := range loops {
		count := p.turnCount(p.scalar(in.Args[0]), p.scalar(in.Args[1]))
		c := p.set("icmp sle i64 %s, %d", count, shortTurns(in))
		if all != "" {
			c = p.set("and i1 %s, %s", all, c)
		}
		all = c
	}
	return all
}

// write gives as many turns as possible to n lanes and the rest to scalar code.
// Before that some more go to fewer lanes, if the loop may be short or has a
// loop inside, with which a turn is dear.
func (p *plan) write(from, to string, n int, w *weight) {
	p.sink()
	p.scalings = p.ordinary()
	p.spaces(n)
	p.copied = p.tables()
	for _, t := range p.copied {
		t.open(p, min(n, p.times())-1)
	}
	if p.met != nil && len(p.met.pairs) > 0 {
		p.writeApart(from, to, n, w)
		return
	}
	from = p.groups(from, to, n, w)
	for _, t := range p.copied {
		t.close(p)
	}
	p.leftOver(from, to)
}

// groups runs whole groups and gives the first turn that is left.
func (p *plan) groups(from, to string, n int, w *weight) string {
	from = p.mostLanes(from, to, n, w)
	short := w.data <= 20 && !w.turns && (w.loops || !p.overSlots())
	if n >= 8 && (short || n*w.size() > 4*p.t.VectorBytes) {
		from = p.inLanes(from, to, n/4)
	}
	return from
}

// leftOver runs turns one by one.
func (p *plan) leftOver(from, to string) {
	plain := p.plain
	p.plain = true
	p.plainFor(p.in, from, to)
	p.plain = plain
}

// inLanes runs whole groups of n turns and gives the first that is left.
func (p *plan) inLanes(from, to string, n int) string {
	mid := p.groupsEnd(from, to, n)
	size := p.stripSize(p.body)
	if len(p.single) > 0 {
		size = min(size, p.batch)
	}
	p.strips(from, mid, size, p.short(p.in, size), nil, func(from, to string, _ []state) ([]string, string) {
		p.loop(from, to, int64(n), nil, func(i string, _ []string) ([]string, string) {
			p.prefetch(i, mid, n)
			p.group(i, n)
			p.spill(i, from, n)
			return nil, ""
		})
		if len(p.single) > 0 {
			p.oneByOne(from, to, n)
		}
		return nil, ""
	})
	return mid
}

func (p *plan) groupsEnd(from, to string, n int) string {
	return p.set("add i64 %s, %s", from, p.set("and i64 %s, %d", p.turnCount(from, to), -n))
}

// group writes n turns from i on.
func (p *plan) group(i string, n int) {
	p.sharing(n, func() {
		p.vals[p.body.Params[0]] = operand{text: i, stride: "1"}
		outside := p.pending
		p.pending = nil
		if len(p.scalings) > 0 {
			p.twice(n)
		} else {
			p.whole()
		}
		p.flush()
		p.pending = outside
		clear(p.packed)
	})
}

// sharing writes code for n lanes by this plan.
func (p *plan) sharing(n int, f func()) {
	lanes, shapes := p.lanes, p.emitter.shapes
	p.lanes, p.emitter.shapes = n, p.shapes
	f()
	p.lanes, p.emitter.shapes = lanes, shapes
}

// pack copies elements that a loop nest would gather again and again, once for
// each of its outer turns, into memory where the lanes lie side by side.
func (p *plan) pack(top *kernel.Instr) {
	if !isLoop(top) || innermost(&top.Blocks[0]) {
		return
	}
	each(top, func(loop *kernel.Instr) {
		if !isLoop(loop) || loop == top || !p.short(loop, unrolled) || !innermost(&loop.Blocks[0]) {
			return
		}
		for i := range loop.Blocks[0].Instrs {
			if in := &loop.Blocks[0].Instrs[i]; in.Code == kernel.Load {
				p.packLoad(loop, in, top.Blocks[0].Params[0])
			}
		}
	})
}

// packLoad packs r[row + c] for a counter c and a row that has a stride over
// the lanes and is known outside of the nest, whose first value is inside.
func (p *plan) packLoad(loop, in *kernel.Instr, inside kernel.Value) {
	c := loop.Blocks[0].Params[0]
	at := p.def[in.Args[0]]
	if at == nil || at.Code != kernel.Arith || at.Op != num.Add || p.shapes[in.Args[0]] != strided {
		return
	}
	row := at.Args[0]
	if row == c {
		row = at.Args[1]
	}
	if row == c || at.Args[0] != c && at.Args[1] != c || row >= inside || p.at(row).shape() != strided || loop.Args[0] >= inside || loop.Args[1] >= inside {
		return
	}
	t := typ{p.k.Regions[in.Region].Elem, p.lanes}
	if t.kind == num.Bool {
		return
	}
	buf := p.alloca(unrolled, t)
	from, to := p.scalar(loop.Args[0]), p.scalar(loop.Args[1])
	p.loop(from, to, 1, nil, func(i string, _ []string) ([]string, string) {
		was := p.at(row)
		p.vals[in.Args[0]] = operand{text: p.set("add i64 %s, %s", was.text, i), stride: was.stride}
		p.keep(t, p.gather(in, t), p.set("getelementptr %s, ptr %s, i64 %s", t, buf, p.set("sub i64 %s, %s", i, from)))
		return nil, ""
	})
	p.packed[in] = func() string {
		slot := p.set("sub i64 %s, %s", p.scalar(c), from)
		return p.recall(t, p.set("getelementptr %s, ptr %s, i64 %s", t, buf, slot))
	}
}
