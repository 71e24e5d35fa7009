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

	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/transport/gate"
)

// Times of a connection with a member.
const (
	handshake = 5 * time.Second // within which it must have shown a certificate
	recheck   = time.Second     // between looks at whether that was revoked
)

// frontLimits are those of a member's port. A node has a few connections with each member; in a
// folder all nodes have one address.
var frontLimits = gate.Limits{Strangers: 256, PerAddress: 256, PerOwner: 1024, Patience: handshake}

// front is a port of a member. etcd itself listens on a socket in the member's private
// directory, and whoever connects with the port is passed on once he has shown a node's
// certificate. etcd alone would wait for a handshake for ever, know revoked certificates only
// by their whole serial numbers, which change when they are renewed, and keep connections
// that were made before.
type front struct {
	l   *gate.Gate
	to  string // path of etcd's socket
	id  *identity.Identity
	tls *tls.Config
	log *slog.Logger

	refusals *gate.Refusals

	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// newFront listens and serves.
func newFront(at, to string, id *identity.Identity, log *slog.Logger) (*front, error) {
	config := net.ListenConfig{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second, Interval: 2 * time.Second, Count: 3}}
	l, err := config.Listen(context.Background(), "tcp", at)
	if err != nil {
		return nil, err
	}
	f := &front{l: gate.New(l, frontLimits), to: to, id: id, tls: id.Server(identity.Node), log: log}
	f.refusals = gate.NewRefusals(log, "the control's member refuses a connection")
	f.tls.NextProtos = []string{"h2", "http/1.1"}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	f.running.Go(f.accept)
	f.running.Go(f.recheck)
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
		f.running.Go(func() { f.serve(c) })
	}
}

// serve admits a connection and passes it on until one side, the gate or close ends it.
func (f *front) serve(raw net.Conn) {
	defer raw.Close()
	defer context.AfterFunc(f.ctx, func() { raw.Close() })()
	c, err := f.admit(raw)
	if err != nil {
		if f.ctx.Err() == nil {
			f.refusals.Log(raw.RemoteAddr(), err)
		}
		return
	}
	to, err := net.Dial("unix", f.to)
	if err != nil {
		return // etcd is not there yet, or not any more
	}
	defer to.Close()
	f.running.Go(func() {
		_, _ = io.Copy(to, c) // it ends with the connection, whatever the reason
		to.Close()
	})
	_, _ = io.Copy(c, to)
}

// admit has the other side show its certificate. What it is passed on for is one call to the
// gate: it has no end of its own.
func (f *front) admit(raw net.Conn) (*tls.Conn, error) {
	c := tls.Server(raw, f.tls)
	ctx, cancel := context.WithTimeout(f.ctx, handshake)
	defer cancel()
	if err := c.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	shown := c.ConnectionState().PeerCertificates[0]
	who, err := identity.PeerOf(shown)
	if err != nil {
		return nil, err
	}
	link := raw.(*gate.Conn)
	return c, errors.Join(link.Admit(who.Owner(), shown), link.Begin(true))
}

// recheck ends connections whose certificates were revoked or have expired.
func (f *front) recheck() {
	tick := time.NewTicker(recheck)
	defer tick.Stop()
	for {
		select {
		case <-f.ctx.Done():
			return
		case <-tick.C:
		}
		f.l.Recheck(func(shown any) error {
			err := f.id.Ended(shown.(*x509.Certificate))
			if err != nil {
				f.log.Warn("the control's member ends a connection", "why", err)
			}
			return err
		})
	}
}
