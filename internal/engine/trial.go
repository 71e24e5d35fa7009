package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// In: a kernel of which there is no code yet. Out: its first runs, interpreted as long as each takes less than to make WebAssembly of it; and
// that, made before a run which takes longer, or beside the second one: most kernels of a short process, and many that nodes
// are sent, run once. Invariant: a kernel on trial is one of the tier Wasm for all who ask, and reaches the same memory.

// trial is the time of a kernel before its WebAssembly is made. It is safe for concurrent use.
type trial struct {
	of   *Compiled
	most int64 // steps of a run that is interpreted
	runs atomic.Int32
	code *tiered // that interprets
	once sync.Once
	err  error
}

// trialOf gives a kernel its trial, if it is worth one: it has no memory of its own, which the interpreter would make anew each time.
func (e *Engine) trialOf(safe *verify.Safe) *trial {
	if !e.Tries() || hasScratch(safe.Kernel) {
		return nil
	}
	if most := e.opt.Trial(kernel.Instructions(safe.Kernel)); most > 0 {
		return &trial{most: most}
	}
	return nil
}

// Tries reports that new kernels are interpreted at first.
func (e *Engine) Tries() bool { return e.opt.Trial != nil && e.opt.Tier == Wasm }

// Trying reports that the kernel is interpreted where a run of it is short, since no code was made of it yet.
func (c *Compiled) Trying() bool { return c.trial.Load() != nil }

// Ready has code of a kernel made before a run with these sizes, unless the run is over sooner if it is interpreted. Whoever
// runs the kernel does the same: to ask before tells what it takes.
func (c *Compiled) Ready(ctx context.Context, sizes []int64) error {
	t := c.trial.Load()
	if t == nil || c.Safe.Steps(sizes) <= t.most {
		return nil
	}
	return t.make(ctx)
}

// Make has code of a kernel made now, however little is to be run.
func (c *Compiled) Make(ctx context.Context) error {
	if t := c.trial.Load(); t != nil {
		return t.make(ctx)
	}
	return nil
}

// begun counts a run that begins: from the second on code is worth making.
func (c *Compiled) begun() {
	if t := c.trial.Load(); t != nil && t.runs.Add(1) == 2 {
		e := c.engine
		e.promotions.Go(func() { _ = t.make(e.life) }) // an error comes again, to who cannot do without
	}
}

// make makes WebAssembly, once for all who ask.
func (t *trial) make(ctx context.Context) error {
	t.once.Do(func() { t.err = t.end(context.WithoutCancel(ctx)) })
	return t.err
}

func (t *trial) end(ctx context.Context) error {
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
