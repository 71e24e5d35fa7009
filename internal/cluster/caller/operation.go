package caller

import (
	"fmt"
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// operation is what asks and walks have in common.
type operation struct {
	id       ID
	kind     parcel.Kind
	flags    parcel.Flags
	hops     uint16 // budget of each parcel
	codes    []Code // that of the request first
	deadline int64
	work     work
	trips    []trip // oldest first; the last one is current
	stats    Stats
	room     []byte // for the first parcel
	tries    int    // sent again so often since the last progress
	stuck    bool   // nodes lack something, since a time:
	since    int64
	last     struct {
		said string // the last failure, for the message at the deadline
		at   int64  // when something was lacking last
	}

	// Of a part of another operation, who is told its end instead of the user.
	done  func(*parcel.Answer, *Error)
	parts []*operation

	untouched bool // the last failure came with all hops: nobody passed the parcel on

	wake int64 // when the timer is due
	slot int   // in the heap of timers
}

// trip is a request number of an operation and who may know of it: those it
// was sent to and those who answered, ascending.
type trip struct {
	request uint64
	peers   []catalog.Peer
}

// work is the part in which asks and walks differ. Each method is called only
// while the operation is in hand, and may end it.
type work interface {
	begin(op *operation)
	// due is called when the timer set by Core.wakeAt has come, but not at the deadline.
	due(op *operation)
	answered(op *operation, from catalog.Peer, request uint64, a *parcel.Answer)
	failed(op *operation, from catalog.Peer, request uint64, f *parcel.Failure)
	// lost tells that a peer cannot be reached now, or has lost what it had in hand.
	lost(op *operation, p catalog.Peer)
	// learned tells that there is a new view.
	learned(op *operation)
	// expired says in words what is missing at the deadline, and at which
	// node, if it is one.
	expired(op *operation) (catalog.Peer, string)
}

// begin starts an operation whose ID is not in use.
func (c *Core) begin(op *operation, left int64) {
	if _, ok := c.ops[op.id]; ok {
		c.out = append(c.out, &Deliver{ID: op.id, Err: c.refuse("an operation with this number is in hand")})
		return
	}
	op.deadline = c.now + left
	if left > math.MaxInt64-max(c.now, 0) {
		op.deadline = math.MaxInt64
	}
	op.slot = -1
	if op.hops == 0 {
		op.hops = c.opt.Hops
	}
	c.ops[op.id] = op
	for _, code := range op.codes {
		c.recent.keep(code)
	}
	if left <= 0 {
		c.expire(op)
		return
	}
	op.work.begin(op)
}

func (c *Core) refuse(detail string) *Error {
	return &Error{Reason: parcel.Refused, Shard: -1, Detail: detail}
}

// depart gives the operation a new request number.
func (c *Core) depart(op *operation) {
	op.trips = append(op.trips, trip{request: c.next})
	c.trips[c.next] = op
	c.next++
}

// request is the current request number.
func (op *operation) request() uint64 { return op.trips[len(op.trips)-1].request }

func (op *operation) code() parcel.Prefix {
	if len(op.codes) == 0 {
		return 0
	}
	return parcel.PrefixOf(op.codes[0].ID)
}

// involve notes that a peer may know of a request.
func (op *operation) involve(request uint64, p catalog.Peer) {
	for i := range op.trips {
		if t := &op.trips[i]; t.request == request {
			t.peers = insert(t.peers, p)
		}
	}
}

// heard notes a node that answered.
func (op *operation) heard(p catalog.Peer) { op.stats.Nodes = insert(op.stats.Nodes, p) }

// insert adds a peer to an ascending list.
func insert(list []catalog.Peer, p catalog.Peer) []catalog.Peer {
	if i, ok := slices.BinarySearch(list, p); !ok {
		return slices.Insert(list, i, p)
	}
	return list
}

// left is the time until the deadline as headers have it.
func (c *Core) left(op *operation) uint32 {
	return uint32(min(max(op.deadline-c.now, 1), math.MaxUint32))
}

// payload is the part of a parcel that is not its header.
type payload interface{ Append(dst []byte) []byte }

// encoded is a payload in bytes.
type encoded []byte

func (e encoded) Append(dst []byte) []byte { return append(dst, e...) }

// post sends the current request of an operation, with the kernel on first
// contact. It reports whether the operation goes on.
func (c *Core) post(op *operation, to catalog.Peer, body payload) bool {
	h := parcel.Header{
		Kind: op.kind, Flags: op.flags, Hops: op.hops, Left: c.left(op),
		Request: op.request(), Caller: c.self, Code: op.code(),
	}
	var code []byte
	if op.carries() && !c.opt.OnDemand && c.meet(to).learn(h.Code) {
		h.Flags |= parcel.Carries
		code = op.codes[0].Bytes
		op.stats.CodeBytes += int64(len(code))
	}
	room := op.room
	if op.room = nil; room == nil {
		room = make([]byte, 0, parcel.HeaderSize+len(code)+sizeGuess)
	}
	b := body.Append(h.Append(room[:0], code))
	if len(b) > parcel.MaxBytes {
		c.end(op, c.refuse(fmt.Sprintf("a parcel of %d bytes is longer than %d; send less at once", len(b), parcel.MaxBytes)))
		return false
	}
	op.involve(h.Request, to)
	c.send(op, to, b)
	return true
}

// sizeGuess is room for a small payload.
const sizeGuess = 128

// carries reports that the operation's kernel can travel.
func (op *operation) carries() bool {
	return op.flags&parcel.Builtin == 0 && len(op.codes) > 0 && len(op.codes[0].Bytes) > 0
}

func (c *Core) send(op *operation, to catalog.Peer, b []byte) {
	if op != nil {
		op.stats.Parcels++
		op.stats.Bytes += int64(len(b))
	}
	c.out = append(c.out, &Send{To: to, Bytes: b})
}

// deliver ends an operation with its answer.
func (c *Core) deliver(op *operation, a *parcel.Answer) {
	c.remove(op)
	if op.done != nil {
		op.done(a, nil)
		return
	}
	c.out = append(c.out, &Deliver{ID: op.id, Answer: a, Stats: op.stats})
}

// end ends an operation without an answer: with an error, or silently if err
// is nil.
func (c *Core) end(op *operation, err *Error) {
	c.remove(op)
	if op.done != nil && err != nil {
		op.done(nil, err)
		return
	}
	if err != nil {
		c.out = append(c.out, &Deliver{ID: op.id, Err: err, Stats: op.stats})
	}
}

// remove forgets an operation, and tells those who may still work for it.
func (c *Core) remove(op *operation) {
	c.timers.cancel(op)
	for _, t := range op.trips {
		delete(c.trips, t.request)
		c.cancel(op, t)
	}
	delete(c.ops, op.id)
	for _, part := range op.parts {
		if c.ops[part.id] == part {
			c.remove(part)
		}
	}
}

// settle notes that a peer is done with a request.
func (op *operation) settle(request uint64, p catalog.Peer) {
	for i := range op.trips {
		t := &op.trips[i]
		if at, ok := slices.BinarySearch(t.peers, p); ok && t.request == request {
			t.peers = slices.Delete(t.peers, at, at+1)
		}
	}
}

// cancel tells those who may know of a request that its result is not wanted
// any more. After the deadline all nodes drop it anyway.
func (c *Core) cancel(op *operation, t trip) {
	if op.deadline <= c.now {
		return
	}
	for _, to := range t.peers {
		p := parcel.Parcel{Header: parcel.Header{Kind: parcel.Cancel, Hops: op.hops, Left: c.left(op), Request: t.request, Caller: c.self}}
		if b, err := p.Append(nil); err == nil {
			c.send(op, to, b)
		}
	}
}

// recall cancels what is under way for an operation that begins anew.
func (c *Core) recall(op *operation) {
	for i := range op.trips {
		c.cancel(op, op.trips[i])
		op.trips[i].peers = nil
	}
}

func (c *Core) expire(op *operation) {
	node, detail := op.work.expired(op)
	if op.last.said != "" {
		detail += "; last heard: " + op.last.said
	}
	c.end(op, &Error{Reason: parcel.Expired, Node: node, Name: c.name(node), Shard: -1, Detail: detail})
}
