package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/data"
)

// In: rows that several may add to a data set at the same time. Out: theirs among the others'. An append stores all rows anew, those of the set
// as it was when it began, so of those that run beside each other only the first to end is right; the others begin again. Invariant: whoever
// begins again has stored nothing that is seen.

// mostAppends is how often an append begins again because somebody else has changed the data set: of so many that add at the same time, the last one
// waits for all others.
const mostAppends = 32

// Before it does, it waits at random for at most as long as the last try took, and mostWait, so that those who fail together do not go on so.
const (
	leastWait = time.Millisecond
	mostWait  = 2 * time.Second
)

// add is Load with Append.
func (c *Cluster) add(ctx context.Context, src data.Source, name string, opt LoadOptions) (*Loaded, error) {
	for turn := 1; ; turn++ {
		began := time.Now()
		loaded, err := c.load(ctx, src, name, opt, false)
		if err == nil || !overtaken(err) {
			return loaded, c.why(err)
		}
		if turn > mostAppends {
			return nil, fmt.Errorf("others added rows to @%s, or replaced it, %d times while these rows were to be added: nothing was added; try again when they are done", name, turn)
		}
		if err := c.pause(ctx, rand.N(min(max(time.Since(began), leastWait), mostWait))); err != nil {
			return nil, c.why(fmt.Errorf("others added rows to @%s, or replaced it, while these rows were to be added: nothing was added: %w", name, err))
		}
	}
}

// pause ends early, with an error, where nobody waits for it any more.
func (c *Cluster) pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return ctx.Err()
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.ctx.Done():
		return context.Cause(c.ctx)
	}
}

// overtaken reports that a data set has become another one, or none, while rows were added to it.
func overtaken(err error) bool {
	gone := (*caller.Error)(nil)
	return errors.As(err, &gone) && gone.Gone || errors.As(err, new(*control.OvertakenError))
}
