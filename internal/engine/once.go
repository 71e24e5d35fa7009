package engine

import (
	"context"
	"math"
	"slices"
	"time"
)

// In: a kernel and all that it runs on, when that is little. Out: the same as of a Job, on this goroutine, without workers, which
// would take longer than the kernel. It is one slice, however long; the end of the context is noticed within a millisecond, if it has one.

// Short reports that a run of the kernel is over before another thread has begun, and needs no memory of its own.
func (c *Compiled) Short(sizes []int64) bool {
	return c.Whole() && c.Brief(sizes, c.Outer(sizes))
}

// soonSteps take native code a small part of a millisecond, unless they wait for memory again and again, and then some.
const soonSteps = 1 << 18

// Soon reports that a run of the kernel as native code is over before anybody would miss that it does not look whether it is to stop. To
// have it look takes as long as a small kernel.
func (c *Compiled) Soon(sizes []int64) bool {
	return c.Safe.Outer.Eval(sizes) < soonSteps/max(1, c.Outer(sizes))
}

// Whole reports that a run of the kernel needs no memory of its own.
func (c *Compiled) Whole() bool { return !c.scratch }

// began is what durations are counted from: time.Now looks at two clocks, time.Since at one.
var began = time.Now()

// RunShort executes outer indices lo..hi of a kernel that is Whole, and that the caller holds. It lowers the faults in a.Faults,
// and gives the tier that it ran on and the time that it took.
func (c *Compiled) RunShort(ctx context.Context, a *Args, lo, hi int64) (on Tier, took time.Duration, err error) {
	if err := c.Ready(ctx, a.Sizes, 1); err != nil {
		return "", 0, err
	}
	c.countRun()
	t := c.code.Load()
	s, err := t.borrow(ctx)
	if err != nil {
		return "", 0, err
	}
	defer t.restore(s)
	start := time.Since(began)
	err = (*s).Run(ctx, a, lo, hi)
	took = time.Since(began) - start
	if t.stepped {
		c.interpreted(took)
		return Stepper, took, err
	}
	c.spent(took)
	return t.tier, took, err
}

// Once executes outer indices lo..hi with arguments that c.Safe has admitted; bases are as in Args, those of Scratch regions are
// not looked at. faults has for each site the least place, as in Args; it is nil when there was no fault.
func (c *Compiled) Once(ctx context.Context, sizes []int64, scalars []uint64, bases []int64, lo, hi int64) (faults []int64, err error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	list, err := c.lend(sizes)
	if err != nil {
		return nil, err
	}
	defer c.takeBack(list)
	a := &Args{Sizes: sizes, Scalars: scalars, Bases: bases, Faults: slices.Repeat([]int64{math.MaxInt64}, c.Kernel.Sites)}
	if len(list) > 0 {
		a.Bases = slices.Clone(bases)
	}
	for _, s := range list {
		a.Bases[s.region] = s.off
	}
	step := c.step(hi - lo)
	for at := lo; at < hi; at += step {
		if at > lo {
			wipe(list)
		}
		if _, _, err := c.RunShort(ctx, a, at, at+step); err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(a.Faults, func(at int64) bool { return at != math.MaxInt64 }) {
		faults = a.Faults
	}
	return faults, nil
}
