package cluster

import (
	"context"
	"encoding/json"
	"slices"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/watch"
)

// In: what nodes accuse themselves of, and how long they take to say so. Out: whom this client prefers not to ask. Nodes watch
// themselves, for they see the pieces of all callers; the way to them only a caller sees. Nobody is asked while there is no work.

// heed is what a client knows of who is slow.
type heed struct {
	watch    *watch.Watch
	launches atomic.Int64
}

// heedEvery is how often nodes are asked while there is work, and how long they have to answer.
const heedEvery = 5 * time.Second

// listen asks the nodes now and then.
func (c *Cluster) listen() {
	t := time.NewTicker(heedEvery)
	defer t.Stop()
	before := int64(0)
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-t.C:
		}
		if n := c.heed.launches.Load(); n != before {
			before = n
			c.hear()
		}
	}
}

// hear asks all nodes at the same time.
func (c *Cluster) hear() {
	ctx, cancel := context.WithTimeout(c.ctx, heedEvery)
	defer cancel()
	nodes := c.View().Nodes
	type heard struct {
		name string
		took time.Duration
		d    *caller.Deliver
	}
	came := make(chan heard, len(nodes))
	ids := make([]caller.ID, len(nodes))
	for i, n := range nodes {
		start := time.Now()
		ids[i] = c.calls.Begin(func(d *caller.Deliver) { came <- heard{n.Name, time.Since(start), d} }, func(id caller.ID) caller.Input {
			return &caller.Ask{ID: id, Kind: parcel.Status, To: n.Peer, Payload: (&parcel.Inquiry{}).Append(nil), Left: c.left(ctx)}
		})
	}
	way, _ := c.link.known(machine.Here().Link, 0)
	defer func(before []watch.Accusation) {
		if !slices.EqualFunc(c.Accused(), before, func(a, b watch.Accusation) bool { return a.Resource == b.Resource }) {
			c.habits.forget()
		}
	}(c.Accused())
	for range nodes {
		select {
		case <-ctx.Done():
			for _, id := range ids {
				c.calls.Abandon(id)
			}
			return
		case h := <-came:
			if h.d.Err != nil || len(h.d.Answer.Columns) != 1 {
				continue
			}
			c.heed.watch.Add(&watch.Part{At: time.Now(), Of: watch.Resource{Kind: watch.Link, Name: h.name}, Measured: h.took.Seconds(), Expected: way.RoundTrip.P50 / 1e9, Within: linkWithin})
			c.heed.watch.Told(h.name, accusedOf(h.d.Answer.Columns[0]))
		}
	}
}

// linkWithin is by which factor a round trip that a node works for may be off from one that was measured between others.
const linkWithin = 10

// accusedOf is what a node's report accuses itself of.
func accusedOf(report []byte) []watch.Accusation {
	var r struct {
		Accused []watch.Accusation `json:"accused"`
	}
	if json.Unmarshal(report, &r) != nil {
		return nil
	}
	return r.Accused
}

// avoid reports that other nodes are preferred to one.
func (c *Cluster) avoid(p catalog.Peer) bool {
	name, ok := c.nameOf(p)
	return ok && c.heed.watch.Avoid(name, time.Now())
}

// Accused is what this client holds to be slow, or described wrongly: by what nodes say of themselves, and the ways to them.
func (c *Cluster) Accused() []watch.Accusation { return c.heed.watch.Accused(time.Now()) }

// AccusedOf is what nodes accuse themselves of in their statuses.
func AccusedOf(nodes []NodeStatus) []watch.Accusation {
	list := []watch.Accusation{}
	for _, n := range nodes {
		list = append(list, accusedOf(n.Report)...)
	}
	slices.SortStableFunc(list, func(a, b watch.Accusation) int { return a.Compare(b.Resource) })
	return list
}
