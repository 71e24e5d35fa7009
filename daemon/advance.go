package daemon

import (
	"context"
	"fmt"
	"time"

	"github.com/godwit-run/godwit/catalog"
	"github.com/godwit-run/godwit/column"
	"github.com/godwit-run/godwit/data"
	"github.com/godwit-run/godwit/engine"
	"github.com/godwit-run/godwit/kernel"
	"github.com/godwit-run/godwit/node"
	"github.com/godwit-run/godwit/parcel"
	"github.com/godwit-run/godwit/suspend"
)

// has reports that a column is there.
func (c *columns) has(p place) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.held[p]
	if !ok {
		return false
	}
	select {
	case <-r.ready:
		return true
	default:
		return false
	}
}

// shard is a shard that this node holds.
type shard struct {
	set    *catalog.Set
	number int
	at     *catalog.Shard
	src    data.Source
}

// shard finds a shard by its number.
func (d *Daemon) shard(set uint32, i int) (shard, func(), error) {
	v := d.view.Load()
	if v == nil {
		return shard{}, nil, noShard("the node has not heard of the cluster yet")
	}
	s, ok := v.Set(set)
	if !ok || i < 0 || i >= len(s.Shards) {
		return shard{}, nil, noShard("there is no set %d with a shard %d", set, i)
	}
	file, ok := d.cfg.Store.Shard(set, uint32(i))
	if !ok {
		return shard{}, nil, noShard("shard %d of @%s is not on this node", i, s.Name)
	}
	release := func() {
		if err := file.Release(); err != nil {
			d.log.Warn("a shard was not closed", "shard", file.String(), "reason", err)
		}
	}
	return shard{s, i, &s.Shards[i], file.Source}, release, nil
}

// lag is how long a request waits for the node to hear of its data set: who
// asks may have heard of it first.
const lag = time.Second

// setOf is a data set as the node knows it.
func (d *Daemon) setOf(ctx context.Context, id uint32) (*catalog.Set, error) {
	until := time.Now().Add(lag)
	for {
		if v := d.view.Load(); v != nil {
			if s, ok := v.Set(id); ok {
				return s, nil
			}
		}
		if time.Now().After(until) {
			return nil, noShard("there is no set %d", id)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func noShard(text string, args ...any) error {
	return &node.WorkError{Reason: parcel.NoShard, Detail: fmt.Sprintf(text, args...)}
}

func refused(text string, args ...any) error {
	return &node.WorkError{Reason: parcel.Refused, Detail: fmt.Sprintf(text, args...)}
}

// advancing is one run of a batch kernel.
type advancing struct {
	d       *Daemon
	c       *engine.Compiled
	b       *parcel.Batch
	sh      shard
	sizes   []int64
	scalars []uint64
	lens    []int64
	bases   []int64
	area    *area
	held    []*resident
}

// advance runs the states inside the shard's window, in place.
func (d *Daemon) advance(ctx context.Context, w *node.Advance, in *node.Finished) error {
	sh, release, err := d.shard(w.Batch.Set, w.Shard)
	if err != nil {
		return err
	}
	defer release()
	in.Batch = w.Batch
	if w.Builtin {
		return d.builtin(ctx, w, sh, in)
	}
	c, ok := d.eng.Lookup(w.ID)
	if !ok {
		return fmt.Errorf("kernel %s is not compiled", w.ID.Short())
	}
	a := &advancing{d: d, c: c, b: w.Batch, sh: sh}
	defer a.close()
	if err := a.place(ctx, w.Turns); err != nil {
		return err
	}
	return a.run(ctx, in)
}

// place puts the states, the windows and what travelled along into kernel
// memory, in the order of the kernel's regions.
func (a *advancing) place(ctx context.Context, turns int64) error {
	b, k := a.b, a.c.Kernel
	a.sizes = suspend.Sizes(b.Sizes, int64(b.States), a.sh.at.Hi-a.sh.at.Lo, turns)
	a.scalars = suspend.Scalars(b.Scalars, a.sh.at.Lo)
	first := len(b.Values)
	near := first + len(b.Columns)
	if len(k.Regions) < near+len(b.Near) || len(b.Kinds) != first {
		return refused("the kernel has %d regions; %d state columns, %d columns of the set and %d arrays were sent", len(k.Regions), first, len(b.Columns), len(b.Near))
	}
	a.lens, a.bases = make([]int64, len(k.Regions)), make([]int64, len(k.Regions))
	inline := make([][]byte, len(k.Regions))
	copy(inline, b.Values)
	copy(inline[near:], b.Near)
	if err := a.copyIn(inline); err != nil {
		return err
	}
	for i, f := range b.Columns {
		if err := a.window(ctx, first+i, f.Column); err != nil {
			return err
		}
	}
	for i := near + len(b.Near); i < len(k.Regions); i++ {
		if k.Regions[i].Access != kernel.Scratch {
			return refused("region %d of the kernel has no contents", i)
		}
	}
	if err := a.c.Safe.Admit(a.sizes, a.scalars, a.lens, engine.Limits{Steps: a.d.cfg.Limits.Steps}); err != nil {
		return &node.WorkError{Reason: parcel.Refused, Detail: err.Error()}
	}
	return a.checkBounds(inline)
}

// copyIn copies regions that travelled into one area of kernel memory.
func (a *advancing) copyIn(inline [][]byte) error {
	total := int64(0)
	for _, b := range inline {
		total += (int64(len(b)) + 15) &^ 15
	}
	area, err := a.d.columns.area(total)
	if err != nil {
		return err
	}
	a.area = area
	at := area.span.Off
	for i, b := range inline {
		if b == nil {
			continue
		}
		size := int64(a.c.Kernel.Regions[i].Elem.Size())
		if int64(len(b))%size != 0 {
			return refused("region %d has %d bytes, which is no number of %s", i, len(b), a.c.Kernel.Regions[i].Elem)
		}
		a.bases[i], a.lens[i] = at, int64(len(b))/size
		copy(a.d.eng.Arena().Bytes(at, int64(len(b))), b)
		at += (int64(len(b)) + 15) &^ 15
	}
	return nil
}

// window places a column of the shard.
func (a *advancing) window(ctx context.Context, region, column int) error {
	r, err := a.d.columns.acquire(ctx, a.sh.src, place{a.sh.set.ID, a.sh.number, column})
	if err != nil {
		return err
	}
	a.held = append(a.held, r)
	if want := a.c.Kernel.Regions[region].Elem; want != r.kind {
		return refused("column %d of @%s holds %s, the kernel reads %s", column, a.sh.set.Name, r.kind, want)
	}
	a.bases[region], a.lens[region] = r.span.Off, r.rows*r.width
	if bound, ok := a.bound(region); ok && !r.within(bound) {
		return &node.WorkError{Reason: parcel.DataError, Detail: fmt.Sprintf("column %d of @%s, rows %d to %d: expected indices from 0 to %d, found %d to %d",
			column, a.sh.set.Name, a.sh.at.Lo, a.sh.at.Hi-1, bound-1, r.least, r.most)}
	}
	return nil
}

// bound is what the kernel takes for granted about a region's elements.
func (a *advancing) bound(region int) (int64, bool) {
	r := &a.c.Kernel.Regions[region]
	if !r.Bounded {
		return 0, false
	}
	n, ok := kernel.EvalPoly(r.Bound, a.sizes)
	if !ok {
		n = 0
	}
	return n, true
}

// checkBounds holds what travelled to the kernel's bounds; of the shard's own
// columns window has checked it.
func (a *advancing) checkBounds(inline [][]byte) error {
	for i, b := range inline {
		bound, ok := a.bound(i)
		if b == nil || !ok {
			continue
		}
		k := a.c.Kernel.Regions[i].Elem
		for j := range a.lens[i] {
			if x := column.Get(k, b, j); x >= uint64(max(bound, 0)) {
				return refused("region %d, element %d: expected an index below %d, found %d", i, j, bound, int64(x))
			}
		}
	}
	return nil
}

func (a *advancing) run(ctx context.Context, in *node.Finished) error {
	faults, err := a.c.Once(ctx, a.sizes, a.scalars, a.bases, 0, int64(a.b.States))
	if err != nil {
		return err
	}
	in.Faults = faultsOf(faults)
	in.Steps = uint64(a.c.Safe.Cost(a.sizes).Steps)
	for i, v := range a.b.Values {
		copy(v, a.d.eng.Arena().Bytes(a.bases[i], int64(len(v))))
	}
	return nil
}

func (a *advancing) close() {
	for _, r := range a.held {
		a.d.columns.release(r)
	}
	if a.area != nil {
		a.d.columns.putArea(a.area)
	}
}
