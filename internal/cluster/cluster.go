// Package cluster is a client's view of a cluster: it sends requests to nodes,
// reads and stores data sets, and runs the launches of a schedule beside the
// shards of their inputs.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/godwit-run/godwit/internal/cluster/caller"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/drive"
	"github.com/godwit-run/godwit/internal/cluster/loan"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/packages/pack"
	"github.com/godwit-run/godwit/internal/plan/watch"
)

// Config is what a client is made of. The cluster owns both from Connect on.
type Config struct {
	Control control.Control
	// Dial makes the client's transport, which delivers to the handler.
	Dial func(self catalog.Peer, names func(catalog.Peer) (string, bool), h transport.Handler) (transport.Transport, error)
	// Self is the client's number, at least catalog.FirstClient.
	Self catalog.Peer
	// OnDemand sends kernels only to nodes that ask for them; see caller.Options.
	OnDemand bool
	// Deadline is that of requests whose context has none; the constant of that name if zero.
	Deadline time.Duration
	// Explain, if set, says of an error of the control what it means for the user.
	Explain func(error) error
	// Payload makes a package's payload of a user's arguments, by running its
	// X_payload_init on this machine; nil if there are no means to do so. The nodes are
	// those that are alive.
	Payload func(ctx context.Context, p *pack.Package, args []byte, nodes []uint32) ([]byte, error)
}

// Cluster is a connection with all nodes of a cluster. It is safe for concurrent
// use.
type Cluster struct {
	cfg    Config
	calls  drive.Caller
	net    transport.Transport
	view   atomic.Pointer[catalog.View]
	gone   sync.Map // of catalog.Peer: connections that broke since the last parcel
	ctx    context.Context
	cancel context.CancelCauseFunc
	work   sync.WaitGroup
	ended  sync.Once

	looking atomic.Bool // whether no node runs; see alone

	codes        codes
	texts        dictionaries
	link         link     // to nodes that are no far memory
	farLinks     sync.Map // of *link, by the far node
	near         near
	heed         heed
	habits       habits
	rents        rents
	neighbour    neighbour
	machinesRead sync.Map            // of texts: the machines that they describe
	credit       *semaphore.Weighted // bytes of answers that may be on their way; see flow
}

var errAnswer = errors.New("the answer is not one to this request")

// tick is how often the client looks at its deadlines.
const tick = 10 * time.Millisecond

// Deadline is how long a request may take for which nothing else is said.
const Deadline = 10 * time.Minute

// maxDeadline is the longest that a parcel's header can tell.
const maxDeadline = 70 * time.Minute

// Connect joins the cluster as a client, and waits for the first view of it.
func Connect(ctx context.Context, cfg Config) (*Cluster, error) {
	if cfg.Deadline <= 0 {
		cfg.Deadline = Deadline
	}
	c := &Cluster{cfg: cfg, credit: semaphore.NewWeighted(creditBytes)}
	c.ctx, c.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	c.heed.watch = watch.New()
	now := time.Now()
	c.calls.Driver = drive.Driver[caller.Input, caller.Effect]{Now: func() int64 { return time.Since(now).Microseconds() }, Ctx: c.ctx, Do: c.calls.CarryOut, Lost: c.lost,
		Offer: func(to catalog.Peer, b []byte, of *loan.Loan) error { return transport.Lend(c.net, to, b, of) },
		Core:  caller.New(cfg.Self, caller.Options{First: uint64(now.UnixNano()), OnDemand: cfg.OnDemand, Avoid: c.avoid})}
	first, err := cfg.Control.View(ctx)
	if err != nil {
		return nil, errors.Join(c.why(err), c.Close())
	}
	if c.net, err = cfg.Dial(cfg.Self, c.nameOf, c); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.learn(first)
	views, err := cfg.Control.Watch(c.ctx)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.work.Go(func() {
		for v := range views {
			c.learn(v)
		}
	})
	c.work.Go(func() { c.calls.Ticks(tick, &caller.Tick{}) })
	c.work.Go(c.listen)
	return c, nil
}

// View is the cluster as last heard of.
func (c *Cluster) View() *catalog.View { return c.view.Load() }

// nameOf is the name of a node that is alive.
func (c *Cluster) nameOf(p catalog.Peer) (string, bool) { return c.view.Load().Name(p) }

// learn takes in a view unless it is older than what is known.
func (c *Cluster) learn(v *catalog.View) {
	for {
		old := c.view.Load()
		if old != nil && old.Revision > v.Revision {
			return
		}
		if c.view.CompareAndSwap(old, v) {
			break
		}
	}
	known := map[catalog.Peer]string{}
	for _, n := range v.Nodes {
		known[n.Peer] = n.Address
	}
	c.net.Know(known)
	c.calls.Step(&caller.Learned{View: v})
}

// Receive implements transport.Handler.
func (c *Cluster) Receive(from catalog.Peer, b []byte) { c.Borrow(from, b, nil) }

// Borrow implements transport.Borrower.
func (c *Cluster) Borrow(from catalog.Peer, b []byte, of *loan.Loan) {
	if _, was := c.gone.Load(from); was {
		c.gone.Delete(from)
	}
	c.calls.Step(&caller.Received{From: from, Bytes: b, Loan: of})
}

// Gone implements transport.Handler.
func (c *Cluster) Gone(p catalog.Peer, _ error) {
	if in := c.lost(p); in != nil {
		c.calls.Step(in)
	}
}

// do runs an operation and waits for its end.
func (c *Cluster) do(ctx context.Context, input func(caller.ID) caller.Input) (*caller.Deliver, error) {
	d, err := c.calls.Wait(ctx, input)
	if d == nil {
		return nil, err
	}
	return d, c.checked(ctx, err)
}

// late gives the error of an operation whose deadline was the context's that of the
// context too: which of the two ends first is chance.
func late(ctx context.Context, err error) error {
	e := (*caller.Error)(nil)
	if !errors.As(err, &e) || e.Reason != parcel.Expired {
		return err
	}
	select {
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	case <-time.After(2 * tick):
		return err
	}
}

// receive waits for what an operation gives, no longer than the context lasts. What is there counts,
// whether or not the context is over. One that is over by its deadline was the operation's too, whose own end is
// a moment away, and says whom it waited for.
func receive[T any](ctx context.Context, from <-chan T) (got T, ok bool) {
	select {
	case got = <-from:
		return got, true
	case <-ctx.Done():
	}
	grace := time.Duration(0)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		grace = 2 * tick
	}
	select {
	case got = <-from:
		return got, true
	default:
	}
	select {
	case got = <-from:
		return got, true
	case <-time.After(grace):
		return got, false
	}
}

// future is an end to wait for.
type future struct {
	ready chan struct{}
	d     *caller.Deliver
}

func newFuture() *future { return &future{ready: make(chan struct{})} }

func (f *future) set(d *caller.Deliver) {
	f.d = d
	close(f.ready)
}

// left is the time that a request may take, in microseconds.
func (c *Cluster) left(ctx context.Context) int64 {
	d := c.cfg.Deadline
	if t, ok := ctx.Deadline(); ok {
		d = time.Until(t)
	}
	return max(1, min(d, maxDeadline).Microseconds())
}
