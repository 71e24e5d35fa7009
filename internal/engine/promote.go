package engine

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// promoteAfter is the rule of the second tier: a kernel that has run this long in
// WebAssembly, over all its runs and threads, is worth native code. It is about
// half of what LLVM takes for a small kernel, which it spends on a processor that
// the run leaves idle or at low priority; kernels that are over sooner never need it.
const promoteAfter = 2 * time.Millisecond

// climb is a kernel's way to the second tier.
type climb struct {
	engine *Engine // nil where there is no second tier, or it is reached
	spent  atomic.Int64
	asked  atomic.Bool
	err    atomic.Pointer[error] // why it stays where it is
}

// spent adds to the time that the kernel has run, and asks for native code when
// that has become worth it.
func (c *Compiled) spent(d time.Duration) {
	e := c.climb.engine
	if e == nil || c.climb.asked.Load() {
		return
	}
	if c.climb.spent.Add(int64(d)) < int64(promoteAfter) || !c.climb.asked.CompareAndSwap(false, true) {
		return
	}
	e.promotions.Go(func() {
		// Failing is no error: the run goes on where it is. Unpromoted tells why.
		_ = e.promote(e.life, c)
	})
}

// Promote compiles a kernel to native code now and gives it to all workers from
// their next slice on. It fails where there is no second tier.
func (e *Engine) Promote(ctx context.Context, c *Compiled) error {
	if c.Tier() == Native {
		return nil
	}
	if e.native == nil {
		return fmt.Errorf("engine: kernel %s stays on %s: there is no compiler to native code", c.Hash.Short(), c.Tier())
	}
	c.climb.asked.Store(true)
	return e.promote(ctx, c)
}

func (e *Engine) promote(ctx context.Context, c *Compiled) error {
	code, err := e.native.compile(ctx, c.Kernel)
	if err != nil {
		c.climb.err.Store(&err)
		return err
	}
	c.swap(Native, code)
	return nil
}

// Unpromoted is why a kernel that was to have native code has none, nil if it has,
// has not asked, or is still waiting.
func (c *Compiled) Unpromoted() error {
	if err := c.climb.err.Load(); err != nil && c.Tier() != Native {
		return *err
	}
	return nil
}
