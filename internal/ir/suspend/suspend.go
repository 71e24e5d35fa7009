// Package suspend turns a kernel whose loads may lie elsewhere into a kernel
// over batches of states, which stops at such a load and can be resumed, here
// or on the machine that holds the data.
//
// A state stands for one outer index of the original kernel. Between runs it
// rests in columns: what the loop carries, and what the current turn has loaded
// so far. To resume, the turn is computed anew up to the load at which it
// stopped, with the remembered values in place of the earlier loads; kernels
// have no side effects within a turn, so that gives the same. One kernel
// therefore serves local interleaving, remote fetch, shipping and migration.
package suspend

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Batch is a kernel over states.
//
// Its sizes are those of the original, then B (states at hand), W (rows of the
// window) and T (the most turns that one state may take in this run); see
// Sizes. Its scalars are those of the original, then the first row of the
// window (i64); see Scalars. Its regions are first the state columns
// (ReadWrite, B elements each), then the windows of the far regions (Read,
// W × width), then the near regions (Read, whole). Outer is B.
//
// Column 0 is Want: the row whose far elements a state needs next, or -1 when
// it is done. Column 1 is ID: what of the original the state stands for. A run
// advances each state whose Want lies in the window, or that has never run,
// until it is done, wants another row, or has taken its turns (then Want is the
// window's first row, even if the window is empty). A state whose Want is
// outside of the window is left as it is. A first run with an empty window finds out what each state wants.
type Batch struct {
	Kernel  *kernel.Kernel
	Columns []Column
	Far     []int // regions of the original behind the windows, in order
	Near    []int // regions of the original that must be present as a whole
	Results []Result
	IDs     size.Poly // ids are 0..IDs: the original's outer indices, or its slots where it maps over these
	// Rounds says that instead of a window every state has a row of its own, the one that it wants: the regions behind the columns
	// have B × width elements, the size W is 1, or 0 where no row has been brought yet, and the scalar behind the
	// original's is not used. A state that is not done is advanced until it wants another row.
	Rounds bool
	Most   int64 // most turns of one state over its whole life, if no size makes it unbounded; else -1
}

// Column is a state column and how it starts.
type Column struct {
	Kind num.Kind
	// Region, if ≥ 0, is the region of the original whose element Scale·id + Offset is the
	// initial value. Otherwise Bits is, for every state, except in column 1, which
	// starts as the id, and column 0, which starts as 0.
	Region        int
	Scale, Offset int64
	Bits          uint64
}

// Result says that when a state is done, column Column holds the element
// Scale·id + Offset of region Region of the original.
type Result struct {
	Column, Region int
	Scale, Offset  int64
}

// Widths gives the elements per row of each far region, as they are needed by
// Make: far regions have W × width elements.
type Widths map[int]int64
