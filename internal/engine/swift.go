package engine

import (
	"context"
	"math"
	"slices"
	"time"
)

// In: a kernel that takes a fraction of a microsecond, again and again with the same sizes. Out: the same as of Once, without what Once
// makes anew each time. Invariant: nothing here waits, and nothing is allocated.

// Swiftly reports that RunSwift runs the kernel as a whole: it needs no memory of its own, and its outer indices are one slice.
func (c *Compiled) Swiftly() bool { return c.Whole() && !c.Safe.Carries }

// RunSwift executes the first n outer indices of a kernel for which Swiftly holds, with arguments that c.Safe has admitted. It sets a.Faults, and
// reports whether there was none; neither does it run a kernel that needs code first. It does not look at whether it is to stop: whoever calls it knows that the kernel takes few steps.
func (c *Compiled) RunSwift(a *Args, n int64) (good bool, err error) {
	if err := c.enter(); err != nil {
		return false, err
	}
	defer c.leave()
	for i := range a.Faults {
		a.Faults[i] = math.MaxInt64
	}
	if t := c.trial.Load(); t != nil && (t.spent.Load() >= int64(t.making) || !t.short(a.Sizes, 1)) {
		return false, nil // to make code takes long
	}
	c.countRun()
	t := c.code.Load()
	s, err := t.borrow(context.Background())
	if err != nil {
		return false, err
	}
	if !t.stepped && (c.climb.engine == nil || c.climb.asked.Load()) {
		err = (*s).Run(context.Background(), a, 0, n)
	} else { // what it takes decides when native code is made
		start := time.Since(began)
		err = (*s).Run(context.Background(), a, 0, n)
		if took := time.Since(began) - start; t.stepped {
			c.interpreted(took)
		} else {
			c.spent(took)
		}
	}
	t.restore(s)
	return err == nil && !slices.ContainsFunc(a.Faults, func(at int64) bool { return at != math.MaxInt64 }), err
}
