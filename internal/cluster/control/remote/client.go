package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/packages/trust"
)

// Address is where a node is reached.
type Address struct {
	Name    string // that its certificate must have; empty if it may have any
	Address string // host:port
}

// Options are those of a client.
type Options struct {
	Nodes    []Address // any of the cluster's; those of views are added
	Identity *identity.Identity
	Timeout  time.Duration // of calls whose context has no deadline; 10 s if zero
	Log      *slog.Logger  // warnings; may be nil
}

// Client is a control by way of nodes. It asks one after the other until one answers, and
// never gives an older view after a newer one.
type Client struct {
	opt   Options
	pool  pool
	ctx   context.Context // ends with Close
	close context.CancelFunc

	mu     sync.Mutex
	newest *catalog.View
	heard  time.Time // when it was last given
}

var _ control.Control = (*Client)(nil)

// Dial gives a client. It does not wait for an answer.
func Dial(opt Options) (*Client, error) {
	if len(opt.Nodes) == 0 {
		return nil, &control.InvalidError{Reason: "no address of a node was given: expected host:port"}
	}
	if opt.Timeout <= 0 {
		opt.Timeout = 10 * time.Second
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	c := &Client{opt: opt}
	c.ctx, c.close = context.WithCancel(context.Background())
	c.pool.identity = opt.Identity
	for _, i := range rand.Perm(len(opt.Nodes)) { // so that clients spread
		c.pool.add(opt.Nodes[i])
	}
	return c, nil
}

// Close implements control.Control.
func (c *Client) Close() error {
	c.close()
	return c.pool.close()
}

// learn gives a view, or a newer one that is known.
func (c *Client) learn(v *catalog.View) *catalog.View {
	for _, n := range v.Nodes {
		c.pool.add(Address{n.Name, n.Address})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.newest == nil || v.Revision >= c.newest.Revision {
		c.newest = v
	}
	c.heard = time.Now()
	return c.newest
}

// justNow is the view that was given within the last moment; nil if none was.
func (c *Client) justNow() *catalog.View {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.heard) > moment {
		return nil
	}
	return c.newest
}

// View implements control.Control. A view that etcd did not confirm has an Age.
func (c *Client) View(ctx context.Context) (*catalog.View, error) {
	a, err := c.ask(ctx, "read the catalogue", &request{Do: doView})
	if err != nil {
		return nil, err
	}
	v, err := a.decode()
	if err != nil {
		return nil, err
	}
	return c.learn(v), nil
}

func (a *answer) decode() (*catalog.View, error) {
	v, err := control.DecodeView(a.View)
	if err != nil {
		return nil, fmt.Errorf("a node's view cannot be read: %w", err)
	}
	v.Age = time.Duration(a.Age) * time.Millisecond
	return v, nil
}

// Join implements control.Control: it is for nodes, which reach etcd.
func (c *Client) Join(context.Context, control.Member) (control.Membership, error) {
	return nil, errors.New("a client cannot join a cluster as a node: nodes reach etcd itself (godwit node)")
}

// Allocate implements control.Control.
func (c *Client) Allocate(ctx context.Context) (uint32, error) {
	a, err := c.ask(ctx, "allocate a data set", &request{Do: doAllocate})
	if err != nil {
		return 0, err
	}
	return a.Number, nil
}

// Commit implements control.Control.
func (c *Client) Commit(ctx context.Context, s *catalog.Set) error {
	_, err := c.ask(ctx, "make a data set visible", &request{Do: doCommit, Set: control.AppendSet(s)})
	return err
}

// Replace implements control.Control.
func (c *Client) Replace(ctx context.Context, s *catalog.Set) (*catalog.Set, error) {
	return c.askSet(ctx, "make a data set visible", &request{Do: doReplace, Set: control.AppendSet(s)})
}

// Remove implements control.Control. When an earlier try of the same call has removed the
// set and its answer was lost, the set is the one of the client's last view.
func (c *Client) Remove(ctx context.Context, name string) (*catalog.Set, error) {
	c.mu.Lock()
	v := c.newest
	c.mu.Unlock()
	req := &request{Do: doRemove, Name: name}
	s, err := c.askSet(ctx, "remove a data set", req)
	if missing := (*control.MissingError)(nil); errors.As(err, &missing) && req.doubt && v != nil {
		if s, ok := v.Named(name); ok {
			return s, nil
		}
	}
	return s, err
}

func (c *Client) askSet(ctx context.Context, what string, req *request) (*catalog.Set, error) {
	a, err := c.ask(ctx, what, req)
	if err != nil || a.Set == nil {
		return nil, err
	}
	return control.ReadSet(a.Set)
}

// Trust implements control.Control. What edit adds is sent, and not the list: nothing that
// was revoked meanwhile is brought back.
func (c *Client) Trust(ctx context.Context, edit func(trust.List) (trust.List, error)) (trust.List, error) {
	v, err := c.View(ctx)
	if err != nil {
		return trust.List{}, err
	}
	list, err := edit(v.Trust)
	if err != nil {
		return v.Trust, err
	}
	more := added(v.Trust, list)
	a, err := c.ask(ctx, "change who is trusted", &request{Do: doTrust, Trust: &more})
	if err != nil {
		return v.Trust, err
	}
	if a.Trust == nil {
		return v.Trust, errors.New("the node's answer has no list of trust: use the same version everywhere")
	}
	return *a.Trust, nil
}

// Drain implements control.Control.
func (c *Client) Drain(ctx context.Context, name string, on bool) error {
	_, err := c.ask(ctx, "mark a node", &request{Do: doDrain, Name: name, On: on})
	return err
}

// Members implements control.Overseer, as the first node knows it that answers.
func (c *Client) Members(ctx context.Context) ([]control.MemberState, error) {
	a, err := c.ask(ctx, "ask for the members of etcd", &request{Do: doMembers})
	if err != nil {
		return nil, err
	}
	return a.Members, nil
}

// Renew is an identity.Renewer: a node that has the authority certifies the key.
func (c *Client) Renew(ctx context.Context, csr []byte) ([]byte, error) {
	a, err := c.ask(ctx, "renew a certificate", &request{Do: doRenew, CSR: csr})
	if err != nil {
		return nil, err
	}
	return a.Cert, nil
}

// KeepIdentity has the client's certificate renewed before it ends, as long as the client is
// open; now, if it is due, because most clients do not live long. What does not succeed is
// tried again: the certificate is still good.
func (c *Client) KeepIdentity(ctx context.Context) {
	id := c.opt.Identity
	if id.Due() {
		ctx, cancel := context.WithTimeout(ctx, 2*contact)
		defer cancel()
		if err := id.Renew(ctx, c.Renew); err != nil {
			c.opt.Log.Warn("the certificate was not renewed", "why", err)
		}
	}
	go identity.Keep(c.ctx, id, c.Renew, c.opt.Log)
}
