package stream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/loan"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/cluster/transport/gate"
	"github.com/godwit-run/godwit/internal/cluster/transport/ucx"
)

// Why a connection ended.
var (
	errForgotten = errors.New("the peer is no longer a member of the cluster")
	errEnded     = errors.New("the peer has ended the connection")
	errReplaced  = errors.New("the peer has opened another connection")
	errRestarted = errors.New("the peer has restarted")
	errNoHello   = fmt.Errorf("the connection was not ready within %v", connectTime)
)

// Transport is a transport.Transport over gRPC.
type Transport struct {
	options  Options
	handler  transport.Handler
	swift    transport.Swift    // the handler, if it may answer at once
	borrower transport.Borrower // the handler, if it gives memory back
	life     uint64
	server   *grpc.Server // nil without a listener
	gate     *gate.Gate   // nil without a listener or TLS
	refusals *gate.Refusals
	rings    atomic.Int64               // that this side has opened, or is about to
	fabric   atomic.Pointer[ucx.Fabric] // nil: none

	fabrics   sync.Mutex
	former    []*ucx.Fabric // that were deaf
	renewable time.Time     // no fabric is opened again before
	renewals  int           // one soon after the other
	ctx       context.Context
	cancel    context.CancelFunc
	running   sync.WaitGroup

	mu     sync.RWMutex
	closed bool
	peers  map[catalog.Peer]*peer
}

var _ transport.Lender = (*Transport)(nil)

// New begins to accept connections if there is a listener, which it closes on
// errors too. The handler must not call Close.
func New(o Options, h transport.Handler) (*Transport, error) {
	o, err := o.checked()
	if err != nil {
		if o.Listener != nil {
			err = errors.Join(err, o.Listener.Close())
		}
		return nil, err
	}
	t := &Transport{options: o, handler: h, life: rand.Uint64(), peers: map[catalog.Peer]*peer{}}
	t.swift, _ = h.(transport.Swift)
	t.borrower, _ = h.(transport.Borrower)
	t.refusals = gate.NewRefusals(o.Log, "connection refused")
	t.ctx, t.cancel = context.WithCancel(context.Background())
	if err := t.openFabric(); err != nil {
		if o.Listener != nil {
			err = errors.Join(err, o.Listener.Close())
		}
		return nil, err
	}
	if o.Listener != nil {
		t.listen()
	}
	return t, nil
}

// Send implements transport.Transport. While connecting failed a moment ago,
// it fails with transport.ErrUnreachable too.
func (t *Transport) Send(to catalog.Peer, parcel []byte) error { return t.Lend(to, parcel, nil) }

// Lend implements transport.Lender.
func (t *Transport) Lend(to catalog.Peer, parcel []byte, of *loan.Loan) error {
	if len(parcel) > t.options.MaxParcel {
		return fmt.Errorf("a parcel of %d bytes for peer %d: expected at most %d", len(parcel), to, t.options.MaxParcel)
	}
	t.mu.RLock()
	p, closed := t.peers[to], t.closed
	t.mu.RUnlock()
	switch {
	case closed:
		return transport.ErrClosed
	case p == nil:
		return transport.ErrUnreachable
	}
	return p.send(outbound{parcel, of})
}

// Know implements transport.Transport. Connections that peers opened before
// they were known stay.
func (t *Transport) Know(addresses map[catalog.Peer]string) {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return
	}
	for number := range addresses {
		if t.peers[number] == nil && number != t.options.Self {
			t.peers[number] = t.newPeer(number)
		}
	}
	all := slices.Collect(maps.Values(t.peers))
	t.mu.Unlock()
	for _, p := range all {
		p.allow(addresses[p.number])
		t.forget(p)
	}
}

// Close implements transport.Transport. Gone is not called for the connections that
// it ends.
func (t *Transport) Close() error {
	t.mu.Lock()
	t.closed = true
	all := slices.Collect(maps.Values(t.peers))
	t.mu.Unlock()
	for _, p := range all {
		p.mu.Lock()
		p.closed = true
		conns := slices.Clone(p.conns)
		p.mu.Unlock()
		for _, c := range conns {
			c.fail(transport.ErrClosed)
		}
	}
	t.cancel()
	if t.server != nil {
		t.server.Stop()
	}
	t.closeFabrics()
	t.running.Wait()
	return nil
}

func (t *Transport) newPeer(number catalog.Peer) *peer {
	return &peer{transport: t, number: number, turn: make(chan struct{}, 1)}
}

// attach makes a connection usable. A peer that restarted is told gone first.
func (t *Transport) attach(ctx context.Context, c *conn) error {
	for {
		p, err := t.find(c.remote.from)
		if err != nil {
			return err
		}
		joined, former, err := t.join(ctx, p, c)
		if err != nil {
			t.forget(p)
			return err
		}
		if joined {
			return nil
		}
		for _, o := range former {
			if p.number >= catalog.FirstClient {
				return fmt.Errorf("another client has the number %d at present: draw another", p.number)
			}
			o.fail(errRestarted)
		}
		for _, o := range former {
			select {
			case <-o.closed:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
}

// join adds a connection to its peer, unless there are connections with a former
// life of it, which come back, or the peer was forgotten meanwhile.
func (t *Transport) join(ctx context.Context, p *peer, c *conn) (joined bool, former []*conn, err error) {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return false, nil, context.Cause(ctx)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false, nil, transport.ErrClosed
	}
	if t.peers[p.number] != p {
		return false, nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var same []*conn
	for _, o := range p.conns {
		if o.remote.life != c.remote.life || o.owner != c.owner {
			former = append(former, o)
		} else if o.inbound == c.inbound && o.way == c.way {
			same = append(same, o)
		}
	}
	if former != nil {
		return false, former, nil
	}
	c.peer = p
	p.conns = append(p.conns, c)
	for _, o := range same {
		t.running.Go(func() { o.fail(errReplaced) })
	}
	return true, nil, nil
}

func (t *Transport) find(number catalog.Peer) (*peer, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, transport.ErrClosed
	}
	p := t.peers[number]
	if p == nil {
		p = t.newPeer(number)
		t.peers[number] = p
	}
	return p, nil
}

// run reads from an attached connection until it ends, and takes it off.
func (t *Transport) run(c *conn) {
	c.read()
	c.link.unread(c.meter)
	p := c.peer
	for _, o := range p.together(c) {
		o.fail(c.lost)
	}
	p.turn <- struct{}{}
	p.mu.Lock()
	p.conns = slices.DeleteFunc(p.conns, func(o *conn) bool { return o == c })
	last := len(p.conns) == 0
	if last {
		p.dropLinks()
	}
	if last && !p.dialling {
		p.dropQueue()
	}
	tell := last && !p.closed
	p.mu.Unlock()
	if tell {
		t.handler.Gone(p.number, c.lost)
	}
	<-p.turn
	close(c.closed)
	t.forget(p)
}

// forget drops a peer that is neither connected nor to be dialled.
func (t *Transport) forget(p *peer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.address == "" && len(p.conns) == 0 && !p.dialling && !p.ringing && t.peers[p.number] == p {
		delete(t.peers, p.number)
	}
}

// beats runs while the transport accepts connections.
func (t *Transport) beats() {
	ticker := time.NewTicker(beatTime)
	defer ticker.Stop()
	for {
		select {
		case <-t.ctx.Done():
			return
		case <-ticker.C:
		}
		t.Recheck()
		t.mu.RLock()
		all := slices.Collect(maps.Values(t.peers))
		t.mu.RUnlock()
		for _, p := range all {
			p.beat()
		}
	}
}
