package node

import (
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// cancel ends a request that its caller does not want any more. It is remembered
// until its deadline, and passed on once to where its states went.
func (c *Core) cancel(h *parcel.Header) {
	r := c.open(h)
	if r.cancelled {
		return
	}
	r.cancelled = true
	sentTo := r.sentTo
	r.sentTo = nil
	c.drop(r)
	if h.Hops == 0 {
		return
	}
	for _, p := range sentTo {
		c.sendBare(p, parcel.Header{Kind: parcel.Cancel, Hops: h.Hops - 1, Left: h.Left, Request: h.Request, Caller: h.Caller}, nil)
	}
}

// lost takes in that a peer cannot be reached.
func (c *Core) lost(p catalog.Peer) {
	if _, ok := c.view.Node(p); ok {
		c.avoid(p)
	}
	for r := c.oldest; r != nil; {
		next := r.next
		switch {
		case p >= catalog.FirstClient && r.caller == p && !r.over && r.kind != parcel.Send:
			c.drop(r) // nobody waits for the answer; what a package began goes on
		case r.fan != nil:
			c.childrenLost(r.fan, func(k *child) bool { return k.to == p })
		case r.kind == parcel.Walk && !r.over && c.now < min(r.deadline, r.lastSent+awaited) && slices.Contains(r.sentTo, p):
			c.statesLost(r, p)
		}
		r = next
	}
}

// awaited is for how many microseconds after states went on their caller is told when
// the peer is lost that they went to: as long as callers are patient. A walk of which
// nothing was sent for so long has mostly come to its end, of which nodes are not told.
const awaited = 30_000_000

// statesLost tells a caller that states of its walk went to a peer that cannot be
// reached. They may have gone on from there long ago, or never have got there: nobody
// knows, so all start again.
func (c *Core) statesLost(r *request, p catalog.Peer) {
	c.deny(r.caller, &parcel.Header{Request: r.number, Caller: r.caller, Left: c.left(r)},
		&parcel.Failure{Reason: parcel.Unreachable, Node: p, Shard: -1, Detail: "it was lost, and states had gone there"})
	c.drop(r)
}

// absence is what is known of a peer that could not be reached.
type absence struct {
	until int64 // it is passed over
	wait  int64 // how long that is
}

// A peer that could not be reached is passed over for goneLeast microseconds. Then it is
// tried again, because nothing tells when a network is whole again. As long as that fails,
// the time doubles, up to goneMost: each try costs a walk all that it has done.
const (
	goneLeast = 1_000_000
	goneMost  = 8_000_000
)

func (c *Core) avoid(p catalog.Peer) {
	a := c.gone[p]
	switch {
	case a.wait == 0:
		a.wait = goneLeast
	case a.until <= c.now:
		a.wait = min(2*a.wait, goneMost)
	}
	a.until = c.now + a.wait
	c.gone[p] = a
}

// usable reports whether a peer can be reached as far as is known.
func (c *Core) usable(p catalog.Peer) bool { return c.gone[p].until <= c.now }

// learn takes a new view. What could not be reached gets another chance, and
// children on nodes that have ended or begun a new life are lost.
func (c *Core) learn(v *catalog.View) {
	if v == nil || v.Older(c.view) {
		return
	}
	c.view = v
	c.forgetSets()
	// Numbers of this life's own requests are not those of an earlier one.
	c.lastChild = max(c.lastChild, uint64(c.incarnation(c.self))<<32)
	clear(c.gone)
	for r := c.oldest; r != nil; {
		next := r.next
		if r.fan != nil {
			c.childrenLost(r.fan, func(k *child) bool { return c.incarnation(k.to) != k.incarnation })
		}
		r = next
	}
}

// incarnation is that of a live node, 0 of others.
func (c *Core) incarnation(p catalog.Peer) int64 {
	if n, ok := c.view.Node(p); ok {
		return n.Incarnation
	}
	return 0
}
