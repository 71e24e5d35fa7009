package engine

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/godwit-run/godwit/kernel"
	"github.com/godwit-run/godwit/mem"
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
	var scratch []mem.Span
	if c.scratch {
		if scratch, err = c.lend(a); err != nil {
			return nil, err
		}
		defer c.takeBack(scratch)
	}
	start, step := time.Now(), c.step(hi-lo)
	for at := lo; at < hi; at += step {
		if at > lo {
			c.wipe(scratch)
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

// lend gives the Scratch regions zeroed memory until takeBack.
func (c *Compiled) lend(a *Args) (spans []mem.Span, err error) {
	for i, r := range c.Kernel.Regions {
		if r.Access != kernel.Scratch {
			continue
		}
		n, _ := kernel.EvalPoly(r.Len, a.Sizes)
		s, err := c.arena.Alloc(n * int64(r.Elem.Size()))
		if err != nil {
			c.takeBack(spans)
			return nil, err
		}
		spans = append(spans, s)
		a.Bases[i] = s.Off
	}
	return spans, nil
}

func (c *Compiled) takeBack(spans []mem.Span) {
	for _, s := range spans {
		c.arena.Free(s)
	}
}

func (c *Compiled) wipe(spans []mem.Span) {
	for _, s := range spans {
		clear(c.arena.Bytes(s.Off, s.Len))
	}
}
