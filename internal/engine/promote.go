package engine

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/ir/verify"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: how long kernels have run in WebAssembly, and how long they are expected to. Out: native code of those for
// which that is longer than to make it, made in the background. The rule is the one of renting and buying: who buys
// when the rent has come to the price pays at most twice as much as who knew beforehand. What a launch is expected to
// take counts as paid already, since it will be.

// climb is a kernel's way to the second tier.
type climb struct {
	engine *Engine // nil where there is no second tier, or it is reached
	spent  atomic.Int64
	owed   int64        // of spent, in earlier processes
	told   atomic.Int64 // of spent, owed and what Rent has given
	asked  atomic.Bool
	err    atomic.Pointer[error] // why it stays where it is
	ended  chan struct{}         // closed when the first try is over
	once   sync.Once             // closes it
}

// spent adds to the time that the kernel has run, and asks for native code when
// that has become worth it. While that is made the time goes on: a process may end before.
func (c *Compiled) spent(d time.Duration) {
	if c.climb.engine == nil {
		return
	}
	if c.climb.spent.Add(int64(d)) >= c.price() && !c.climb.asked.Load() {
		c.ask()
	}
}

// Brought adds what it took to copy inputs into the memory of this tier, which native code reads where they lie.
func (c *Compiled) Brought(d time.Duration) { c.spent(d) }

// ask has native code made in the background, once.
func (c *Compiled) ask() {
	if e := c.climb.engine; c.climb.asked.CompareAndSwap(false, true) {
		e.promotions.Go(func() {
			// Failing is no error: the run goes on where it is. Unpromoted tells why.
			_ = e.promote(e.life, c)
		})
	}
}

// Outlook is what is expected of a launch that is about to begin.
type Outlook struct {
	Wasm  time.Duration // it takes on WebAssembly, with the runs of it that are to follow
	Each  time.Duration // an outer index of it takes, on one thread
	Quick time.Duration // and as native code
}

// Foresee is told of a launch. If native code is worth it, it asks for that before the first slice. If one outer
// index takes longer than to make it and to go on as native code, so that slices would come too late to change over, it waits until it is made, at
// most as long as the outer index would take.
func (c *Compiled) Foresee(ctx context.Context, o Outlook) {
	e := c.climb.engine
	if e == nil || c.Tier() == Native {
		return
	}
	price := time.Duration(c.price())
	if time.Duration(c.climb.spent.Load())+o.Wasm < price {
		return
	}
	c.ask()
	if o.Each < price+o.Quick {
		return
	}
	select {
	case <-c.climb.ended:
	case <-time.After(o.Each):
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
	code, err := e.native.compile(ctx, c.Safe)
	if err != nil {
		c.climb.err.Store(&err)
		return err
	}
	c.swap(Native, code)
	took := time.Since(start)
	if own := int64(float64(took) / c.larger()); own < e.promotion.Load() { // others only ever make it longer
		e.promotion.Store(own)
	}
	return nil
}

// price is how long it takes to make native code of the kernel, in nanoseconds.
func (c *Compiled) price() int64 { return int64(float64(c.climb.engine.promotion.Load()) * c.larger()) }

// larger: see machine.Larger.
func (c *Compiled) larger() float64 { return machine.Larger(c.instructions) }

// Unpromoted is why a kernel that was to have native code has none, nil if it has,
// has not asked, or is still waiting.
func (c *Compiled) Unpromoted() error {
	if err := c.climb.err.Load(); err != nil && c.Tier() != Native {
		return *err
	}
	return nil
}

// Compiles reports that the compiler of native code runs.
func (e *Engine) Compiles() bool { return e.native != nil && e.native.service.Running() }

// Kept reports that native code of a kernel lies on disk, with which it begins then.
func (e *Engine) Kept(s *verify.Safe) bool { return e.native != nil && e.native.kept(s) }

// Promotes reports that kernels which run long go over to native code.
func (e *Engine) Promotes() bool { return e.native != nil }
