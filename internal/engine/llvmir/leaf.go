package llvmir

import (
	"github.com/godwit-run/godwit/internal/ir/num"
)

// levels of the tree of leaves: 2^63 leaves, and one to spare.
const levels = 64

// tree holds the roots of finished subtrees that wait for their right
// neighbours, one at each level where a bit of the number of leaves so far is
// set, like the digits of a binary counter.
type tree struct {
	*emitter
	accs    []accumulator // ordered ones, of one word each
	n       int
	pending []string // memory, per accumulator
}

func (e *emitter) newTree(accs []accumulator, n int) *tree {
	t := &tree{e, accs, n, nil}
	for _, a := range accs {
		t.pending = append(t.pending, e.alloca(levels, typ{a.Kind, n}))
	}
	return t
}

// counter is the number of leaves as a loop carries it.
var counter = state{typ{num.I64, 1}, "0"}

func (t *tree) root(acc int, level string) string {
	return t.set("getelementptr %s, ptr %s, i64 %s", typ{t.accs[acc].Kind, t.n}, t.pending[acc], level)
}

// push adds a leaf: as long as a root waits at a level, the two combine and
// move up.
func (t *tree) push(count string, leaf []string) string {
	if len(t.accs) == 0 {
		return count
	}
	zeros := t.call(typ{num.I64, 1}, "llvm.cttz", []typ{{num.I64, 1}}, "i64 "+t.set("xor i64 %s, -1", count), "i1 false")
	var init []state
	for i, a := range t.accs {
		init = append(init, state{typ{a.Kind, t.n}, leaf[i]})
	}
	done := t.loop("0", zeros, 1, init, func(level string, c []string) ([]string, string) {
		return t.join(level, c), ""
	})
	for i, v := range done {
		t.keep(init[i].typ, v, t.root(i, zeros))
	}
	return t.set("add i64 %s, 1", count)
}

// join combines what waits at a level, on the left, with values.
func (t *tree) join(level string, values []string) []string {
	var r []string
	for i, a := range t.accs {
		left := t.recall(typ{a.Kind, t.n}, t.root(i, level))
		r = append(r, t.combine(a, t.n, []string{left}, values[i:i+1])...)
	}
	return r
}

// close combines what is left over, from the lowest level up. It starts with
// the identity on the right, which keeps all bits.
func (t *tree) close(count string) []string {
	if len(t.accs) == 0 {
		return nil
	}
	init := append(t.start(t.accs, t.n), state{typ{num.I64, 1}, count})
	rest := len(init) - 1
	head, done := t.label(), t.label()
	before := t.block
	t.brIf(t.set("icmp ne i64 %s, 0", count), head, done)
	t.open(head)
	phis := len(t.lines)
	names := t.reserve(len(init))
	level := t.call(typ{num.I64, 1}, "llvm.cttz", []typ{{num.I64, 1}}, "i64 "+names[rest], "i1 false")
	next := t.join(level, names[:rest])
	next = append(next, t.set("and i64 %s, %s", names[rest], t.set("add i64 %s, -1", names[rest])))
	t.brIf(t.set("icmp ne i64 %s, 0", next[rest]), head, done)
	t.phis(phis, names, init, before, next, head)
	t.open(done)
	return t.merge(init, before, head, next)[:rest]
}

// halves folds vectors of n lanes by halves: lane j with lane j + n/2, then
// n/4, and so on. pieces are consecutive parts of one such vector. Many
// vectors of one piece are folded side by side, see columns.
func (e *emitter) halves(a accumulator, n int, p []string) []string {
	for ; n > 1; n /= 2 {
		low, high := make([]string, len(p)), make([]string, len(p))
		for w, t := range a.words(n) {
			low[w] = e.part(t, p[w], 0, n/2)
			high[w] = e.part(t, p[w], n/2, n/2)
		}
		p = e.combine(a, n/2, low, high)
	}
	return p
}

// part is lanes from..from+n of a vector.
func (e *emitter) part(t typ, v string, from, n int) string {
	if n == 1 {
		return e.set("extractelement %s %s, i64 %d", t, v, from)
	}
	lanes := make([]int, n)
	for i := range lanes {
		lanes[i] = from + i
	}
	return e.set("shufflevector %s %s, %s poison, %s", t, v, t, mask(lanes))
}
