package stream

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/loan"
	"github.com/godwit-run/godwit/internal/cluster/transport"
)

// outbound is a parcel to be sent, and what it lies in if that is lent.
type outbound struct {
	bytes []byte
	of    *loan.Loan
}

// peer is another peer: its connections, and what waits to be sent.
type peer struct {
	transport *Transport
	number    catalog.Peer
	// turn, of capacity 1, is held while a connection is added, and while one is
	// removed and Gone is told: so the handler hears of an end
	// before it gets parcels of the next connection.
	turn chan struct{}

	mu       sync.Mutex // taken after transport.mu
	closed   bool
	address  string // empty: not to be dialled
	conns    []*conn
	queue    []outbound
	queued   int64  // bytes of it
	payer    *meter // of the connection whose owner they are counted to; may be nil
	dialling bool
	failures int       // to connect, since it last worked
	again    time.Time // no dialling before

	ringing bool      // a ring is being opened, or there is one that this side opened
	near    bool      // the peer is on this machine: a ring that has ended is opened again
	renew   time.Time // no ring is opened before

	links map[uint64]*link // with fabrics, by this side's token
	refit time.Time        // none is offered before
}

// best is the connection to send on: the newest ring that works, else the newest of a fabric, else the newest
// stream. Who opens another one had no use of the older.
func (p *peer) best() *conn {
	for _, w := range [...]way{byRing, byFabric, byStream} {
		if c := p.newest(w); c != nil {
			return c
		}
	}
	return nil
}

func (p *peer) newest(w way) *conn {
	for _, c := range slices.Backward(p.conns) {
		if c.lost == nil && c.way == w {
			return c
		}
	}
	return nil
}

func (p *peer) send(parcel outbound) error {
	p.mu.Lock()
	c := p.best()
	if c == nil {
		defer p.mu.Unlock()
		return p.dialFor(parcel)
	}
	if p.near && c.way != byRing {
		p.reopen()
	}
	if c.writing || len(p.queue) > 0 || !c.allowed() || !c.direct(len(parcel.bytes)) {
		err := p.enqueue(parcel, c.may)
		p.kick(c)
		p.mu.Unlock()
		return err
	}
	c.writing = true
	h := c.charge(parcel.bytes)
	p.mu.Unlock()
	c.write(h, parcel, false)
	p.drain(c, true)
	return nil
}

// enqueue keeps a parcel for later, within what is granted and a little more.
func (p *peer) enqueue(parcel outbound, may Grant) error {
	bytes := p.queued + int64(len(parcel.bytes))
	if len(p.queue) >= max(0, may.Parcels)+slackParcels || len(p.queue) > 0 && bytes > max(0, may.Bytes)+slackBytes {
		return transport.ErrFull
	}
	if c := p.best(); len(p.queue) == 0 && c != nil {
		p.payer = c.meter
	}
	if !p.payer.waits(int64(len(parcel.bytes))) {
		p.payer.waits(-int64(len(parcel.bytes)))
		return transport.ErrFull
	}
	p.queue = append(p.queue, parcel)
	p.queued = bytes
	return nil
}

// dequeued gives back bytes that do not wait any more.
func (p *peer) dequeued(bytes int64) {
	p.queued -= bytes
	p.payer.waits(-bytes)
	if p.queued == 0 && len(p.queue) == 0 {
		p.payer = nil
	}
}

// dropQueue forgets what waits to be sent.
func (p *peer) dropQueue() {
	p.queue = nil
	p.dequeued(p.queued)
}

// work says that a connection has something to write.
func (p *peer) work(c *conn) bool {
	return c.lost == nil && (c.beat || c.due() || len(c.notes) > 0 || len(p.queue) > 0 && c.allowed() && c == p.best())
}

// next takes out what to write next on a connection that has work.
func (p *peer) next(c *conn) (head, outbound) {
	if len(c.notes) > 0 {
		n := c.notes[0]
		c.notes = c.notes[1:]
		return c.head(n.kind), outbound{bytes: n.body}
	}
	if len(p.queue) == 0 || !c.allowed() || c != p.best() {
		return c.head(credit), outbound{}
	}
	parcel := p.queue[0]
	p.queue[0] = outbound{}
	p.queue = p.queue[1:]
	p.dequeued(int64(len(parcel.bytes)))
	return c.charge(parcel.bytes), parcel
}

// first is the length of the parcel that is written next.
func (p *peer) first() int {
	if len(p.queue) == 0 {
		return 0
	}
	return len(p.queue[0].bytes)
}

// kick starts a goroutine for the work of a connection, unless one is at it.
func (p *peer) kick(c *conn) {
	if !c.writing && p.work(c) {
		c.writing = true
		p.transport.running.Go(func() { p.drain(c, false) })
	}
}

// turns is how many frames a caller of Send writes for others.
const turns = 16

// drain writes until a connection has no work. The caller has set c.writing. It
// may be lent, being in Send or reading, and then neither blocks nor stays for long.
func (p *peer) drain(c *conn, lent bool) {
	more := false
	for n := 0; ; n++ {
		p.mu.Lock()
		passOn := lent && p.work(c) && (n >= turns || !c.direct(p.first()))
		if more && (passOn || !p.work(c)) { // it is without work where the queue was dropped
			p.mu.Unlock()
			// Only who writes flushes: another one may wait for room, and be the one whose
			// reading makes room for the other side.
			c.line.Flush()
			more = false
			continue
		}
		if !p.work(c) {
			c.writing = false
			p.mu.Unlock()
			return
		}
		if passOn {
			p.transport.running.Go(func() { p.drain(c, false) })
			p.mu.Unlock()
			return
		}
		h, parcel := p.next(c)
		more = c.line != nil && p.work(c)
		p.mu.Unlock()
		c.write(h, parcel, more)
	}
}

// dialFor queues a parcel and connects, unless that failed a moment ago.
func (p *peer) dialFor(parcel outbound) error {
	switch {
	case p.closed:
		return transport.ErrClosed
	case p.address == "":
		return transport.ErrUnreachable
	case !p.dialling:
		if wait := time.Until(p.again); wait > 0 {
			return fmt.Errorf("%w: connecting to peer %d at %s failed, and is tried again in %v",
				transport.ErrUnreachable, p.number, p.address, wait.Round(time.Millisecond))
		}
		p.dial()
	}
	return p.enqueue(parcel, Grant{})
}

// dial begins to connect.
func (p *peer) dial() {
	p.dialling = true
	address := p.address
	p.transport.running.Go(func() { p.connect(address) })
}

// reach connects with a peer for which nothing waits.
func (p *peer) reach() {
	if p.transport.options.Eager && p.address != "" && len(p.conns) == 0 && !p.dialling && !p.closed && time.Now().After(p.again) {
		p.dial()
	}
}

// connect dials, and then reads until the connection ends.
func (p *peer) connect(address string) {
	t := p.transport
	c, err := t.dial(p.number, address)
	if err == nil {
		p.mu.Lock()
		p.dialling, p.failures = false, 0
		p.open()
		p.refit = time.Time{}
		p.offer(c)
		forgotten := p.address == ""
		p.kick(c)
		p.mu.Unlock()
		if forgotten {
			c.fail(errForgotten)
		}
		t.run(c)
		return
	}
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	p.mu.Lock()
	p.dialling = false
	p.failures++
	wait := min(backoffMost, backoffLeast<<min(p.failures-1, 10))
	p.again = time.Now().Add(wait/2 + rand.N(wait))
	tell := len(p.queue) > 0 && len(p.conns) == 0 && !p.closed
	if len(p.conns) == 0 {
		p.dropQueue()
	}
	p.mu.Unlock()
	if tell {
		t.handler.Gone(p.number, fmt.Errorf("connecting to peer %d at %s: %w", p.number, address, err))
	}
	t.forget(p)
}

// allow sets where the peer may be dialled, "" for nowhere; then its
// connections end if it had an address before.
func (p *peer) allow(address string) {
	p.mu.Lock()
	before := p.address
	p.address = address
	if before != address {
		p.failures, p.again = 0, time.Time{}
	}
	p.reach()
	conns := slices.Clone(p.conns)
	p.mu.Unlock()
	if before != "" && address == "" {
		for _, c := range conns {
			c.fail(errForgotten)
		}
	}
}

// beat sees to it that connections which the peer dialled are not silent.
func (p *peer) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reach()
	for _, c := range p.conns {
		p.offer(c)
		if c.inbound && c.line == nil { // lines have signs of life of their own
			c.beat = !c.wrote
			c.wrote = false
			p.kick(c)
		}
	}
}
