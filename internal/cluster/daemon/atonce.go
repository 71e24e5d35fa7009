package daemon

import (
	"log/slog"
	"time"
)

// In: time that passes, and parcels that could be answered at once. Out: whether they may be, and recipes that nobody follows, given up. Invariant:
// where no such parcels come, nothing ticks and no recipe is held.

// swiftRest is how long a recipe is kept that nobody follows: it holds memory of the kernels', and its client may be gone.
// Tests lower it.
var swiftRest = 5 * time.Second

// ready says, every tick, whether parcels may be answered at once: a node that does not know whether it is still a member, or that logs
// each parcel, or stands for a longer way, takes the ordinary way, which looks for itself. Where no such parcel came for a while, all are to take that,
// and the next one has it look again.
func (d *Daemon) ready() {
	t, rest := time.NewTicker(tick), time.NewTicker(swiftRest)
	defer t.Stop()
	defer rest.Stop()
	defer d.swiftly.Store(false)
	for still := 0; ; {
		d.swiftly.Store(d.late == nil && d.outdated(nil) == nil && !d.log.Enabled(d.ctx, slog.LevelDebug))
		select {
		case <-d.ctx.Done():
			return
		case <-rest.C:
			if d.rest(); d.busy.Swap(false) {
				still = 0
			} else {
				still++
			}
		case <-t.C:
		}
		if still < 2 { // after which no recipe is left
			continue
		}
		d.swiftly.Store(false)
		select {
		case <-d.ctx.Done():
			return
		case <-d.wanted:
			still = 0
		}
	}
}

// want has ready look again.
func (d *Daemon) want() {
	select {
	case d.wanted <- struct{}{}:
	default:
	}
}

// rest gives up the recipes that nobody has followed since the last time.
func (d *Daemon) rest() {
	for i := range d.recipes {
		s := &d.recipes[i]
		r := s.made.Swap(nil) // who wants it meanwhile takes the ordinary way
		switch {
		case r == nil:
		case r.runs == r.rested:
			d.forsake(r)
		default:
			r.rested = r.runs
			s.keep(d, r)
		}
	}
}
