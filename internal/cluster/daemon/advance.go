package daemon

import (
	"context"
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// advancing is one run of a batch kernel. It is used again for later runs, most of
// which are like the last one.
type advancing struct {
	d       *Daemon
	c       *engine.Compiled
	b       *parcel.Batch
	sh      shard
	sizes   []int64
	scalars []uint64
	lens    []int64
	bases   []int64
	inline  [][]byte // by region: what travelled, nil for others
	area    *area
	held    []*resident
	last    admitted
}

// admitted is arguments that a kernel's proofs and the node's limits allow, and
// what follows from them.
type admitted struct {
	c       *engine.Compiled
	sizes   []int64
	scalars []uint64
	lens    []int64
	bounds  []int64 // by region: what elements must be below, -1 for no bound
	steps   int64
}

// advance runs the states inside the shard's window, in place.
func (d *Daemon) advance(ctx context.Context, w *node.Advance) (*node.Advanced, error) {
	sh, release, err := d.shard(w.Batch.Set, w.Shard)
	if err != nil {
		return nil, err
	}
	defer release()
	if w.Builtin {
		return &node.Advanced{Batch: w.Batch}, d.builtin(ctx, w, sh)
	}
	c, ok := d.eng.Lookup(w.ID)
	if !ok {
		return nil, fmt.Errorf("kernel %s is not compiled", w.ID.Short())
	}
	a, _ := d.spare.Get().(*advancing)
	if a == nil {
		a = &advancing{d: d}
	}
	a.c, a.b, a.sh = c, w.Batch, sh
	defer a.close()
	if err := a.place(ctx, w.Turns); err != nil {
		return nil, err
	}
	return a.run(ctx)
}

// place puts the states, the windows and what travelled along into kernel
// memory, in the order of the kernel's regions.
func (a *advancing) place(ctx context.Context, turns int64) error {
	b, regions := a.b, len(a.c.Kernel.Regions)
	a.sizes = append(append(a.sizes[:0], b.Sizes...), int64(b.States), a.sh.at.Hi-a.sh.at.Lo, turns)
	a.scalars = append(append(a.scalars[:0], b.Scalars...), uint64(a.sh.at.Lo))
	first := len(b.Values)
	near := first + len(b.Columns)
	if regions < near+len(b.Near) || len(b.Kinds) != first {
		return refused("the kernel has %d regions; %d state columns, %d columns of the set and %d arrays were sent", regions, first, len(b.Columns), len(b.Near))
	}
	a.lens, a.bases, a.inline = cleared(a.lens, regions), cleared(a.bases, regions), cleared(a.inline, regions)
	copy(a.inline, b.Values)
	copy(a.inline[near:], b.Near)
	if err := a.copyIn(); err != nil {
		return err
	}
	for i, f := range b.Columns {
		if err := a.window(ctx, first+i, f.Column); err != nil {
			return err
		}
	}
	for i := near + len(b.Near); i < regions; i++ {
		if a.c.Kernel.Regions[i].Access != kernel.Scratch {
			return refused("region %d of the kernel has no contents", i)
		}
	}
	if err := a.admit(); err != nil {
		return err
	}
	return a.checkBounds(first)
}

// cleared is a slice of n zero values, in the memory of s if it is enough.
func cleared[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// admit holds the arguments to the kernel's proofs and the node's limits, unless they are those
// of the last run.
func (a *advancing) admit() error {
	// The proofs are about outer indices below the kernel's own number of them.
	if n, ok := kernel.EvalPoly(a.c.Kernel.Outer, a.sizes); !ok || n != int64(a.b.States) {
		return refused("the kernel has %s outer indices, expected one for each of the %d states that were sent", a.c.Kernel.Outer, a.b.States)
	}
	l := &a.last
	if l.c == a.c && slices.Equal(l.sizes, a.sizes) && slices.Equal(l.scalars, a.scalars) && slices.Equal(l.lens, a.lens) {
		return nil
	}
	l.c = nil
	if err := a.c.Safe.Admit(a.sizes, a.scalars, a.lens, engine.Limits{Steps: a.d.cfg.Limits.Steps}); err != nil {
		return &node.WorkError{Reason: parcel.Refused, Detail: err.Error()}
	}
	l.bounds = l.bounds[:0]
	for _, r := range a.c.Kernel.Regions {
		bound := int64(-1)
		if r.Bounded {
			n, _ := kernel.EvalPoly(r.Bound, a.sizes) // what cannot be evaluated was refused
			bound = max(n, 0)
		}
		l.bounds = append(l.bounds, bound)
	}
	l.steps = a.c.Safe.Cost(a.sizes).Steps
	l.sizes, l.scalars, l.lens = append(l.sizes[:0], a.sizes...), append(l.scalars[:0], a.scalars...), append(l.lens[:0], a.lens...)
	l.c = a.c
	return nil
}

// copyIn copies regions that travelled into one area of kernel memory.
func (a *advancing) copyIn() error {
	total := int64(0)
	for _, b := range a.inline {
		total += (int64(len(b)) + 15) &^ 15
	}
	area, err := a.d.columns.area(total)
	if err != nil {
		return err
	}
	a.area = area
	at := area.span.Off
	for i, b := range a.inline {
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
	r, err := a.d.columns.acquire(ctx, a.sh.src, place{a.sh.set.ID, a.sh.number, column}, a.native(ctx, column))
	if err != nil {
		return err
	}
	a.held = append(a.held, r)
	// Others read these bytes, too.
	if a.c.Kernel.Regions[region].Access != kernel.Read {
		return refused("region %d is a column of @%s, which is only read, but the kernel may write it", region, a.sh.set.Name)
	}
	if want := a.c.Kernel.Regions[region].Elem; want != r.kind {
		return refused("column %d of @%s holds %s, the kernel reads %s", column, a.sh.set.Name, r.kind, want)
	}
	a.bases[region], a.lens[region] = r.base, r.rows*r.width
	a.reach(ctx, r)
	return nil
}

// checkBounds holds the shard's columns, which are regions first and on, and what
// travelled, to the bounds that the kernel takes for granted.
func (a *advancing) checkBounds(first int) error {
	for i, r := range a.held {
		if bound := a.last.bounds[first+i]; bound >= 0 && !r.within(bound) {
			return &node.WorkError{Reason: parcel.DataError, Detail: fmt.Sprintf("column %d of @%s, rows %d to %d: expected indices from 0 to %d, found %d to %d",
				r.place.column, a.sh.set.Name, a.sh.at.Lo, a.sh.at.Hi-1, bound-1, r.least, r.most)}
		}
	}
	for i, b := range a.inline {
		bound := a.last.bounds[i]
		if b == nil || bound < 0 {
			continue
		}
		k := a.c.Kernel.Regions[i].Elem
		for j := range a.lens[i] {
			if x := column.Get(k, b, j); x >= uint64(bound) {
				return refused("region %d, element %d: expected an index below %d, found %d", i, j, bound, int64(x))
			}
		}
	}
	return nil
}

func (a *advancing) run(ctx context.Context) (*node.Advanced, error) {
	turn := claimOf(ctx).Turn()
	if err := turn.Take(ctx); err != nil {
		return nil, err
	}
	defer turn.Give()
	faults, err := a.c.Once(ctx, a.sizes, a.scalars, a.bases, 0, int64(a.b.States))
	if err != nil {
		return nil, err
	}
	if err := a.unchanged(); err != nil {
		return nil, err
	}
	for i, v := range a.b.Values {
		copy(v, a.d.eng.Arena().Bytes(a.bases[i], int64(len(v))))
	}
	return &node.Advanced{Batch: a.b, Faults: faultsOf(faults), Steps: uint64(a.last.steps)}, nil
}

// close gives back what the run used, and keeps the rest for another one.
func (a *advancing) close() {
	for _, r := range a.held {
		a.d.columns.release(r)
	}
	if a.area != nil {
		a.d.columns.putArea(a.area)
	}
	clear(a.inline)
	a.held, a.area, a.b, a.sh = a.held[:0], nil, nil, shard{}
	a.d.spare.Put(a)
}
