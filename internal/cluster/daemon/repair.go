package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/drive"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/repair"
	"github.com/godwit-run/godwit/internal/cluster/store"
)

// repairs makes lost replicas again on this node and drops those that are too many, as
// package repair decides. A shard is copied part by part from whoever holds it, not faster than
// the stated rate; a copy that breaks off goes on where it was when it is tried again. It counts when the
// store has compared the whole with its sum.
type repairs struct {
	d    *Daemon
	ask  drive.Own
	opt  repair.Options
	mu   sync.Mutex // guards what follows
	plan *repair.Plan
	done map[repair.Name]int64 // bytes that are here of shards that are not yet

	// loads are the revisions of reservations when they were last looked at; of run alone.
	loads map[uint32]int64
}

// Repair is a shard that a node is copying.
type Repair struct {
	Set   uint32 `json:"set"`
	Shard int    `json:"shard"`
	Done  int64  `json:"done"` // bytes of its file that are here
	Bytes int64  `json:"bytes"`
}

const (
	// repairPart is how many bytes are asked for at once.
	repairPart = 1 << 20
	// partTime is how long one part may take, with all tries.
	partTime = 30 * time.Second
)

// newRepairs is nil if the node makes no replicas.
func newRepairs(d *Daemon) *repairs {
	if d.cfg.RepairAfter <= 0 {
		return nil
	}
	known, err := knownBefore(d.cfg.Store)
	if err != nil {
		d.log.Warn("the list of known data sets cannot be read; those that were removed while the node was away stay on its disk", "reason", err)
	}
	r := &repairs{d: d, done: map[repair.Name]int64{},
		opt: repair.Options{After: d.cfg.RepairAfter.Microseconds(), Few: repairFew, Rate: repairRate}}
	r.plan = repair.New(d.self, r.opt, known)
	r.ask.Self = d.self
	r.ask.Driver = drive.Driver[caller.Input, caller.Effect]{Now: d.now, Ctx: d.ctx, Offer: d.offer, Sends: d.sends, Do: r.ask.CarryOut, Unsent: d.metrics.unsent,
		Lost: func(p catalog.Peer) caller.Input { return &caller.Gone{Peer: p} },
		Core: caller.New(d.self, caller.Options{First: drive.FirstOwn + uint64(d.start.UnixNano())})}
	return r
}

// knownBefore is what an earlier life of the node knew. Without it fewer shards are
// dropped, never more.
func knownBefore(st *store.Store) (known repair.Known, err error) {
	b, err := st.Known()
	if err == nil && b != nil {
		err = json.Unmarshal(b, &known)
	}
	if err != nil {
		return repair.Known{}, err
	}
	return known, nil
}

// keep writes what is known for the next life.
func (r *repairs) keep(known repair.Known) error {
	b, err := json.Marshal(known)
	if err != nil {
		return err
	}
	return r.d.cfg.Store.SetKnown(append(b, '\n'))
}

// A node copies two shards at a time, together at most 32 MiB in a second, so that callers
// hardly notice.
const (
	repairFew  = 2
	repairRate = 32 << 20
)

// learn takes in a view.
func (r *repairs) learn(v *catalog.View) {
	if r == nil {
		return
	}
	r.mu.Lock()
	r.plan.Learn(v)
	r.mu.Unlock()
	r.ask.Step(&caller.Learned{View: v})
}

// gone takes in that a peer cannot be reached.
func (r *repairs) gone(p catalog.Peer) {
	if r != nil {
		r.ask.Step(&caller.Gone{Peer: p})
	}
}

// takes reports whether a parcel was an answer to this node's own request.
func (r *repairs) takes(from catalog.Peer, b []byte) bool { return r != nil && r.ask.Takes(from, b) }

// run looks every so often what is to be done.
func (r *repairs) run() {
	look := time.NewTicker(min(time.Second, r.d.cfg.RepairAfter/8+time.Millisecond))
	defer look.Stop()
	for {
		select {
		case <-r.d.ctx.Done():
			return
		case <-look.C:
			r.look()
		}
	}
}

func (r *repairs) look() {
	var held []repair.Name
	for _, f := range r.d.cfg.Store.Shards() {
		held = append(held, repair.Name{Set: f.Set, Shard: int(f.Shard)})
	}
	r.mu.Lock()
	list, news := r.plan.Due(r.d.now(), held)
	known := r.plan.Known()
	r.mu.Unlock()
	if news {
		if err := r.keep(known); err != nil {
			r.d.log.Warn("the list of known data sets was not written", "reason", err)
		}
	}
	for _, a := range list {
		switch a := a.(type) {
		case *repair.Copy:
			r.d.work.Go(func() { r.copy(a.Name) })
		case *repair.Publish:
			r.publish(a.Name)
		case *repair.Retract:
			r.retract(a.Name)
		case *repair.Drop:
			r.drop(a.Name, a.Why)
		case *repair.Unclaimed:
			r.unclaimed(a.Name)
		}
	}
}

func (r *repairs) drop(n repair.Name, why string) {
	set, shard := n.Set, uint32(n.Shard)
	r.d.log.Info("a replica is dropped", "set", set, "shard", shard, "why", why)
	if err := r.d.letGo(r.d.ctx, set, shard, "this replica was dropped: "+why); err != nil {
		r.d.log.Warn("a replica was not dropped", "set", set, "shard", shard, "reason", err)
	}
}

// unclaimed drops what was stored for a set that nobody can make visible any more.
func (r *repairs) unclaimed(n repair.Name) {
	ctx, cancel := context.WithTimeout(r.d.ctx, unholdTime)
	defer cancel()
	by, reserved, err := r.d.stage(ctx, n.Set)
	if err == nil && reserved && r.loads[n.Set] == by.Revision {
		reserved, err = r.release(ctx, n.Set, by)
	}
	switch {
	case err != nil:
		r.d.log.Warn("it cannot be told whether a data set is still being loaded; that is asked again later", "set", n.Set, "shard", n.Shard, "reason", err)
	case reserved:
		if r.loads == nil {
			r.loads = map[uint32]int64{}
		}
		r.loads[n.Set] = by.Revision
		r.d.log.Info("a data set is not in the catalogue yet", "set", n.Set, "shard", n.Shard, "loaded by", by.Owner)
	default:
		delete(r.loads, n.Set)
		r.drop(n, "its data set never came into the catalogue, and nobody loads it any more")
	}
}

// release ends the reservation of a load that has not been refreshed since it was last looked
// at: its client has ended, for one that lives stores something every two minutes or gives up.
// If it lives after all, as one that was stopped, its commit is refused.
func (r *repairs) release(ctx context.Context, set uint32, by control.Reservation) (reserved bool, err error) {
	done, err := r.d.cfg.Membership.Release(ctx, set, by.Revision)
	if done {
		r.d.log.Info("the load of a data set is given up: nothing was stored for it for long", "set", set, "loaded by", by.Owner)
	}
	return !done, err
}

// publish says once more what views do not say of this node.
func (r *repairs) publish(n repair.Name) {
	f, here := r.d.file(n.Set, uint32(n.Shard))
	if !here {
		return
	}
	if err := r.d.hold(r.d.ctx, &f); err != nil && r.d.ctx.Err() == nil {
		r.d.log.Warn("a replica is not published", "shard", f.String(), "reason", err)
	}
}

// retract takes back what views say of this node and is not so.
func (r *repairs) retract(n repair.Name) {
	if _, here := r.d.file(n.Set, uint32(n.Shard)); here {
		return
	}
	r.d.drive.Step(&node.Lacks{Set: n.Set, Shard: n.Shard, Why: "its file is not there"})
	if err := r.d.tryUnhold(n.Set, uint32(n.Shard)); err != nil && r.d.ctx.Err() == nil {
		r.d.log.Warn("others are not told yet that a shard is not here", "set", n.Set, "shard", n.Shard, "reason", err)
	}
}

// copy makes a replica here and tells everybody.
func (r *repairs) copy(n repair.Name) {
	start := time.Now()
	r.d.log.Info("a lost replica is made again", "set", n.Set, "shard", n.Shard)
	f, err := r.fetch(r.d.ctx, n)
	if err == nil {
		err = r.seal(f)
	}
	r.mu.Lock()
	pause := r.plan.Ended(r.d.now(), n, err)
	if err == nil {
		delete(r.done, n)
	}
	r.mu.Unlock()
	switch {
	case r.d.ctx.Err() != nil:
	case errors.Is(err, errNotNeeded):
		r.d.log.Info("a replica is not needed any more", "set", n.Set, "shard", n.Shard, "reason", err)
	case err != nil:
		r.d.log.Warn("a replica could not be made; it is tried again later, or by another node", "set", n.Set, "shard", n.Shard, "reason", err)
	default:
		r.d.log.Info("a lost replica is here again", "set", n.Set, "shard", n.Shard, "bytes", f.Bytes, "took", time.Since(start).Round(time.Millisecond))
		if pause.Times > 1 {
			r.d.log.Warn("a replica had to be made again repeatedly; look after the disk", "set", n.Set, "shard", n.Shard, "times", pause.Times,
				"pause before the next", time.Duration(pause.Time)*time.Microsecond)
		}
	}
}

// errNotNeeded says that a copy was given up because enough others are back, or the set is gone.
var errNotNeeded = errors.New("nobody misses it")

// wanted is the file of a shard as the newest view has it, unless it is not missing any more.
func (r *repairs) wanted(n repair.Name) (store.File, error) {
	v := r.d.view.Load()
	set, ok := v.Set(n.Set)
	if !ok || n.Shard >= len(set.Shards) || repair.Missing(v, &set.Shards[n.Shard]) == 0 {
		return store.File{}, errNotNeeded
	}
	s := &set.Shards[n.Shard]
	return store.File{Set: n.Set, Shard: uint32(n.Shard), Lo: s.Lo, Hi: s.Hi, Bytes: s.Bytes, Sum: s.Sum}, nil
}

// fetch copies the parts that are not here yet.
func (r *repairs) fetch(ctx context.Context, n repair.Name) (store.File, error) {
	for {
		f, err := r.wanted(n)
		if err != nil {
			return f, errors.Join(err, r.giveUp(n))
		}
		at := r.progress(n)
		if at >= f.Bytes {
			return f, nil
		}
		began, size := time.Now(), min(repairPart, f.Bytes-at)
		if err := r.part(ctx, f, at, size); err != nil {
			return f, err
		}
		r.mu.Lock()
		r.done[n] = at + size
		r.mu.Unlock()
		pace := time.Duration(float64(size) / (repairRate / repairFew) * float64(time.Second))
		select {
		case <-ctx.Done():
			return f, context.Cause(ctx)
		case <-time.After(pace - time.Since(began)):
		}
	}
}

// part copies one part from any node that holds the shard.
func (r *repairs) part(ctx context.Context, f store.File, at, size int64) error {
	p := parcel.Part{Set: f.Set, Shard: f.Shard, Offset: at, Count: size, Sum: f.Sum}
	end, err := r.ask.Wait(ctx, func(id caller.ID) caller.Input {
		return &caller.Ask{ID: id, Kind: parcel.Copy, Payload: p.Append(nil), Set: f.Set, Shard: int(f.Shard), Left: partTime.Microseconds()}
	})
	if err != nil {
		return err
	}
	a := end.Answer
	if len(a.Columns) != 1 || int64(len(a.Columns[0])) != size {
		return fmt.Errorf("%v: %d bytes from %d on were asked for, another answer came", &f, size, at)
	}
	return r.d.cfg.Store.Put(store.Itself, f, at, a.Columns[0])
}

// seal has the store compare the whole, and publishes that it is here. What is wrong, or
// has parts that were given up meanwhile, begins anew.
func (r *repairs) seal(f store.File) error {
	n := repair.Name{Set: f.Set, Shard: int(f.Shard)}
	if err := r.d.cfg.Store.Seal(f); err != nil {
		return errors.Join(err, r.giveUp(n))
	}
	if _, there := r.d.view.Load().Set(f.Set); !there { // removed while it was copied
		return errors.Join(errNotNeeded, r.d.cfg.Store.Drop(f.Set, f.Shard))
	}
	if err := r.d.hold(r.d.ctx, &f); err != nil {
		r.d.log.Warn("a replica is not published yet", "shard", f.String(), "reason", err) // Plan.Due says it again
	}
	return nil
}

// giveUp drops what is here of a shard that does not count.
func (r *repairs) giveUp(n repair.Name) error {
	r.mu.Lock()
	delete(r.done, n)
	r.mu.Unlock()
	if _, here := r.d.file(n.Set, uint32(n.Shard)); here {
		return nil
	}
	return r.d.cfg.Store.Drop(n.Set, uint32(n.Shard))
}

func (r *repairs) progress(n repair.Name) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.done[n]
}

// list is what is being copied now.
func (r *repairs) list() []Repair {
	out := []Repair{}
	if r == nil {
		return out
	}
	v := r.d.view.Load()
	r.mu.Lock()
	defer r.mu.Unlock()
	if v == nil {
		return out
	}
	for i := range v.Sets {
		for k := range v.Sets[i].Shards {
			if n := (repair.Name{Set: v.Sets[i].ID, Shard: k}); r.plan.Copying(n) {
				out = append(out, Repair{n.Set, n.Shard, r.done[n], v.Sets[i].Shards[k].Bytes})
			}
		}
	}
	return out
}
