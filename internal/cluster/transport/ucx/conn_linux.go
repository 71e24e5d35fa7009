//go:build (amd64 || arm64) && !static

package ucx

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Conn carries messages both ways. One goroutine reads. Its memory is given back after Close.
type Conn struct {
	fabric *Fabric
	token  uint64 // the other side's packets have it
	ahead  int

	ready  chan struct{} // closed when packets go both ways
	gone   chan struct{} // closed when it has ended
	why    error         // after gone is closed
	over   atomic.Bool   // gone is closed
	ended  sync.Once
	asleep atomic.Bool
	rung   chan struct{}

	unread atomic.Int64 // messages in queue
	got    sync.Mutex   // taken last
	queue  [][]byte
	queued int

	writing sync.Mutex // taken before fabric.mu
	fill    int        // bytes of the packet that is being made, 0: none is
	turn    int        // its slot

	// Under fabric.mu:
	arena    *arena // nil before Connect
	slots    []slot
	signs    slot
	endpoint uintptr
	closer   *outcome
	status   *int64 // written where UCX tells that the peer is gone
	peer     uint64 // its token
	number   uint64 // of the last packet that was sent
	taken    uint64 // of the last one that came
	join     joiner
	silent   int
	quiet    bool // nothing was sent since the last beat
	closed   bool
}

// slot is a packet and what the library needs to send it. It is used again when that is done.
type slot struct {
	packet []byte
	param  *requestParam
	*outcome
}

const (
	// slotCount times mostPacket may be on the way.
	slotCount = 64
	slotBytes = 8 << 10
)

func (s *slot) free() bool { return atomic.LoadUint64(&s.flying) == 0 }

// Token is what the other side needs for Connect, beside the fabric's address.
func (c *Conn) Token() uint64 { return c.token }

// Connect begins to send. What the other side has sent before is not lost.
func (c *Conn) Connect(peer []byte, token uint64) error {
	if len(peer) == 0 || len(peer) > MaxAddress || token == 0 {
		return fmt.Errorf("expected an address of 1 to %d bytes and a token, found %d bytes and %d", MaxAddress, len(peer), token)
	}
	// The library is not told how long an address is. Zeros end a list of networks.
	a, err := newArena(4<<10 + 2*MaxAddress + (slotCount+1)*slotBytes)
	if err != nil {
		return err
	}
	f := c.fabric
	f.lock()
	defer f.mu.Unlock()
	if f.closed || c.closed || c.over.Load() || c.arena != nil {
		a.free()
		return ErrEnded
	}
	e := in[endpointParams](a)
	c.status, c.closer = in[int64](a), in[outcome](a)
	out := in[uintptr](a)
	at := a.take(2 * MaxAddress)
	copy(at, peer)
	*e = endpointParams{mask: fieldAddress, address: address(&at[0])}
	if f.peer {
		e.mask |= fieldErrorMode | fieldErrorHandler
		e.errorMode, e.onError, e.errorArg = errorModePeer, failedAt, address(c.status)
	}
	c.arena, c.peer = a, token
	for range slotCount {
		c.slots = append(c.slots, f.slot(a))
	}
	c.signs = f.slot(a)
	*c.closer = outcome{free: f.lib.requestFree}
	if err := f.lib.check("reach the peer", f.call(f.lib.endpointCreate, f.worker, address(e), address(out))); err != nil {
		return err
	}
	c.endpoint = *out
	c.sign()
	return nil
}

func (f *Fabric) slot(a *arena) slot {
	b := a.take(slotBytes)
	s := slot{
		packet: b[:mostPacket], param: (*requestParam)(unsafe.Pointer(&b[mostPacket])),
		outcome: (*outcome)(unsafe.Pointer(&b[mostPacket+128])),
	}
	*s.param = requestParam{mask: fieldCallback | fieldUserData | fieldFlags, flags: sendEager, callback: sentAt, userData: address(s.outcome)}
	s.outcome.free = f.lib.requestFree
	return s
}

// Ready is closed when packets of each side have come to the other.
func (c *Conn) Ready() <-chan struct{} { return c.ready }

// Heard says whether a packet of the other side has come.
func (c *Conn) Heard() bool {
	c.fabric.lock()
	defer c.fabric.mu.Unlock()
	return c.taken > 0
}

// Fabric is where packets of this connection come.
func (c *Conn) Fabric() *Fabric { return c.fabric }

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.gone }

// arrive takes a packet of this connection.
func (c *Conn) arrive(packet []byte) error {
	heard, records, err := open(packet, c.taken+1)
	if err != nil {
		return err
	}
	if heard > c.number {
		return broken("the peer has heard %d packets, of %d that were sent", heard, c.number)
	}
	c.taken++
	c.silent = 0
	if heard > 0 {
		select {
		case <-c.ready:
		default:
			close(c.ready)
		}
	}
	if c.taken == 1 && c.endpoint != 0 {
		c.sign() // the other side wants to know
	}
	return c.join.take(records, c.push)
}

// push gives a message to the reader.
func (c *Conn) push(m []byte) error {
	c.got.Lock()
	c.queue = append(c.queue, m)
	c.unread.Add(1)
	c.queued += len(m)
	over := c.queued > c.ahead
	c.got.Unlock()
	if over {
		return broken("more than %d bytes came that were not asked for", c.ahead)
	}
	if c.asleep.Load() {
		c.ring()
	}
	return nil
}

func (c *Conn) ring() {
	select {
	case c.rung <- struct{}{}:
	default:
	}
}

func (c *Conn) pop() (m []byte) {
	if c.unread.Load() == 0 {
		return nil
	}
	c.got.Lock()
	defer c.got.Unlock()
	c.unread.Add(-1)
	m, c.queue[0] = c.queue[0], nil
	if c.queue = c.queue[1:]; len(c.queue) == 0 {
		c.queue = nil
	}
	c.queued -= len(m)
	return m
}

// waits says that the reader has something to do.
func (c *Conn) waits() bool {
	return c.unread.Load() > 0 || c.over.Load()
}

// Read gives the next message, which is the caller's. It waits for it until the connection ends; what came
// and was not read then is never given.
func (c *Conn) Read() ([]byte, error) {
	f := c.fabric
	for {
		if c.over.Load() {
			<-c.gone
			return nil, c.why
		}
		if m := c.pop(); m != nil {
			return m, nil
		}
		if f.lead(c) {
			continue
		}
		// Who pushes looks whether this side sleeps, and this side then looks for what was pushed.
		c.asleep.Store(true)
		if !c.waits() {
			select {
			case f.idle <- struct{}{}:
			default:
			}
			select {
			case <-c.rung:
			case <-c.gone:
			}
		}
		c.asleep.Store(false)
	}
}

// Write sends a message in two parts, one of which may be empty. With more, the other side may hear of it only
// when Write or Flush is called again. It waits for room until the connection ends.
func (c *Conn) Write(first, second []byte, more bool) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	for begun := false; !begun || len(first)+len(second) > 0; begun = true {
		if err := c.begin(); err != nil {
			return err
		}
		var n int
		n, first, second = putRecord(c.slots[c.turn].packet[c.fill:], first, second)
		if c.fill += n; len(first)+len(second) > 0 || mostPacket-c.fill < leastRoom {
			if err := c.post(); err != nil {
				return err
			}
		}
	}
	if !more {
		return c.post()
	}
	return nil
}

// Flush sends what Write was to wait with.
func (c *Conn) Flush() {
	c.writing.Lock()
	defer c.writing.Unlock()
	_ = c.post() // who reads hears of it
}

// begin finds a packet with room for a record.
func (c *Conn) begin() error {
	for tries := 0; ; tries++ {
		switch {
		case c.over.Load():
			<-c.gone
			return c.why
		case c.fill > 0:
			return nil
		case c.slots[c.turn].free():
			c.fill = headSize
			return nil
		}
		f := c.fabric
		f.lock()
		if !f.closed {
			f.look(looksAtOnce)
			f.leave()
		}
		f.mu.Unlock()
		if tries < 100 {
			runtime.Gosched()
			continue
		}
		select {
		case <-c.gone:
		case <-time.After(tick / 5):
		}
	}
}

// post sends the packet that is being made.
func (c *Conn) post() error {
	if c.fill == 0 {
		return nil
	}
	s, length := &c.slots[c.turn], c.fill
	c.fill, c.turn = 0, (c.turn+1)%slotCount
	sum(s.packet[:length])
	c.fabric.lock()
	defer c.fabric.mu.Unlock()
	c.send(s, length)
	if c.over.Load() {
		return c.why
	}
	return nil
}

// sign sends a packet without records.
func (c *Conn) sign() {
	if c.signs.free() {
		sum(c.signs.packet[:headSize])
		c.send(&c.signs, headSize)
	}
}

// send hands a packet to the library.
func (c *Conn) send(s *slot, length int) {
	f := c.fabric
	if f.closed || c.closed || c.over.Load() {
		c.end(ErrEnded)
		return
	}
	if err := c.trouble(); err != nil || s.failures > 0 {
		if err == nil {
			err = broken("a packet could not be sent")
		}
		c.end(err)
		return
	}
	c.number++
	c.quiet = false
	seal(s.packet[:length], packetHead{c.peer, c.number, c.taken})
	atomic.StoreUint64(&s.flying, 1)
	r := f.call(f.lib.send, c.endpoint, messageID, 0, 0, address(&s.packet[0]), uintptr(length), address(s.param))
	switch {
	case r == 0:
		atomic.StoreUint64(&s.flying, 0)
	case failedPointer(r):
		atomic.StoreUint64(&s.flying, 0)
		c.end(f.lib.check("send", r))
	case f.polling:
		f.poke() // who polls may have to call the library until it is sent
	}
}

// trouble is what UCX says of the peer.
func (c *Conn) trouble() error {
	if c.status == nil || *c.status == 0 {
		return nil
	}
	return c.fabric.lib.check("reach the peer any more", uintptr(*c.status))
}

// Room says whether a message of so many bytes can be written without waiting.
func (c *Conn) Room(bytes int) bool {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.over.Load() {
		return true // Write says why not
	}
	need := bytes/(mostPacket-headSize-recordHead) + 1
	if c.fill > 0 {
		need++ // some of it, and perhaps none
	}
	if need > slotCount {
		return false
	}
	for n := range need {
		i := (c.turn + n) % slotCount
		if n == 0 && c.fill > 0 {
			continue
		}
		if !c.slots[i].free() {
			return false
		}
	}
	return true
}

// Close ends the connection. Read and Write return at once then.
func (c *Conn) Close(why error) {
	c.end(why)
	f := c.fabric
	f.lock()
	defer f.mu.Unlock()
	if c.closed {
		return
	}
	c.closed = true
	delete(f.conns, c.token)
	defer f.rid()
	if c.arena == nil || f.closed {
		return
	}
	if c.endpoint != 0 {
		p := in[requestParam](c.arena)
		*p = requestParam{mask: fieldCallback | fieldUserData | fieldFlags, flags: closeForce, callback: sentAt, userData: address(c.closer)}
		c.closer.flying = 1
		if r := f.call(f.lib.endpointClose, c.endpoint, address(p)); r == 0 || failedPointer(r) {
			c.closer.flying = 0
		} else if f.polling {
			f.poke()
		}
	}
	f.dying = append(f.dying, c)
}

// flying says that the library may yet use the connection's memory.
func (c *Conn) flying() bool {
	for i := range c.slots {
		if !c.slots[i].free() {
			return true
		}
	}
	return !c.signs.free() || c.closer.flying != 0
}

// end notes why, and lets all who wait go on.
func (c *Conn) end(why error) {
	c.ended.Do(func() {
		if why == nil {
			why = ErrEnded
		}
		c.why = why
		select {
		case <-c.ready:
		default:
			c.fabric.unsettled.Store(true) // the peer may have reached us, though we have not reached it
		}
		c.over.Store(true)
		close(c.gone)
	})
}

// Why is the reason why the connection has ended. It waits until it has.
func (c *Conn) Why() error {
	<-c.gone
	return c.why
}
