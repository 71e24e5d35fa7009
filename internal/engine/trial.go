package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// In: a kernel of which there is no code yet. Out: its first runs, interpreted, as long as each has few steps and all of them have taken less than to
// make WebAssembly of it; and that, made before another run, or beside the second one if no other kernel's is being made there: most kernels of a
// short process, and many that nodes are sent, run once. Invariants: a kernel on trial is one of the tier Wasm for all who ask, and reaches the same
// memory; all that is interpreted of it takes at most as long as to make code of it, and the runs that are under way then.

// trial is the time of a kernel before its WebAssembly is made. It is safe for concurrent use.
type trial struct {
	of     *Compiled
	steps  int64         // of a run that is interpreted
	making time.Duration // that code is expected to take
	runs   atomic.Int32
	spent  atomic.Int64 // nanoseconds in which it was interpreted
	code   *tiered      // that interprets
	failed atomic.Int32 // attempts

	mu      sync.Mutex
	attempt *attempt // under way; nil if nobody makes code
}

// attempt is one to make code, for all who want it meanwhile.
type attempt struct {
	done chan struct{} // closed when err is set
	err  error
}

// Tries reports that new kernels are interpreted at first.
func (e *Engine) Tries() bool { return e.opt.Trial != nil && e.opt.Tier == Wasm }

// trialOf gives a kernel its trial, if it is worth one: it has no memory of its own, which the interpreter would make anew each time.
func (e *Engine) trialOf(safe *verify.Safe) *trial {
	if !e.Tries() || safe.Kernel.HasScratch() {
		return nil
	}
	steps, making := e.opt.Trial(kernel.Instructions(safe.Kernel))
	if steps <= 0 {
		return nil
	}
	return &trial{steps: steps, making: making}
}

// Trying reports that the kernel is interpreted where a run of it is short, since no code was made of it yet.
func (c *Compiled) Trying() bool { return c.trial.Load() != nil }

// Ready has code of a kernel made before a run with these sizes that is expected to be followed by others, so many with it, unless all are over sooner if they
// are interpreted. Whoever runs the kernel does the same for that run: to ask before tells what it takes.
func (c *Compiled) Ready(ctx context.Context, sizes []int64, runs float64) error {
	t := c.trial.Load()
	if t == nil || t.spent.Load() < int64(t.making) && t.short(sizes, runs) {
		return nil
	}
	err := t.compiled(ctx)
	if err != nil && ctx.Err() == nil && t.short(sizes, 1) {
		return nil // it can do without
	}
	return err
}

// short reports that so many runs have few steps together.
func (t *trial) short(sizes []int64, runs float64) bool {
	return float64(t.of.Safe.Steps(sizes))*max(1, runs) <= float64(t.steps)
}

// Make has code of a kernel made now, however little is to be run.
func (c *Compiled) Make(ctx context.Context) error {
	if t := c.trial.Load(); t != nil {
		return t.compiled(ctx)
	}
	return nil
}

// mostFailed is how many attempts to make code fail before it is only made for who cannot do without.
const mostFailed = 3

// countRun counts a run that begins, or a pass of one: from the second on code is worth making, of one kernel at a time.
func (c *Compiled) countRun() {
	t := c.trial.Load()
	if t == nil || t.runs.Add(1) < 2 || t.failed.Load() >= mostFailed || !c.engine.maker.TryLock() {
		return
	}
	e := c.engine
	e.promotions.Go(func() {
		defer e.maker.Unlock()
		defer func() { _ = recover() }() // what is wrong comes again, to who cannot do without code
		if e.life.Err() == nil && !c.forgotten() {
			_ = t.compiled(context.Background())
		}
	})
}

// interpreted adds to the time in which a kernel on trial was interpreted.
func (c *Compiled) interpreted(d time.Duration) {
	if t := c.trial.Load(); t != nil {
		t.spent.Add(int64(d))
	}
}

// compiled has WebAssembly be made, once for all who ask while it is made. Who waits for another gets its error, and who comes later tries again.
func (t *trial) compiled(ctx context.Context) error {
	t.mu.Lock()
	if t.of.trial.Load() != t {
		t.mu.Unlock()
		return nil
	}
	a := t.attempt
	if a == nil {
		t.attempt = &attempt{done: make(chan struct{}), err: errBroken} // which stays if the compiler panics
		a = t.attempt
		t.mu.Unlock()
		defer t.ended(a)
		a.err = t.compile(context.WithoutCancel(ctx))
		return a.err
	}
	t.mu.Unlock()
	select {
	case <-a.done:
		return a.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t *trial) ended(a *attempt) {
	if a.err != nil {
		t.failed.Add(1)
	}
	t.mu.Lock()
	t.attempt = nil
	t.mu.Unlock()
	close(a.done)
}

func (t *trial) compile(ctx context.Context) error {
	c, start := t.of, time.Now()
	w, err := c.engine.compiler(ctx)
	if err != nil {
		return err
	}
	code, err := w.compile(ctx, c.Safe)
	if err != nil {
		return err
	}
	c.engine.readied.note(c.Hash, Wasm, time.Since(start))
	c.replace(t.code, Wasm, code)
	return nil
}
