package simulate

import (
	"errors"
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/drive"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/transport/memnet"
)

// client is a caller and what its user has asked for.
type client struct {
	w       *world
	peer    catalog.Peer
	name    string
	core    *caller.Core
	drive   drive.Driver[caller.Input, caller.Effect]
	next    caller.ID
	open    map[caller.ID]*request
	lives   map[catalog.Peer]int64 // incarnations of nodes
	view    *catalog.View
	refused map[refusal]int64 // when nodes said that they lack shards
	losing  bool              // the next result is lost, if hooks say so
	// connected: it has seen the cluster; before that its user asks for nothing.
	connected bool
}

// operation is what a user wants: one request after another, or several at the
// same time, until it is done.
type operation struct {
	name     string
	from     *client
	table    *table // nil for uploads
	to       *host  // of uploads
	start    int64
	deadline int64
	short    bool // the deadline may be too early
	fan      bool
	// got takes the answer of a part.
	got func(part int, a *parcel.Answer) error
}

// request is one request of an operation.
type request struct {
	op   *operation
	part int
}

// ask begins a part of an operation.
func (c *client) ask(op *operation, part int, make func(id caller.ID, left int64) caller.Input) {
	c.next++
	c.open[c.next] = &request{op: op, part: part}
	c.w.counts.Requests++
	c.drive.Step(make(c.next, op.deadline-c.w.told()))
}

// abandon gives up an operation.
func (c *client) abandon(op *operation) {
	for id := caller.ID(1); id <= c.next; id++ {
		if r := c.open[id]; r != nil && r.op == op {
			delete(c.open, id)
			c.w.counts.Abandoned++
			c.w.note("%s abandons %d", c.name, id)
			c.drive.Step(&caller.Abandon{ID: id})
		}
	}
}

func (c *client) arrive(d *memnet.Delivery) {
	if d.Gone != nil {
		c.drive.Step(&caller.Gone{Peer: d.From})
		return
	}
	if c.w.hooks.deaf {
		if p, err := parcel.Decode(d.Bytes); err == nil && p.Kind == parcel.Result {
			if c.losing = !c.losing; c.losing {
				return
			}
		}
	}
	c.hear(d.Bytes)
	c.drive.Step(&caller.Received{From: d.From, Bytes: d.Bytes})
}

// do carries out what the core wants.
func (c *client) do(e caller.Effect) caller.Input {
	switch e := e.(type) {
	case *caller.Send:
		c.check(e)
		return c.drive.Send(e.To, e.Bytes, nil)
	case *caller.Deliver:
		list := []*caller.Deliver{e}
		if c.w.hooks.deliver != nil {
			list = c.w.hooks.deliver(e)
		}
		for _, d := range list {
			c.deliver(d)
		}
	}
	return nil
}

func (c *client) deliver(d *caller.Deliver) {
	w := c.w
	w.note("%s gets %d: %v", c.name, d.ID, d.Err)
	r := c.open[d.ID]
	if r == nil {
		w.fail("%s: operation %d is delivered although it is not open", c.name, d.ID)
		return
	}
	delete(c.open, d.ID)
	w.counts.Retries += d.Stats.Retries
	op := r.op
	if d.Err != nil {
		var e *caller.Error
		if !errors.As(d.Err, &e) {
			w.fail("%s: the error of %s is a %T", c.name, op.name, d.Err)
			return
		}
		w.counts.Failed[e.Reason.String()]++
		if why := w.unjustified(op, e); why != "" {
			w.fail("%s: %s ends with `%v`, but %s", c.name, op.name, e, why)
		}
		return
	}
	if err := op.got(r.part, d.Answer); err != nil {
		w.fail("%s: %s: %v", c.name, op.name, err)
	}
}

// memory is how long a fault may still be felt after its end: views and the
// news of broken connections travel slowly, and leases last.
const memory = 6 * second

// troubled reports whether a node was down or cut off while an operation was
// under way, or so shortly before that it may not have been known.
func (w *world) troubled(p catalog.Peer, op *operation) bool {
	return felt(w.hosts[p-1].downs, w.now, op) || felt(w.cuts[p], w.now, op)
}

// felt reports whether an operation may have felt one of some faults.
func felt(list []interval, now int64, op *operation) bool {
	for _, i := range list {
		if i.from <= now && (i.until > math.MaxInt64-memory || i.until+memory >= op.start) {
			return true
		}
	}
	return false
}

// unjustified says why there was no reason for an error.
func (w *world) unjustified(op *operation, e *caller.Error) string {
	switch e.Reason {
	case parcel.Expired:
		if !op.short {
			return "there was time enough after the last fault"
		}
		return ""
	case parcel.Unreachable, parcel.NoShard: // of an upload, parts may have gone with the process
		if e.Node == 0 || e.Name == "" {
			return "it names no node"
		}
		return w.reachable(op)
	}
	return "nothing that happened explains this reason"
}

// reachable says why what an operation needs could be reached all the time.
func (w *world) reachable(op *operation) string {
	if op.to != nil {
		if w.troubled(op.to.peer, op) {
			return ""
		}
		return op.to.name + " was well all the time"
	}
	for i := range op.table.set.Shards {
		n := name{op.table.set.ID, i}
		if !slices.ContainsFunc(w.hosts, func(h *host) bool { return !w.troubled(h.peer, op) && !felt(h.absent[n], w.now, op) }) {
			return ""
		}
	}
	return "each shard had a good replica on a node that was well"
}
