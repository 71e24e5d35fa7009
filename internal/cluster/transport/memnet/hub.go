package memnet

import (
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/transport"
)

// limit is how many parcels may be on their way or unreceived between two
// peers before Send fails with transport.ErrFull.
const limit = 1024

var errForgotten = errors.New("the peer is no longer a member")

// Hub connects transports in one process by a Network in real time. It has no
// goroutine while nothing is on its way.
type Hub struct {
	mu    sync.Mutex
	net   *Network
	start time.Time
	timer *time.Timer // fires when the network's next event is due
	ports map[catalog.Peer]*port
}

// NewHub is a hub over a network with this seed. With a zero Config it
// delivers everything at once; goroutines decide the order between pairs.
func NewHub(seed uint64, c Config) *Hub {
	h := &Hub{net: New(seed, c), start: time.Now(), ports: map[catalog.Peer]*port{}}
	h.timer = time.AfterFunc(time.Hour, h.tick)
	h.timer.Stop()
	return h
}

// Change lets f set links, cuts, crashes and restarts, and read counters, at
// the network's time now. f must not keep the network. A crashed peer's
// transport gets and sends nothing until it is restarted; it is not closed.
func (h *Hub) Change(f func(now time.Duration, n *Network)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f(h.now(), h.net)
	h.pump()
}

// Join adds a peer. Its transport's Close removes it, which the others see
// as a crash; the number may then join again.
func (h *Hub) Join(self catalog.Peer, handler transport.Handler) (transport.Transport, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ports[self] != nil {
		return nil, fmt.Errorf("peer %d has joined the hub already; close its transport first", self)
	}
	p := &port{hub: h, self: self, handler: handler, boxes: map[catalog.Peer]*box{}}
	h.ports[self] = p
	h.net.Restart(self)
	return p, nil
}

func (h *Hub) now() time.Duration { return time.Since(h.start) }

func (h *Hub) tick() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pump()
}

// pump hands out what is due and sets the timer for what is not. The
// caller holds mu.
func (h *Hub) pump() {
	for _, d := range h.net.Due(h.now()) {
		if p := h.ports[d.To]; p != nil {
			p.put(d)
		}
	}
	if next, any := h.net.Next(); any {
		h.timer.Reset(max(0, next-h.now()))
	}
}

// port is the transport of one peer.
type port struct {
	hub     *Hub
	self    catalog.Peer
	handler transport.Handler
	running sync.WaitGroup

	// Under hub.mu:
	known  map[catalog.Peer]string
	boxes  map[catalog.Peer]*box
	closed bool
}

// box holds what has arrived from one peer. A goroutine empties it, and ends.
type box struct {
	queue    []Delivery
	emptying bool
}

func (p *port) Send(to catalog.Peer, bytes []byte) error {
	h := p.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if p.closed {
		return transport.ErrClosed
	}
	_, known := p.known[to]
	if to == p.self || !known && !h.net.link(pair{p.self, to}).connected {
		return transport.ErrUnreachable
	}
	held := h.net.InFlight(p.self, to)
	if peer := h.ports[to]; peer == nil {
		h.net.host(to).down = true // it never joined
	} else if b := peer.boxes[p.self]; b != nil {
		held += len(b.queue)
	}
	if held >= limit {
		return transport.ErrFull
	}
	h.net.Send(h.now(), p.self, to, bytes)
	h.pump()
	return nil
}

// Know allows peers to be sent to. The addresses mean nothing here.
func (p *port) Know(addresses map[catalog.Peer]string) {
	h := p.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	for peer := range p.known {
		if _, still := addresses[peer]; still || !h.net.link(pair{p.self, peer}).connected {
			continue
		}
		h.net.tell(h.now(), pair{p.self, peer}, errForgotten)
		h.net.tell(h.now(), pair{peer, p.self}, errForgotten)
	}
	p.known = maps.Clone(addresses)
	h.pump()
}

func (p *port) Close() error {
	h := p.hub
	h.mu.Lock()
	if !p.closed {
		p.closed = true
		delete(h.ports, p.self)
		h.net.Crash(h.now(), p.self)
		h.pump()
	}
	h.mu.Unlock()
	p.running.Wait()
	return nil
}

// put queues what arrived. The caller holds hub.mu.
func (p *port) put(d Delivery) {
	b := p.boxes[d.From]
	if b == nil {
		b = &box{}
		p.boxes[d.From] = b
	}
	b.queue = append(b.queue, d)
	if !b.emptying {
		b.emptying = true
		p.running.Go(func() { p.empty(b) })
	}
}

// empty gives a box's contents to the handler, one after the other.
func (p *port) empty(b *box) {
	for {
		p.hub.mu.Lock()
		if len(b.queue) == 0 || p.closed {
			b.queue, b.emptying = nil, false
			p.hub.mu.Unlock()
			return
		}
		d := b.queue[0]
		b.queue = b.queue[1:]
		p.hub.mu.Unlock()
		if d.Gone != nil {
			p.handler.Gone(d.From, d.Gone)
		} else {
			p.handler.Receive(d.From, d.Bytes)
		}
	}
}
