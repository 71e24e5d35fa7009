package llvmir

import (
	"math/bits"
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// slotting is how tiles go over the slots of folds: leaf by leaf, in a leaf two lanes at a time, and of these
// step by step. In a panel lanes lie in the order in which they are folded, so that tiles read it straight on.
type slotting struct {
	from, count string // of the fold
	leaves      string
	padded      string // slots that a panel has room for
}

// leafSlots is one leaf.
type leafSlots struct {
	number       string
	first, count string // slots
	stride       string // from lane to lane in a panel, in steps
	base         string // where it begins in a panel, in slots
}

// leafLanes is the number of lanes of a leaf.
func (t *tiling) leafLanes() int { return num.Lanes(t.acc.Kind) }

func (t *tiling) slotting() {
	s := &t.slots
	s.from = t.scalar(t.fold.Args[0])
	s.count = t.turnCount(s.from, t.scalar(t.fold.Args[1]))
	s.leaves = t.upward(s.count, num.Leaf)
	whole := t.larger(t.set("add i64 %s, -1", s.leaves), "0")
	last := t.set("sub i64 %s, %s", s.count, t.set("mul i64 %s, %d", whole, num.Leaf))
	last = t.set("mul i64 %s, %d", t.strideOf(last), t.leafLanes())
	s.padded = t.set("add i64 %s, %s", t.set("mul i64 %s, %d", whole, t.leafRoom()), last)
}

// strideOf is how far apart the lanes of a leaf lie in a panel, in steps: as many as its longest lanes have, and
// one more if these are even, since lanes at the distance of a power of two would share a place in the cache.
func (t *tiling) strideOf(slots string) string {
	return t.set("or i64 %s, 1", t.upward(slots, t.leafLanes()))
}

// leafRoom is what a whole leaf takes in a panel, in slots.
func (t *tiling) leafRoom() int { return num.Leaf + t.leafLanes() }

// upward is a count divided by n, rounded up.
func (e *emitter) upward(count string, n int) string {
	return e.set("udiv i64 %s, %d", e.set("add i64 %s, %d", count, n-1), n)
}

func (t *tiling) eachLeaf(body func(l leafSlots)) {
	t.loop("0", t.slots.leaves, 1, nil, func(number string, _ []string) ([]string, string) {
		body(t.leafAt(number))
		return nil, ""
	})
}

func (t *tiling) leafAt(number string) leafSlots {
	l := leafSlots{number: number, base: t.set("mul i64 %s, %d", number, t.leafRoom())}
	before := t.set("mul i64 %s, %d", number, num.Leaf)
	l.first = t.set("add i64 %s, %s", t.slots.from, before)
	l.count = t.lesser(t.set("sub i64 %s, %s", t.slots.count, before), strconv.Itoa(num.Leaf))
	l.stride = t.strideOf(l.count)
	return l
}

// placeOf is where a slot of a leaf lies in a panel, some lanes further on within the same step. The slot is a multiple
// of a power of two above that.
func (t *tiling) placeOf(l leafSlots, slot string, more int) string {
	behind := int(bits.Reverse64(uint64(more)) >> (64 - t.digits()))
	number := t.set("add i64 %s, %d", t.laneAt(t.set("and i64 %s, %d", slot, t.leafLanes()-1)), behind)
	step := t.set("lshr i64 %s, %d", slot, t.digits())
	place := t.set("add i64 %s, %s", t.set("mul i64 %s, %s", number, l.stride), step)
	return t.set("add i64 %s, %s", place, l.base)
}

// digits are those of a lane's number.
func (t *tiling) digits() int { return bits.TrailingZeros(uint(t.leafLanes())) }

// laneAt is the lane that comes so far behind the first, in the order in which
// pairs that fold by halves are neighbours, or how far one comes behind it.
func (t *tiling) laneAt(number string) string {
	return t.set("lshr i64 %s, %d", t.pure("llvm.bitreverse", typ{num.I64, 1}, number), 64-t.digits())
}

// stepsOf is the number of a lane's slots in a leaf.
func (t *tiling) stepsOf(l leafSlots, lane string) string {
	rest := t.set("sub i64 %s, %s", t.set("add i64 %s, %d", l.count, t.leafLanes()-1), lane)
	return t.set("udiv i64 %s, %d", rest, t.leafLanes())
}
