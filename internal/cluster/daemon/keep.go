package daemon

import (
	"context"
	"errors"
	"fmt"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/store"
	"github.com/godwit-run/godwit/internal/data/digest"
)

// keep stores part of a shard's file, publishes that the whole is here, or drops
// it.
func (d *Daemon) keep(ctx context.Context, e *node.Start, w *node.Keep) (*parcel.Answer, error) {
	b := w.Blob
	f := store.File{Set: b.Set, Shard: b.Shard, Lo: b.Lo, Hi: b.Hi, Bytes: b.Total, Sum: b.Sum}
	var err error
	switch w.Kind {
	case parcel.Put:
		if err = d.mayStore(ctx, e, f); err == nil {
			err = d.cfg.Store.Put(uploader(e), f, b.Offset, b.Bytes)
		}
	case parcel.Seal:
		if err = d.mayStore(ctx, e, f); err == nil {
			err = d.cfg.Store.Seal(f)
		}
		if err == nil {
			if err = d.hold(ctx, &f); err != nil {
				err = d.unheld(ctx, &f, err)
			}
		}
	case parcel.Drop:
		err = d.drop(ctx, uploader(e), f)
	default:
		err = fmt.Errorf("a shard cannot be kept by a parcel of kind %v", w.Kind)
	}
	if err == nil {
		return &parcel.Answer{}, nil
	}
	failed := &node.WorkError{Reason: parcel.Refused, Detail: err.Error()}
	switch {
	case errors.As(err, new(*store.UnfinishedError)):
		failed.Reason, failed.Set, failed.Shard = parcel.NoShard, f.Set, int(f.Shard)
	case errors.As(err, new(*control.StaleError)):
		failed.Reason = parcel.NoShard
	case errors.As(err, new(*store.BusyError)):
		failed.Reason = parcel.Busy
	case errors.Is(err, context.DeadlineExceeded):
		failed.Reason = parcel.Expired
	}
	return nil, failed
}

// mayStore is an error if the sender may not store a shard. What is here already may come again.
func (d *Daemon) mayStore(ctx context.Context, e *node.Start, f store.File) error {
	if f.Shard >= catalog.MaxShards {
		return fmt.Errorf("%v: a set has at most %d shards, numbered from 0: cut it into fewer", &f, catalog.MaxShards)
	}
	if h, here := d.file(f.Set, f.Shard); here && h == f {
		return nil
	}
	return d.may(ctx, uploader(e), f.Set)
}

// drop removes a shard's file, or what has arrived of it: the one that is meant, and only
// if its set is neither in the catalogue nor being stored by somebody else. The node's own view may be older than what the records
// say, so they are asked.
func (d *Daemon) drop(ctx context.Context, owner string, f store.File) error {
	of, reserved, err := d.stage(ctx, f.Set)
	if err != nil {
		return fmt.Errorf("%v stays: %w", &f, err)
	}
	if err := belongs(of.Owner, owner, f.Set); reserved && err != nil {
		return err
	}
	if h, here := d.file(f.Set, f.Shard); here && h.Sum != f.Sum {
		return fmt.Errorf("%v stays: its file has the SHA-256 %s, and %s was to be dropped", &h, digest.Short(h.Sum), digest.Short(f.Sum))
	}
	return d.letGo(ctx, f.Set, f.Shard, "this replica was dropped")
}

// stage says who loads a set; it is an error if the set is in the catalogue, or that cannot be told.
// The reservation is read first: it ends with the commit, so a set that has none and
// is in no later view will never be in one.
func (d *Daemon) stage(ctx context.Context, set uint32) (r control.Reservation, reserved bool, err error) {
	if r, reserved, err = d.cfg.Membership.Reserved(ctx, set); err != nil {
		return r, false, err
	}
	v, err := d.cfg.Control.View(ctx)
	if err != nil {
		return r, false, fmt.Errorf("the catalogue does not say whether the set is in it: %w", err)
	}
	if s, listed := v.Set(set); listed {
		return r, false, fmt.Errorf("@%s is in the catalogue: drop it by its name", s.Name)
	}
	return r, reserved, nil
}

// letGo removes a replica. The cluster is told first, and if that fails the replica stays: whoever
// wants it gone tries again, and nobody is sent to a file that is not there.
func (d *Daemon) letGo(ctx context.Context, set, shard uint32, why string) error {
	d.holding.Lock()
	defer d.holding.Unlock()
	if err := d.cfg.Membership.Unhold(ctx, set, shard); err != nil {
		return err
	}
	d.drive.Step(&node.Lacks{Set: set, Shard: int(shard), Why: why})
	return d.cfg.Store.Drop(set, shard)
}

// uploader is who an upload counts to: never the node itself, which keeps without a parcel.
func uploader(e *node.Start) string {
	if e.Owner != "" {
		return e.Owner
	}
	return fmt.Sprintf("peer %d", e.Client)
}

// file describes a shard that is here.
func (d *Daemon) file(set, shard uint32) (store.File, bool) { return d.cfg.Store.File(set, shard) }

// copyPart gives bytes of a shard's file to another node.
func (d *Daemon) copyPart(p *parcel.Part) (*parcel.Answer, error) {
	f, ok := d.file(p.Set, p.Shard)
	switch {
	case !ok || f.Sum != p.Sum:
		return nil, &node.WorkError{Reason: parcel.NoShard, Set: p.Set, Shard: int(p.Shard), Detail: f.String() + " is not on this node"}
	case p.Count > f.Bytes || p.Offset > f.Bytes-p.Count:
		return nil, refused("%v has %d bytes, not %d from %d on", &f, f.Bytes, p.Count, p.Offset)
	}
	a := parcel.Lay(int(p.Count))
	if err := d.cfg.Store.ReadPart(f, p.Offset, a.Columns[0]); errors.As(err, new(*store.DamageError)) {
		return nil, err // which sets the replica aside
	} else if err != nil {
		return nil, &node.WorkError{Reason: parcel.NoShard, Set: p.Set, Shard: int(p.Shard), Detail: err.Error()}
	}
	return a, nil
}
