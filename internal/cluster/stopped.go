package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
)

// In: connections that break. Out: when no node runs any more, or none takes this client's certificate, the end of all that is under way.
// The catalogue does not tell of it, as those who would tell are gone, or do not talk to this client.

// startsAgain is for how long nothing may run before work that is under way ends: a node that is
// started again is back by then.
const startsAgain = 2 * time.Second

// alone looks into it when all nodes are gone, unless somebody does already.
func (c *Cluster) alone() {
	if c.allGone() && c.looking.CompareAndSwap(false, true) {
		go func() { // which ends with the connection
			defer c.looking.Store(false)
			c.ask()
		}()
	}
}

// allGone reports that the connections with all nodes broke and nothing came since.
func (c *Cluster) allGone() bool {
	v := c.view.Load()
	for _, n := range v.Nodes {
		if _, gone := c.gone.Load(n.Peer); !gone {
			return false
		}
	}
	return len(v.Nodes) > 0
}

// ask ends what is under way if, again and again, no node runs.
func (c *Cluster) ask() {
	for since := time.Now(); c.allGone(); {
		ctx, cancel := context.WithTimeout(c.ctx, startsAgain)
		_, err := c.cfg.Control.View(ctx)
		cancel()
		switch {
		case c.ctx.Err() == nil && errors.Is(err, control.ErrUnwelcome): // which no other try changes
			c.calls.EndAll(c.why(err))
			return
		case c.ctx.Err() != nil, !errors.Is(err, control.ErrNoneRuns):
			return
		case time.Since(since) > startsAgain:
			c.calls.EndAll(c.why(err))
			return
		}
	}
}

// lost notes a node whose connection broke.
func (c *Cluster) lost(p catalog.Peer) caller.Input {
	if c.ctx.Err() != nil {
		return nil
	}
	c.gone.Store(p, true)
	c.alone()
	return &caller.Gone{Peer: p}
}
