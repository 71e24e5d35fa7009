package run

import (
	"unsafe"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// outside is the index of the first integer of kind k in b that does not lie
// in 0..bound, or -1.
func outside(b []byte, k num.Kind, bound int64) int {
	size, top := k.Size(), uint64(bound-1)
	if top >= k.MaxInt() && !k.IsSigned() {
		return -1
	}
	const block = 1 << 12
	for lo := 0; lo < len(b); lo += block {
		part := b[lo:min(lo+block, len(b))]
		if !anyAbove(part, size*8, min(top, k.MaxInt())) {
			continue
		}
		for i := range len(part) / size {
			// Negative integers are huge as unsigned ones.
			if column.Get(k, part, int64(i)) > top {
				return lo/size + i
			}
		}
	}
	return -1
}

// anyAbove reports whether b holds an unsigned integer of the given width
// that is greater than top; signed kinds give a top below their sign bit, so
// that negative values are greater. Words of 8 bytes hold several integers:
// with the high bits taken away, a sum that is to exceed the greatest value
// without a high bit sets that bit, and cannot reach into its neighbour.
// It may be wrong in reporting true if bytes are left over or b is not aligned.
func anyAbove(b []byte, width int, top uint64) bool {
	unit := uint64(1)
	for w := width; w < 64; w *= 2 {
		unit |= unit << w
	}
	half := uint64(1) << (width - 1)
	high := unit * half
	add := unit * (half - 1 - top&(half-1))
	start := unsafe.Pointer(unsafe.SliceData(b))
	if len(b)%8 != 0 || uintptr(start)%8 != 0 {
		return true
	}
	words := unsafe.Slice((*uint64)(start), len(b)/8)
	if top < half {
		return sums(words, add)&high != 0
	}
	with := uint64(0) // high bits of sums of integers that have them too
	for _, x := range words {
		with |= (x&^high + add) & x
	}
	return with&high != 0
}

// merged merges all words and their sums with add. Where a sum reaches into its neighbour, the word had a high bit.
func merged(words []uint64, add uint64) uint64 {
	var a, b, c, d uint64
	for len(words) >= 8 {
		w := (*[8]uint64)(words)
		a |= w[0] | (w[0] + add) | w[4] | (w[4] + add)
		b |= w[1] | (w[1] + add) | w[5] | (w[5] + add)
		c |= w[2] | (w[2] + add) | w[6] | (w[6] + add)
		d |= w[3] | (w[3] + add) | w[7] | (w[7] + add)
		words = words[8:]
	}
	for _, x := range words {
		a |= x | (x + add)
	}
	return a | b | c | d
}
