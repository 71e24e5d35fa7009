package cluster

import (
	"context"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// Blob lets tests send what a client of its own making would.
func (c *Cluster) Blob(ctx context.Context, kind parcel.Kind, to catalog.Peer, b *parcel.Blob) error {
	return c.blob(ctx, kind, to, b)
}

// Small has a call's launches cut into pieces of about n bytes; as usual if n is 0.
func (b *Beside) Small(n int64) *Beside {
	if n > 0 {
		b.portion = portion{piece: n, turn: n, rows: n}
	}
	return b
}

// Taken has f called after each piece.
func (b *Beside) Taken(f func()) { b.taken = f }

// Credit is how many bytes of answers may be on their way now.
func (c *Cluster) Credit() int64 {
	n := int64(0)
	for c.credit.TryAcquire(1 << 20) {
		n += 1 << 20
	}
	c.credit.Release(n)
	return n
}

// Near is how many files of nodes the client reads where they lie.
func (c *Cluster) Near() int {
	c.near.mu.Lock()
	defer c.near.mu.Unlock()
	n := 0
	for _, s := range c.near.open {
		if s.src != nil && s.failed.IsZero() {
			n++
		}
	}
	return n
}

// MostCredit is that when none are.
const MostCredit = creditBytes

// Self is the client's number.
func (c *Cluster) Self() catalog.Peer { return c.cfg.Self }

// Doubt changes what is expected of the ways that a launch can go; nil changes nothing.
func (b *Beside) Doubt(change func(w *plan.Ways)) *Beside {
	b.doubt = change
	return b
}

// Wrong multiplies what is expected of each way by what factor gives.
func Wrong(factor func() float64) func(w *plan.Ways) {
	return func(w *plan.Ways) {
		for i := range w {
			w[i] = w[i].Times(factor())
		}
	}
}

// Dearest has the way that is expected to take the most time be taken for the one that takes the least.
func Dearest(w *plan.Ways) {
	for i, t := range w {
		if t.P50 > 0 {
			w[i] = machine.Exactly(1e18 / t.P50)
		}
	}
}

// Linked has the client take the way to the nodes for one that takes so long.
func (c *Cluster) Linked(l machine.Link) {
	c.link.mu.Lock()
	defer c.link.mu.Unlock()
	c.link.seen, c.link.at, c.link.full = l, time.Now(), true
}

// Unlinked has the client know nothing of the way to the nodes.
func (c *Cluster) Unlinked() {
	c.link.mu.Lock()
	defer c.link.mu.Unlock()
	c.link.seen, c.link.at, c.link.full, c.link.rows = machine.Link{}, time.Time{}, false, 0
}

// Link is what the client has measured of the way to the nodes; false if it has not lately.
func (c *Cluster) Link() (machine.Link, bool) { return c.link.known(machine.Default().Link, 0) }

// Forget drops all decisions that were kept.
func (c *Cluster) Forget() { c.habits.forget() }

// Habits is how many decisions are kept.
func (c *Cluster) Habits() (n int) {
	c.habits.mu.Lock()
	defer c.habits.mu.Unlock()
	for _, list := range c.habits.by {
		n += len(list)
	}
	return n
}

// Shipped is what was expected to travel if the launch went to its rows.
func (f *Foreseen) Shipped() *plan.Load { return f.mv.Shipped }

// Laid is how many columns of data sets lie in one piece of this process's memory, and for how many launches at the moment.
func (c *Cluster) Laid() (columns, users int) {
	c.near.mu.Lock()
	defer c.near.mu.Unlock()
	for _, l := range c.near.laid {
		if l.failed.IsZero() {
			columns, users = columns+1, users+len(l.users)
		}
	}
	return columns, users
}

// ReadNear is how many bytes were read of files of nodes, or mapped; those that were read again count again.
func (c *Cluster) ReadNear() (n int64) {
	c.near.mu.Lock()
	defer c.near.mu.Unlock()
	for _, bytes := range c.near.read {
		n += bytes
	}
	return n
}

// Apart reports that a column of a set is known not to lie in one piece, ever.
func (c *Cluster) Apart(name string, column int) bool {
	set, err := c.named(name)
	c.near.mu.Lock()
	defer c.near.mu.Unlock()
	l := c.near.laid[laidKey{set.ID, column}]
	return err == nil && l != nil && l.apart
}
