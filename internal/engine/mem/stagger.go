package mem

import "sync/atomic"

// In: how many bytes an array has. Out: how many bytes stay free before it. Invariant: arguments and results in Go's memory, made one after the other, do
// not lie a power of two apart. Kernels go through the same elements of several arrays; a processor knows lines in its first cache by a hash of some
// bits of their addresses, and takes one array's for another's where these agree: products of two arrays of 1 GiB, exactly 1 GiB apart, were read at two
// thirds of the memory's speed on a Zen 4.

const (
	// staggered is from how many bytes on an array is; what is lost is less than a fiftieth.
	staggered = 4 << 20
	// A step is a page and eight lines. The page changes the address bits from the twelfth on. The eight lines change the low twelve bits, by which a
	// processor compares a load with earlier stores.
	step  = 4<<10 + 8*64
	steps = 16
)

var arrays atomic.Uint64

// Stagger is how many bytes to leave free before an array of n bytes, a multiple of a line, and how many to ask for beside the array's own: as many
// each time, since Go gives memory that it has back sooner to who asks for as much as was there.
func Stagger(n int64) (skip, more int64) {
	if n < staggered {
		return 0, 0
	}
	return int64(arrays.Add(1)%steps) * step, (steps - 1) * step
}
