package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	grpcpeer "google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/godwit-run/godwit/catalog"
	"github.com/godwit-run/godwit/identity"
)

// dial connects with a node.
func (t *Transport) dial(number catalog.Peer, address string) (*conn, error) {
	o := &t.options
	creds := insecure.NewCredentials()
	if !o.Plain {
		if err := o.Identity.Current(); err != nil {
			return nil, err
		}
		creds = credentials.NewTLS(o.Identity.Client(t.name(number)))
	}
	// gRPC gives the text of a failure to connect, wrapped several times.
	var refused error
	var once sync.Once
	creds = &watched{creds, func(_ net.Addr, err error) { once.Do(func() { refused = err }) }}
	client, err := grpc.NewClient("passthrough:///"+address, dialOptions(creds, o.MaxParcel)...)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(t.ctx)
	c := &conn{
		initial: o.Grant, closed: make(chan struct{}),
		cancel: func(err error) {
			cancel(err)
			client.Close()
		},
	}
	late := time.AfterFunc(connectTime, func() { c.cancel(errNoHello) })
	if err := t.greet(ctx, client, c, number); err != nil {
		late.Stop()
		once.Do(func() {})
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		} else if refused != nil {
			err = refused
		}
		c.cancel(err)
		return nil, plain(err)
	}
	if !late.Stop() {
		c.fail(errNoHello)
	}
	return c, nil
}

// greet opens the stream, says hello and attaches.
func (t *Transport) greet(ctx context.Context, client *grpc.ClientConn, c *conn, number catalog.Peer) error {
	stream, err := client.NewStream(ctx, &description, method)
	if err != nil {
		return err
	}
	c.stream = stream
	var answer []byte
	if err := stream.SendMsg(t.hello(number)); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := stream.RecvMsg(&answer); err != nil {
		return err
	}
	if c.remote, err = readHello(answer); err != nil {
		return err
	}
	if c.remote.from != number {
		return fmt.Errorf("expected peer %d, found peer %d there", number, c.remote.from)
	}
	if err := t.check(stream.Context(), c.remote); err != nil {
		return err
	}
	t.moderate(c)
	return t.attach(ctx, c)
}

func (t *Transport) hello(to catalog.Peer) *outgoing {
	o := &t.options
	g := greeting{from: o.Self, to: to, life: t.life, cluster: o.cluster(), grant: o.Grant}
	return &outgoing{head: g.frame()}
}

func (t *Transport) name(number catalog.Peer) string {
	if t.options.NameOf == nil || number >= catalog.FirstClient {
		return ""
	}
	name, _ := t.options.NameOf(number)
	return name
}

// check holds a hello against the certificate of the connection that it came over.
func (t *Transport) check(ctx context.Context, g *greeting) error {
	o := &t.options
	switch {
	case g.cluster != o.cluster():
		return fmt.Errorf("expected a peer of cluster %q, found one of %q", o.cluster(), g.cluster)
	case g.from == 0 || g.from == o.Self:
		return fmt.Errorf("expected another peer's number, found %d, being %d", g.from, o.Self)
	case g.grant.Parcels < 1 || g.grant.Bytes < 1:
		return fmt.Errorf("expected peer %d to grant parcels and bytes, found %d and %d", g.from, g.grant.Parcels, g.grant.Bytes)
	case o.Plain:
		return nil
	}
	p, ok := grpcpeer.FromContext(ctx)
	if !ok {
		return identity.ErrNoCertificate
	}
	info, ok := p.AuthInfo.(credentials.TLSInfo)
	if !ok {
		return identity.ErrNoCertificate
	}
	roles := []identity.Role{identity.Node}
	if g.from >= catalog.FirstClient {
		roles = append(roles, identity.Client)
	}
	if _, err := o.Identity.Verify(info.State, roles, t.name(g.from)); err != nil {
		return fmt.Errorf("peer %d is not what it says: %w", g.from, err)
	}
	return nil
}

// moderate keeps what a connection may hold in memory within what this side would
// grant itself, however much the other side grants.
func (t *Transport) moderate(c *conn) {
	own := t.options.Grant
	c.remote.grant = Grant{min(c.remote.grant.Parcels, own.Parcels), min(c.remote.grant.Bytes, own.Bytes)}
	c.may = c.remote.grant
}

// listen starts the gRPC server.
func (t *Transport) listen() {
	o := &t.options
	creds := insecure.NewCredentials()
	if !o.Plain {
		creds = &watched{credentials.NewTLS(o.Identity.Server(identity.Node, identity.Client)), func(from net.Addr, err error) {
			o.Log.Warn("connection refused", "from", from, "why", err)
		}}
	}
	t.server = grpc.NewServer(serverOptions(creds, o.MaxParcel)...)
	t.server.RegisterService(serviceOf(t.accept), nil)
	if o.Services != nil {
		o.Services(t.server)
	}
	t.running.Go(func() {
		if err := t.server.Serve(o.Listener); err != nil {
			o.Log.Error("no connections are accepted any more", "address", o.Listener.Addr(), "err", err)
		}
	})
	t.running.Go(t.beats)
}

// accept serves a stream. It returns when the stream is to end, which stops the reading
// goroutine.
func (t *Transport) accept(_ any, stream grpc.ServerStream) error {
	ctx, cancel := context.WithCancelCause(stream.Context())
	defer cancel(nil)
	c := &conn{
		stream: stream, inbound: true, initial: t.options.Grant,
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
		from, _ := grpcpeer.FromContext(ctx)
		t.options.Log.Warn("connection refused", "from", from, "why", plain(err))
		return
	}
	late.Stop()
	c.write(t.hello(0))
	c.peer.drain(c, true)
	t.run(c)
}

// welcome reads the other side's hello and attaches.
func (t *Transport) welcome(ctx context.Context, c *conn) (err error) {
	var b []byte
	if err := c.stream.RecvMsg(&b); err != nil {
		return err
	}
	if c.remote, err = readHello(b); err != nil {
		return err
	}
	if c.remote.to != t.options.Self {
		return fmt.Errorf("this is peer %d, not peer %d", t.options.Self, c.remote.to)
	}
	if err := t.check(ctx, c.remote); err != nil {
		return err
	}
	t.moderate(c)
	return t.attach(ctx, c)
}

// watched tells of handshakes that failed.
type watched struct {
	credentials.TransportCredentials
	failed func(net.Addr, error)
}

func (w *watched) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := w.TransportCredentials.ServerHandshake(raw)
	if err != nil {
		w.failed(raw.RemoteAddr(), err)
	}
	return conn, info, err
}

func (w *watched) ClientHandshake(ctx context.Context, host string, raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := w.TransportCredentials.ClientHandshake(ctx, host, raw)
	if err != nil {
		w.failed(raw.RemoteAddr(), err)
	}
	return conn, info, err
}

func (w *watched) Clone() credentials.TransportCredentials {
	return &watched{w.TransportCredentials.Clone(), w.failed}
}

func dialOptions(creds credentials.TransportCredentials, maxParcel int) []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithTransportCredentials(creds),
		grpc.WithContextDialer(dialAudibly),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{}), grpc.MaxCallRecvMsgSize(maxParcel+headSize)),
		grpc.WithReadBufferSize(socketBuffer),
		grpc.WithWriteBufferSize(socketBuffer),
		grpc.WithStaticStreamWindowSize(window),
		grpc.WithStaticConnWindowSize(window),
		grpc.WithDisableRetry(), // it would keep what was sent
		grpc.WithDisableServiceConfig(),
		grpc.WithDisableHealthCheck(),
		grpc.WithIdleTimeout(0),
	}
}

func serverOptions(creds credentials.TransportCredentials, maxParcel int) []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.Creds(creds),
		grpc.ForceServerCodecV2(raw{}),
		grpc.MaxRecvMsgSize(maxParcel + headSize),
		grpc.ReadBufferSize(socketBuffer),
		grpc.WriteBufferSize(socketBuffer),
		grpc.StaticStreamWindowSize(window),
		grpc.StaticConnWindowSize(window),
		grpc.MaxConcurrentStreams(streams),
		grpc.MaxHeaderListSize(8 << 10),
		grpc.ConnectionTimeout(connectTime),
		grpc.KeepaliveParams(keepalive.ServerParameters{
			Time: probeTime, Timeout: probeWait,
			MaxConnectionIdle: 2 * connectTime, // of those without a stream
		}),
		grpc.WaitForHandlers(true),
	}
}

// audible is a dialled connection, which fails after silentTime without a
// byte. gRPC's own check would take 13 seconds on this side.
type audible struct {
	net.Conn
	heard time.Time // roughly: setting a deadline at every read costs more than the clock
}

func dialAudibly(ctx context.Context, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &audible{Conn: conn}, nil
}

func (a *audible) Read(b []byte) (int, error) {
	if now := time.Now(); now.Sub(a.heard) > beatTime/2 {
		a.heard = now
		if err := a.SetReadDeadline(now.Add(silentTime + beatTime/2)); err != nil {
			return 0, err
		}
	}
	return a.Conn.Read(b)
}
