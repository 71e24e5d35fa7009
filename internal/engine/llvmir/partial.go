package llvmir

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// accumulator is one of a Fold's. What it knows of some slots (see
// num.Partial) is one or two words, each a vector of n lanes.
type accumulator struct {
	kernel.Acc
	value kernel.Value // what the body folds
	// factors are those of the value under FoldMulAdd.
	factors []kernel.Value
	byEnds  bool     // see extremes.go
	floats  bool     // see quick.go
	compare bool     // see compared.go
	first   string   // index of slot 0
	index   num.Kind // of indices in partials
}

func (e *emitter) accumulators(in *kernel.Instr) (ordered, others []accumulator) {
	for i, a := range in.Accs {
		acc := accumulator{Acc: a, value: in.Blocks[0].Results[i], first: e.scalar(in.Args[0]), index: e.indexKind(in, a), byEnds: e.byEnds(a), compare: e.compares(in, i)}
		if a.Op == kernel.FoldMulAdd {
			acc.factors = e.Def[acc.value].Args
		}
		if a.Op.IsOrdered(a.Kind) {
			ordered = append(ordered, acc)
		} else {
			others = append(others, acc)
		}
	}
	return ordered, others
}

// indexKind is as wide as the values are if indices are known to be small, so
// that what chooses among values chooses among indices.
func (e *emitter) indexKind(in *kernel.Instr, a kernel.Acc) num.Kind {
	lo, const1 := e.ConstInt(in.Args[0])
	hi, const2 := e.ConstInt(in.Args[1])
	if !const2 {
		hi, const2 = e.MostSize(in.Args[1])
	}
	if const1 && const2 && lo >= 0 && hi <= math.MaxInt32 && a.Kind.Size() <= 4 {
		return num.I32
	}
	return num.I64
}

func (a accumulator) isBest() bool { return a.Op == kernel.FoldArgMin || a.Op == kernel.FoldArgMax }

// byKey reports a best of floats that is known by its key.
func (a accumulator) byKey() bool { return a.isBest() && a.Kind.IsFloat() && !a.compare }

// words are the types of a partial. The best of floats is known by its key,
// an integer of the same order.
func (a accumulator) words(n int) []typ {
	switch {
	case a.floats:
		return a.floatWords(n)
	case a.byEnds:
		return []typ{{intKind(a.Kind), n}, {intKind(a.Kind), n}}
	case a.byKey():
		return []typ{{intKind(a.Kind), n}, {a.index, n}}
	case a.isBest():
		return []typ{{a.Kind, n}, {a.index, n}}
	case a.Op == kernel.FoldAddWide:
		return []typ{{num.U64, n}, {num.I64, n}}
	}
	return []typ{{a.Kind, n}}
}

func (e *emitter) identity(a accumulator, n int) []string {
	id := a.Op.Identity(a.Kind, 0)
	value := typ{a.Kind, n}.constant(id[0])
	switch {
	case a.floats:
		return e.noFloats(a, n)
	case a.byEnds:
		return e.endsOf(a, n, value)
	case a.isBest():
		if a.byKey() {
			value = e.key(a, n, value)
		}
		return []string{value, e.splat(typ{a.index, n}, a.first)}
	case a.Op == kernel.FoldAddWide:
		return []string{value, typ{num.I64, n}.zero()}
	}
	return []string{value}
}

// start is the states of accumulators before any slot.
func (e *emitter) start(accs []accumulator, n int) []state {
	var s []state
	for _, a := range accs {
		id := e.identity(a, n)
		for w, t := range a.words(n) {
			s = append(s, state{t, id[w]})
		}
	}
	return s
}

// take combines each accumulator with the value that the body has just given
// in n lanes; i is the fold's counter.
func (e *emitter) take(accs []accumulator, n int, c []string, i kernel.Value) []string {
	var next []string
	for _, a := range accs {
		words := len(a.words(n))
		if a.floats {
			next = append(next, e.takeFloats(a, n, c[:words], e.vector(a.value, n), func() string { return e.indexOf(a, n, i) })...)
			c = c[words:]
			continue
		}
		slot := e.lift(a, n, i)
		if a.isBest() { // the slot's index is greater than all before
			next = append(next, e.winner(a, n, e.before(a, n, c, slot), c, slot)...)
		} else {
			next = append(next, e.combine(a, n, c[:words], slot)...)
		}
		c = c[words:]
	}
	return next
}

// lift is the partial of one slot in each lane.
func (e *emitter) lift(a accumulator, n int, i kernel.Value) []string {
	v := e.vector(a.value, n)
	if a.isBest() {
		if a.byKey() {
			v = e.key(a, n, v)
		}
		return []string{v, e.indexOf(a, n, i)}
	}
	if a.byEnds {
		return e.endsOf(a, n, v)
	}
	return e.summand(a, n, v)
}

// summand is the partial of a value that needs no index.
func (e *emitter) summand(a accumulator, n int, v string) []string {
	t := typ{num.I64, n}
	switch {
	case a.Op == kernel.FoldAddWide && a.Kind == num.I64:
		return []string{v, e.two("ashr", t, v, t.constant(63))}
	case a.Op == kernel.FoldAddWide:
		return []string{v, t.zero()}
	}
	return []string{v}
}

// indexOf is the index of a slot in each lane.
func (e *emitter) indexOf(a accumulator, n int, i kernel.Value) string {
	if at := e.at(i); at.shape() == loops.Uniform {
		return e.splat(typ{a.index, n}, e.resize(at.text, num.I64, a.index, 1))
	}
	return e.resize(e.vector(i, n), num.I64, a.index, n)
}

// combine joins two partials; x stands left of y in the tree.
func (e *emitter) combine(a accumulator, n int, x, y []string) []string {
	switch {
	case a.byEnds:
		return e.joinEnds(a, n, x, y)
	case a.isBest():
		return e.better(a, n, x, y)
	case a.Op == kernel.FoldAddWide:
		t := typ{num.U64, n}
		low := e.two("add", t, x[0], y[0])
		carry := e.set("zext %s %s to %s", t.bool(), e.two("icmp ult", t, low, y[0]), t)
		return []string{low, e.two("add", t, e.two("add", t, x[1], y[1]), carry)}
	}
	in := &kernel.Instr{Code: kernel.Arith, Op: a.Op.Scalar(), Kind: a.Kind, Site: kernel.NoSite, At: kernel.None}
	return []string{arithmetic{e, in, typ{a.Kind, n}, x[0], y[0]}.result()}
}

// better takes the value that comes first in the order, of equals the one
// with the lesser index.
func (e *emitter) better(a accumulator, n int, x, y []string) []string {
	t := a.words(n)
	same := e.two(comparison(num.Eq, t[0].kind), t[0], y[0], x[0])
	earlier := e.two("icmp slt", t[1], y[1], x[1])
	wins := e.two("or", t[0].bool(), e.before(a, n, x, y), e.two("and", t[0].bool(), same, earlier))
	return e.winner(a, n, wins, x, y)
}

// before is whether the value of y comes before that of x.
func (e *emitter) before(a accumulator, n int, x, y []string) string {
	if a.compare {
		return e.wins(a, n, x[0], y[0])
	}
	t, op := a.words(n)[0], num.Lt
	if a.Op == kernel.FoldArgMax {
		op = num.Gt
	}
	return e.two(comparison(op, t.kind), t, y[0], x[0])
}

func (e *emitter) winner(a accumulator, n int, wins string, x, y []string) []string {
	t := a.words(n)
	return []string{e.pick(wins, t[0], y[0], x[0]), e.pick(wins, t[1], y[1], x[1])}
}

// key maps floats to signed integers of the same order, as num.FoldOp does:
// the bits of negative numbers are turned over, and NaN goes to the end that
// wins. The bit patterns at both ends are NaNs, so the map can be undone.
func (e *emitter) key(a accumulator, n int, x string) string {
	from := typ{a.Kind, n}
	to := from.bits()
	end := uint64(to.kind.MinInt())
	if a.Op == kernel.FoldArgMax {
		end = to.kind.MaxInt()
	}
	bits := e.set("bitcast %s %s to %s", from, x, to)
	return e.pick(e.two("fcmp uno", from, x, x), to, to.constant(end), e.flipNegative(to, bits))
}

// flipNegative is its own inverse.
func (e *emitter) flipNegative(t typ, x string) string {
	ones := e.two("ashr", t, x, t.constant(uint64(t.kind.Bits()-1)))
	return e.two("xor", t, x, e.two("lshr", t, ones, t.constant(1)))
}

// finish gives a fold's results out of the partials of its accumulators, in
// the order of the instruction.
func (e *emitter) finish(in *kernel.Instr, n int, ordered, others []string) {
	out := in.Out
	for i, acc := range in.Accs {
		a := accumulator{Acc: acc, index: e.indexKind(in, acc), byEnds: e.byEnds(acc), compare: e.compares(in, i)}
		from := &others
		if a.Op.IsOrdered(a.Kind) {
			from = &ordered
		}
		words := a.words(n)
		p := (*from)[:len(words)]
		*from = (*from)[len(words):]
		if a.byEnds {
			p, words = []string{e.fromEnds(a, n, p)}, words[:1]
		}
		if a.byKey() {
			p = []string{e.set("bitcast %s %s to %s", words[0], e.flipNegative(words[0], p[0]), typ{a.Kind, n}), p[1]}
		}
		if a.isBest() {
			p = []string{p[0], e.resize(p[1], words[1].kind, num.I64, n)}
		}
		for j, v := range out[:len(words)] {
			e.give(v, p[j], n)
		}
		out = out[len(words):]
	}
}
