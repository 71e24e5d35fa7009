package node

import (
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/catalog"
	"github.com/godwit-run/godwit/parcel"
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
		c.gone[p] = c.now + goneTime
	}
	for r := c.oldest; r != nil; {
		next := r.next
		switch {
		case p >= catalog.FirstClient && r.caller == p && !r.over && r.kind != parcel.Send:
			c.drop(r) // nobody waits for the answer; what a package began goes on
		case r.fan != nil:
			c.childrenLost(r.fan, func(k *child) bool { return k.to == p })
		case r.kind == parcel.Walk && !r.over && r.deadline > c.now && slices.Contains(r.sentTo, p):
			c.statesLost(r, p)
		}
		r = next
	}
}

// statesLost tells a caller that states of its walk went to a peer that cannot be
// reached. They may have gone on from there long ago, or never have got there: nobody
// knows, so all start again.
func (c *Core) statesLost(r *request, p catalog.Peer) {
	c.fail(r, 0, &parcel.Failure{Reason: parcel.Unreachable, Shard: -1, Detail: fmt.Sprintf("node %d was lost, to which states went", p)})
}

// learn takes a new view. What could not be reached gets another chance, and
// children on nodes that have ended or begun a new life are lost.
func (c *Core) learn(v *catalog.View) {
	if v == nil || v.Revision < c.view.Revision {
		return
	}
	c.view = v
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
