package llvmir

import (
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: the slots of a leaf, of which a fold wants the extreme of floats or its place. Out: the same, by comparisons of floats. Invariant: where these do
// not tell it as the language does, which is for a NaN, and for zeros if one is negative, the same slots are folded again by keys. An element takes three
// to five operations so, and five to eight by keys.

// comparesFloats reports an accumulator that can do without keys mostly.
func (a accumulator) comparesFloats() bool {
	return a.Kind.IsFloat() && (a.isBest() || a.Op == num.FoldMin || a.Op == num.FoldMax)
}

// quick reports that a leaf is folded by comparisons first.
func (f *rowFold) quick() bool { return slices.ContainsFunc(f.wide, accumulator.comparesFloats) }

// quickly is chunks by comparisons, and chunks itself where that was not enough.
func (f *rowFold) quickly(from, to string, lanes []state) []string {
	rows, keyed := len(f.ordered), f.wide
	f.wide = slices.Clone(keyed)
	begin, at := slices.Clone(lanes[:rows]), rows
	for j, a := range keyed {
		words := len(a.words(f.n))
		if f.wide[j].floats = a.comparesFloats(); f.wide[j].floats {
			begin = append(begin, f.start(f.wide[j:j+1], f.n)...)
		} else {
			begin = append(begin, lanes[at:at+words]...)
		}
		at += words
	}
	sums := len(begin)
	begin = append(begin, lanes[at:]...)
	got := f.chunks(from, to, rowsAtOnce, begin, sums)
	found, doubt := f.keyed(f.wide, keyed, f.n, texts(lanes[rows:at]), got[rows:sums])
	found = slices.Concat(got[:rows], found, got[sums:])
	f.wide = keyed
	return f.when(f.anyLane(doubt, f.n), with(lanes, found), func() []string { return f.chunks(from, to, rowsAtOnce, lanes, at) })
}

// keyed joins what floats gave with what there was before them, by keys, and tells in which lanes some of it is in doubt.
func (e *emitter) keyed(quick, keyed []accumulator, n int, before, got []string) (found []string, doubt string) {
	for j, a := range keyed {
		words, had := len(a.words(n)), len(quick[j].words(n))
		if q := quick[j]; !q.floats {
			found = append(found, got[:had]...)
		} else {
			found = append(found, e.joinFloats(a, n, before[:words], got)...)
			if d := e.doubt(q, n, got); doubt == "" {
				doubt = d
			} else {
				doubt = e.two("or", typ{num.Bool, n}, doubt, d)
			}
		}
		got, before = got[had:], before[words:]
	}
	return found, doubt
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
