package engine

import (
	"context"
	"errors"
	"sync"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/totals"
)

// lawful is what is known of the law of a kernel, found out once.
type lawful struct {
	once sync.Once
	law  *totals.Law
}

// Law says how the state of a kernel adds up; nil if it does not.
func (c *Compiled) Law() *totals.Law {
	c.lawful.once.Do(func() {
		if law, err := totals.Of(c.Safe); err == nil {
			c.lawful.law = law
		}
	})
	return c.lawful.law
}

// errNoTotals says that a kernel of totals cannot go ahead of its kernel, now.
var errNoTotals = errors.New("engine: the kernel of totals is not there")

// totals gives the kernel of totals for a run with these sizes, until its Release. It must reach the memory that the kernel
// reaches: where that is native code, it is asked for, and the kernel runs without it until it is there.
func (c *Compiled) totals(ctx context.Context, sizes []int64) (*Compiled, error) {
	law := c.Law()
	if law == nil || !law.Admits(sizes) || law.Totals.AdmitShape(sizes, lengths(law.Totals.Kernel, sizes), Limits{}) != nil {
		return nil, errNoTotals
	}
	t, err := c.engine.Hold(ctx, law.Totals)
	if err != nil {
		return nil, err
	}
	if t.Tier() == Wasm && t.climb.engine != nil && (c.ReachesAll() || c.climb.asked.Load()) {
		t.ask()
	}
	if c.ReachesAll() && !t.ReachesAll() {
		t.Release()
		return nil, errNoTotals
	}
	return t, nil
}

// lengths are those that the regions of a kernel have at least.
func lengths(k *kernel.Kernel, sizes []int64) []int64 {
	lens := make([]int64, len(k.Regions))
	for i := range k.Regions {
		lens[i], _ = kernel.EvalPoly(k.Regions[i].Len, sizes)
	}
	return lens
}
