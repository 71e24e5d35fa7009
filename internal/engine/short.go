package engine

import (
	"context"
	"time"
)

// In: a kernel and all that it runs on, when that is little. Out: the same as of a Job, without
// workers and slices, which would take longer than the kernel.

// Short reports that a run of the kernel is over before another thread has begun, and needs no memory of its own.
func (c *Compiled) Short(sizes []int64) bool {
	return c.Whole() && c.Brief(sizes, c.Outer(sizes))
}

// Whole reports that a run of the kernel needs no memory of its own.
func (c *Compiled) Whole() bool { return !c.scratch }

// RunShort executes outer indices lo..hi of a kernel on this goroutine, in one slice; the kernel is Whole, and the
// caller holds it. It lowers the faults in a.Faults, and gives the tier that it ran on and the time that it took.
func (c *Compiled) RunShort(ctx context.Context, a *Args, lo, hi int64) (on Tier, took time.Duration, err error) {
	t := c.code.Load()
	s, err := t.take(ctx)
	if err != nil {
		return "", 0, err
	}
	defer t.put(s)
	start := time.Now()
	err = s.Run(ctx, a, lo, hi)
	took = time.Since(start)
	c.spent(took)
	return t.tier, took, err
}
