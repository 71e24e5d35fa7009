package llvmir

import (
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: the slots of a leaf, of which a fold wants the least or greatest float, or its place. Out: the same, found by comparing floats. Invariant: comparisons
// give another result than the language if there is a NaN, or if the best is zero and there is a negative zero. Then the leaf is folded again, by
// keys (see extremes.go and accumulator.key). By comparisons an element takes three to five operations. A leaf that is folded twice takes half as
// long again as by keys alone.

// comparesFloats reports an accumulator that can do without keys mostly.
func (a accumulator) comparesFloats() bool {
	return a.Kind.IsFloat() && (a.isBest() || a.Op == num.FoldMin || a.Op == num.FoldMax)
}

// quick reports that a leaf is folded by comparisons first.
func (f *rowFold) quick() bool { return slices.ContainsFunc(f.wide, accumulator.comparesFloats) }

// quickly is chunks by comparisons, and chunks itself where that was not enough.
func (f *rowFold) quickly(from, to string, lanes []state) []string {
	rows, quick := len(f.ordered), slices.Clone(f.wide)
	begin, at := slices.Clone(lanes[:rows]), rows
	for j, a := range f.wide {
		words := len(a.words(f.n))
		if quick[j].floats = a.comparesFloats(); quick[j].floats {
			begin = append(begin, f.start(quick[j:j+1], f.n)...)
		} else {
			begin = append(begin, lanes[at:at+words]...)
		}
		at += words
	}
	sums := len(begin)
	begin = append(begin, lanes[at:]...)
	got := f.chunks(from, to, rowsAtOnce, begin, quick)
	best, doubt := f.joinQuick(quick, f.wide, texts(lanes[rows:at]), got[rows:sums])
	found := slices.Concat(got[:rows], best, got[sums:])
	return f.when(f.anyLane(doubt, f.n), with(lanes, found), func() []string { return f.chunks(from, to, rowsAtOnce, lanes, f.wide) })
}

// joinQuick joins what comparisons gave with what there was before them, by keys, and tells in which lanes some of it is in doubt.
func (f *rowFold) joinQuick(quick, keyed []accumulator, before, got []string) (joined []string, doubt string) {
	for j, a := range keyed {
		words, had := len(a.words(f.n)), len(quick[j].words(f.n))
		if !quick[j].floats {
			joined = append(joined, got[:had]...)
		} else {
			joined = append(joined, f.joinFloats(a, f.n, before[:words], got)...)
			if d := f.doubt(quick[j], f.n, got); doubt == "" {
				doubt = d
			} else {
				doubt = f.two("or", typ{num.Bool, f.n}, doubt, d)
			}
		}
		got, before = got[had:], before[words:]
	}
	return joined, doubt
}

// joinFloats brings the best of a leaf to what there was before it.
func (e *emitter) joinFloats(a accumulator, n int, before, got []string) []string {
	switch {
	case a.isBest():
		x := []string{e.key(a, n, got[0]), got[1]}
		return e.winner(a, n, e.before(a, n, before, x), before, x)
	case a.byEnds:
		return e.joinEnds(a, n, before, e.endsOf(a, n, got[0]))
	}
	return e.combine(a, n, before, got[:1])
}

// doubt is in which lanes there was a NaN, or the best is zero and there was a negative zero.
func (e *emitter) doubt(a accumulator, n int, got []string) string {
	t, last := typ{a.Kind, n}, len(a.floatWords(n))-1
	zeros := e.two("and", t.bool(), e.two("fcmp oeq", t, got[0], t.zero()), e.two("icmp eq", t.bits(), got[last], t.bits().constant(uint64(t.bits().kind.MinInt()))))
	return e.two("or", t.bool(), e.two("fcmp uno", t, got[last-1], got[last-1]), zeros)
}

// floatWords are the best float and its index if that is asked for; a sum, which is NaN where any element was; and the least of the elements' bits
// as signed integers, which is that of the negative zero where any element was.
func (a accumulator) floatWords(n int) []typ {
	t := typ{a.Kind, n}
	if a.isBest() {
		return []typ{t, {a.index, n}, t, t.bits()}
	}
	return []typ{t, t, t.bits()}
}

// noFloats is that of no slots.
func (e *emitter) noFloats(a accumulator, n int) []string {
	t, end := typ{a.Kind, n}, math.Inf(-1)
	if a.least() {
		end = math.Inf(1)
	}
	words := []string{t.float(end)}
	if a.isBest() {
		words = append(words, e.splat(typ{a.index, n}, a.first))
	}
	return append(words, t.zero(), t.bits().zero())
}

func (a accumulator) least() bool { return a.Op == num.FoldMin || a.Op == num.FoldArgMin }

// takeFloats combines with what the body has given; index is that of the slots, if it is asked for.
func (e *emitter) takeFloats(a accumulator, n int, c []string, v string, index func() string) []string {
	t, better := typ{a.Kind, n}, "fcmp ogt"
	if a.least() {
		better = "fcmp olt"
	}
	wins := e.two(better, t, v, c[0])
	next := []string{e.pick(wins, t, v, c[0])}
	if a.isBest() {
		next = append(next, e.pick(wins, typ{a.index, n}, index(), c[1]))
	}
	bits := e.pure("llvm.smin", t.bits(), c[len(c)-1], e.set("bitcast %s %s to %s", t, v, t.bits()))
	return append(next, e.two("fadd", t, c[len(c)-2], v), bits)
}
