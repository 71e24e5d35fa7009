package node

import (
	"fmt"
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// name names a request in the cluster.
type name struct {
	caller catalog.Peer
	number uint64
}

// request is what a node knows of a request: its parcels in flight, and what must
// be remembered of it afterwards.
type request struct {
	name
	kind      parcel.Kind
	deadline  int64 // the earliest of its parcels'
	held      int   // parcels in flight
	over      bool  // answered, failed or cancelled: what comes or ends is dropped
	cancelled bool  // cancelled: remembered until the deadline, for what arrives late
	parked    []*held
	jobs      []asked // queued and running, by age
	leaving   []leaving
	fan       *fan
	peak      int // most states that ran together, lowered when too few gather
	// sentTo has the nodes to which states or calls went, so that a cancellation
	// follows them; remembered until the deadline.
	sentTo     []catalog.Peer
	lastSent   int64 // when something went there last
	prev, next *request

	// Room for the usual numbers, to spare allocations.
	jobsRoom    [2]asked
	leavingRoom [1]leaving
	sentToRoom  [4]catalog.Peer
}

// remembered is how many requests are known beyond those in flight. The oldest
// are forgotten first; what is lost then is only that they are cancelled sooner
// than by their deadline.
const remembered = 4096

// held is a parcel in flight. It counts against the limits until everything that
// came of it has left.
type held struct {
	parcel.Header
	req     *request
	from    catalog.Peer
	client  *party // that it counts to
	raw     []byte
	number  uint64   // ascending by arrival
	refs    int      // jobs and cargoes made of it
	codes   [2]*code // its kernels; pinned
	need    int      // of them that are not compiled yet
	body    any      // *parcel.Task, Tree, Gather, Blob, Part or Call
	cargo   cargo    // Walk
	steps   uint64   // taken here on its behalf
	compile parcel.Timing

	// Room for what most parcels need, to spare allocations.
	serving   serving
	advancing advancing
	sizes     [2]int64
	columns   [2]parcel.Far
	values    [8][]byte
}

// open finds or makes the request of a parcel.
func (c *Core) open(h *parcel.Header) *request {
	deadline := c.now + int64(h.Left)
	n := name{h.Caller, h.Request}
	if r := c.requests[n]; r != nil {
		r.deadline = min(r.deadline, deadline)
		return r
	}
	r := &request{name: n, kind: h.Kind, deadline: deadline, prev: c.newest}
	r.jobs, r.leaving, r.sentTo = r.jobsRoom[:0], r.leavingRoom[:0], r.sentToRoom[:0]
	c.requests[n] = r
	if c.newest == nil {
		c.oldest = r
	} else {
		c.newest.next = r
	}
	c.newest = r
	if len(c.requests) > c.limits.Parcels+remembered {
		c.forget(remembered / 4)
	}
	return r
}

// forget drops up to n requests that are only remembered. Many at a time, so
// that the search past those in flight costs little for each.
func (c *Core) forget(n int) {
	for r := c.oldest; r != nil && n > 0; {
		next := r.next
		if r.held == 0 && r != c.newest {
			c.unlink(r)
			n--
		}
		r = next
	}
}

func (c *Core) unlink(r *request) {
	delete(c.requests, r.name)
	if r.prev == nil {
		c.oldest = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next == nil {
		c.newest = r.prev
	} else {
		r.next.prev = r.prev
	}
}

// settle forgets a request of which nothing is in flight and nothing needs to be
// remembered.
func (c *Core) settle(r *request) {
	if r.held == 0 && !r.cancelled && (len(r.sentTo) == 0 || r.deadline <= c.now) && c.requests[r.name] == r {
		c.unlink(r)
	}
}

// hold counts a parcel in, for one owner.
func (c *Core) hold(h *held) {
	c.lastHeld++
	h.number = c.lastHeld
	h.refs = 1
	h.req.held++
	c.parcels++
	h.client.sum.parcels++
	h.client.owner.sum.parcels++
	c.weigh(h, int64(len(h.raw)))
}

// release gives up one reference. Its request must be settled afterwards.
func (c *Core) release(h *held) {
	if h.refs--; h.refs > 0 {
		return
	}
	h.req.held--
	c.parcels--
	h.client.sum.parcels--
	h.client.owner.sum.parcels--
	c.weigh(h, -int64(len(h.raw)))
	for _, code := range h.codes {
		if code != nil {
			c.unpin(code)
		}
	}
}

// went notes that something of the request was passed on to a node.
func (r *request) went(to catalog.Peer, now int64) {
	r.lastSent = now
	if !slices.Contains(r.sentTo, to) {
		r.sentTo = append(r.sentTo, to)
	}
}

// left is the time until the request's deadline as headers have it.
func (c *Core) left(r *request) uint32 {
	return uint32(min(max(r.deadline-c.now, 0), math.MaxUint32))
}

// finish ends a request with its only answer.
func (c *Core) finish(h *held, a *parcel.Answer) {
	if !c.answer(h, parcel.Last, a) {
		c.fail(h.req, h.Code, &parcel.Failure{Reason: parcel.Refused, Shard: -1, Detail: fmt.Sprintf(
			"the answer is longer than the %d bytes of a parcel; ask for fewer rows at a time", parcel.MaxBytes)})
		return
	}
	h.req.over = true
}

// answer sends a result, and reports whether it fits a parcel.
func (c *Core) answer(h *held, flags parcel.Flags, a *parcel.Answer) bool {
	header := parcel.Header{Kind: parcel.Result, Flags: flags, Hops: h.Hops, Left: c.left(h.req),
		Request: h.Request, Caller: h.Caller, Code: h.Code}
	b, of := a.Parcel(&header)
	if len(b) > parcel.MaxBytes {
		return false
	}
	c.lend(h.Caller, parcel.Result, b, of)
	return true
}

// fail ends a whole request with a failure.
func (c *Core) fail(r *request, code parcel.Prefix, f *parcel.Failure) {
	c.reject(r.caller, &parcel.Header{Request: r.number, Caller: r.caller, Code: code, Left: c.left(r)}, f)
	c.drop(r)
}

// reject sends a failure in answer to a parcel. With States it is about these
// only, else about the whole request.
func (c *Core) reject(to catalog.Peer, h *parcel.Header, f *parcel.Failure) {
	f.Node = c.self
	c.deny(to, h, f)
}

// deny is reject for a failure that may have happened elsewhere.
func (c *Core) deny(to catalog.Peer, h *parcel.Header, f *parcel.Failure) {
	c.counts.refusals[f.Reason]++
	header := parcel.Header{Kind: parcel.Fail, Hops: h.Hops, Left: h.Left, Request: h.Request, Caller: h.Caller, Code: h.Code}
	size := parcel.HeaderSize + 64 + len(f.Detail)
	if f.States == nil {
		header.Flags = parcel.Last
	} else {
		size += encodedSize(f.States)
	}
	b := f.Append(header.Append(make([]byte, 0, size), nil))
	if len(b) > parcel.MaxBytes { // the states filled a parcel, and the reason is too much
		f.States = nil
		c.deny(to, h, f)
		return
	}
	c.send(to, parcel.Fail, b)
}

// drop ends a request without a word to the caller.
func (c *Core) drop(r *request) {
	r.over = true
	for _, h := range r.parked {
		c.unpark(h)
		c.release(h)
	}
	r.parked = nil
	for _, l := range r.leaving {
		c.dismiss(l.cargo)
	}
	r.leaving = nil
	c.stop(r)
	if r.fan != nil {
		c.fold(r.fan)
	}
	c.settle(r)
}

// expire ends what is left of a request at its deadline.
func (c *Core) expire(r *request) {
	r.cancelled = false
	if r.held == 0 || r.over {
		c.settle(r)
		return
	}
	f := &parcel.Failure{Reason: parcel.Expired, Shard: -1, Detail: "the deadline passed while " + r.state()}
	var code parcel.Prefix
	if len(r.parked) > 0 && len(r.jobs) == 0 {
		f.Reason, code = parcel.NoCode, r.parked[0].Code
	}
	c.fail(r, code, f)
}

// state says in words what a request in flight waits for.
func (r *request) state() string {
	switch {
	case r.fan != nil:
		return fmt.Sprintf("%d of %d parts were missing", r.fan.open, len(r.fan.parts))
	case len(r.parked) > 0:
		return "its kernel was missing"
	case r.runs():
		return "it ran"
	default:
		return "it waited for its turn"
	}
}
