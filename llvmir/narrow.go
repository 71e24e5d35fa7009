package llvmir

import (
	"math"

	"github.com/godwit-run/godwit/kernel"
	"github.com/godwit-run/godwit/num"
)

// An integer sum is the same in any order and modulo any greater width. So the
// lanes of a leaf may be narrower than the sum, if they cannot overflow within
// that leaf: those of a count are as wide as the values it is about, and take
// no more vectors than these.

// narrowSum is an accumulator whose lanes start from zero at each leaf and are
// then added to its scalar.
type narrowSum struct {
	accumulator
	lane num.Kind
	at   int // its first word among those of the others
}

// narrow parts the other accumulators into those with narrow lanes and those
// with lanes of their own kind.
func (f *rowFold) narrow() {
	least, at := f.leastLoad(), 0
	for _, a := range f.others {
		if k, ok := f.laneKind(a, least); ok {
			f.sums = append(f.sums, narrowSum{a, k, at})
		} else {
			f.wide, f.wideAt = append(f.wide, a), append(f.wideAt, at)
		}
		at += len(a.words(1))
	}
}

// laneKind is the narrowest kind, of so many bytes at least, that holds the
// sum over a leaf.
func (f *rowFold) laneKind(a accumulator, least int) (num.Kind, bool) {
	if a.Op != kernel.FoldAdd && a.Op != kernel.FoldAddWide || !a.Kind.IsInt() {
		return 0, false
	}
	of := f.bounds(a.value, 4)
	for _, k := range []num.Kind{num.I16, num.I32} {
		if k.Size() >= least && k.Size() < a.Kind.Size() && of.within(span{k.MinInt() / num.Leaf, int64(k.MaxInt()) / num.Leaf}) {
			return k, true
		}
	}
	return 0, false
}

// leastLoad is the size of the narrowest element that the body loads. Narrower
// lanes would only have to be packed.
func (f *rowFold) leastLoad() int {
	least := 8
	for _, a := range f.access {
		least = min(least, f.k.Regions[a.in.Region].Elem.Size())
	}
	return least
}

// startSums are the lanes before the first slot of a leaf.
func (f *rowFold) startSums() []state {
	var s []state
	for _, a := range f.sums {
		t := typ{a.lane, f.n}
		s = append(s, state{t, t.zero()})
	}
	return s
}

// takeSums adds what the body has just given to the lanes.
func (f *rowFold) takeSums(c []string) []string {
	var next []string
	for j, a := range f.sums {
		v := f.resize(f.vector(a.value, f.n), a.Kind, a.lane, f.n)
		next = append(next, f.two("add", typ{a.lane, f.n}, c[j], v))
	}
	return next
}

// addSums adds what the lanes have come to in a leaf to the scalars.
func (f *rowFold) addSums(lanes, scalars []string) []string {
	for j, s := range f.sums {
		add := accumulator{Acc: kernel.Acc{Op: kernel.FoldAdd, Kind: s.lane}}
		sum := f.resize(f.halves(add, f.n, lanes[j:j+1])[0], s.lane, s.Kind, 1)
		scalars = f.added(scalars, s.at, s.accumulator, f.summand(s.accumulator, 1, sum))
	}
	return scalars
}

// span is a range of integers, with both ends.
type span struct{ lo, hi int64 }

func (s span) within(o span) bool { return o.lo <= s.lo && s.hi <= o.hi }

// spanOf is the range of an integer kind or of Bool, as far as I64 has it.
func spanOf(k num.Kind) span {
	if k == num.Bool {
		return span{0, 1}
	}
	return span{k.MinInt(), int64(min(k.MaxInt(), math.MaxInt64))}
}

// bounds is what is known of an integer from its kind and from the last few
// steps by which it came about. It is cut off where I64 ends.
func (e *emitter) bounds(v kernel.Value, steps int) span {
	all := spanOf(e.kind(v))
	d := e.def[v]
	switch {
	case d == nil || steps == 0:
	case d.Code == kernel.Const && int64(d.Bits) >= all.lo:
		return span{int64(d.Bits), int64(d.Bits)}
	case d.Code == kernel.Convert && !d.From.IsFloat():
		if from := e.bounds(d.Args[0], steps-1); from.within(all) {
			return from
		}
	case d.Code == kernel.Select:
		x, y := e.bounds(d.Args[1], steps-1), e.bounds(d.Args[2], steps-1)
		return span{min(x.lo, y.lo), max(x.hi, y.hi)}
	}
	return all
}
