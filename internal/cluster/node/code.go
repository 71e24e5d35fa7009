package node

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// A kernel or package that is missing is asked for every askEvery microseconds, maxAsks
// times; then the parcels that wait for it fail, so that their callers can
// send it along well before the deadline.
const (
	askEvery = 250_000
	maxAsks  = 8
)

// compileTime is how many microseconds compiling a kernel or installing a package
// may take.
const compileTime = 30_000_000

// code is a kernel or a package that this node knows or waits for. It is wanted
// while it has no bytes, then compiling, then ready. Pinned by the parcels in flight
// that need it; once ready and without pins it may be forgotten.
type code struct {
	prefix     parcel.Prefix
	id         kernel.ID
	native     bool // a package
	bytes      []byte
	compiling  bool // queued or running
	ready      bool
	withdrawn  bool // to be forgotten as soon as it has no pins
	pins       int
	client     *party                    // whose it is: who brought it; nil if others use it too
	bound      func(sizes []int64) int64 // of the steps of one outer index; nil if it is not known
	waiting    []*held                   // by arrival
	asked      int                       // times
	askAt      int64                     // when to ask again
	prev, next *code                     // by last use, in a ring
}

// codes are all kernels and packages known or waited for, at most Limits.Codes.
type codes struct {
	byPrefix map[parcel.Prefix]*code
	ring     *code // next is the one used last, prev the one not used for longest
	idle     int   // ready and without pins
	bytes    int64 // of all
}

func newCodes() codes {
	ring := new(code)
	ring.prev, ring.next = ring, ring
	return codes{byPrefix: map[parcel.Prefix]*code{}, ring: ring}
}

func (e *code) unlink() { e.prev.next, e.next.prev = e.next, e.prev }

// touch makes e the one used last.
func (k *codes) touch(e *code) {
	if k.ring.next == e {
		return
	}
	if e.next != nil {
		e.unlink()
	}
	e.prev, e.next = k.ring, k.ring.next
	e.prev.next, e.next.prev = e, e
}

func (k *codes) remove(e *code) {
	k.fill(e, nil)
	e.unlink()
	delete(k.byPrefix, e.prefix)
}

// removeCode forgets a code.
func (c *Core) removeCode(e *code) {
	c.changed()
	c.codes.remove(e)
	c.disown(e)
}

// fill gives a code its bytes, or takes them away.
func (k *codes) fill(e *code, b []byte) {
	k.bytes += int64(len(b) - len(e.bytes))
	if e.client != nil {
		e.client.keeps(0, len(b)-len(e.bytes))
	}
	e.bytes = b
}

// evict forgets a code that is idle.
func (c *Core) evict(e *code) {
	c.removeCode(e)
	c.codes.idle--
	c.effect(&Forget{ID: e.id})
}

// shrink evicts those not used for longest while enough is not so.
func (c *Core) shrink(enough func() bool) {
	c.shrinkThose(func(*code) bool { return true }, enough)
}

// shrinkThose is shrink among some codes only.
func (c *Core) shrinkThose(some func(*code) bool, enough func() bool) {
	for old := c.codes.ring.prev; old != c.codes.ring && !enough(); {
		older := old.prev
		if old.ready && old.pins == 0 && some(old) {
			c.evict(old)
		}
		old = older
	}
}

// need is a kernel or package that a parcel cannot do without.
type need struct {
	prefix parcel.Prefix // 0 for none
	native bool          // a package
	bytes  []byte        // if it came along
	id     kernel.ID     // of the bytes
}

// needs lists a parcel's kernels, or its package. It fails if one that came along is not what
// it is said to be.
func (c *Core) needs(h *held, along []byte) (needs [2]need, err error) {
	if h.Header.Code == 0 || h.Flags&parcel.Builtin != 0 {
		return needs, nil
	}
	needs[0] = need{prefix: h.Header.Code, native: h.Kind == parcel.Send, bytes: along}
	var p *parcel.Partial
	switch body := h.body.(type) {
	case *parcel.Task:
		p = &body.Partial
	case *parcel.Tree:
		p = &body.Task.Partial
	}
	if p != nil && p.Code != 0 {
		if len(p.Kernel) > kernel.MaxBytes {
			return needs, fmt.Errorf("the partial kernel has %d bytes, at most %d are allowed", len(p.Kernel), kernel.MaxBytes)
		}
		needs[1] = need{prefix: p.Code, bytes: p.Kernel}
	}
	for i := range needs {
		if err := c.identify(&needs[i]); err != nil {
			return needs, err
		}
	}
	return needs, nil
}

// identify compares code that came along with its name, and with what is known
// by that name.
func (c *Core) identify(n *need) (err error) {
	e := c.codes.byPrefix[n.prefix]
	if e != nil && n.prefix != 0 && e.native != n.native {
		return fmt.Errorf("%s is known here as a %s, and the parcel takes it for a %s", n.prefix, e.kind(), kindOfCode(n.native))
	}
	if len(n.bytes) == 0 {
		n.bytes = nil
		return nil
	}
	if e != nil && bytes.Equal(e.bytes, n.bytes) {
		n.id = e.id
		return nil
	}
	if n.id, err = n.prefix.Identify(n.bytes); err == nil && e != nil && e.bytes != nil {
		err = fmt.Errorf("the %s %s has the same first eight bytes as %s, which this node knows; only one of the two can be used here", e.kind(), n.id, e.id)
	}
	return err
}

func kindOfCode(native bool) string {
	if native {
		return "package"
	}
	return "kernel"
}

func (e *code) kind() string { return kindOfCode(e.native) }

// room says why the kernels needed cannot be known at once with all that are in use; ""
// if they can.
func (c *Core) room(needs *[2]need, k *party) string {
	missing, idle := 0, c.codes.idle
	for i, n := range needs {
		if n.prefix == 0 || i == 1 && n.prefix == needs[0].prefix {
			continue
		}
		if e := c.codes.byPrefix[n.prefix]; e == nil {
			missing++
		} else if e.ready && e.pins == 0 {
			idle--
		}
	}
	if missing > 0 && len(c.codes.byPrefix)-idle+missing > c.limits.Codes {
		return fmt.Sprintf("all of the %d kernels and packages that this node remembers are in use", c.limits.Codes)
	}
	return c.crowdedOut(k, missing, needs)
}

// fetch pins the kernels of a parcel and sees to it that they come and are
// compiled; h.need says how many are not ready yet. There is room for them.
func (c *Core) fetch(h *held, needs *[2]need) {
	for i, n := range needs { // first those known, so that none of them makes room for another
		if e := c.codes.byPrefix[n.prefix]; e != nil {
			c.pin(h, i, e)
		}
	}
	for i := range needs {
		n := &needs[i]
		if n.prefix == 0 {
			continue
		}
		e := h.codes[i]
		if e == nil {
			if e = c.codes.byPrefix[n.prefix]; e == nil { // else it is both of the parcel's kernels
				e = c.want(n, h.client)
			}
			c.pin(h, i, e)
		}
		if e.ready {
			c.counts.hits++
			continue
		}
		c.counts.misses++
		if i == 0 || e != h.codes[0] {
			h.need++
			e.waiting = append(e.waiting, h)
		}
		switch {
		case e.bytes != nil:
		case n.bytes != nil:
			c.supply(e, n.bytes, n.id)
		case e.asked == 0:
			if old := c.recollect(e); old != nil {
				c.supply(e, old.Bytes, old.ID)
			} else {
				c.ask(e)
			}
		}
	}
}

// want makes room for a code that is not known.
func (c *Core) want(n *need, k *party) *code {
	c.makeWay(k, 1, 0)
	c.shrink(func() bool { return len(c.codes.byPrefix) < c.limits.Codes })
	e := &code{prefix: n.prefix, native: n.native}
	c.codes.byPrefix[n.prefix] = e
	k.own(e)
	return e
}

func (c *Core) pin(h *held, i int, e *code) {
	if e.ready && e.pins == 0 {
		c.codes.idle--
	}
	e.pins++
	h.codes[i] = e
	if e.client != nil && e.client.owner != h.client.owner {
		c.disown(e)
	}
	c.codes.touch(e)
}

func (c *Core) unpin(e *code) {
	if e.pins--; e.pins > 0 {
		return
	}
	if e.ready {
		if c.codes.idle++; e.withdrawn {
			c.evict(e)
		}
	} else if !e.compiling {
		c.removeCode(e)
	}
}

// supply has a wanted code compiled, after making room for its bytes. They are
// copied, since they are mostly a small part of a parcel that will go.
func (c *Core) supply(e *code, b []byte, id kernel.ID) {
	c.makeWay(e.client, 0, int64(len(b)))
	c.shrink(func() bool { return c.codes.bytes+int64(len(b)) <= c.limits.CodeBytes })
	e.id, e.compiling = id, true
	c.codes.fill(e, bytes.Clone(b))
	if c.codes.bytes > c.limits.CodeBytes {
		c.unusable(e, &parcel.Failure{Reason: parcel.Busy, Shard: -1, Detail: fmt.Sprintf(
			"the %d bytes of the %s %s do not fit: those of all that are in use are %d, the limit is %d",
			len(b), e.kind(), e.prefix, c.codes.bytes-int64(len(b)), c.limits.CodeBytes)})
		return
	}
	c.wait(c.build(e))
}

// building is the job that makes a code ready.
type building struct {
	job
	code *code
}

func (c *Core) build(e *code) *job {
	b := &building{code: e}
	b.job = job{client: e.client, queued: c.now, errand: b}
	if b.client == nil {
		b.client = c.myself
	}
	if e.native {
		b.start.Work = &Install{ID: e.id, Bytes: e.bytes}
	} else {
		b.start.Work = &Compile{ID: e.id, Bytes: e.bytes}
	}
	return &b.job
}

func (*building) laneFor(*Core) int { return making }

func (b *building) begin(c *Core) (left int64, ok bool) {
	if b.code.pins == 0 { // those who needed it have left
		c.removeCode(b.code)
		return 0, false
	}
	return compileTime, true
}

func (b *building) ended(c *Core, f Finished) {
	if f, ok := f.(*Compiled); ok {
		c.compiled(b.code, f)
		return
	}
	c.unusable(b.code, failure(f))
}

// unusable fails the parcels that wait for a code that was not compiled.
func (c *Core) unusable(e *code, f *parcel.Failure) {
	c.codes.fill(e, nil)
	for _, h := range e.built() {
		if !h.req.over {
			c.failFor(h, e.prefix, f)
		}
	}
	if e.pins == 0 && c.codes.byPrefix[e.prefix] == e {
		c.removeCode(e)
	}
}

// built gives the parcels that waited for a code, whose job has ended.
func (e *code) built() []*held {
	waiting := e.waiting
	e.compiling, e.waiting = false, nil
	return waiting
}

// compiled lets the parcels go on that waited for a kernel.
func (c *Core) compiled(e *code, f *Compiled) {
	waiting := e.built()
	e.ready, e.bound = true, f.Bound
	if e.pins == 0 {
		c.codes.idle++
	}
	for _, h := range waiting {
		if h.req.over {
			continue // another parcel of the same request ended it
		}
		h.compile.Verify = max(h.compile.Verify, f.Timing.Verify)
		h.compile.Compile = max(h.compile.Compile, f.Timing.Compile)
		if h.need--; h.need == 0 {
			c.resume(h)
		}
	}
}

// resume lets a parked parcel go on.
func (c *Core) resume(h *held) {
	c.parked--
	h.req.parked = slices.DeleteFunc(h.req.parked, func(p *held) bool { return p == h })
	c.begin(h)
}

// unpark takes a parcel out of the lists of those that wait for kernels.
func (c *Core) unpark(h *held) {
	c.parked--
	for _, e := range h.codes {
		if e != nil {
			e.waiting = slices.DeleteFunc(e.waiting, func(p *held) bool { return p == h })
		}
	}
}

// ask asks the senders of the waiting parcels for their kernel, in turn.
func (c *Core) ask(e *code) {
	h := e.waiting[e.asked%len(e.waiting)]
	e.asked++
	e.askAt = c.now + askEvery
	c.sendBare(h.from, parcel.Header{Kind: parcel.NeedCode, Left: c.left(h.req),
		Request: h.Request, Caller: h.Caller, Code: e.prefix}, nil)
}

// askAgain asks for the kernels that have not come, or gives them up.
func (c *Core) askAgain() {
	var due []*code
	for e := c.codes.ring.next; e != c.codes.ring; e = e.next {
		if e.bytes == nil && e.askAt <= c.now {
			due = append(due, e)
		}
	}
	for _, e := range due {
		switch {
		case len(e.waiting) == 0: // left with a parcel that needed another one, too
		case e.asked < maxAsks:
			c.ask(e)
		default:
			c.codeLost(e, slices.Clone(e.waiting), fmt.Sprintf("nobody answered %d requests for it", e.asked))
		}
	}
}

// provide answers a node that lacks a kernel; without bytes if it is not known
// here either.
func (c *Core) provide(to catalog.Peer, h *parcel.Header) {
	reply := *h
	reply.Kind = parcel.Code
	var b []byte
	if e := c.codes.byPrefix[h.Code]; e != nil {
		b = e.bytes
	}
	c.sendBare(to, reply, b)
}

// codeArrived takes the answer to a request for code. Without bytes it says
// that from has lost it.
func (c *Core) codeArrived(from catalog.Peer, p parcel.Prefix, b []byte) {
	e := c.codes.byPrefix[p]
	if e == nil || e.bytes != nil {
		c.counts.dropped[unexpected]++
		return
	}
	if len(b) > 0 {
		if id, err := p.Identify(b); err == nil && len(b) <= maxBytes(e.native) {
			c.supply(e, b, id)
		} else {
			c.counts.dropped[malformed]++
		}
		return
	}
	lost := make([]*held, 0, len(e.waiting))
	for _, h := range e.waiting {
		if h.from == from {
			lost = append(lost, h)
		}
	}
	c.codeLost(e, lost, fmt.Sprintf("peer %d, which sent the parcel, has lost it", from))
	if len(e.waiting) > 0 && e.asked < maxAsks {
		c.ask(e)
	}
}

// codeLost gives up parcels whose code does not come. The states of a Walk
// go back.
func (c *Core) codeLost(e *code, list []*held, detail string) {
	for _, h := range list {
		if h.req.over {
			continue // another parcel of the same request ended it
		}
		f := &parcel.Failure{Reason: parcel.NoCode, Shard: -1, Detail: fmt.Sprintf("the %s %s is not known here; %s", e.kind(), e.prefix, detail)}
		if h.Kind != parcel.Walk {
			c.failFor(h, e.prefix, f)
			continue
		}
		c.unpark(h)
		h.req.parked = slices.DeleteFunc(h.req.parked, func(p *held) bool { return p == h })
		c.giveBack(&h.cargo, f)
		c.settle(h.req)
	}
}
