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

// Fills reports that all outer indices together store every one of a region's first n elements.
func (c *Compiled) Fills(region int, sizes []int64, n int64) bool {
	if !c.Safe.Footprint[region].Filled {
		return false
	}
	length, ok := kernel.EvalPoly(c.Safe.Footprint[region].Len, sizes)
	count, ok2 := kernel.EvalPoly(c.Kernel.Count, sizes)
	grain, ok3 := kernel.EvalPoly(c.Kernel.Grain, sizes)
	return ok && ok2 && ok3 && n <= length && grain > 0 && c.Outer(sizes) >= (count+grain-1)/grain
}

// Appends is the region whose element counts what is appended to this one, so that a run which finds 0 there stores all that it counts.
func (c *Compiled) Appends(region int) (count int, ok bool) {
	if s := c.Safe.Footprint[region].Appended; s > 0 {
		return c.Kernel.State[s-1].Region, true
	}
	return 0, false
}

// Reach gives elements first..end of a region that contain all that outer
// indices lo..hi touch. Both do not fall when lo and hi rise.
func (c *Compiled) Reach(region int, sizes []int64, lo, hi int64) (first, end int64) {
	return reach(c.Safe, region, sizes, lo, hi)
}

func reach(safe *verify.Safe, region int, sizes []int64, lo, hi int64) (first, end int64) {
	f := &safe.Footprint[region]
	first, end, ok := f.Range(sizes, lo, hi)
	if !ok { // not with sizes that have been admitted
		n, _ := kernel.EvalPoly(f.Len, sizes)
		return 0, n
	}
	return first, end
}
