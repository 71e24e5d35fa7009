package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/store"
)

// Damaged is a shard that the node set aside, because its file was not what was stored.
type Damaged struct {
	Set    uint32    `json:"set"`
	Name   string    `json:"name,omitempty"`  // of the set; empty when it is not in the catalogue
	Texts  string    `json:"texts,omitempty"` // name of the data set whose texts that one has
	Shard  uint32    `json:"shard"`
	Block  int64     `json:"block"` // -1 if it is not about one
	Reason string    `json:"reason"`
	Time   time.Time `json:"time"`
	File   string    `json:"file,omitempty"` // where it is now
}

// lacks takes a shard out of use, for what was found about its file: the store sets it
// aside, the core passes on what needs it, and others hear of it. What comes back is the
// answer for the job that met it, from which its caller learns to take another replica. A
// shard that is not here, for whatever reason, has the same answer.
func (d *Daemon) lacks(set, shard uint32, why error) error {
	err := d.cfg.Store.SetAside(set, shard, why)
	detail := d.told(set, shard, why)
	if !errors.Is(err, store.ErrNotHere) {
		d.metrics.damaged.Inc()
		d.log.Error("a damaged shard was set aside", "set", set, "shard", shard, "reason", why)
		if err != nil {
			d.log.Error("the files of a damaged shard stay where they are", "set", set, "shard", shard, "reason", err)
		}
		d.unhold(set, shard)
	}
	if !d.here(set, shard) { // it may have been made again since the job began
		d.drive.Step(&node.Lacks{Set: set, Shard: int(shard), Why: detail})
	}
	return &node.WorkError{Reason: parcel.NoShard, Set: set, Shard: int(shard), Detail: detail}
}

// compare sets aside what is whole, and not the file that the catalogue says: one that belongs
// elsewhere, with its description and sums.
func (d *Daemon) compare(v *catalog.View) {
	for _, f := range d.cfg.Store.Shards() {
		if err := d.unlike(v, f); err != nil {
			_ = d.lacks(f.Set, f.Shard, err)
		}
	}
}

// unlike says how a shard that is here differs from what the catalogue says of it.
func (d *Daemon) unlike(v *catalog.View, f store.File) error {
	set, ok := v.Set(f.Set)
	if !ok || int(f.Shard) >= len(set.Shards) {
		return nil
	}
	return d.cfg.Store.Expect(f.Set, f.Shard, set.Shards[f.Shard].Sum)
}

// told is what others are told of a shard that is not here: what was found when it was set
// aside, if it was.
func (d *Daemon) told(set, shard uint32, why error) string {
	reason := why.Error()
	if e := (*store.DamageError)(nil); errors.As(why, &e) {
		reason = e.Err.What()
	} else if i, ok := d.damage(set, shard); ok {
		reason = i.Reason
	}
	return fmt.Sprintf("shard %d of set %d: %s", shard, set, reason)
}

// damage is the last one of a shard that was set aside.
func (d *Daemon) damage(set, shard uint32) (last store.Damage, ok bool) {
	for _, i := range d.cfg.Store.Damaged() {
		if i.Set == set && i.Shard == shard {
			last, ok = i, true
		}
	}
	return last, ok
}

func (d *Daemon) here(set, shard uint32) bool {
	_, ok := d.cfg.Store.File(set, shard)
	return ok
}

// hold tells the core, and then the cluster, that a shard is here: the node itself may use it
// also while nobody else can be told.
func (d *Daemon) hold(ctx context.Context, f *store.File) error {
	d.drive.Step(&node.Holds{Set: f.Set, Shard: int(f.Shard)})
	d.holding.Lock()
	defer d.holding.Unlock()
	return d.cfg.Membership.Hold(ctx, heldOf(f))
}

// Times to wait before the cluster is told again that a shard is not here.
const (
	unholdLeast = 100 * time.Millisecond
	unholdMost  = 30 * time.Second
	unholdTime  = 10 * time.Second // for one try
)

// unhold tells the cluster that a shard is not here, as often as it takes. It ends when
// the shard is here again.
func (d *Daemon) unhold(set, shard uint32) {
	d.work.Go(func() {
		for wait := unholdLeast; ; wait = min(2*wait, unholdMost) {
			err := d.tryUnhold(set, shard)
			if err == nil || d.ctx.Err() != nil {
				return
			}
			d.log.Warn("others are not told yet that a shard is not here", "set", set, "shard", shard, "reason", err)
			select {
			case <-d.ctx.Done():
				return
			case <-time.After(wait):
			}
		}
	})
}

func (d *Daemon) tryUnhold(set, shard uint32) error {
	d.holding.Lock() // so that it does not take back what is held again
	defer d.holding.Unlock()
	if d.here(set, shard) {
		return nil
	}
	ctx, cancel := context.WithTimeout(d.ctx, unholdTime)
	defer cancel()
	return d.cfg.Membership.Unhold(ctx, set, shard)
}

// tellDamaged says what was found when the store was opened.
func (d *Daemon) tellDamaged() {
	for _, f := range d.cfg.Store.Damaged() {
		if d.here(f.Set, f.Shard) {
			continue
		}
		d.metrics.damaged.Inc()
		d.log.Error("a damaged shard was set aside at start", "set", f.Set, "shard", f.Shard, "file", f.Path, "reason", f.Reason)
		d.drive.Step(&node.Lacks{Set: f.Set, Shard: int(f.Shard), Why: d.told(f.Set, f.Shard, errors.New(f.Reason))})
		d.unhold(f.Set, f.Shard)
	}
}

// damaged lists what was set aside, for the report.
func (d *Daemon) damaged() []Damaged {
	list := []Damaged{}
	v := d.view.Load()
	for _, f := range d.cfg.Store.Damaged() {
		e := Damaged{Set: f.Set, Shard: f.Shard, Block: f.Block, Reason: f.Reason, Time: f.Time, File: f.Path}
		if v != nil {
			if set, ok := v.Set(f.Set); ok {
				e.Name, e.Texts = set.Name, catalog.TextsOwner(v, set)
			}
		}
		list = append(list, e)
	}
	return list
}
