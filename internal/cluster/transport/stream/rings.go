package stream

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/transport/gate"
	"github.com/godwit-run/godwit/internal/cluster/transport/ring"
)

// This file opens rings with peers on this machine, in place of what gRPC does for a stream. What comes
// in are Unix sockets; what goes out are connections, which the rest of the package treats as it does
// streams: the same hellos, frames, grants and ends. Invariant: a peer that has a ring has shown
// what it would have shown for a stream.
//
// On the socket there is TLS first, as on a stream's connection, and a hello each way. The accepting
// side's hello says that it reads no more TLS. Then the dialler passes the memory, and then
// there are bells only.

const (
	// alpn keeps what is said on such a socket from being of use on another one.
	alpn = "godwit-ring"
	// mostRings bounds the rings that others have opened, and those that this side has. Each takes
	// up to 2 × ring.Size of memory and a descriptor. Who gets none has a stream.
	mostRings = 128
	// refusal is the kind of a frame that has a reason in place of a hello.
	refusal frameKind = 255
	// renewTime is how long after its end a ring is opened again, brokenTime where it has not
	// ended with its peer.
	renewTime, brokenTime = 250 * time.Millisecond, 10 * time.Second
)

var (
	errManyRings = fmt.Errorf("%w: there are %d already", ring.ErrNone, mostRings)
	errProtocol  = errors.New("expected the protocol " + alpn)
)

// listenNear accepts sockets for rings. Where the name is taken there are streams, until it is free.
func (t *Transport) listenNear() {
	o := &t.options
	address := o.Address
	if address == "" {
		address = o.Listener.Addr().String()
	}
	l, err := ring.Listen(o.cluster(), address)
	switch {
	case err == nil:
		t.running.Go(func() { t.acceptNear(l) })
	case errors.Is(err, ring.ErrNone):
		o.Log.Debug("peers on this machine use streams, for there are no rings", "reason", err)
	default:
		o.Log.Warn("peers on this machine use streams, for no rings are accepted yet", "address", address, "reason", err)
		t.running.Go(func() {
			for err != nil {
				select {
				case <-t.ctx.Done():
					return
				case <-time.After(beatTime):
				}
				l, err = ring.Listen(o.cluster(), address)
			}
			o.Log.Info("rings are accepted now", "address", address)
			t.acceptNear(l)
		})
	}
}

// acceptNear accepts sockets until the transport is closed.
func (t *Transport) acceptNear(l net.Listener) {
	t.running.Go(func() {
		<-t.ctx.Done()
		_ = l.Close()
	})
	for {
		raw, err := l.Accept()
		if err == nil {
			// Other users must not crowd out this one at the gate, to which all sockets come from one address.
			if err := ring.SameUser(raw); err != nil {
				_ = raw.Close()
				t.refused(raw.RemoteAddr(), err)
				continue
			}
			t.running.Go(func() { t.admitNear(t.gate.Beside(raw), raw) })
		} else if t.ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
			return
		} else {
			time.Sleep(backoffLeast) // there are too many files
		}
	}
}

// admitNear takes one socket, and carries parcels on it until it ends.
func (t *Transport) admitNear(link *gate.Conn, raw net.Conn) {
	defer link.Close()
	stop := context.AfterFunc(t.ctx, func() { _ = link.Close() })
	defer stop()
	c, err := t.welcomeNear(link, raw)
	if err != nil {
		t.refused(raw.RemoteAddr(), err)
		return
	}
	stop() // Close ends the connection in order
	defer link.End()
	t.options.step()
	if err := c.line.(*ring.Conn).Ready(); err != nil {
		c.fail(err)
	}
	c.peer.mu.Lock()
	c.peer.kick(c)
	c.peer.mu.Unlock()
	t.run(c)
}

// shaken shows certificates on a socket.
func shaken(raw net.Conn, side func(net.Conn, *tls.Config) *tls.Conn, config *tls.Config) (*tls.Conn, *tls.ConnectionState, error) {
	if err := raw.SetDeadline(time.Now().Add(connectTime)); err != nil {
		return nil, nil, err
	}
	config.NextProtos = []string{alpn}
	c := side(raw, config)
	if err := c.Handshake(); err != nil {
		return nil, nil, err
	}
	s := c.ConnectionState()
	switch {
	case s.NegotiatedProtocol != alpn:
		return nil, nil, errProtocol
	case len(s.PeerCertificates) == 0:
		return nil, nil, identity.ErrNoCertificate
	}
	return c, &s, nil
}

// welcomeNear is what welcome is for a stream.
func (t *Transport) welcomeNear(link *gate.Conn, raw net.Conn) (*conn, error) {
	secure, state, err := shaken(raw, tls.Server, t.options.Identity.Server(identity.Node, identity.Client, identity.Admin))
	if err != nil {
		return nil, err
	}
	c := &conn{way: byRing, inbound: true, initial: t.options.Grant, closed: make(chan struct{}), meter: &meter{link: link, most: t.options.Held}}
	t.options.step()
	if err := t.greeted(c, link, secure, state); err != nil {
		_ = writeFrame(secure, append([]byte{byte(refusal)}, err.Error()...))
		return nil, err
	}
	if err := t.passed(c, secure, raw); err != nil {
		link.End()
		return nil, err
	}
	return c, nil
}

// greeted holds a dialler's hello against its certificate.
func (t *Transport) greeted(c *conn, link *gate.Conn, secure io.Reader, state *tls.ConnectionState) error {
	hello, err := readHelloFrame(secure) // first: who is refused has said all, and reads why
	if err != nil {
		return err
	}
	leaf := state.PeerCertificates[0]
	who, err := identity.PeerOf(leaf)
	if err != nil {
		return err
	}
	if err := link.Admit(who.Owner(), &admitted{leaf, c.meter}); err != nil {
		return err
	}
	if c.remote = hello; hello.to != t.options.Self {
		return fmt.Errorf("this is peer %d, not peer %d", t.options.Self, hello.to)
	}
	if err := t.check(state, c); err != nil {
		return err
	}
	t.moderate(c)
	return link.Begin(true)
}

// passed says hello, takes the memory and attaches.
func (t *Transport) passed(c *conn, secure io.Writer, raw net.Conn) error {
	if err := writeFrame(secure, t.hello(c.remote.from).head); err != nil {
		return err
	}
	t.options.step()
	r, err := ring.Accept(raw.(*net.UnixConn), t.ringOptions(c))
	if err != nil {
		return err
	}
	c.line = r
	t.options.step()
	return t.attachNear(c)
}

// attachNear attaches a ring.
func (t *Transport) attachNear(c *conn) error {
	c.cancel = func(err error) { c.line.Close(err) }
	c.quicken(t)
	ctx, cancel := context.WithTimeoutCause(t.ctx, connectTime, errNoHello)
	defer cancel()
	if err := t.attach(ctx, c); err != nil {
		c.line.Close(err)
		return err
	}
	return nil
}

func (t *Transport) ringOptions(c *conn) ring.Options {
	o := ring.Options{Most: t.options.MaxParcel + headSize, Go: t.running.Go, At: t.options.at, Lends: t.borrower != nil}
	if m := c.meter; m != nil {
		o.Hold = func(bytes int) error { return m.holds(bytes) }
	}
	return o
}

// open begins to open a ring, beside a stream that there is.
func (p *peer) open() {
	t := p.transport
	if !t.options.Rings || t.options.Plain || p.ringing || p.address == "" || p.closed || time.Now().Before(p.renew) {
		return
	}
	p.ringing = true
	address := p.address
	t.running.Go(func() { p.connectNear(address) })
}

// reopen opens a ring again that has ended.
func (p *peer) reopen() {
	if !p.ringing {
		p.open()
	}
}

// together are the connections that end with one that has ended: a ring and the streams beside it, since
// what is lost with one of them would else be heard of with the end of the other. A fabric's connection ends
// alone while there is a stream to settle it over, and with the streams.
func (p *peer) together(c *conn) (all []*conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if errors.Is(c.lost, errReplaced) || c.way == byFabric && p.newest(byStream) != nil {
		return nil
	}
	beside := c.line != nil || len(p.links) > 0
	for _, o := range p.conns {
		if beside = beside || o.line != nil; o != c {
			all = append(all, o)
		}
	}
	if !beside {
		return nil
	}
	return all
}

// connectNear opens a ring, and then reads until it ends.
func (p *peer) connectNear(address string) {
	t := p.transport
	c, err := t.dialNear(p.number, address)
	if err == nil {
		p.mu.Lock()
		forgotten := p.address == ""
		p.kick(c)
		p.mu.Unlock()
		if forgotten {
			c.fail(errForgotten)
		}
		t.run(c)
		t.rings.Add(-1)
		err = c.line.Why()
	} else {
		t.options.Log.Debug("a stream is used, for there is no ring", "peer", p.number, "address", address, "reason", err)
	}
	p.mu.Lock()
	p.ringing = false
	p.near, p.renew = true, time.Now().Add(brokenTime)
	switch {
	case errors.Is(err, ring.ErrNone):
		p.near, p.renew = false, time.Time{} // until there is another stream
		if c := p.newest(byStream); c != nil {
			p.offer(c)
		}
	case errors.Is(err, ring.ErrEnded), errors.Is(err, errRestarted), gate.Left(err):
		p.renew = time.Now().Add(renewTime) // the peer went away
	}
	p.mu.Unlock()
	t.forget(p)
}

// dialNear opens a ring with a node, if it is on this machine.
func (t *Transport) dialNear(number catalog.Peer, address string) (*conn, error) {
	o := &t.options
	ctx, cancel := context.WithTimeoutCause(t.ctx, connectTime, errNoHello)
	defer cancel()
	raw, err := ring.Dial(ctx, o.cluster(), address)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(t.ctx, func() { _ = raw.Close() })
	defer stop()
	c := &conn{way: byRing, initial: o.Grant, closed: make(chan struct{})}
	if t.rings.Add(1) > mostRings {
		err = errManyRings
	} else {
		err = t.greetNear(c, raw, number)
	}
	if err != nil {
		t.rings.Add(-1)
		return nil, errors.Join(err, raw.Close())
	}
	return c, nil
}

// greetNear is what greet is for a stream.
func (t *Transport) greetNear(c *conn, raw *net.UnixConn, number catalog.Peer) error {
	if err := t.options.Identity.Current(); err != nil {
		return err
	}
	secure, state, err := shaken(raw, tls.Client, t.options.Identity.Client(t.name(number)))
	if err != nil {
		return err
	}
	t.options.step()
	if err := writeFrame(secure, t.hello(number).head); err != nil {
		return err
	}
	if c.remote, err = readHelloFrame(secure); err != nil {
		return err
	}
	if c.remote.from != number {
		return fmt.Errorf("expected peer %d, found peer %d there", number, c.remote.from)
	}
	if err := t.check(state, c); err != nil {
		return err
	}
	t.moderate(c)
	t.options.step()
	r, err := ring.Offer(raw, t.ringOptions(c))
	if err != nil {
		return err
	}
	c.line = r
	t.options.step()
	return t.attachNear(c)
}

// A frame on TLS has its length before it, in two bytes.
func writeFrame(w io.Writer, frame []byte) error {
	frame = frame[:min(len(frame), mostFrame)]
	_, err := w.Write(append(binary.LittleEndian.AppendUint16(nil, uint16(len(frame))), frame...))
	return err
}

const mostFrame = 1 << 10

// readHelloFrame reads a hello, or why there is none.
func readHelloFrame(r io.Reader) (*greeting, error) {
	var size [2]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	n := int(binary.LittleEndian.Uint16(size[:]))
	if n > mostFrame {
		return nil, fmt.Errorf("expected a hello, found a frame of %d bytes", n)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	if n > 0 && frameKind(b[0]) == refusal {
		return nil, errors.New(string(b[1:]))
	}
	return readHello(b)
}

// Ways are how parcels go to connected peers now: "ring", "fabric" or "stream".
func (t *Transport) Ways() map[catalog.Peer]string {
	t.mu.RLock()
	all := slices.Collect(maps.Values(t.peers))
	t.mu.RUnlock()
	ways := map[catalog.Peer]string{}
	for _, p := range all {
		p.mu.Lock()
		if c := p.best(); c != nil {
			ways[p.number] = string(c.way)
		}
		p.mu.Unlock()
	}
	return ways
}

// Near implements transport.Neighbours, for peers that this side has dialled.
func (t *Transport) Near(peer catalog.Peer) (process int, ok bool) {
	t.mu.RLock()
	p := t.peers[peer]
	t.mu.RUnlock()
	if p == nil {
		return 0, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.newest(byRing)
	if c == nil || c.inbound {
		return 0, false
	}
	line, ok := c.line.(*ring.Conn)
	if !ok {
		return 0, false
	}
	return line.Process()
}
