package daemon

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/store"
)

// The pauses before a node joins again: none the first time, then growing while its lives are
// short or joining fails.
const (
	rejoinFirst = 100 * time.Millisecond
	rejoinMost  = 30 * time.Second
	longLife    = time.Minute // after which the next pause is none again
	farewell    = time.Second // for what is left of the old life
)

// lives is a node's membership from its first life to the present one. When a life has
// ended, because its lease ran out or its record is gone, the node joins again under a new
// incarnation; writes of the old one are refused by the control. The node's number stays.
type lives struct {
	now   atomic.Pointer[life]
	again func(context.Context) (control.Membership, error) // nil: the first life is the only one
}

// life is one membership. over is closed when views show that it has ended, which is seen
// before its lease is lost, if somebody removed its record.
type life struct {
	control.Membership
	began time.Time
	over  chan struct{}
	once  sync.Once
}

var _ control.Membership = (*lives)(nil)

func newLives(first control.Membership, again func(context.Context) (control.Membership, error)) *lives {
	l := &lives{again: again}
	l.begin(first)
	return l
}

func (l *lives) begin(m control.Membership) {
	l.now.Store(&life{Membership: m, began: time.Now(), over: make(chan struct{})})
}

// The present life's.
func (l *lives) Peer() catalog.Peer    { return l.now.Load().Peer() }
func (l *lives) Incarnation() int64    { return l.now.Load().Incarnation() }
func (l *lives) Lost() <-chan struct{} { return l.now.Load().Lost() }
func (l *lives) Renewed() time.Time    { return l.now.Load().Renewed() }

func (l *lives) Describe(ctx context.Context, machine string) error {
	return l.now.Load().Describe(ctx, machine)
}

func (l *lives) Hold(ctx context.Context, h control.Held) error {
	return l.now.Load().Hold(ctx, h)
}

func (l *lives) Reserved(ctx context.Context, set uint32) (control.Reservation, bool, error) {
	return l.now.Load().Reserved(ctx, set)
}

func (l *lives) Refresh(ctx context.Context, set uint32) error {
	return l.now.Load().Refresh(ctx, set)
}

func (l *lives) Release(ctx context.Context, set uint32, revision int64) (bool, error) {
	return l.now.Load().Release(ctx, set, revision)
}

func (l *lives) HoldAll(ctx context.Context, held []control.Held) error {
	return l.now.Load().HoldAll(ctx, held)
}

func (l *lives) Unhold(ctx context.Context, set, shard uint32) error {
	return l.now.Load().Unhold(ctx, set, shard)
}

func (l *lives) Leave(ctx context.Context) error { return l.now.Load().Leave(ctx) }

// saw looks for the node's own record in a view. One without it, or with that of another
// life, ends this life, unless the view is older than it.
func (l *lives) saw(v *catalog.View) {
	now := l.now.Load()
	if v.Revision < now.Incarnation() {
		return
	}
	if n, there := v.Node(now.Peer()); !there || n.Incarnation != now.Incarnation() {
		now.once.Do(func() { close(now.over) })
	}
}

// renew joins again each time that a life has ended.
func (d *Daemon) renew() {
	pause := time.Duration(0)
	for {
		now := d.lives.now.Load()
		select {
		case <-d.ctx.Done():
			return
		case <-now.Lost():
		case <-now.over:
		}
		if time.Since(now.began) > longLife {
			pause = 0
		}
		d.log.Warn("the node's membership has ended; it joins again", "incarnation", now.Incarnation(), "lived", time.Since(now.began).Round(time.Millisecond), "pause", pause)
		if pause = d.rejoin(now, pause); d.ctx.Err() != nil {
			return
		}
	}
}

// rejoin begins the next life, and gives the pause before the one after it.
func (d *Daemon) rejoin(old *life, pause time.Duration) time.Duration {
	for {
		select {
		case <-d.ctx.Done():
			return pause
		case <-time.After(pause):
		}
		pause = min(max(2*pause, rejoinFirst), rejoinMost)
		ctx, cancel := context.WithTimeout(d.ctx, farewell)
		_ = old.Leave(ctx) // it has ended; what is left of it would be in the way
		cancel()
		m, err := d.lives.again(d.ctx)
		if err == nil && m.Peer() != d.self {
			err = errors.Join(fmt.Errorf("the cluster's records give this node the number %d, and it has been %d: they are others than it joined, so start it again", m.Peer(), d.self), m.Leave(d.ctx))
		}
		if err == nil {
			d.lives.begin(m)
			d.log.Info("the node has joined again", "incarnation", m.Incarnation())
			d.publish()
			return pause
		}
		d.log.Error("the node cannot join again; it is tried later", "pause", pause, "reason", err)
	}
}

// Holding lists the shards that a store has, as Member.Held and HoldAll want them.
func Holding(st *store.Store) []control.Held {
	var held []control.Held
	for _, f := range st.Shards() {
		held = append(held, heldOf(&f))
	}
	return held
}

func heldOf(f *store.File) control.Held {
	return control.Held{Set: f.Set, Shard: f.Shard, Sum: f.Sum, Rows: f.Hi - f.Lo, Bytes: f.Bytes}
}

// ViewDeadline is how long a node goes by its last view when nobody confirms that it is a
// member still.
const ViewDeadline = 15 * time.Minute

// outdated refuses work once too much time has passed since the node knew that it was a
// member. Then others may have been told long ago that it is dead, and its view of who holds
// what, and of whom to trust, is of another time. Only what it says about itself goes on.
func (d *Daemon) outdated(w node.Work) error {
	if _, report := w.(*node.Report); report {
		return nil
	}
	since := time.Since(d.lives.Renewed())
	if since <= d.cfg.ViewDeadline {
		return nil
	}
	return &node.WorkError{Reason: parcel.Refused, Detail: fmt.Sprintf("node %s has had no answer from the cluster's records (etcd) for %v, and works on for %v only (--view-deadline): start the members of etcd that are down",
		d.cfg.Name, since.Round(time.Second), d.cfg.ViewDeadline)}
}
