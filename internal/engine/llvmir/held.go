package llvmir

import (
	"slices"
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// In comes what fills the panels of a strip, out goes the same, left out where an earlier slice of the same run has
// filled them: threads take a product of matrices in many slices, of which each reads all columns. Invariant: what is
// held follows from the kernel's arguments alone, not from the outer index, and is all of a strip.

// hold fills the panels of a strip of columns, of which there are count, unless they are held.
func (t *tiling) hold(width, count string, fill func()) {
	at := func() string { return t.inBlock(t.lay.Held) }
	set := func(n string) { t.line("store i64 %s, ptr %s, align 8, %s", n, at(), t.aliasing(-1)) }
	if !t.lasting() {
		set("0")
		fill()
		return
	}
	t.held++
	number := strconv.Itoa(t.held)
	whole := t.set("icmp sle i64 %s, %s", count, width)
	held := t.set("icmp eq i64 %s, %s", t.fromBlock("i64", t.lay.Held), number)
	t.either(t.set("and i1 %s, %s", whole, held), func() {}, func() {
		set("0") // a run may be stopped meanwhile
		fill()
		set(t.set("select i1 %s, i64 %s, i64 0", whole, number))
	})
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
