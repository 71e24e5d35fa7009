package control

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/godwit-run/godwit/identity"
)

// Times of a connection with a member.
const (
	handshake = 5 * time.Second // within which it must have shown a certificate
	recheck   = time.Second     // between looks at whether that was revoked
)

// maxStrangers is how many connections may be without a certificate at a time.
const maxStrangers = 256

// front is a port of a member. etcd itself listens on a socket in the member's private
// directory, and whoever connects with the port is passed on once he has shown a node's
// certificate. etcd alone would wait for a handshake for ever, know revoked certificates only
// by their whole serial numbers, which change when they are renewed, and keep connections
// that were made before.
type front struct {
	l   net.Listener
	to  string // path of etcd's socket
	id  *identity.Identity
	tls *tls.Config
	log *slog.Logger

	strangers chan struct{}
	ctx       context.Context
	cancel    context.CancelFunc
	running   sync.WaitGroup
}

// newFront listens. Connections wait until serve.
func newFront(at, to string, id *identity.Identity, log *slog.Logger) (*front, error) {
	config := net.ListenConfig{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second, Interval: 2 * time.Second, Count: 3}}
	l, err := config.Listen(context.Background(), "tcp", at)
	if err != nil {
		return nil, err
	}
	f := &front{l: l, to: to, id: id, tls: id.Server(identity.Node), log: log, strangers: make(chan struct{}, maxStrangers)}
	f.tls.NextProtos = []string{"h2", "http/1.1"}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	f.running.Go(f.accept)
	return f, nil
}

func (f *front) close() {
	f.cancel()
	f.l.Close()
	f.running.Wait()
}

func (f *front) accept() {
	for {
		c, err := f.l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of descriptors: those that exist may end
			time.Sleep(pause)
			continue
		}
		select {
		case f.strangers <- struct{}{}:
			f.running.Go(func() { f.serve(c) })
		default:
			c.Close()
		}
	}
}

// serve admits a connection and passes it on until one side ends it.
func (f *front) serve(raw net.Conn) {
	defer raw.Close()
	c, err := f.admit(raw)
	<-f.strangers
	if err != nil {
		if f.ctx.Err() == nil {
			f.log.Warn("the control's member refuses a connection", "from", raw.RemoteAddr(), "why", err)
		}
		return
	}
	to, err := net.Dial("unix", f.to)
	if err != nil {
		return // etcd is not there yet, or not any more
	}
	defer to.Close()
	over := make(chan struct{}, 2)
	pass := func(to, from net.Conn) {
		_, _ = io.Copy(to, from) // it ends with the connection, whatever the reason
		over <- struct{}{}
	}
	f.running.Go(func() { pass(to, c) })
	f.running.Go(func() { pass(c, to) })
	f.until(over, c.ConnectionState().PeerCertificates[0])
}

func (f *front) admit(raw net.Conn) (*tls.Conn, error) {
	c := tls.Server(raw, f.tls)
	ctx, cancel := context.WithTimeout(f.ctx, handshake)
	defer cancel()
	return c, c.HandshakeContext(ctx)
}

// until waits until a side has ended the connection, or it must not go on.
func (f *front) until(over <-chan struct{}, shown *x509.Certificate) {
	tick := time.NewTicker(recheck)
	defer tick.Stop()
	for {
		select {
		case <-f.ctx.Done():
			return
		case <-over:
			return
		case <-tick.C:
		}
		if err := f.id.Ended(shown); err != nil {
			f.log.Warn("the control's member ends a connection", "why", err)
			return
		}
	}
}
