package engine

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// promoteAfter is the rule of the second tier: a kernel that has run this long in
// WebAssembly, over all its runs and threads, is worth native code. It is about
// half of what LLVM takes for a small kernel, which it spends on a processor that
// the run leaves idle or at low priority; kernels that are over sooner never need it.
const promoteAfter = 2 * time.Millisecond

// leastStep is what a step of a kernel takes at least, in picoseconds: one of eight lanes of an
// instruction, of which a processor begins two or three a nanosecond. Steps are bounds from above,
// so a launch that is foreseen to be long may be short; one that is foreseen to be short is.
const leastStep = 50

// firstPromotion stands for the time that a promotion takes before there was one.
const firstPromotion = 10 * promoteAfter

// patience is how many times as long as an outer index takes at least a run waits for native code:
// a step that is no lane of a vector takes some ten times as long, so that the wait at most doubles
// the time of a run.
const patience = 10

// climb is a kernel's way to the second tier.
type climb struct {
	engine *Engine // nil where there is no second tier, or it is reached
	spent  atomic.Int64
	asked  atomic.Bool
	err    atomic.Pointer[error] // why it stays where it is
	ended  chan struct{}         // closed when the first try is over
	once   sync.Once             // closes it
}

// spent adds to the time that the kernel has run, and asks for native code when
// that has become worth it.
func (c *Compiled) spent(d time.Duration) {
	e := c.climb.engine
	if e == nil || c.climb.asked.Load() {
		return
	}
	if c.climb.spent.Add(int64(d)) >= int64(promoteAfter) {
		c.ask()
	}
}

// ask has native code made in the background, once.
func (c *Compiled) ask() {
	if e := c.climb.engine; c.climb.asked.CompareAndSwap(false, true) {
		e.promotions.Go(func() {
			// Failing is no error: the run goes on where it is. Unpromoted tells why.
			_ = e.promote(e.life, c)
		})
	}
}

// Foresee is told of n outer indices that are to be executed. If even at the pace of vectors they
// take long enough, it asks for native code before the first slice. If one of them alone takes
// longer than to make it, so that slices would come too late to change over, it waits until it is made.
func (c *Compiled) Foresee(ctx context.Context, sizes []int64, n int64) {
	e := c.climb.engine
	if e == nil || c.Tier() == Native {
		return
	}
	picos := min(c.Safe.Outer.Eval(sizes), math.MaxInt64/leastStep) * leastStep
	if float64(picos)*float64(n) < float64(1000*promoteAfter) {
		return
	}
	c.ask()
	each := time.Duration(picos / 1000)
	if each < max(time.Duration(e.promotion.Load()), firstPromotion) {
		return
	}
	select {
	case <-c.climb.ended:
	case <-time.After(patience * min(each, math.MaxInt64/patience)):
	case <-ctx.Done():
	}
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
	defer c.climb.once.Do(func() { close(c.climb.ended) })
	start := time.Now()
	code, err := e.native.compile(ctx, c.Kernel)
	if err != nil {
		c.climb.err.Store(&err)
		return err
	}
	c.swap(Native, code)
	e.promotion.Store(int64(time.Since(start)))
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
