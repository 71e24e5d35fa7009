package engine

import (
	"context"

	"github.com/godwit-run/godwit/internal/ir/verify"
)

// Args is what a kernel runs on.
type Args struct {
	Sizes   []int64
	Scalars []uint64 // canonical bits of each scalar's kind
	// Bases holds for every region where its element 0 lies, in bytes from the arena's
	// beginning. Where only a window of the region is in memory that is virtual: only the
	// elements that are touched must be there, in the arena or, for code that
	// reaches all memory, anywhere.
	Bases []int64
	// Faults has for each site the least place reported so far: -1 for a
	// fault without a place, math.MaxInt64 for none.
	Faults []int64
	// Run, if it is not 0, is the number of a run whose outer indices all find the same elements in what they read and do not
	// write, and the same sizes and scalars.
	Run uint64
	// Weave is how many iterations that follow references are under way at the same time in native code, 0 for one by one; and how
	// many turns before it is needed an element is asked for whose place an index tells, 0 for not at all.
	Weave int
	// InStep has iterations that follow references go on in step in WebAssembly.
	InStep bool
}

// Code is a kernel in the form that one tier executes. All tiers give the
// same bits.
type Code interface {
	// Thread gives an instance for one goroutine at a time.
	Thread(ctx context.Context) (Thread, error)
	// Bytes is about how much memory it takes, and each of its threads.
	Bytes() (code, thread int64)
	// Close frees it. All its threads are closed.
	Close()
}

// Thread executes outer indices lo..hi of a kernel. Its arguments have been
// admitted; it does not check them again.
type Thread interface {
	Run(ctx context.Context, a *Args, lo, hi int64) error
	Close()
}

// compiler is a tier.
type compiler interface {
	compile(ctx context.Context, safe *verify.Safe) (Code, error)
	close(ctx context.Context) error
}
