package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/store"
)

// In: shards that are on the disk. Out: the cluster's records say so, sooner or later. What
// the records refuse for good does not stay on the disk, where nobody would ever find it.

// unheld deals with a shard that is here, and of which the cluster could not be told. If the
// records have no room for it, it goes; otherwise they are told later, whether or not whoever
// stored it comes again.
func (d *Daemon) unheld(ctx context.Context, f *store.File, err error) error {
	if errors.As(err, new(*control.FullError)) {
		return errors.Join(err, d.letGo(ctx, f.Set, f.Shard, "the cluster's records have no room for it"))
	}
	d.publishLater()
	return err
}

// publish tells the catalogue what is on the disk, should it be more or less than what the
// node had when it joined.
func (d *Daemon) publish() {
	if err := d.tryPublish(); err != nil && d.ctx.Err() == nil {
		d.log.Warn("what the node holds is not published; it is tried again", "reason", err)
		d.publishLater()
	}
}

func (d *Daemon) tryPublish() error {
	ctx, cancel := context.WithTimeout(d.ctx, unholdTime)
	defer cancel()
	d.holding.Lock()
	defer d.holding.Unlock()
	return d.lives.HoldAll(ctx, Holding(d.cfg.Store))
}

// publishLater publishes after a while, as often as it takes. One at a time does.
func (d *Daemon) publishLater() {
	if d.later.Swap(true) {
		return
	}
	d.work.Go(func() {
		for wait := unholdLeast; ; wait = min(2*wait, unholdMost) {
			select {
			case <-d.ctx.Done():
				return
			case <-time.After(wait):
			}
			d.later.Store(false) // what is stored from now on may need another time
			err := d.tryPublish()
			if err == nil || d.ctx.Err() != nil || d.later.Swap(true) {
				return
			}
			d.log.Warn("what the node holds is not published; it is tried again", "reason", err)
		}
	})
}
