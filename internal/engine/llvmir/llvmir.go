// Package llvmir translates kernels into LLVM's textual intermediate
// representation. It decides the order of every floating-point operation and
// which values go side by side in vectors; LLVM only picks instructions and
// registers. No fast-math flag is ever set, nothing is contracted to a fused
// multiply-add that the kernel does not name, so every target gives the interpreter's bits.
package llvmir

import (
	"errors"
	"github.com/godwit-run/godwit/internal/ir/loops"

	"github.com/godwit-run/godwit/internal/front/size"
)

// Version changes whenever the text emitted for some kernel changes. It is part
// of the key under which compiled objects are kept.
const Version = 28

// Function is the name of the function that a module defines:
//
//	void godwit_kernel(ptr block, i64 lo, i64 hi)
//
// It runs outer indices lo..hi with the arguments in the block; see Layout.
const Function = "godwit_kernel"

// Target is what the text depends on. The zero Target is valid: baseline code
// without wide vectors.
type Target struct {
	Arch string // "amd64", "arm64", "riscv64"
	// VectorBytes is the width of the vectors that the processor has and runs at
	// full speed: 16, 32 or 64. 0 means 16.
	VectorBytes int
	// Fma says that an amd64 processor has fused multiply-adds; others always do.
	Fma bool
}

// ErrNoFma says that a kernel cannot be native code for a processor.
var ErrNoFma = errors.New("this processor has no fused multiply-add")

// Engine is what the emitter can do with iterations side by side.
func (t Target) Engine() loops.Engine {
	return loops.Engine{Bytes: max(t.VectorBytes, 16), Nests: true, Fuses: true, Weaves: true, Registers: t.registers(), MostLanes: maxLanes, Compresses: t.Arch == "amd64" && t.VectorBytes == 64}
}

// maxLanes is the greatest number of turns side by side.
const maxLanes = 128

// registers is how many registers for vectors the processor has.
func (t Target) registers() int {
	if t.VectorBytes == 64 || t.Arch == "arm64" || t.Arch == "riscv64" {
		return 32
	}
	return 16
}

// fuses reports that a fused multiply-add is an instruction. Where it is a call
// of the C library, there is no native code for kernels that have some.
func (t Target) fuses() bool { return t.Fma || t.Arch != "amd64" && t.Arch != "" }

// Layout is where the block of arguments holds what, in bytes from its start.
// All entries are eight bytes wide. The block is aligned to 8.
//
//	polynomials  i64 each, in the order of Layout.Polys, evaluated by the caller
//	scalars      canonical bits
//	bases        address of element 0 of each region. That of a window is virtual
//	             and may lie anywhere; only elements inside the window are touched
//	faults       i64 each: least place so far, math.MaxInt64 for none, -1 without
//	             a place. A run only lowers it
//	work         address of memory that is this run's alone, with any bytes in it, aligned to 64
//	strip, block i64 each, in bytes: what tiles read of a strip of columns, which should stay in
//	             the last cache of a processor, and what they read of a block of rows, which
//	             should stay in the one before
//	near         i64: bytes of columns that should stay in the first cache while the rows of a block meet them
//	room         i64: bytes for strips, behind the block at the memory's beginning, at least one strip's. Where all
//	             strips of a nest fit, each has a place of its own
//	held         i64: what earlier outer indices of the same run, with the same elements in what it reads, have
//	             left there in all strips of the same memory; 0 if it is none. A run sets it
//	stop         i64: set to 1 by another thread when the run is to end soon; every
//	             loop of unknown length looks at it, at least each few thousand turns
//	weave        i64: how many iterations that follow references are under way at the same time, up to MostWeave;
//	             0 if they run one after the other; and how many turns before it is needed an element is asked for whose
//	             place an index tells, 0 if it is not
//	ends         i64 for each region of Indices: the first of its elements that may not be there, behind all that
//	             the outer indices of the run touch
//	aside        eight bytes that a run writes anything to, and nobody reads
type Layout struct {
	Polys                               []size.Poly
	Scalars, Bases, Faults, Stop, Bytes int64
	// Work, Strip, Block, Near, Room and Held are of kernels that may compute in tiles, which Tiled says.
	Work, Strip, Block, Near, Room, Held int64
	Tiled                                bool
	// Weave is of kernels that may have several accesses under way, which Woven says.
	Weave int64
	Woven bool
	// Ends is of those whose indices tell places beforehand, which lie in the regions Indices.
	Ends    int64
	Indices []int
	// Aside is for what has no other place.
	Aside int64
}
