package engine

import (
	"context"
	"math"
	"slices"
	"time"
)

// Once executes outer indices lo..hi in one call on this goroutine, with
// arguments that c.Safe has admitted; bases are as in Args, those of Scratch
// regions are not looked at. It is for runs that are over in less time than a
// Job takes to prepare. faults has for each site the least place, as in Args;
// it is nil when there was no fault.
//
// It is one slice, however long; the end of the context is noticed within a
// millisecond.
func (c *Compiled) Once(ctx context.Context, sizes []int64, scalars []uint64, bases []int64, lo, hi int64) (faults []int64, err error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	t := c.code.Load()
	s, err := t.take(ctx)
	if err != nil {
		return nil, err
	}
	defer t.put(s)
	a := &s.args
	a.Sizes, a.Scalars = append(a.Sizes[:0], sizes...), append(a.Scalars[:0], scalars...)
	a.Bases, a.Faults = append(a.Bases[:0], bases...), a.Faults[:0]
	for range c.Kernel.Sites {
		a.Faults = append(a.Faults, math.MaxInt64)
	}
	var list []scratch
	if c.scratch {
		if list, err = c.lend(sizes); err != nil {
			return nil, err
		}
		defer c.takeBack(list)
		for _, s := range list {
			a.Bases[s.region] = s.off
		}
	}
	start, step := time.Now(), c.step(hi-lo)
	for at := lo; at < hi; at += step {
		if at > lo {
			wipe(list)
		}
		if err := s.Run(ctx, a, at, at+step); err != nil {
			return nil, err
		}
	}
	c.spent(time.Since(start))
	for _, at := range a.Faults {
		if at != math.MaxInt64 {
			return slices.Clone(a.Faults), nil
		}
	}
	return nil, nil
}
