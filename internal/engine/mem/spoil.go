package mem

import "sync/atomic"

// In: memory that is given out with anything in it. Out: the same, with what no program computes in it, where tests ask for that:
// so whoever looks before it stores is found out at the first run, and not by what an earlier one happened to leave.

// spoilt is the byte that tests find.
const spoilt = 0xdb

var spoils atomic.Bool

// Spoil has all memory that may have anything in it be full of one byte. It is for tests.
func Spoil() { spoils.Store(true) }

// spoil gives b, which nobody has looked at.
func spoil(b []byte) []byte {
	if spoils.Load() {
		for i := range b {
			b[i] = spoilt
		}
	}
	return b
}
