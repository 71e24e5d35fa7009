package kernel

import (
	"maps"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a kernel that stores the slots of its grain from both ends, or in several loops. Out: whether the loops leave out none of lo..hi.
// Invariant: each loop stores a stretch s..e of elements, none if e ≤ s; where one stretch begins at the end of the one before, whatever
// lies between the first beginning and the last end is in one of them.

// linear is a sum of values times small factors, and a number under None. It is exact while lo < hi: both are at most the length of a
// region, and whatever else is in it lies between 0 and their difference.
type linear map[Value]int64

// mostFactor keeps sums far inside of int64.
const mostFactor = 4

// plus is l + n·o; nil if it is not known.
func (l linear) plus(o linear, n int64) linear {
	if l == nil || o == nil {
		return nil
	}
	sum := maps.Clone(l)
	for v, c := range o {
		if sum[v] += n * c; sum[v] == 0 {
			delete(sum, v)
		} else if sum[v] > mostFactor || sum[v] < -mostFactor {
			return nil
		}
	}
	return sum
}

// stretch is the elements that a loop stores.
type stretch struct{ from, to linear }

// stretches reports that the loops of the body store lo..hi together.
func stretches(k *Kernel, region int) bool {
	s := &stretching{region: region, form: map[Value]linear{}, some: map[Value]bool{}}
	s.lo, s.hi = k.Body.Params[1], k.Body.Params[2]
	s.form[s.lo], s.form[s.hi] = linear{s.lo: 1}, linear{s.hi: 1}
	s.block(&k.Body)
	return s.covers()
}

// block looks at loops that run whenever there are slots.
func (s *stretching) block(b *Block) {
	for i := range b.Instrs {
		switch in := &b.Instrs[i]; {
		case in.Code == For && !in.Stop:
			s.loop(in)
		case in.Code == If && s.some[in.Args[0]]:
			s.block(&in.Blocks[0])
		case in.Code == If:
			s.either(in)
		default:
			s.note(in)
		}
	}
}

// stretching is what is known while a body is looked at.
type stretching struct {
	region int
	lo, hi Value
	form   map[Value]linear
	counts []linear       // values that are max(hi - lo, 0)
	some   map[Value]bool // values that are lo < hi
	found  []stretch
}

// either adds what both sides of a choice store.
func (s *stretching) either(in *Instr) {
	before := s.found
	s.found = nil
	s.block(&in.Blocks[0])
	first := s.found
	s.found = nil
	s.block(&in.Blocks[1])
	second := s.found
	s.found = before
	for _, a := range first {
		if slices.ContainsFunc(second, func(b stretch) bool { return maps.Equal(a.from, b.from) && maps.Equal(a.to, b.to) }) {
			s.found = append(s.found, a)
		}
	}
}

// note finds the form of what an instruction computes.
func (s *stretching) note(in *Instr) {
	switch {
	case in.Code == Const && in.Kind == num.I64:
		s.form[in.Out[0]] = linear{}.plus(linear{None: int64(in.Bits)}, 1)
	case in.Code != Arith || in.Kind != num.I64 || len(in.Args) != 2:
	case in.Op == num.Lt:
		s.some[in.Out[0]] = in.Args[0] == s.lo && in.Args[1] == s.hi
	case in.Op == num.Add:
		s.form[in.Out[0]] = s.form[in.Args[0]].plus(s.form[in.Args[1]], 1)
	case in.Op == num.Sub:
		s.form[in.Out[0]] = s.form[in.Args[0]].plus(s.form[in.Args[1]], -1)
	case in.Op == num.Max && s.isCount(in.Args[0]) && s.isZero(in.Args[1]):
		s.form[in.Out[0]] = linear{in.Out[0]: 1}
		s.counts = append(s.counts, s.form[in.Out[0]])
	case in.Op == num.Div && s.natural(in.Args[0]) && s.isNumber(in.Args[1]):
		s.form[in.Out[0]] = linear{in.Out[0]: 1}
	}
}

func (s *stretching) isCount(v Value) bool { return maps.Equal(s.form[v], linear{s.hi: 1, s.lo: -1}) }

func (s *stretching) isZero(v Value) bool { return s.form[v] != nil && len(s.form[v]) == 0 }

// isNumber reports a number of at least 1.
func (s *stretching) isNumber(v Value) bool { return len(s.form[v]) == 1 && s.form[v][None] > 0 }

// natural reports a number of slots of the grain.
func (s *stretching) natural(v Value) bool {
	for _, c := range s.counts {
		if maps.Equal(s.form[v], c) {
			return true
		}
	}
	return false
}

// loop finds the stretches that a loop's turns store one element each of.
func (s *stretching) loop(in *Instr) {
	b, from, to := &in.Blocks[0], s.form[in.Args[0]], s.form[in.Args[1]]
	turn := b.Params[0]
	s.form[turn] = linear{turn: 1}
	for i := range b.Instrs {
		st := &b.Instrs[i]
		if s.note(st); st.Code != Store || st.Region != s.region {
			continue
		}
		at := s.form[st.Args[0]]
		switch at[turn] {
		case 1:
			at = at.plus(linear{turn: 1}, -1)
			s.add(at.plus(from, 1), at.plus(to, 1))
		case -1:
			at = at.plus(linear{turn: 1, None: 1}, 1)
			s.add(at.plus(to, -1), at.plus(from, -1))
		}
	}
}

func (s *stretching) add(from, to linear) {
	if from != nil && to != nil {
		s.found = append(s.found, stretch{from, to})
	}
}

// covers goes from stretch to stretch, from lo on.
func (s *stretching) covers() bool {
	at, used := s.form[s.lo], make([]bool, len(s.found))
	for range s.found {
		for i, t := range s.found {
			if !used[i] && maps.Equal(t.from, at) {
				at, used[i] = t.to, true
				break
			}
		}
	}
	for _, c := range append(s.counts, linear{s.hi: 1, s.lo: -1}) {
		if maps.Equal(at, s.form[s.lo].plus(c, 1)) {
			return true
		}
	}
	return false
}
