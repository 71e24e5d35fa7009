package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"

	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/identity"
)

// maxAnswer is how long a view may be.
const maxAnswer = 256 << 20

// pool is the nodes that can be asked.
type pool struct {
	identity *identity.Identity

	mu     sync.Mutex
	closed bool
	each   []*node
	pref   control.Preference[*node]
}

// node is one of them.
type node struct {
	Address
	conn *grpc.ClientConn // nil until it is asked for the first time
	why  error            // why its certificate was refused, if it was

	down    error     // what came of the last try to connect, at
	dialled time.Time //
	asked   time.Time // when the last request began
	last    error     // why it got no answer
}

var errClosed = errors.New("the connection with the cluster was closed")

// add makes a node known. One that has moved is another one.
func (p *pool) add(a Address) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.Address == "" || slices.ContainsFunc(p.each, func(n *node) bool { return n.Address == a }) {
		return
	}
	p.each = append(p.each, &node{Address: a})
}

// order is in which order to ask: first those that have not failed lately.
func (p *pool) order() []*node {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pref.Order(p.each)
}

func (p *pool) judge(n *node, answered bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pref.Judge(n, answered)
}

// connection is the one with a node; gRPC opens it when it is used, and again.
func (p *pool) connection(n *node) (*grpc.ClientConn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	if n.conn != nil {
		return n.conn, nil
	}
	var err error
	n.conn, err = grpc.NewClient("passthrough:///"+n.Address.Address,
		grpc.WithContextDialer(p.dialer(n)),
		grpc.WithTransportCredentials(credentials.NewTLS(p.tls(n))),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(Codec{}), grpc.MaxCallRecvMsgSize(maxAnswer)),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 2, Jitter: 0.2, MaxDelay: 2 * time.Second},
			MinConnectTimeout: 2 * contact,
		}),
		grpc.WithDisableServiceConfig(), grpc.WithDisableHealthCheck(), grpc.WithDisableRetry())
	return n.conn, err
}

// tls is how to connect with a node. Why it was refused is remembered, because gRPC tries
// again and forgets it.
func (p *pool) tls(n *node) *tls.Config {
	c := p.identity.Client(n.Name)
	verify := c.VerifyConnection
	c.VerifyConnection = func(s tls.ConnectionState) error {
		err := verify(s)
		p.mu.Lock()
		n.why = err
		p.mu.Unlock()
		return err
	}
	return c
}

// refusal is why no node is one of this cluster; nil as long as one may be.
func (p *pool) refusal() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.each {
		if n.why == nil {
			return nil
		}
	}
	return p.each[0].why
}

func (p *pool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	var errs []error
	for _, n := range p.each {
		if n.conn != nil {
			errs = append(errs, n.conn.Close())
		}
	}
	return errors.Join(errs...)
}

// open begins a stream with a request, and waits for the sign that the node has it.
func (p *pool) open(ctx context.Context, n *node, d *grpc.StreamDesc, req *request, within time.Duration) (grpc.ClientStream, error) {
	conn, err := p.connection(n)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	p.mu.Lock()
	n.asked = time.Now()
	p.mu.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	late := time.AfterFunc(within, func() { cancel(errSilent) })
	st, err := conn.NewStream(ctx, d, "/"+service+"/"+d.StreamName)
	if err == nil {
		if err = st.SendMsg(text(req)); err == nil {
			_, err = st.Header()
		}
	}
	if !late.Stop() && err == nil {
		err = errSilent
	}
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		cancel(err)
		return nil, p.refused(n, err)
	}
	return st, nil
}

// refused remembers that a node does not take this side's certificate.
func (p *pool) refused(n *node, err error) error {
	if err = p.identity.Refused(err); errors.Is(err, identity.ErrRefused) {
		p.mu.Lock()
		n.why = err
		p.mu.Unlock()
	}
	return err
}

var errSilent = errors.New("the node is silent")
