package llvmir

import (
	"math"
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// fault is a condition under which a site is to learn of a fault. Faults are
// rare: those of a block are looked at together at its end.
type fault struct {
	cond string
	n    int // lanes of cond
	site int
	at   operand
}

// note remembers that an instruction faults where cond, of n lanes, holds.
func (e *emitter) note(in *kernel.Instr, cond string, n int) {
	if in.Site == kernel.NoSite || cond == "false" {
		return
	}
	at := operand{text: "-1"}
	if in.At != kernel.None {
		at = e.at(in.At)
	}
	if e.taken != "" {
		t := typ{num.Bool, e.lanes}
		if n == 1 {
			cond = e.splat(t, cond)
		}
		cond, n = e.two("and", t, cond, e.taken), t.n
	}
	e.pending = append(e.pending, fault{cond, n, in.Site, at})
}

// flush writes one branch for all faults noted, behind which places are
// recorded.
func (e *emitter) flush() {
	list := e.pending
	e.pending = nil
	if len(list) == 0 {
		return
	}
	byWidth := map[int]string{}
	for _, f := range list {
		if c, ok := byWidth[f.n]; ok {
			byWidth[f.n] = e.set("or %s %s, %s", typ{num.Bool, f.n}, c, f.cond)
		} else {
			byWidth[f.n] = f.cond
		}
	}
	any, ok := byWidth[1]
	if c, wide := byWidth[e.lanes]; wide && e.lanes > 1 {
		c = e.anyLane(c, e.lanes)
		if ok {
			c = e.set("or i1 %s, %s", any, c)
		}
		any = c
	}
	slow, on := e.label(), e.label()
	e.rarely(any, slow, on)
	e.open(slow)
	for _, f := range list {
		e.record(f)
	}
	e.br(on)
	e.open(on)
}

func (e *emitter) anyLane(mask string, n int) string {
	if n == 1 {
		return mask
	}
	t := typ{num.Bool, n}
	return e.call(typ{num.Bool, 1}, "llvm.vector.reduce.or", []typ{t}, t.String()+" "+mask)
}

// record lowers a site's least place to that of the least lane that faults.
func (e *emitter) record(f fault) {
	n := f.n
	if f.at.shape() != loops.Uniform {
		n = e.lanes
	}
	t := typ{num.I64, n}
	cond := f.cond
	if f.n < n {
		cond = e.splat(t.bool(), cond)
	}
	place := e.set("select %s %s, %s %s, %s %s", t.bool(), cond, t, e.widen(f.at, t), t, t.constant(math.MaxInt64))
	if n > 1 {
		place = e.call(typ{num.I64, 1}, "llvm.vector.reduce.smin", []typ{t}, t.String()+" "+place)
	}
	slot := e.inBlock(e.lay.Faults + int64(8*f.site))
	old := e.set("load i64, ptr %s, align 8, %s", slot, e.aliasing(-1))
	least := e.call(typ{num.I64, 1}, "llvm.smin", []typ{{num.I64, 1}}, "i64 "+old, "i64 "+place)
	e.line("store i64 %s, ptr %s, align 8, %s", least, slot, e.aliasing(-1))
}

// bound is an index if it lies in 0..Poly, otherwise 0. Poly is at least 1
// where this runs, so that one unsigned comparison does.
func (e *emitter) bound(in *kernel.Instr) {
	n := e.width(in.Args[0])
	t := typ{num.I64, n}
	x := e.vector(in.Args[0], n)
	size, known := in.Poly.Const()
	if most, ok := e.UpTo(in.Args[0]); ok && known && most < size {
		e.give(in.Out[0], x, n)
		return
	}
	outside := e.set("icmp uge %s %s, %s", t, x, e.splat(t, e.poly(in.Poly)))
	e.note(in, outside, n)
	e.give(in.Out[0], e.set("select %s %s, %s %s, %s %s", t.bool(), outside, t, t.zero(), t, x), n)
}

func (e *emitter) positive(in *kernel.Instr) string {
	if n, ok := in.Poly.Const(); ok {
		return strconv.FormatBool(n >= 1)
	}
	return e.set("icmp sgt i64 %s, 0", e.poly(in.Poly))
}
