package parcel

import (
	"math"
	"unsafe"

	"github.com/godwit-run/godwit/internal/cluster/loan"
)

// In: how long the columns of an answer will be. Out: memory for them where they will lie in the parcel, so that they are not
// copied to get there. Invariant: the parcel has the bytes that it would have otherwise.

// laid is where columns lie in the memory that an answer's parcel is made in.
type laid struct {
	columns [][]byte
	room    []byte
	first   int // of room: where the first column's length stands
}

// front is the most that stands before the columns of an answer that was laid, in a parcel without code: the header, hops, steps,
// four times, states, and three counts.
const front = HeaderSize + 5 + 10 + 4*5 + 10 + 3*10

// Lay makes an answer with columns of these lengths, in memory that is lent. It holds whatever was there: who
// lays an answer writes all of them.
func Lay(lengths ...int) *Answer {
	total := front
	for _, n := range lengths {
		total += len(appendUint(nil, uint64(n))) + n
	}
	a := &Answer{Loan: loan.Of(total)}
	room := a.Loan.Bytes()
	l := &laid{room: room, first: front}
	at := front
	for _, n := range lengths {
		at += len(appendUint(room[:at], uint64(n))) - at
		l.columns = append(l.columns, room[at:at+n:at+n])
		at += n
	}
	a.Columns, a.laid = append([][]byte(nil), l.columns...), l
	return a
}

// inPlace reports that the columns are those that were laid, and that what stands before them fits.
func (a *Answer) inPlace() bool {
	if a.laid == nil || len(a.Faults)+len(a.Extents) > 0 || len(a.Columns) != len(a.laid.columns) {
		return false
	}
	for i, c := range a.laid.columns {
		if unsafe.SliceData(a.Columns[i]) != unsafe.SliceData(c) || len(a.Columns[i]) != len(c) {
			return false
		}
	}
	return true
}

// Parcel is the answer behind a header. If of is not nil, it lies in memory that is lent, and so do the answer's columns.
func (a *Answer) Parcel(h *Header) (b []byte, of *loan.Loan) {
	if a.inPlace() {
		var room [front]byte
		before := appendUint(a.appendHead(h.Append(room[:0], nil)), uint64(len(a.Columns)))
		start := a.laid.first - len(before)
		copy(a.laid.room[start:], before)
		return a.laid.room[start:], a.Loan
	}
	size := HeaderSize + 128 + 16*len(a.Faults)
	for _, c := range a.Columns {
		size += min(len(c), math.MaxInt32) + 32
	}
	of = loan.Of(size)
	b = a.Append(h.Append(of.Bytes()[:0], nil))
	a.Free()
	if size < loan.Least || unsafe.SliceData(b) != unsafe.SliceData(of.Bytes()) {
		of = nil // it is not kept, or was longer
	}
	return b, of
}

// Free gives back what the columns lie in, which nobody looks at any more.
func (a *Answer) Free() {
	for _, l := range a.Lent {
		l.Back()
	}
	a.Lent = nil
}
