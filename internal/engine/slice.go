package engine

import (
	"context"
	"sync/atomic"
	"time"
)

// target is how long a slice should take: long against the hand-over of the
// next one, short against the patience of whoever cancels.
const target = 500 * time.Microsecond

// nativeTarget is that of native code, which looks for itself whether it is to stop
// and does not keep Go's garbage collector waiting. A slice packs what all of its
// outer indices read, such as the right side of a product, once.
const nativeTarget = 30 * time.Millisecond

// briefSteps take well under the time in which a helper wakes up, and about as long as to plan a launch.
const briefSteps = 1 << 16

// firstSteps is the size of a job's first slice, whose speed is not known.
const firstSteps = 1 << 18

// measured adjusts the job's pace by a slice of n outer indices on some code.
func (j *Job) measured(on *tiered, d time.Duration, n int64) {
	j.slices.Add(1)
	if on.tier == Native {
		j.native.Add(1)
	}
	if on.stepped {
		j.stepped.Add(1)
		j.c.interpreted(d)
	} else {
		j.c.spent(d)
	}
	now := max(1, int64(d)*1000/n)
	if old := j.pace.Load(); old > 0 {
		now = (3*old + now) / 4
	}
	j.pace.Store(now)
}

// Slice is the number of outer indices to execute at a time.
func (j *Job) Slice() int64 {
	if pace := j.pace.Load(); pace > 0 {
		t := target
		if j.c.Tier() == Native {
			t = nativeTarget
		}
		return max(1, int64(t)*1000/pace)
	}
	return max(1, firstSteps/max(1, j.c.Safe.Outer.Eval(j.sizes)))
}

// Sequential reports that outer indices must run in order, by one worker.
func (c *Compiled) Sequential() bool { return len(c.Kernel.State) > 0 }

// Brief reports that n outer indices are over before another thread has begun.
func (c *Compiled) Brief(sizes []int64, n int64) bool {
	return c.Safe.Outer.Eval(sizes) < briefSteps/max(1, n)
}

// Workers is how many of the pool's workers a run is worth where nobody has planned it.
func (c *Compiled) Workers(p *Pool, sizes []int64) int {
	if c.Sequential() || c.Brief(sizes, c.Outer(sizes)) {
		return 1
	}
	return int(min(int64(p.Size()), c.Outer(sizes)))
}

// Run executes outer indices lo..hi over regions that are all in memory. The
// sizes and scalars have been admitted. Faults are lowered in a.Faults.
func (e *Engine) Run(ctx context.Context, p *Pool, c *Compiled, a *Args, lo, hi int64) (slices int64, err error) {
	j := e.NewJob(c, a.Sizes, a.Scalars)
	var next atomic.Int64
	next.Store(lo)
	workers := c.Workers(p, a.Sizes)
	err = p.Do(ctx, workers, func(ctx context.Context, _ int) error {
		w, err := j.Worker(ctx)
		if err != nil {
			return err
		}
		defer w.Close()
		w.SetBases(a.Bases)
		for {
			lo, hi, ok := j.Claim(&next, hi, workers)
			if !ok {
				return nil
			}
			if err := w.Run(ctx, lo, hi); err != nil {
				return err
			}
		}
	})
	for i, at := range j.Faults() {
		a.Faults[i] = min(a.Faults[i], at)
	}
	return j.Slices(), err
}

// Claim takes the next slice of outer indices up to hi. Towards the end
// slices get smaller, so that all workers end together.
func (j *Job) Claim(next *atomic.Int64, end int64, workers int) (lo, hi int64, ok bool) {
	for {
		lo = next.Load()
		if lo >= end {
			return 0, 0, false
		}
		n := j.Slice()
		if workers > 1 {
			n = min(n, (end-lo+int64(2*workers)-1)/int64(2*workers))
		}
		if hi = min(end, lo+max(n, 1)); next.CompareAndSwap(lo, hi) {
			return lo, hi, true
		}
	}
}
