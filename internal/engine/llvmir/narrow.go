package llvmir

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
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
	at := 0
	for _, a := range f.others {
		if k, ok := f.NarrowLanes(a.Acc, a.value); ok {
			f.sums = append(f.sums, narrowSum{a, k, at})
		} else {
			f.wide, f.wideAt = append(f.wide, a), append(f.wideAt, at)
		}
		at += len(a.words(1))
	}
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
