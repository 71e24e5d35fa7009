package daemon

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// In: parcels that store or drop shards of sets that are not in the catalogue. Out: whether their
// sender may. The number of such a set is reserved for whoever asked for it, and nobody else
// stores under it, or drops what is there.

// reserved remembers for whom numbers were reserved. A number has one owner for ever, so what
// was true stays true.
type reserved struct {
	mu   sync.Mutex
	sets map[uint32]*loading
}

// loading is a set that is being stored here.
type loading struct {
	owner     string
	refreshed int64 // when the reservation was last refreshed from here, in µs
}

// refreshEvery is how often a node says that something is stored for a set. Other nodes may
// hold shards of it and hear nothing for long: from this they know that the load goes on.
const refreshEvery = 2 * time.Minute

// maxRemembered is how many numbers are remembered; then all are asked for again.
const maxRemembered = 1024

// may is an error if an owner may not store shards of a set.
func (d *Daemon) may(ctx context.Context, owner string, set uint32) error {
	r := &d.reserved
	r.mu.Lock()
	l, known := r.sets[set]
	r.mu.Unlock()
	if !known {
		of, reserved, err := d.cfg.Membership.Reserved(ctx, set)
		switch {
		case err != nil:
			return err
		case !reserved:
			return fmt.Errorf("the number of set %d is reserved for nobody, or nothing was stored under it for long: ask for one first, with a client and nodes of the same version", set)
		}
		l = &loading{owner: of.Owner, refreshed: d.now() - refreshEvery.Microseconds()}
		r.mu.Lock()
		if r.sets == nil || len(r.sets) >= maxRemembered {
			r.sets = map[uint32]*loading{}
		}
		r.sets[set] = l
		r.mu.Unlock()
	}
	if err := belongs(l.owner, owner, set); err != nil {
		return err
	}
	d.refresh(l, set)
	return nil
}

// refresh tells the other nodes now and then that something was stored for a set.
func (d *Daemon) refresh(l *loading, set uint32) {
	now := d.now()
	d.reserved.mu.Lock()
	due := now-l.refreshed >= refreshEvery.Microseconds()
	if due {
		l.refreshed = now
	}
	d.reserved.mu.Unlock()
	if !due {
		return
	}
	d.work.Go(func() {
		ctx, cancel := context.WithTimeout(d.ctx, unholdTime)
		defer cancel()
		if err := d.cfg.Membership.Refresh(ctx, set); err != nil && d.ctx.Err() == nil {
			d.log.Warn("others are not told that a data set is still being loaded", "set", set, "reason", err)
		}
	})
}

// belongs is an error if a number is another owner's. What is reserved for nobody in
// particular is everybody's.
func belongs(of, owner string, set uint32) error {
	if of != "" && of != owner {
		return fmt.Errorf("the number of set %d is reserved for another owner than %s", set, owner)
	}
	return nil
}
