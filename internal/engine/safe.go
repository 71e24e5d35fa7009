package engine

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// Limits are what a kernel may take; see package verify.
type Limits = verify.Limits

// Outer is the number of outer indices of a run.
func (c *Compiled) Outer(sizes []int64) int64 {
	n, _ := kernel.EvalPoly(c.Kernel.Outer, sizes)
	return max(n, 0)
}

// Streams reports that outer indices touch a region piece by piece, so that
// a window on it is enough.
func (c *Compiled) Streams(region int) bool { return c.Safe.Footprint[region].Streamed }

// Reach gives elements first..end of a region that contain all that outer
// indices lo..hi touch. Both do not fall when lo and hi rise.
func (c *Compiled) Reach(region int, sizes []int64, lo, hi int64) (first, end int64) {
	f := &c.Safe.Footprint[region]
	first, end, ok := f.Range(sizes, lo, hi)
	if !ok { // not with sizes that have been admitted
		n, _ := kernel.EvalPoly(f.Len, sizes)
		return 0, n
	}
	return first, end
}
