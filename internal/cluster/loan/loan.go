// Package loan lends memory for large messages: what a message lay in is used for another one, and is neither made anew, nor
// cleared, nor collected.
//
// In: how many bytes. Out: that much memory, whose contents are whatever was there. Invariant: a loan has one owner at a time, who
// passes it on together with the bytes, and the last one gives it back, knowing that nobody else looks at them. Who is not sure
// keeps it: what is not given back is collected like other memory, so to forget a loan is never wrong, and to give it back too
// early is.
package loan

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

const (
	// Least and Most are the lengths between which memory is lent; others are made, and not kept.
	Least, Most = 64 << 10, 4 << 20
	// beside is what a message has beside a power of two of values: the heads of a frame, a parcel and an answer.
	beside = 4 << 10

	leastBits = 16 // of Least
	classes   = 7  // up to Most
)

// kept is what was given back, by class: a power of two from Least on, and beside. The collector empties it where it is not used.
var kept [classes]sync.Pool // of *[]byte

// Loan is memory that is lent.
type Loan struct {
	bytes []byte
	whole *[]byte // nil if it is not kept
	class int
	back  atomic.Bool
}

// Of lends n bytes.
func Of(n int) *Loan {
	c := classOf(n)
	if c < 0 {
		return &Loan{bytes: make([]byte, n)}
	}
	whole, _ := kept[c].Get().(*[]byte)
	if whole == nil {
		b := make([]byte, Least<<c+beside)
		whole = &b
	}
	return &Loan{bytes: (*whole)[:n:n], whole: whole, class: c}
}

// classOf is -1 for lengths that are not lent.
func classOf(n int) int {
	if n < Least || n > Most+beside {
		return -1
	}
	return max(0, bits.Len(uint(max(1, n-beside)-1))-leastBits)
}

// Bytes are the memory.
func (l *Loan) Bytes() []byte { return l.bytes }

// Back gives the memory back, which nobody looks at any more. A second time does nothing, and nothing that is lent is no loan.
func (l *Loan) Back() {
	if l == nil || l.whole == nil || l.back.Swap(true) {
		return
	}
	if spoils.Load() {
		for i := range *l.whole {
			(*l.whole)[i] = spoilt
		}
	}
	kept[l.class].Put(l.whole)
}

// spoilt is what tests find in memory that was given back too early.
const spoilt = 0xdb

var spoils atomic.Bool

// Spoil has all that is given back overwritten, so that whoever still looks at it is found out. It is for tests.
func Spoil() { spoils.Store(true) }
