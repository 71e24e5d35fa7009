package simulate

import (
	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/drive"
	"github.com/godwit-run/godwit/internal/cluster/loan"
)

// alarmed is a caller's core that is woken when it says, where production ticks every so often.
//
// In: the core's inputs. Out: its effects, and ticks at planned times of the world.
// Invariant: while the core has a timer, a tick is planned no later than it ends.
type alarmed struct {
	*caller.Core
	w    *world
	tick func()
	wake int64 // of the earliest planned tick
}

// Step implements drive.Core.
func (c *alarmed) Step(now int64, in caller.Input) []caller.Effect {
	effects := c.Core.Step(now, in)
	if at, ok := c.Next(); ok && (c.wake <= now || at < c.wake) {
		c.wake = max(at, now+1)
		c.w.after(c.wake-now, c.tick)
	}
	return effects
}

// driver drives a caller's core as production does, in the world's time and over its network.
func (w *world) driver(self catalog.Peer, name string, core drive.Core[caller.Input, caller.Effect], do func(caller.Effect) caller.Input) drive.Driver[caller.Input, caller.Effect] {
	return drive.Driver[caller.Input, caller.Effect]{
		Core: core, Now: w.told, Do: do,
		Sends: func(to catalog.Peer, b []byte) { w.observe(name, to, b) },
		Offer: func(to catalog.Peer, b []byte, _ *loan.Loan) error { w.send(self, to, b); return nil },
		Lost:  func(p catalog.Peer) caller.Input { return &caller.Gone{Peer: p} },
	}
}
