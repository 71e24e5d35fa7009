package node

import (
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/loan"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// Core is the state of a node. It is not safe for concurrent use. What it does
// depends on nothing but the inputs and their order.
type Core struct {
	self   catalog.Peer
	limits Limits
	now    int64
	view   *catalog.View
	gone   map[catalog.Peer]absence // nodes of the view that could not be reached
	disk   map[shardName]onDisk     // where this node knows better than the view

	requests       map[name]*request
	oldest, newest *request // all of them, by arrival
	parcels        int      // in flight
	bytes          int64    // of them
	lastHeld       uint64

	codes     codes
	parked    int // parcels that wait for a kernel
	recalled  []*Remember
	recalling JobID // the job that compiles one; 0 if none does

	jobs    map[JobID]*job // running
	lastJob JobID
	lanes   [lanes]lane

	clients map[catalog.Peer]*party
	owners  map[string]*owner
	myself  *party // what this node does unasked

	gathering []*advancing // of those that stay behind, by when they give up waiting

	children  map[uint64]*child // requests of this node's own, by number
	lastChild uint64

	counts  counts
	version uint64  // of what passes are made of; see Pass
	sizes   []int64 // room for those of a walk
	out     []Effect
}

// New makes a node that others know as self. It knows no cluster yet: until the
// first Learned it gives back or refuses what needs a data set.
func New(self catalog.Peer, limits Limits) *Core {
	c := &Core{
		self: self, limits: limits, view: new(catalog.View), gone: map[catalog.Peer]absence{}, disk: map[shardName]onDisk{},
		requests: map[name]*request{}, codes: newCodes(),
		jobs: map[JobID]*job{}, children: map[uint64]*child{},
		clients: map[catalog.Peer]*party{}, owners: map[string]*owner{},
	}
	for i := range c.lanes {
		c.lanes[i] = lane{kind: i, most: limits.Jobs, spare: limits.Spare}
	}
	c.lanes[making].each = max(limits.Jobs/2, 1)
	c.lanes[calling].most = limits.Calls
	c.myself = c.meet(self, "this node", true)
	return c
}

// Step takes in what happened at time now, in microseconds of a clock that does
// not go back, and returns what to do about it, in order. The caller owns the
// slice.
func (c *Core) Step(now int64, in Input) []Effect { return c.StepInto(nil, now, in) }

// StepInto is Step that appends the effects to a slice.
func (c *Core) StepInto(effects []Effect, now int64, in Input) []Effect {
	c.now = max(c.now, now)
	c.out = effects
	switch in.(type) {
	case *Received, *Tick, Finished:
	default:
		c.changed()
	}
	switch in := in.(type) {
	case *Received:
		c.receive(in)
	case *Gone:
		c.lost(in.Peer)
	case *Learned:
		c.learn(in.View)
	case *Lacks:
		c.disk[shardName{in.Set, in.Shard}] = onDisk{why: in.Why}
	case *Holds:
		c.disk[shardName{in.Set, in.Shard}] = onDisk{holds: true}
	case *Remember:
		c.remember(in)
	case *Withdraw:
		c.withdraw(in.ID)
	case *Tick:
		c.tick()
	case Finished:
		c.finished(in)
	}
	c.dispatch()
	effects, c.out = c.out, nil
	return effects
}

// effect is something to do, after what was said before it.
func (c *Core) effect(e Effect) { c.out = append(c.out, e) }

// send delivers the bytes of a parcel of this kind.
func (c *Core) send(to catalog.Peer, kind parcel.Kind, b []byte) { c.lend(to, kind, b, nil) }

// lend is send for bytes in memory that is lent, if of is not nil.
func (c *Core) lend(to catalog.Peer, kind parcel.Kind, b []byte, of *loan.Loan) {
	c.counts.out[kind]++
	c.counts.bytesOut += int64(len(b))
	c.effect(&Send{To: to, Bytes: b, Loan: of})
}

// sendBare sends a parcel that has no payload.
func (c *Core) sendBare(to catalog.Peer, h parcel.Header, code []byte) {
	if len(code) > 0 {
		h.Flags |= parcel.Carries
		c.counts.codeOut += int64(len(code))
	}
	c.send(to, h.Kind, h.Append(make([]byte, 0, parcel.HeaderSize+len(code)+4), code))
}

// Waits reports that something may wait for time to pass: a request that is known, as it is forgotten at its deadline, a kernel that was asked for, or a job.
func (c *Core) Waits() bool {
	if c.oldest != nil || c.parcels > 0 || c.parked > 0 || len(c.jobs) > 0 || len(c.gathering) > 0 || len(c.children) > 0 || len(c.recalled) > 0 {
		return true
	}
	for i := range c.lanes {
		if c.lanes[i].queued > 0 {
			return true
		}
	}
	for e := c.codes.ring.next; e != c.codes.ring; e = e.next {
		if e.bytes == nil {
			return true
		}
	}
	return false
}

// tick lets deadlines pass and asks again for kernels.
func (c *Core) tick() {
	for r := c.oldest; r != nil; {
		next := r.next
		if r.deadline <= c.now {
			c.expire(r)
		}
		r = next
	}
	c.askAgain()
	c.gathered()
}
