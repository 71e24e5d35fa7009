package llvmir

import (
	"maps"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// plan says how turns of a loop are computed side by side, and what of that has been written.
type plan struct {
	*emitter
	*loops.Plan
	// batch is how many turns at most are computed side by side before the
	// single instructions follow, which find spills in memory.
	batch  int64
	spills []spilled
	copied []*table
	// scalings are the exponentials that are shorter where all lanes are ordinary.
	scalings []*scaling
	// asked are the floats that are positive and normal mostly, where the rest of the body may be shorter.
	asked []*regular
	// divided are the divisions by one number that are multiplications where all lanes are ordinary.
	divided []*quotient
}

// of is a plan to write by. It may get more single instructions, and the one that
// is found again must not.
func (e *emitter) of(p *loops.Plan) *plan {
	own := *p
	own.Single = maps.Clone(p.Single)
	return &plan{emitter: e, Plan: &own}
}

// sideBySide writes a For whose turns are computed in lanes, if it has a plan.
func (e *emitter) sideBySide(in *kernel.Instr) bool {
	found, _ := e.Plan(in)
	if found == nil {
		return false
	}
	p := e.of(found)
	if p.Tile != nil {
		p.tiles().write()
		return true
	}
	if p.Turned != nil {
		p.turned()
		return true
	}
	from, to := e.scalar(in.Args[0]), e.scalar(in.Args[1])
	switch {
	case len(p.Reduced) > 0:
		p.writeReduced(from, to, p.Lanes)
	case len(p.Prefixed) > 0:
		p.writePrefixes(from, to, p.Lanes)
	case p.Appended != nil:
		p.writeAppended(from, to)
	case len(p.Check) == 0:
		p.write(from, to, p.Lanes)
	default:
		e.either(p.areShort(), func() {
			for _, c := range p.Check {
				e.AtMost[c] = loops.ShortEnough(c)
			}
			p.write(from, to, p.Lanes)
			for _, c := range p.Check {
				delete(e.AtMost, c)
			}
		}, func() { e.plainFor(in, from, to) })
	}
	return true
}

func (p *plan) areShort() string {
	all := ""
	for _, in := range p.Check {
		count := p.turnCount(p.scalar(in.Args[0]), p.scalar(in.Args[1]))
		c := p.set("icmp sle i64 %s, %d", count, loops.ShortEnough(in))
		if all != "" {
			c = p.set("and i1 %s, %s", all, c)
		}
		all = c
	}
	return all
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

// write gives as many turns as possible to n lanes and the rest to scalar code.
// Before that some more go to fewer lanes, if the loop may be short or has a
// loop inside, with which a turn is dear.
func (p *plan) write(from, to string, n int) {
	p.sink()
	p.ordinary()
	p.spaces(n)
	p.copied = p.tables()
	for _, t := range p.copied {
		t.open(p, min(n, p.copies())-1)
	}
	if p.Meet.Any() {
		p.writeApart(from, to, n)
		return
	}
	from = p.groups(from, to, n)
	for _, t := range p.copied {
		t.close(p)
	}
	p.leftOver(from, to)
}

// groups runs whole groups and gives the first turn that is left.
func (p *plan) groups(from, to string, n int) string {
	from = p.mostLanes(from, to, n)
	w := p.Work
	short := w.Data <= 20 && !w.Turns && (w.Loops || !p.OverSlots(p.In))
	if n >= 8 && (short || n*p.Width > 4*p.t.VectorBytes) {
		from = p.inLanes(from, to, n/4)
	}
	return from
}

// leftOver runs turns one by one.
func (p *plan) leftOver(from, to string) {
	plain := p.plain
	p.plain = true
	p.plainFor(p.In, from, to)
	p.plain = plain
}

// inLanes runs whole groups of n turns and gives the first that is left.
func (p *plan) inLanes(from, to string, n int) string {
	mid, told := p.groupsEnd(from, to, n), p.told(p.In)
	size := p.stripSize(p.Body)
	if len(p.Single) > 0 {
		size = min(size, p.batch)
	}
	p.strips(from, mid, size, p.Short(p.In, size), nil, func(from, to string, _ []state) ([]string, string) {
		p.loop(from, to, int64(n), nil, func(i string, _ []string) ([]string, string) {
			p.askAhead(told, i, n)
			p.group(i, n)
			p.spill(i, from, n)
			return nil, ""
		})
		if len(p.Single) > 0 {
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
		p.vals[p.Body.Params[0]] = operand{text: i, stride: "1"}
		outside := p.pending
		p.pending = nil
		if p.isTwice() {
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
	p.lanes, p.emitter.shapes = n, p.Shapes
	f()
	p.lanes, p.emitter.shapes = lanes, shapes
}

// pack copies elements that a loop nest would gather again and again, once for
// each of its outer turns, into memory where the lanes lie side by side.
func (p *plan) pack(top *kernel.Instr) {
	if !loops.IsLoop(top) || loops.Innermost(&top.Blocks[0]) {
		return
	}
	top.Each(func(loop *kernel.Instr) {
		if !loops.IsLoop(loop) || loop == top || !p.Short(loop, loops.WrittenOut) || !loops.Innermost(&loop.Blocks[0]) {
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
	at := p.Def[in.Args[0]]
	if at == nil || at.Code != kernel.Arith || at.Op != num.Add || p.Shapes[in.Args[0]] != loops.Strided {
		return
	}
	row := at.Args[0]
	if row == c {
		row = at.Args[1]
	}
	if row == c || at.Args[0] != c && at.Args[1] != c || row >= inside || p.at(row).shape() != loops.Strided || loop.Args[0] >= inside || loop.Args[1] >= inside {
		return
	}
	t := typ{p.k.Regions[in.Region].Elem, p.lanes}
	if t.kind == num.Bool {
		return
	}
	buf := p.alloca(loops.WrittenOut, t)
	from, to := p.scalar(loop.Args[0]), p.scalar(loop.Args[1])
	place := func(i string) string {
		return p.set("getelementptr %s, ptr %s, i64 %s", t, buf, p.set("sub i64 %s, %s", i, from))
	}
	begin := p.at(row)
	at0 := func(i string) {
		p.vals[in.Args[0]] = operand{text: p.set("add i64 %s, %s", begin.text, i), stride: begin.stride}
	}
	rest := from
	if each := pieceLanes / t.kind.Size(); p.lanes%each == 0 && p.lanes > each {
		rest = p.groupsEnd(from, to, each)
		p.loop(from, rest, int64(each), nil, func(i string, _ []string) ([]string, string) {
			at0(i)
			for c, v := range p.turnedPieces(in, t, each) {
				p.keep(t, v, place(p.set("add i64 %s, %d", i, c)))
			}
			return nil, ""
		})
	}
	p.loop(rest, to, 1, nil, func(i string, _ []string) ([]string, string) {
		at0(i)
		p.keep(t, p.gather(in, t), place(i))
		return nil, ""
	})
	p.packed[in] = func() string {
		slot := p.set("sub i64 %s, %s", p.scalar(c), from)
		return p.recall(t, p.set("getelementptr %s, ptr %s, i64 %s", t, buf, slot))
	}
}

// pieceLanes is how many bytes of a row are loaded at once, of which a processor's instructions turn several side by side.
const pieceLanes = 16

// turnedPieces loads so many elements of each lane's row: for each of them a vector over the lanes.
func (p *plan) turnedPieces(in *kernel.Instr, t typ, each int) []string {
	piece, rows := typ{t.kind, each}, make([]string, each)
	index := p.at(in.Args[0])
	for j := range rows {
		var parts []string
		for lane := j; lane < t.n; lane += each {
			parts = append(parts, p.loadIndex(in.Region, p.lane(index, typ{num.I64, t.n}, lane), piece))
		}
		rows[j] = p.abreast(piece, parts)
	}
	return p.zipped(t, rows, each)
}

// abreast is one vector of several, whose number is a power of two.
func (e *emitter) abreast(t typ, parts []string) string {
	for ; len(parts) > 1; t.n *= 2 {
		lanes := make([]int, 2*t.n)
		for i := range lanes {
			lanes[i] = i
		}
		for i := range len(parts) / 2 {
			parts[i] = e.set("shufflevector %s %s, %s %s, %s", t, parts[2*i], t, parts[2*i+1], mask(lanes))
		}
		parts = parts[:len(parts)/2]
	}
	return parts[0]
}
