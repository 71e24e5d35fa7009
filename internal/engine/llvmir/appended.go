package llvmir

import (
	"slices"
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In comes a For that appends elements where a condition holds, as a filter does; out goes one in lanes. Which lanes the condition holds
// for is random to a processor, so no branch asks for one lane, only whether there is any. With vectors of 64 bytes an amd64 processor
// moves the elements of these lanes together; others store each lane, to the next place or to one that nobody reads. Invariant: the same
// elements are stored in the same order, and nothing behind them, where another thread may be storing.

// writeAppended gives whole groups of lanes to vectors if there is room for all elements, and runs the turns that are left.
func (p *plan) writeAppended(from, to string) {
	n := p.Lanes
	first := []state{{typ{num.I64, 1}, p.scalar(p.In.Args[2])}}
	turns := p.turnCount(from, to)
	room := p.set("icmp sge i64 %s, 0", first[0].text)
	for _, b := range p.Appended.Bounds { // a sum of count and turns might wrap; what is left does not, for a count of 0 or more
		left := p.set("sub i64 %s, %s", p.poly(b.Poly), first[0].text)
		room = p.set("and i1 %s, %s", room, p.set("icmp sle i64 %s, %s", turns, left))
	}
	mid := p.set("select i1 %s, i64 %s, i64 %s", room, p.groupsEnd(from, to, n), from)
	told, size := p.told(p.In), p.stripSize(p.Body)
	aside := p.inBlock(p.lay.Aside)
	after := p.strips(from, mid, size, p.Short(p.In, size), first, func(from, to string, s []state) ([]string, string) {
		return p.loop(from, to, int64(n), s, func(i string, c []string) (next []string, _ string) {
			p.askAhead(told, i, n)
			p.sharing(n, func() { next = p.appendedGroup(i, c[0], aside) })
			return next, ""
		}), ""
	})
	plain := p.plain
	p.plain = true
	p.forFrom(p.In, mid, to, with(first, after))
	p.plain = plain
}

// appendedGroup is a group of lanes from turn i on. What only the elements need is computed if any lane is appended.
func (p *plan) appendedGroup(i, count, aside string) (next []string) {
	p.vals[p.Body.Params[0]] = operand{text: i, stride: "1"}
	p.bind(p.Body.Params[1], count)
	outside, early := p.pending, p.early()
	p.pending = nil
	write := func(those bool) {
		for x := range p.Body.Instrs {
			if in := &p.Body.Instrs[x]; !p.Single[in] && early[in] == those {
				p.instr(in)
			}
		}
		p.flush()
	}
	write(true)
	cond := p.vector(p.Appended.Cond, p.lanes)
	next = p.when(p.anyLane(cond, p.lanes), []state{{typ{num.I64, 1}, count}}, func() []string {
		write(false)
		if p.Engine.Compresses {
			return []string{p.together(cond, count)}
		}
		return []string{p.oneBehindOther(cond, count, aside)}
	})
	p.pending = outside
	clear(p.packed)
	return next
}

// early are the instructions of the body that the condition needs, and those which may fault: all, where some have blocks.
func (p *plan) early() map[*kernel.Instr]bool {
	early := map[*kernel.Instr]bool{}
	var need func(v kernel.Value)
	need = func(v kernel.Value) {
		in := p.Def[v]
		if in == nil || v < p.Body.Params[0] || early[in] {
			return
		}
		early[in] = true
		for _, a := range in.Args {
			need(a)
		}
		if in.At != kernel.None {
			need(in.At)
		}
	}
	need(p.Appended.Cond)
	list := p.Body.Instrs
	all := slices.ContainsFunc(list, func(in kernel.Instr) bool { return len(in.Blocks) > 0 && !p.isAppend(&in) })
	for x := range list {
		switch in := &list[x]; {
		case all:
			early[in] = true
		case in.Site != kernel.NoSite && len(in.Out) > 0:
			need(in.Out[0])
		case in.Code == kernel.Fault:
			need(in.Args[0])
			if in.At != kernel.None {
				need(in.At)
			}
			early[in] = true
		}
	}
	return early
}

// isAppend reports the instruction that appends.
func (p *plan) isAppend(in *kernel.Instr) bool {
	return len(in.Out) == 1 && in.Out[0] == p.Body.Results[0]
}

// together moves the lanes that are appended to the beginning of a vector, and stores so many.
func (p *plan) together(cond, count string) (next string) {
	lanes := typ{num.Bool, p.lanes}
	bits := typ{num.U16, 1}
	if p.lanes == 8 {
		bits = typ{num.U8, 1}
	}
	taken := p.call(bits, "llvm.ctpop", []typ{bits}, bits.String()+" "+p.set("bitcast %s %s to %s", lanes, cond, bits))
	taken = p.set("zext %s %s to i32", bits, taken)
	lowest := p.set("trunc i32 %s to %s", p.set("add i32 %s, -1", p.set("shl i32 1, %s", taken)), bits)
	stored := lanes.String() + " " + p.set("bitcast %s %s to %s", bits, lowest, lanes)
	for _, st := range p.Appended.Stores {
		t := typ{p.k.Regions[st.Region].Elem, p.lanes}
		v, in := p.vector(st.Args[1], p.lanes), t.inMemory()
		moved := in
		if in.kind.Size() < 4 { // such are moved together by few processors
			moved = typ{num.U32, p.lanes}
			v = p.set("zext %s %s to %s", t, v, moved)
		}
		v = p.call(moved, "llvm.x86.avx512.mask.compress", []typ{moved}, moved.String()+" "+v, moved.String()+" zeroinitializer", lanes.String()+" "+cond)
		if moved != in {
			v = p.set("trunc %s %s to %s", moved, v, in)
		}
		p.line("%s, %s", p.called("void", "llvm.masked.store", []typ{in}, []string{in.String() + " " + v, "ptr " + p.address(st.Region, count), "i32 " + strconv.Itoa(in.kind.Size()), stored}), p.aliasing(st.Region))
	}
	return p.set("add i64 %s, %s", count, p.set("zext i32 %s to i64", taken))
}

// oneBehindOther stores each lane to the next place if it is appended, otherwise aside.
func (p *plan) oneBehindOther(cond, count, aside string) string {
	n := p.lanes
	var values [][]string
	for _, st := range p.Appended.Stores {
		values = append(values, p.lanesOf(st.Args[1]))
	}
	bits := p.set("bitcast %s %s to i%d", typ{num.Bool, n}, cond, n)
	wide := p.set("zext i%d %s to i64", n, bits)
	for j := range n {
		bit := p.set("and i64 %s, 1", p.set("lshr i64 %s, %d", wide, j))
		taken := p.set("trunc i64 %s to i1", bit)
		for x, st := range p.Appended.Stores {
			to := p.set("select i1 %s, ptr %s, ptr %s", taken, p.address(st.Region, count), aside)
			p.guessed()
			v, t := values[x][j], typ{p.k.Regions[st.Region].Elem, 1}
			if t.kind == num.Bool {
				v = p.set("zext i1 %s to i8", v)
			}
			p.line("store %s %s, ptr %s, align %d, %s", t.inMemory(), v, to, t.kind.Size(), p.aliasing(st.Region))
		}
		count = p.set("add i64 %s, %s", count, bit)
	}
	return count
}
