package parcel

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// Append adds the batch's bytes, a Walk's payload, to dst. Each of Values must
// have States values of its kind.
func (b *Batch) Append(dst []byte) []byte {
	dst = appendUint(dst, uint64(b.Set))
	dst = appendNumbers(dst, b.Sizes)
	dst = appendNumbers(dst, b.Scalars)
	dst = appendUint(dst, uint64(len(b.Columns)))
	for _, c := range b.Columns {
		dst = appendUint(appendUint(dst, uint64(c.Column)), uint64(c.Bound))
	}
	dst = appendBlobs(dst, b.Near)
	dst = appendBlob(dst, b.Kinds)
	dst = appendUint(dst, b.Keep)
	dst = appendFaults(dst, b.Faults)
	dst = appendUint(dst, uint64(b.States))
	for _, v := range b.Values {
		dst = append(dst, v...)
	}
	return dst
}

// ReadBatch reads a Walk's payload into the slices of an earlier batch, whose contents are
// lost. Kinds, Values and Near alias b. After an error into holds nothing of use.
func ReadBatch(into *Batch, b []byte) error {
	r := reader{b: b, part: "batch"}
	r.batch(into)
	return r.end()
}

func (r *reader) batch(b *Batch) {
	b.Set = r.word("set")
	b.Sizes = r.sizes(b.Sizes[:0])
	b.Scalars = r.scalars(b.Scalars[:0])
	b.Columns = b.Columns[:0]
	for range r.count(maxRegions, 2, "columns") {
		b.Columns = append(b.Columns, Far{r.column(), r.natural("bound")})
	}
	b.Near = r.blobs(b.Near[:0], maxRegions, "near regions")
	width := r.kinds(b)
	start := r.at
	b.Keep = r.uint(math.MaxUint64, "keep")
	if r.err == nil && (b.Keep>>len(b.Kinds) != 0 || b.Keep&2 == 0) {
		r.fail(start, "keep", "column 1 and others of the "+strconv.Itoa(len(b.Kinds)), number(b.Keep))
	}
	b.Faults = r.faults(b.Faults[:0])
	start = r.at
	b.States = int(r.uint(MaxStates, "states"))
	if r.err == nil && b.States*width != r.left() {
		r.fail(start, "states", strconv.Itoa(b.States*width)+" bytes of values for "+strconv.Itoa(b.States), number(uint64(r.left())))
	}
	b.Values = b.Values[:0]
	for _, k := range b.Kinds {
		b.Values = append(b.Values, r.take(b.States*num.Kind(k).Size(), "values"))
	}
}

// kinds reads the kinds of the state columns and gives the bytes of a state.
func (r *reader) kinds(b *Batch) (width int) {
	start := r.at
	b.Kinds = r.take(r.count(MaxKinds, 1, "state columns"), "kinds")
	if r.err == nil && (len(b.Kinds) < 2 || num.Kind(b.Kinds[0]) != num.I64 || num.Kind(b.Kinds[1]) != num.I64) {
		r.fail(start, "state columns", "the wanted row and the id, both i64, and then others", kindList(b.Kinds))
	}
	for i, k := range b.Kinds {
		if !num.Kind(k).Valid() {
			r.fail(r.at-len(b.Kinds)+i, "kind", "a kind of number", strconv.Itoa(int(k)))
		}
		width += num.Kind(k).Size()
	}
	return width
}

func kindList(kinds []byte) string {
	s := "["
	for i, k := range kinds {
		if i > 0 {
			s += " "
		}
		s += num.Kind(k).String()
	}
	return s + "]"
}

// Want is the row that state i wants, or -1.
func (b *Batch) Want(i int) int64 { return int64(binary.LittleEndian.Uint64(b.Values[0][8*i:])) }

// ID is the outer index that state i stands for.
func (b *Batch) ID(i int) int64 { return int64(binary.LittleEndian.Uint64(b.Values[1][8*i:])) }

// Pick gives a batch with copies of some of the states, in the order given; it
// shares all else.
func (b *Batch) Pick(states []int) *Batch {
	some := *b
	some.States = len(states)
	some.Values = make([][]byte, len(b.Values))
	for c, all := range b.Values {
		n := num.Kind(b.Kinds[c]).Size()
		v := make([]byte, 0, n*len(states))
		for _, i := range states {
			v = append(v, all[n*i:n*i+n]...)
		}
		some.Values[c] = v
	}
	return &some
}
