package daemon

import (
	"context"
	"errors"
	"fmt"

	"github.com/godwit-run/godwit/control"
	"github.com/godwit-run/godwit/node"
	"github.com/godwit-run/godwit/parcel"
	"github.com/godwit-run/godwit/store"
)

// keep stores part of a shard's file, publishes that the whole is here, or drops
// it.
func (d *Daemon) keep(ctx context.Context, e *node.Start, w *node.Keep) (*parcel.Answer, error) {
	b := w.Blob
	f := store.File{Set: b.Set, Shard: b.Shard, Lo: b.Lo, Hi: b.Hi, Bytes: b.Total, Sum: b.Sum}
	var err error
	switch w.Kind {
	case parcel.Put:
		err = d.cfg.Store.Put(uploader(e), f, b.Offset, b.Bytes)
	case parcel.Seal:
		if err = d.cfg.Store.Seal(f); err == nil {
			err = d.hold(ctx, b.Set, b.Shard, b.Sum)
		}
	case parcel.Drop:
		err = d.drop(ctx, f)
	default:
		err = fmt.Errorf("a shard cannot be kept by a parcel of kind %v", w.Kind)
	}
	if err == nil {
		return &parcel.Answer{}, nil
	}
	reason := parcel.Refused
	switch {
	case errors.As(err, new(*control.StaleError)):
		reason = parcel.NoShard
	case errors.As(err, new(*store.BusyError)):
		reason = parcel.Busy
	case errors.Is(err, context.DeadlineExceeded):
		reason = parcel.Expired
	}
	return nil, &node.WorkError{Reason: reason, Detail: err.Error()}
}

// drop removes a shard's file, or what has arrived of it: the one that is meant, and only
// if its set is not in the catalogue. The node's own view may be older than what the records
// say, so they are asked.
func (d *Daemon) drop(ctx context.Context, f store.File) error {
	v, err := d.cfg.Control.View(ctx)
	if err != nil {
		return fmt.Errorf("shard %d of set %d stays, because the catalogue does not say whether the set is in it: %w", f.Shard, f.Set, err)
	}
	if set, listed := v.Set(f.Set); listed {
		return fmt.Errorf("shard %d of set %d stays, because @%s is in the catalogue: drop it by its name", f.Shard, f.Set, set.Name)
	}
	if h, here := d.file(f.Set, f.Shard); here && h.Sum != f.Sum {
		return fmt.Errorf("%v stays: its file has the SHA-256 %x…, and %x… was to be dropped", &h, h.Sum[:6], f.Sum[:6])
	}
	d.holding.Lock()
	err = errors.Join(d.cfg.Membership.Unhold(ctx, f.Set, f.Shard), d.cfg.Store.Drop(f.Set, f.Shard))
	d.holding.Unlock()
	d.step(&node.Lacks{Set: f.Set, Shard: int(f.Shard), Why: fmt.Sprintf("node %s: shard %d of set %d was dropped here", d.cfg.Name, f.Shard, f.Set)})
	return err
}

// uploader is who an upload counts to: never the node itself, which keeps without a parcel.
func uploader(e *node.Start) string {
	if e.Owner != "" {
		return e.Owner
	}
	return fmt.Sprintf("peer %d", e.Client)
}
