package llvmir

import (
	"slices"
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// In: how many strips of columns a nest has, and what each takes in the work memory. Out: whether an earlier slice of the same run has
// filled them all, and where each lies: threads take a product of matrices in many slices, of which each reads all columns.
// Invariant: what is held follows from the kernel's arguments alone, not from the outer index, and is all strips.

// holding is what of a nest's strips outlasts a slice.
type holding struct {
	t      *tiling
	there  string // i1: they are all there
	apart  string // i64: what strips that all fit lie apart, else 0
	number string // i64: by which a later slice knows them, 0 if they do not all fit
}

// hold looks whether the strips are held. Until keep, none is.
func (t *tiling) hold(strips, each string) holding {
	h := holding{t: t, there: "false", apart: "0", number: "0"}
	if t.lasting() {
		t.held++
		number := strconv.Itoa(t.held)
		fit := t.set("icmp ule i64 %s, %s", t.set("mul i64 %s, %s", strips, each), t.fromBlock("i64", t.lay.Room))
		h.there = t.set("and i1 %s, %s", fit, t.set("icmp eq i64 %s, %s", t.fromBlock("i64", t.lay.Held), number))
		h.apart = t.set("select i1 %s, i64 %s, i64 0", fit, each)
		h.number = t.set("select i1 %s, i64 %s, i64 0", fit, number)
	}
	h.tell("0") // a run may be stopped meanwhile
	return h
}

// place is where a strip by number lies behind the first.
func (h holding) place(number string) string { return h.t.set("mul i64 %s, %s", number, h.apart) }

// keep tells a later slice that all strips are filled.
func (h holding) keep() { h.tell(h.number) }

func (h holding) tell(number string) {
	h.t.line("store i64 %s, ptr %s, align 8, %s", number, h.t.inBlock(h.t.lay.Held), h.t.aliasing(-1))
}

// lasting reports that the columns of all strips, and where the elements lie in the panels, are the same for each outer index.
func (t *tiling) lasting() bool {
	j, k := t.j.Blocks[0].Params[0], t.Body.Params[0]
	for _, v := range slices.Concat(t.j.Args, t.fold.Args) {
		if !t.given(v) {
			return false
		}
	}
	for _, p := range t.stripPanels {
		if t.k.Regions[p.load.Region].Access != kernel.Read || !t.given(p.load.Args[0], j, k) {
			return false
		}
	}
	return true
}

// given reports a value that follows from the kernel's arguments and from these.
func (e *emitter) given(v kernel.Value, known ...kernel.Value) bool {
	if slices.Contains(known, v) {
		return true
	}
	d := e.Def[v]
	if d == nil {
		return false
	}
	switch d.Code {
	case kernel.Const, kernel.SizeOf, kernel.ScalarArg, kernel.Arith, kernel.Convert:
	case kernel.Load:
		if e.k.Regions[d.Region].Access != kernel.Read {
			return false
		}
	default:
		return false
	}
	for _, a := range d.Args {
		if !e.given(a, known...) {
			return false
		}
	}
	return true
}
