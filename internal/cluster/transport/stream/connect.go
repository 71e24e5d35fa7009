package stream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	grpcpeer "google.golang.org/grpc/peer"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/identity"
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
	creds = &watched{creds, func(_ net.Addr, err error) { once.Do(func() { refused = err }) }, nil}
	client, err := grpc.NewClient("passthrough:///"+address, dialOptions(creds, o.MaxParcel)...)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(t.ctx)
	c := &conn{
		way: byStream, initial: o.Grant, closed: make(chan struct{}),
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
		if err = plain(err); !o.Plain {
			err = o.Identity.Refused(err)
		}
		return nil, err
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
	if err := t.check(stateOf(stream.Context()), c); err != nil {
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

// check holds a hello against the certificate of the connection that it came over,
// and notes whose that is.
func (t *Transport) check(state *tls.ConnectionState, c *conn) error {
	o, g := &t.options, c.remote
	switch {
	case g.cluster != o.cluster():
		return fmt.Errorf("expected a peer of cluster %q, found one of %q", o.cluster(), g.cluster)
	case g.from == 0 || g.from == o.Self:
		return fmt.Errorf("expected another peer's number, found %d, being %d", g.from, o.Self)
	case g.grant.Parcels < 1 || g.grant.Bytes < 1:
		return fmt.Errorf("expected peer %d to grant parcels and bytes, found %d and %d", g.from, g.grant.Parcels, g.grant.Bytes)
	case o.Plain:
		return nil
	case state == nil:
		return identity.ErrNoCertificate
	}
	roles := []identity.Role{identity.Node}
	if g.from >= catalog.FirstClient {
		roles = append(roles, identity.Client, identity.Admin)
	}
	who, err := o.Identity.Verify(*state, roles, t.name(g.from))
	if err != nil {
		return fmt.Errorf("peer %d is not what it says: %w", g.from, err)
	}
	c.owner, c.shown = who.Owner(), state.PeerCertificates[0]
	return nil
}

// stateOf is what a stream's TLS says; nil without TLS.
func stateOf(ctx context.Context) *tls.ConnectionState {
	if p, ok := grpcpeer.FromContext(ctx); ok {
		if info, ok := p.AuthInfo.(credentials.TLSInfo); ok {
			return &info.State
		}
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

// watched tells of handshakes.
type watched struct {
	credentials.TransportCredentials
	failed func(net.Addr, error)
	// passed is told of those that a server accepted, and gives the connection to use;
	// nil at a client.
	passed func(raw, conn net.Conn, info credentials.AuthInfo) (net.Conn, error)
}

func (w *watched) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	shaking := &lingering{Conn: raw}
	conn, info, err := w.TransportCredentials.ServerHandshake(shaking)
	shaking.done.Store(true)
	if err == nil {
		conn, err = w.passed(raw, conn, info)
	}
	if err != nil {
		w.failed(raw.RemoteAddr(), err)
	}
	return conn, info, err
}

// lingering is a connection in its handshake. Before it is closed then, being refused,
// it reads what the other side has sent already: closed with unread bytes it would be
// reset, and the reset may overtake the reason.
type lingering struct {
	net.Conn
	done atomic.Bool
}

func (l *lingering) Close() error {
	if !l.done.Load() {
		_ = l.SetReadDeadline(time.Now().Add(lingerTime)) // then Read fails
		_, _ = io.Copy(io.Discard, io.LimitReader(l.Conn, lingerBytes))
	}
	return l.Conn.Close()
}

func (w *watched) ClientHandshake(ctx context.Context, host string, raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := w.TransportCredentials.ClientHandshake(ctx, host, raw)
	if err != nil {
		w.failed(raw.RemoteAddr(), err)
	}
	return conn, info, err
}

func (w *watched) Clone() credentials.TransportCredentials {
	return &watched{w.TransportCredentials.Clone(), w.failed, w.passed}
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
