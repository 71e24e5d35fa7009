package stream

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	grpcpeer "google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/transport/gate"
)

// This file is the accepting side: what comes in are connections of strangers, what
// goes out are streams of parcels whose peers are who they say.

// listen starts the gRPC server.
func (t *Transport) listen() {
	o := &t.options
	var l net.Listener = o.Listener
	creds := insecure.NewCredentials()
	if !o.Plain {
		t.gate = gate.New(l, gate.Limits{Strangers: o.Strangers, PerAddress: o.PerAddress, PerOwner: o.PerOwner, Clients: o.Clients, Exempt: notClient, Patience: idleTime, Beside: mostRings})
		l, creds = t.gate, &watched{credentials.NewTLS(o.Identity.Server(identity.Node, identity.Client, identity.Admin)), t.refused, t.admit}
	}
	if o.Rings && !o.Plain {
		t.listenNear()
	}
	t.server = grpc.NewServer(append(serverOptions(creds, o.MaxParcel), grpc.InTapHandle(begin))...)
	t.server.RegisterService(serviceOf(t.accept), nil)
	if o.Services != nil {
		o.Services(t.server)
	}
	t.running.Go(func() {
		if err := t.server.Serve(l); err != nil {
			o.Log.Error("no connections are accepted any more", "address", o.Listener.Addr(), "err", err)
		}
	})
	t.running.Go(t.beats)
}

// refused logs a connection that does not come about.
func (t *Transport) refused(from net.Addr, err error) {
	if !errors.Is(err, errEnded) { // by this side
		t.refusals.Log(from, err)
	}
}

// admit counts a connection whose certificate was verified to its owner, and gives it
// a meter. One too many is let in to be told so.
func (t *Transport) admit(raw, conn net.Conn, info credentials.AuthInfo) (net.Conn, error) {
	shown, ok := info.(credentials.TLSInfo)
	link, gated := raw.(*gate.Conn)
	if !ok || !gated || len(shown.State.PeerCertificates) == 0 {
		return nil, identity.ErrNoCertificate
	}
	leaf := shown.State.PeerCertificates[0]
	who, err := identity.PeerOf(leaf)
	if err != nil {
		return nil, err
	}
	m := newMeter(conn, link, t.options.Held)
	if err := link.Admit(who.Owner(), &admitted{leaf, m}); err != nil {
		t.refused(raw.RemoteAddr(), err)
	}
	return m, nil
}

// admitted is what belongs to a connection beyond a gate.
type admitted struct {
	leaf  *x509.Certificate
	meter *meter
}

// meterOf is nil for connections that this side dialled, or without TLS.
func meterOf(ctx context.Context) *meter {
	if link := gate.Of(addressOf(ctx)); link != nil {
		if a, ok := link.Shown().(*admitted); ok {
			return a.meter
		}
	}
	return nil
}

func addressOf(ctx context.Context) net.Addr {
	if p, ok := grpcpeer.FromContext(ctx); ok {
		return p.Addr
	}
	return nil
}

// begin lets a call pass, before anything of it but its head is read, and counts it
// until it ends. Of parcels a connection has one.
func begin(ctx context.Context, info *tap.Info) (context.Context, error) {
	link := gate.Of(addressOf(ctx))
	if link == nil {
		return ctx, nil // without TLS
	}
	if err := link.Begin(info.FullMethodName == method); errors.Is(err, identity.ErrRevoked) {
		return nil, status.Error(codes.PermissionDenied, err.Error())
	} else if err != nil {
		return nil, status.Error(codes.ResourceExhausted, err.Error())
	}
	context.AfterFunc(ctx, link.End)
	return ctx, nil
}

// Recheck ends all connections of peers whose certificates have been revoked, or
// expired longer ago than clocks may differ. A transport that accepts connections does
// so by itself every second; who learns of a revocation calls it at once.
func (t *Transport) Recheck() {
	if t.options.Plain {
		return
	}
	ended := t.options.Identity.Ended
	t.mu.RLock()
	all := slices.Collect(maps.Values(t.peers))
	t.mu.RUnlock()
	for _, p := range all {
		p.recheck(ended)
	}
	if t.gate != nil {
		t.gate.Recheck(func(shown any) error { return ended(shown.(*admitted).leaf) })
	}
}

func (p *peer) recheck(ended func(*x509.Certificate) error) {
	p.mu.Lock()
	conns := slices.Clone(p.conns)
	p.mu.Unlock()
	why := map[*conn]error{}
	for _, c := range conns {
		if err := ended(c.shown); err != nil {
			why[c] = err
		}
	}
	p.mu.Lock()
	for c, err := range why { // all of them first: once one has ended, the peer ends the others, and that would be the reason that is told
		c.lose(err)
	}
	p.mu.Unlock()
	for c, err := range why {
		c.cancel(err)
	}
}

// Owner is whose certificate a connected peer has shown, such as "client/alice"; empty
// if it is not connected, or there is no TLS.
func (t *Transport) Owner(number catalog.Peer) string {
	t.mu.RLock()
	p := t.peers[number]
	t.mu.RUnlock()
	if p == nil {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.best(); c != nil {
		return c.owner
	}
	return ""
}

// accept serves a stream. It returns when the stream is to end, which stops the reading
// goroutine.
func (t *Transport) accept(_ any, stream grpc.ServerStream) error {
	ctx, cancel := context.WithCancelCause(stream.Context())
	defer cancel(nil)
	c := &conn{
		stream: stream, way: byStream, inbound: true, meter: meterOf(ctx), initial: t.options.Grant,
		cancel: cancel, closed: make(chan struct{}),
		writing: true, // until this side has said hello
	}
	t.mu.RLock()
	if t.closed {
		t.mu.RUnlock()
		return status.Error(codes.Unavailable, "the node is closing")
	}
	t.running.Go(func() { t.serve(ctx, c) })
	t.mu.RUnlock()
	<-ctx.Done()
	return status.Error(codes.Aborted, context.Cause(ctx).Error())
}

func (t *Transport) serve(ctx context.Context, c *conn) {
	late := time.AfterFunc(connectTime, func() { c.cancel(errNoHello) })
	if err := t.welcome(ctx, c); err != nil {
		late.Stop()
		c.cancel(err)
		from := addressOf(ctx)
		if link := gate.Of(from); link != nil {
			link.Refuse(plain(err))
		}
		t.refused(from, plain(err))
		return
	}
	late.Stop()
	c.say(t.hello(0))
	c.peer.drain(c, true)
	t.run(c)
}

// welcome reads the other side's hello and attaches.
func (t *Transport) welcome(ctx context.Context, c *conn) (err error) {
	var b []byte
	if err := c.stream.RecvMsg(&b); err != nil {
		return err
	}
	c.meter.handled(len(b))
	if c.remote, err = readHello(b); err != nil {
		return err
	}
	if c.remote.to != t.options.Self {
		return fmt.Errorf("this is peer %d, not peer %d", t.options.Self, c.remote.to)
	}
	if err := t.check(stateOf(ctx), c); err != nil {
		return err
	}
	t.moderate(c)
	return t.attach(ctx, c)
}

func serverOptions(creds credentials.TransportCredentials, maxParcel int) []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.Creds(creds),
		grpc.MaxRecvMsgSize(maxParcel + headSize),
		grpc.ReadBufferSize(socketBuffer),
		grpc.WriteBufferSize(socketBuffer),
		grpc.StaticStreamWindowSize(window),
		grpc.StaticConnWindowSize(window),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.MaxHeaderListSize(8 << 10),
		grpc.ConnectionTimeout(connectTime),
		grpc.KeepaliveParams(keepalive.ServerParameters{
			Time: probeTime, Timeout: probeWait,
			MaxConnectionIdle: idleTime, // of those without a stream
		}),
		grpc.WaitForHandlers(true),
	}
}

// notClient is for owners whose connections do not count to those of clients.
func notClient(owner string) bool { return !strings.HasPrefix(owner, identity.Client.String()+"/") }
