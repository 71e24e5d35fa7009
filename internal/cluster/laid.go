package cluster

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

// In: a column of a set whose shards all are files of nodes of this machine and user; see near.go. Out: the column as one piece of this process's
// memory, the files' pages one behind the other: what the nodes have in memory is there once, not once for each client. Invariants: those of
// near.go; all blocks were compared before anybody sees them; and leases on the files keep others from writing to them while they are
// mapped. Where one of this cannot be had, rows are copied or come in parcels.

// laidKey tells a column of a set.
type laidKey struct {
	set    uint32
	column int
}

// mostLaid is how many columns are remembered, those that cannot be had too.
const mostLaid = 1024

// laid is a column in one piece. All but what is said to be there after settled is guarded by near.mu.
type laid struct {
	settled chan struct{} // closed when it is known whether it can be had
	joined  *mem.Joined   // nil: it cannot; after settled, as are
	keys    []nearKey
	shards  []*nearShard // each has it as a reader

	failed time.Time // zero while it can be had, or nobody knows
	apart  bool      // its files do not fit together, and never will
	users  map[*lay]struct{}
	idle   *time.Timer
	gone   bool // nobody begins to use it
}

// lay is a column in use. It implements run.Lay.
type lay struct {
	c       *Cluster
	path    string
	key     laidKey
	of      *laid
	changed func(error)
}

// Lay implements run.Laid.
func (s *source) Lay(ctx context.Context, column int, how run.Laying) run.Lay {
	if l := s.c.lay(ctx, s, column, how); l != nil {
		return l
	}
	return nil
}

// laidAs reports that a column's numbers lie in the files of a set as kernels see them.
func laidAs(set *catalog.Set, column int) bool {
	c := &set.Columns[column]
	return !set.Far && len(set.Shards) > 0 && c.Kind.Valid() && c.Kind != num.Bool && !c.Nullable
}

// lay gives a column in one piece; nil if that cannot be had.
func (c *Cluster) lay(ctx context.Context, s *source, column int, how run.Laying) *lay {
	if !laidAs(s.set, column) {
		return nil
	}
	key := laidKey{s.set.ID, column}
	use := &lay{c, s.Path(), key, nil, how.Changed}
	l, first := c.beginLaid(key, s.set, use)
	if l == nil {
		return nil
	}
	if use.of = l; first {
		c.settleLaid(ctx, key, l, s, how)
	}
	select {
	case <-l.settled:
		if l.joined != nil {
			return use
		}
	case <-ctx.Done():
	}
	use.Release()
	return nil
}

// beginLaid gives what is there of a column to one who uses it, or has it settle it; nil if it cannot be had.
func (c *Cluster) beginLaid(key laidKey, set *catalog.Set, use *lay) (l *laid, first bool) {
	n := &c.near
	n.mu.Lock()
	defer n.mu.Unlock()
	l = n.laid[key]
	if l != nil && l.over(c, set) {
		c.forgetLaid(key, l)
		l = nil
	}
	if l.fails() {
		return nil, false
	}
	if first = l == nil || !l.failed.IsZero(); first {
		if n.closed || !c.allNear(set) {
			return nil, false
		}
		l = &laid{settled: make(chan struct{}), users: map[*lay]struct{}{}}
		if n.laid == nil {
			n.laid = map[laidKey]*laid{}
		}
		if len(n.laid) >= mostLaid { // those that cannot be had are forgotten: their sets may be gone
			maps.DeleteFunc(n.laid, func(_ laidKey, old *laid) bool { return !old.failed.IsZero() })
		}
		n.laid[key] = l
	}
	l.users[use] = struct{}{}
	return l, first
}

// fails reports that a column cannot be had: for now, or at all. near.mu is held.
func (l *laid) fails() bool { return l != nil && (l.apart || time.Since(l.failed) < nearTime) }

// allNear reports that all shards of a set can be read where they lie, as far as is known without asking.
func (c *Cluster) allNear(set *catalog.Set) bool {
	if len(set.Shards) > c.mostNear() {
		return false
	}
	for i := range set.Shards {
		if !c.isNear(set, i) {
			return false
		}
	}
	return true
}

// over reports that a column is not to be used any more: a file is not, or the set has others. near.mu is held.
func (l *laid) over(c *Cluster, set *catalog.Set) bool {
	select {
	case <-l.settled:
	default:
		return false
	}
	return l.joined != nil && (len(l.shards) != len(set.Shards) || slices.ContainsFunc(l.shards, func(s *nearShard) bool {
		return s.gone || s.over(c.net) || !s.lease.Held()
	}))
}

// settleLaid maps a column, or notes that it cannot be mapped.
func (c *Cluster) settleLaid(ctx context.Context, key laidKey, l *laid, s *source, how run.Laying) {
	ok, err := c.gather(ctx, l, s.set), error(nil)
	if ok {
		err = join(l, s, key.column, how)
	}
	c.near.mu.Lock()
	defer c.near.mu.Unlock()
	switch {
	case ok && err == nil && !l.gone:
		for i, k := range l.keys {
			sh := &s.set.Shards[i]
			c.countNear(k, (sh.Hi-sh.Lo)*s.rowBytes(key.column))
		}
	case ctx.Err() != nil && c.near.laid[key] == l: // which says nothing about the files
		delete(c.near.laid, key)
		fallthrough
	default:
		l.failed, l.apart = time.Now(), errors.Is(err, mem.ErrApart)
		c.unjoin(l)
	}
	close(l.settled)
}

// changedNear ends the use of a file that somebody wants to write to, who waits for that.
func (c *Cluster) changedNear(key nearKey, s *nearShard) {
	c.near.mu.Lock()
	var told []*lay
	for k, l := range c.near.laid {
		if slices.Contains(l.settledShards(), s) {
			for use := range l.users {
				told = append(told, use)
			}
			c.forgetLaid(k, l)
		}
	}
	c.forgetNear(key, s)
	c.near.mu.Unlock()
	for _, use := range told {
		use.changed(&data.ChangedError{Path: use.path})
	}
}

// settledShards are the files of a column that is mapped. near.mu is held.
func (l *laid) settledShards() []*nearShard {
	select {
	case <-l.settled:
		return l.shards
	default:
		return nil
	}
}

// forgetLaid has a column unmapped when those who use it now have used it. near.mu is held.
func (c *Cluster) forgetLaid(key laidKey, l *laid) {
	if c.near.laid[key] == l {
		delete(c.near.laid, key)
	}
	if l.gone = true; len(l.users) == 0 {
		c.unjoin(l)
	}
}

// unjoin unmaps a column, which nobody uses, and lets go of its files. near.mu is held.
func (c *Cluster) unjoin(l *laid) {
	if l.idle != nil {
		l.idle.Stop()
	}
	if l.joined != nil {
		_ = l.joined.Close() // it was mapped as it is
		l.joined = nil
	}
	for i, s := range l.shards {
		c.releasedNear(l.keys[i], s)
	}
	l.keys, l.shards = nil, nil
}

// Bytes implements run.Lay.
func (u *lay) Bytes() []byte { return u.of.joined.Bytes() }

// Unchanged implements run.Lay.
func (u *lay) Unchanged() error {
	for _, s := range u.of.shards {
		if !s.lease.Held() {
			return &data.ChangedError{Path: u.path}
		}
	}
	return nil
}

// Release implements run.Lay.
func (u *lay) Release() {
	c, l := u.c, u.of
	c.near.mu.Lock()
	defer c.near.mu.Unlock()
	delete(l.users, u)
	switch {
	case len(l.users) > 0 || l.joined == nil:
	case c.near.closed || l.gone:
		c.unjoin(l)
	case l.idle != nil:
		l.idle.Reset(nearTime)
	default:
		l.idle = time.AfterFunc(nearTime, func() { c.restLaid(u.key, l) })
	}
}

// restLaid unmaps a column that nobody uses.
func (c *Cluster) restLaid(key laidKey, l *laid) {
	c.near.mu.Lock()
	defer c.near.mu.Unlock()
	if len(l.users) == 0 && !l.gone {
		c.forgetLaid(key, l)
	}
}

// cannotLay reports that a column could not be had a moment ago.
func (c *Cluster) cannotLay(key laidKey) bool {
	c.near.mu.Lock()
	defer c.near.mu.Unlock()
	return c.near.laid[key].fails()
}

// laidOf is how many columns of a launch are in one piece, by last account.
func (c *Cluster) laidOf(a *arranged) (n int) {
	c.near.mu.Lock()
	defer c.near.mu.Unlock()
	for _, in := range a.column {
		if l := c.near.laid[laidKey{a.set.ID, in.Binding.Column}]; l != nil && l.failed.IsZero() {
			n++
		}
	}
	return n
}

// inPlace is how many bytes of these columns are mapped in one piece, and are used so.
func (c *Cluster) inPlace(set *catalog.Set, inputs []run.Input) (n float64) {
	c.near.mu.Lock()
	defer c.near.mu.Unlock()
	for _, in := range inputs {
		b := &in.Binding
		if l := c.near.laid[laidKey{set.ID, b.Column}]; l != nil && l.settledShards() != nil && !l.over(c, set) && b.Plain(in.Kind) {
			n += float64(size(in))
		}
	}
	return n
}
