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
		err = errors.Join(d.cfg.Membership.Unhold(ctx, b.Set, b.Shard), d.cfg.Store.Drop(b.Set, b.Shard))
		d.step(&node.Lacks{Set: b.Set, Shard: int(b.Shard), Why: fmt.Sprintf("node %s: shard %d of set %d was dropped here", d.cfg.Name, b.Shard, b.Set)})
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

// uploader is who an upload counts to: never the node itself, which keeps without a parcel.
func uploader(e *node.Start) string {
	if e.Owner != "" {
		return e.Owner
	}
	return fmt.Sprintf("peer %d", e.Client)
}
