package engine

import (
	"time"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// In: how long kernels ran in WebAssembly, in this process and before. Out: native code of those that short processes run again and again, each of which ends
// before it is made. What earlier processes have paid counts: see climb. Who asks for native code that they would have had by then sees it through.

// tellingRent is which part of what native code takes to make is worth remembering.
const tellingRent = 8

// Rent is how long a kernel without native code has run since it was asked for last; 0 as long as that is next to no time.
func (e *Engine) Rent(id kernel.ID) time.Duration {
	if e.native == nil {
		return 0
	}
	c, ok := e.Lookup(id)
	if !ok || c.climb.engine == nil || c.Tier() != Wasm || c.climb.err.Load() != nil {
		return 0
	}
	took := c.climb.spent.Load() - c.climb.told.Load()
	if took < c.price()/tellingRent {
		return 0
	}
	c.climb.told.Add(took)
	return time.Duration(took)
}

// resume goes on where earlier processes were with a kernel.
func (c *Compiled) resume() {
	if c.engine.opt.Rented == nil {
		return
	}
	c.climb.owed = int64(c.engine.opt.Rented(c.Safe.ID))
	c.climb.told.Store(c.climb.owed)
	if c.climb.spent.Store(c.climb.owed); c.owing() {
		c.ask()
	}
}

// owing reports that earlier processes have paid for native code.
func (c *Compiled) owing() bool { return c.climb.owed > 0 && c.climb.owed >= c.price() }

// seeThrough waits for native code that is being made and that earlier processes have paid for, for as long as it may take to make.
func (e *Engine) seeThrough() {
	var owing []*Compiled
	total := int64(0)
	for _, c := range e.Kernels() {
		if c.owing() && c.climb.asked.Load() && c.Tier() == Wasm {
			owing, total = append(owing, c), total+c.price()
		}
	}
	late := time.After(2 * time.Duration(total))
	for _, c := range owing {
		select {
		case <-c.climb.ended:
		case <-late:
			return
		}
	}
}
