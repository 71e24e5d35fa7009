package cluster

import (
	"math/bits"

	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// In: spans beside shards. Out: spans of which none answers with more than what travels at
// once. Cuts are at multiples of a power of two, where rows that are combined may be cut.

// creditBytes is how many bytes of answers a client lets be on their way at once, all of
// its calls together: as many as its transport takes from one node.
const creditBytes = 32 << 20

// mostBytes is the largest piece: a parcel, with room for what goes with the rows.
const mostBytes = parcel.MaxBytes - 1<<20

// portion is how much is asked for at a time.
type portion struct {
	// piece is about what a piece answers, in bytes: enough to make the round trip cheap, little
	// enough to have several on their way.
	piece int64
	// turn is the same of a launch whose pieces come one after the other.
	turn int64
	// rows is the size of the rows that a node combines at once; see daemon.rowsMost.
	rows int64
}

var usual = portion{piece: 4 << 20, turn: 16 << 20, rows: 64 << 20}

// maxPieces is into how many pieces a launch is cut at most: a set whose record claims more rows
// is not cut, and its nodes say what is too much.
const maxPieces = 1 << 20

// portions cuts spans beside shards so that what outer indices write, each bytes at most,
// is about most together. A single one is never cut.
func portions(spans []span, each, most int64) []span {
	n := int64(1)
	if each > 0 && most > each {
		n = 1 << (bits.Len64(uint64(most/each)) - 1)
	}
	count := int64(len(spans))
	for _, s := range spans {
		count += (s.hi - s.lo) / n
	}
	if count > maxPieces {
		return spans
	}
	var list []span
	for _, s := range spans {
		if s.shard < 0 || each <= 0 {
			list = append(list, s)
			continue
		}
		list = append(list, cutAt([]span{s}, n)...)
	}
	return list
}

// cut cuts spans so that the rows of each are about most bytes, and what goes there with it
// is no more than a piece.
func (a *arranged) cut(spans []span, most int64) []span {
	if a.scatters() {
		return spans
	}
	return a.affordable(portions(portions(spans, a.each(a.outs), most), a.each(a.local), a.portion.piece))
}

// cutAt cuts spans at multiples of n.
func cutAt(spans []span, n int64) (list []span) {
	for _, s := range spans {
		for lo := s.lo; lo < s.hi; {
			hi := min(s.hi, lo-lo%n+n)
			list = append(list, span{lo, hi, s.shard})
			lo = hi
		}
	}
	return list
}

// affordable cuts spans so that none may take more steps than nodes let a piece take. A loop that ends where data says may take many.
func (a *arranged) affordable(spans []span) []span {
	return portions(spans, a.steps(), parcel.UsualSteps)
}

// steps is how many one outer index may take.
func (a *arranged) steps() int64 { return a.Compiled.Safe.Outer.Eval(a.Sizes) }

// each is how many bytes of regions one outer index touches at most, of those that stream.
func (a *arranged) each(regions []int) int64 {
	n := int64(0)
	for _, r := range regions {
		if a.Compiled.Streams(r) {
			first, end := a.Compiled.Reach(r, a.Sizes, 0, 1)
			n += (end - first) * a.elem(r)
		}
	}
	return n
}

// elem is the size of a region's elements.
func (a *arranged) elem(region int) int64 {
	return int64(a.Compiled.Kernel.Regions[region].Elem.Size())
}

// answers is how many bytes a piece of a task answers at most.
func (a *arranged) answers(t *task, s span) int64 {
	n := int64(0)
	if a.Packing != nil {
		return max(a.portion.piece/2, a.each(a.outs))
	}
	for i, e := range a.extents(s.lo, s.hi) {
		n += e.Count * a.elem(a.outs[i])
	}
	if t != nil && t.block != nil && s.lo < s.hi {
		n = n / (s.hi - s.lo) * ((s.hi-s.lo)/t.block.Block + 1)
	}
	return n
}

// takes is how many bytes go to a piece of a task.
func (a *arranged) takes(t *task, s span) int64 {
	n := t.fixed
	for _, r := range a.local {
		if a.Compiled.Streams(r) {
			first, end := a.Compiled.Reach(r, a.Sizes, s.lo, s.hi)
			n += (end - first) * a.elem(r)
		}
	}
	return n
}

// total is how many bytes the pieces beside shards answer at most.
func (a *arranged) total(t *task, spans []span) int64 {
	n := int64(0)
	for _, s := range spans {
		if s.shard >= 0 {
			n += a.answers(t, s)
		}
	}
	return n
}

// alternating orders pieces so that those that follow each other lie beside different
// shards, and gives those of this machine apart.
func alternating(spans []span) (away, here []span) {
	byShard, most := map[int][]span{}, 0
	var shards []int
	for _, s := range spans {
		if s.shard < 0 {
			here = append(here, s)
			continue
		}
		if byShard[s.shard] == nil {
			shards = append(shards, s.shard)
		}
		byShard[s.shard] = append(byShard[s.shard], s)
		most = max(most, len(byShard[s.shard]))
	}
	for i := range most {
		for _, sh := range shards {
			if i < len(byShard[sh]) {
				away = append(away, byShard[sh][i])
			}
		}
	}
	return away, here
}
