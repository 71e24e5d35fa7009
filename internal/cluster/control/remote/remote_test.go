package remote

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/packages/trust"
)

// bed is a cluster whose nodes serve a control in memory.
type bed struct {
	t         *testing.T
	authority *identity.Authority
	memory    *control.Memory
	nodes     []*served
}

// served is one node. A broken one answers nothing that needs the control.
type served struct {
	Address
	service *Service
	server  *grpc.Server
	broken  atomic.Bool
	hung    atomic.Bool                                          // takes connections and says nothing
	slow    atomic.Bool                                          // answers after twice the patience of views
	asked   atomic.Int32                                         // for views
	lose    atomic.Pointer[func(context.Context, *served) error] // is called when a set was removed
	revoked atomic.Pointer[trust.List]
	cut     func() // ends the watch that views come from
}

func newBed(t *testing.T, nodes int) *bed {
	a, err := identity.Create(t.TempDir())
	check(t, err)
	b := &bed{t: t, authority: a, memory: control.NewMemory()}
	for i := range nodes {
		b.node(string(rune('a' + i)))
	}
	return b
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// breakable is a control that does not answer while its node is broken.
type breakable struct {
	control.Control
	n *served
}

func (b *breakable) View(ctx context.Context) (*catalog.View, error) {
	b.n.asked.Add(1)
	if b.n.broken.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if b.n.slow.Load() {
		time.Sleep(2 * patience)
	}
	return b.Control.View(ctx)
}

func (b *breakable) Remove(ctx context.Context, name string) (*catalog.Set, error) {
	s, err := b.Control.Remove(ctx, name)
	if f := b.n.lose.Load(); f != nil && err == nil {
		err = (*f)(ctx, b.n)
	}
	return s, err
}

func (b *breakable) Allocate(ctx context.Context) (uint32, error) {
	if b.n.broken.Load() {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	return b.Control.Allocate(ctx)
}

// hanging is a listener whose connections stop while its node hangs.
type hanging struct {
	net.Listener
	n *served
}

func (h hanging) Accept() (net.Conn, error) {
	c, err := h.Listener.Accept()
	return hungConn{c, h.n}, err
}

type hungConn struct {
	net.Conn
	n *served
}

func (c hungConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	for c.n.hung.Load() {
		time.Sleep(time.Millisecond)
	}
	return n, err
}

func (c hungConn) Write(b []byte) (int, error) {
	for c.n.hung.Load() {
		time.Sleep(time.Millisecond)
	}
	return c.Conn.Write(b)
}

func (b *bed) node(name string) *served {
	t := b.t
	id, err := b.authority.Issue(identity.Node, name, time.Hour)
	check(t, err)
	n := &served{}
	n.revoked.Store(&trust.List{})
	id.Revoked = func(serial string) bool { return n.revoked.Load().RevokedCertificate(serial) }
	n.service = New(Config{Control: &breakable{b.memory, n}, Identity: id})
	if len(b.nodes) == 1 {
		n.service.cfg.Authority = b.authority // the second one has it
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	n.Address = Address{name, l.Addr().String()}
	n.server = grpc.NewServer(grpc.Creds(credentials.NewTLS(id.Server(identity.Node, identity.Client, identity.Admin))), grpc.WaitForHandlers(true))
	n.service.Register(n.server)
	go n.server.Serve(hanging{l, n})
	ctx, cancel := context.WithCancel(context.Background())
	n.cut = cancel
	views, err := b.memory.Watch(ctx)
	check(t, err)
	go func() {
		for v := range views {
			n.service.Learn(v)
		}
	}()
	t.Cleanup(func() { n.hung.Store(false); cancel(); n.server.Stop() })
	b.nodes = append(b.nodes, n)
	return n
}

func (b *bed) client(role identity.Role) *Client {
	id, err := b.authority.Issue(role, "x", time.Hour)
	check(b.t, err)
	var at []Address
	for _, n := range b.nodes {
		at = append(at, n.Address)
	}
	c, err := Dial(Options{Nodes: at, Identity: id})
	check(b.t, err)
	b.t.Cleanup(func() { c.Close() })
	return c
}

// load makes a set visible by way of a client.
func (b *bed) load(c *Client, name string) *catalog.Set {
	b.t.Helper()
	m, err := b.memory.Join(within(b.t), control.Member{Name: "holder", Address: "127.0.0.1:1", Secret: "s"})
	check(b.t, err)
	id, err := c.Allocate(within(b.t))
	check(b.t, err)
	s := &catalog.Set{ID: id, Name: name, Rows: 1, By: "blocks", Columns: []catalog.Column{{Name: "x"}}, Shards: []catalog.Shard{{Hi: 1, Assigned: []catalog.Peer{m.Peer()}, Sum: [32]byte{7}}}}
	check(b.t, m.Hold(within(b.t), control.Held{Set: id, Shard: 0, Sum: s.Shards[0].Sum}))
	check(b.t, c.Commit(within(b.t), s))
	return s
}

// A client loads, replaces, drops and watches, and gets the control's own errors.
func TestClient(t *testing.T) {
	t.Parallel()
	b := newBed(t, 3)
	c := b.client(identity.Client)
	views, err := b.client(identity.Client).Watch(within(t))
	check(t, err)
	s := b.load(c, "v")
	until(t, views, func(v *catalog.View) bool { got, ok := v.Set(s.ID); return ok && len(got.Shards[0].Replicas) == 1 })
	v, err := c.View(within(t))
	check(t, err)
	if got, ok := v.Named("v"); !ok || got.ID != s.ID || got.Shards[0].Sum != s.Shards[0].Sum || v.Age != 0 {
		t.Errorf("the view is %+v", v)
	}
	var exists *control.ExistsError
	again := *s
	again.ID, err = c.Allocate(within(t))
	check(t, err)
	if err := c.Commit(within(t), &again); !errors.As(err, &exists) || exists.ID != s.ID {
		t.Errorf("a name that is taken: %v", err)
	}
	var notHeld *control.NotHeldError
	if _, err := c.Replace(within(t), &again); !errors.As(err, &notHeld) || notHeld.Peer != s.Shards[0].Assigned[0] {
		t.Errorf("a set that nobody holds: %v", err)
	}
	var overtaken *control.OvertakenError
	late := again
	late.After = again.ID
	if _, err := c.Replace(within(t), &late); !errors.As(err, &overtaken) || overtaken.Name != "v" {
		t.Errorf("rows behind those of another set: %v", err)
	}
	if old, err := c.Remove(within(t), "v"); err != nil || old.ID != s.ID {
		t.Errorf("removed %+v, %v", old, err)
	}
	var missing *control.MissingError
	if _, err := c.Remove(within(t), "v"); !errors.As(err, &missing) {
		t.Errorf("removed again: %v", err)
	}
	var invalid *control.InvalidError
	if err := c.Commit(within(t), &catalog.Set{}); !errors.As(err, &invalid) {
		t.Errorf("a set without anything: %v", err)
	}
	if _, err := c.Join(within(t), control.Member{}); err == nil {
		t.Error("a client has joined as a node")
	}
}

// What each role may do.
func TestRoles(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	key := ed25519.NewKeyFromSeed(make([]byte, 32)).Public().(ed25519.PublicKey)
	for _, tt := range []struct {
		role identity.Role
		may  bool
	}{{identity.Client, false}, {identity.Admin, true}, {identity.Node, true}} {
		c := b.client(tt.role)
		b.load(c, "of "+tt.role.String())
		_, err := c.Trust(within(t), func(l trust.List) (trust.List, error) { return l.Add("k", key) })
		allowed(t, tt.role, "trust", err, tt.may)
		allowed(t, tt.role, "drain", c.Drain(within(t), "holder", true), tt.may)
	}
	list, err := b.memory.View(within(t))
	check(t, err)
	if len(list.Trust.Keys) != 1 || !list.Nodes[0].Draining {
		t.Errorf("after all the view is %+v", list)
	}
	var unknown *control.UnknownError
	if err := b.client(identity.Admin).Drain(within(t), "nobody", true); !errors.As(err, &unknown) {
		t.Errorf("a node that never was: %v", err)
	}
}

func allowed(t *testing.T, r identity.Role, what string, err error, may bool) {
	t.Helper()
	var refused *RefusedError
	if may && err != nil || !may && !errors.As(err, &refused) {
		t.Errorf("%s by a %v: %v", what, r, err)
	}
	if !may && err != nil && !strings.Contains(err.Error(), "administrator") {
		t.Errorf("the refusal does not say what to do: %v", err)
	}
}

// A list that lacks what was revoked brings nothing back.
func TestRevokedStays(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	c := b.client(identity.Admin)
	const serial = "00112233445566aa"
	_, err := c.Trust(within(t), func(l trust.List) (trust.List, error) { return l.RevokeCertificate(serial) })
	check(t, err)
	got, err := c.Trust(within(t), func(trust.List) (trust.List, error) { return trust.List{}, nil })
	check(t, err)
	if !got.RevokedCertificate(serial) {
		t.Error("a revoked certificate was brought back")
	}
}

// A revoked client gets nothing more, and its stream of views ends.
func TestRevokedClient(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	c := b.client(identity.Client)
	views, err := c.Watch(within(t))
	check(t, err)
	<-views
	// Inside of a connection that exists.
	list, err := trust.List{}.RevokeCertificate(c.opt.Identity.Serial())
	check(t, err)
	b.nodes[0].revoked.Store(&list)
	var refused *RefusedError
	if _, err := c.View(within(t)); !errors.As(err, &refused) {
		t.Errorf("a revoked client: %v", err)
	}
	time.Sleep(3 * beat / 2)
	revision := b.load(b.client(identity.Node), "later").ID
	select {
	case v := <-views:
		if _, sees := v.Set(revision); sees {
			t.Error("a revoked client still sees what happens")
		}
	case <-time.After(2 * beat):
	}
}

// A node that hangs costs a second and not the call, also in the middle of a watch.
func TestSilentNode(t *testing.T) {
	t.Parallel()
	b := newBed(t, 3)
	c := b.client(identity.Client)
	views, err := c.Watch(within(t))
	check(t, err)
	s := b.load(c, "v")
	until(t, views, func(v *catalog.View) bool { _, ok := v.Set(s.ID); return ok })
	first := c.pool.order()[0]
	for _, n := range b.nodes {
		n.hung.Store(n.Address == first.Address)
	}
	began := time.Now()
	v, err := c.View(within(t))
	check(t, err)
	if took := time.Since(began); took > 5*contact {
		t.Errorf("with one node that hangs a view took %v", took)
	}
	if _, ok := v.Set(s.ID); !ok {
		t.Error("the view is an older one")
	}
	late := b.load(c, "late")
	began = time.Now()
	until(t, views, func(v *catalog.View) bool { _, ok := v.Set(late.ID); return ok })
	t.Logf("with one node that hangs, a view came after %v", time.Since(began).Round(time.Millisecond))
}

// While etcd does not answer, nodes give the last view and say how old it is; changes fail
// soon, and say why.
func TestMajorityLost(t *testing.T) {
	t.Parallel()
	b := newBed(t, 3)
	c := b.client(identity.Client)
	s := b.load(c, "v")
	began := time.Now()
	for _, n := range b.nodes {
		n.cut()
		for { // it has what it is to fall back to
			if newest, _ := n.service.last(); newest != nil {
				if _, ok := newest.view.Set(s.ID); ok {
					break
				}
			}
			time.Sleep(time.Millisecond)
		}
		n.broken.Store(true)
		n.service.cfg.Fresh = func() time.Time { return began.Add(-time.Minute) }
	}
	v, err := c.View(within(t))
	check(t, err)
	if _, ok := v.Set(s.ID); !ok || v.Age < time.Minute {
		t.Errorf("the view of %v ago has the set: %v", v.Age, ok)
	}
	began = time.Now()
	if _, err := c.Allocate(within(t)); err == nil || time.Since(began) > 5*doubtful {
		t.Errorf("a change failed after %v: %v", time.Since(began), err)
	}
	for _, n := range b.nodes {
		n.broken.Store(false)
	}
	if _, err := c.Allocate(within(t)); err != nil {
		t.Errorf("when etcd is back: %v", err)
	}
}

// A change waits while the members of etcd, heard a moment ago, choose a leader.
func TestElection(t *testing.T) {
	t.Parallel()
	b := newBed(t, 3)
	c := b.client(identity.Client)
	heard := time.Now().Add(-3 * time.Second)
	for _, n := range b.nodes {
		n.broken.Store(true)
		n.service.cfg.Fresh = func() time.Time { return heard }
	}
	time.AfterFunc(callTime+2*doubtful, func() {
		for _, n := range b.nodes {
			n.broken.Store(false)
		}
	})
	began := time.Now()
	if _, err := c.Allocate(within(t)); err != nil || time.Since(began) < callTime+doubtful {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}

// A view does not wait for an etcd that renews no leases, and does for one that is only slow.
func TestSilentEtcd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		quiet  time.Duration // since a lease was renewed
		every  time.Duration // that it is renewed; 0 as usual
		slow   bool
		within time.Duration // of the first of two nodes, and the other
		old    bool
	}{
		{"just now", unsure + patience, 0, false, 4 * patience, true},
		{"for long", time.Minute, 0, false, 2 * patience, true},
		{"slow", 0, 0, true, callTime, false},
		{"slow, with long leases", 10 * time.Second, 12 * time.Second, true, callTime, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBed(t, 3)
			c := b.client(identity.Client)
			b.load(c, "v")
			for _, n := range b.nodes {
				for {
					if newest, _ := n.service.last(); newest != nil {
						break
					}
					time.Sleep(time.Millisecond)
				}
				n.broken.Store(!tt.slow)
				n.slow.Store(tt.slow)
				n.service.cfg.Renewal = tt.every
				n.service.cfg.Fresh = func() time.Time { return time.Now().Add(-tt.quiet) }
			}
			began := time.Now()
			v, err := c.View(within(t))
			check(t, err)
			took := time.Since(began)
			t.Logf("a view after %v", took.Round(time.Millisecond))
			if took > tt.within || v.Age > 0 != tt.old || tt.old && v.Age < tt.quiet {
				t.Errorf("a view of age %v after %v", v.Age, took)
			}
		})
	}
}

// Two nodes that have old views alone are enough: the others are not asked.
func TestEnough(t *testing.T) {
	t.Parallel()
	b := newBed(t, 6)
	c := b.client(identity.Client)
	for _, n := range b.nodes {
		for {
			if newest, _ := n.service.last(); newest != nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		n.broken.Store(true)
		n.service.cfg.Fresh = func() time.Time { return time.Now().Add(-time.Minute) }
	}
	v, err := c.View(within(t))
	check(t, err)
	asked := 0
	for _, n := range b.nodes {
		asked += int(n.asked.Load())
	}
	if v.Age == 0 || asked < enough || asked == len(b.nodes) {
		t.Errorf("%d nodes were asked for a view of age %v, expected %d", asked, v.Age, enough)
	}
}

// A set is removed though the node that did it gave no answer: the next one does not have it.
func TestAnswerLost(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(context.Context, *served) error{
		"the node ends": func(ctx context.Context, n *served) error {
			go n.server.Stop()
			<-ctx.Done()
			return ctx.Err()
		},
		"etcd is silent": func(context.Context, *served) error { return context.DeadlineExceeded },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, 2)
			c := b.client(identity.Client)
			s := b.load(c, "v")
			_, err := c.View(within(t))
			check(t, err)
			var once atomic.Bool
			first := func(ctx context.Context, n *served) error {
				if once.Swap(true) {
					return nil
				}
				return lose(ctx, n)
			}
			for _, n := range b.nodes {
				n.lose.Store(&first)
			}
			if got, err := c.Remove(within(t), "v"); err != nil || got.ID != s.ID {
				t.Errorf("removed %+v: %v", got, err)
			}
			if !once.Load() {
				t.Error("no answer was lost")
			}
			if _, err := c.Remove(within(t), "w"); !errors.As(err, new(*control.MissingError)) {
				t.Errorf("a set that never was: %v", err)
			}
		})
	}
}

// Certificates are renewed by the node that has the authority.
func TestRenew(t *testing.T) {
	t.Parallel()
	b := newBed(t, 3)
	c := b.client(identity.Client)
	serial := c.opt.Identity.Serial()
	check(t, c.opt.Identity.Renew(within(t), c.Renew))
	if c.opt.Identity.Serial() != serial {
		t.Error("a renewed certificate has another serial")
	}
	// A certificate of which little is left by its owner's clock is renewed at once.
	id, err := b.authority.Issue(identity.Client, "short", time.Hour)
	check(t, err)
	id.Now = func() time.Time { return time.Now().Add(50 * time.Minute) }
	time.Sleep(time.Second) // they end with a whole second
	until := id.Until()
	short, err := Dial(Options{Nodes: []Address{b.nodes[0].Address, b.nodes[1].Address, b.nodes[2].Address}, Identity: id})
	check(t, err)
	defer short.Close()
	short.KeepIdentity(within(t))
	if !id.Until().After(until) {
		t.Errorf("a certificate that ends at %v was not renewed", until)
	}
	alone := newBed(t, 1)
	if err := alone.client(identity.Client).opt.Identity.Renew(within(t), alone.client(identity.Client).Renew); err == nil || !strings.Contains(err.Error(), "authority") {
		t.Errorf("without an authority: %v", err)
	}
}

// Nodes of another cluster are an error at once, and so is a client of another one.
func TestStrangers(t *testing.T) {
	t.Parallel()
	b, other := newBed(t, 2), newBed(t, 1)
	id := other.client(identity.Client).opt.Identity
	c, err := Dial(Options{Nodes: []Address{b.nodes[0].Address, b.nodes[1].Address}, Identity: id})
	check(t, err)
	defer c.Close()
	began := time.Now()
	if _, err := c.View(within(t)); !errors.Is(err, identity.ErrOtherCluster) || time.Since(began) > 20*time.Second {
		t.Errorf("nodes of another cluster, after %v: %v", time.Since(began), err)
	}
	if _, err := Dial(Options{}); err == nil {
		t.Error("a client without nodes")
	}
}

// Who opens a stream and sends nothing, or nonsense, does not stay.
func TestHalfOpen(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	c := b.client(identity.Client)
	conn, err := c.pool.connection(c.pool.order()[0])
	check(t, err)
	st, err := conn.NewStream(within(t), &callStream, "/"+service+"/"+calls)
	check(t, err)
	began := time.Now()
	var got []byte
	if err := st.RecvMsg(&got); err == nil || time.Since(began) > 2*atOnce {
		t.Errorf("a silent stream ended after %v with %v", time.Since(began), err)
	}
	for _, bad := range []string{"", "{", `{"do":"format"}`, `{"do":"commit"}`, `{"do":"commit","set":{"id":1,"record":{}}}`, `{"do":"trust"}`, strings.Repeat("x", maxRequest+1)} {
		st, err := conn.NewStream(within(t), &callStream, "/"+service+"/"+calls)
		check(t, err)
		check(t, st.SendMsg([]byte(bad)))
		if err := st.RecvMsg(&got); err == nil && !strings.Contains(string(got), `"error"`) {
			t.Errorf("%.40q was answered with %s", bad, got)
		}
	}
}

// Who opens as many streams as its certificate may, and is silent in them, does not keep
// others from being answered, nor itself from being revoked.
func TestSilentOwner(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	n := b.nodes[0]
	greedy := b.client(identity.Client)
	silent, stop := context.WithCancel(within(t))
	// Streams are opened all the time: those that come too early are refused, and those that
	// were taken end after atOnce.
	conn, err := greedy.pool.connection(greedy.pool.order()[0])
	check(t, err)
	open := func(d *grpc.StreamDesc, name string, say []byte) {
		for silent.Err() == nil {
			if st, err := conn.NewStream(silent, d, "/"+service+"/"+name); err == nil && say != nil {
				st.SendMsg(say) // refused when the places are taken
			}
			time.Sleep(2 * time.Millisecond)
		}
	}
	var opening sync.WaitGroup
	defer opening.Wait()
	defer stop()
	opening.Go(func() { open(&viewStream, views, text(&request{Do: doWatch})) })
	n.service.views.full(t, "client/x", maxViews.owner)
	opening.Go(func() { open(&callStream, calls, nil) })
	n.service.arriving.full(t, "client/x", maxArriving.owner)
	id, err := b.authority.Issue(identity.Client, "other", time.Hour)
	check(t, err)
	other, err := Dial(Options{Nodes: []Address{n.Address}, Identity: id})
	check(t, err)
	defer other.Close()
	admin := b.client(identity.Admin)
	began := time.Now()
	_, err = other.View(within(t))
	check(t, err)
	watching, err := other.Watch(within(t))
	check(t, err)
	<-watching
	n.service.arriving.full(t, "client/x", maxArriving.owner) // still
	_, err = admin.Trust(within(t), func(l trust.List) (trust.List, error) {
		return l.RevokeCertificate(greedy.opt.Identity.Serial())
	})
	check(t, err)
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("others were answered after %v", took)
	}
}

// full waits until an owner has so many places.
func (p *places) full(t *testing.T, owner string, want int) {
	t.Helper()
	got := 0
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(time.Millisecond) {
		p.mu.Lock()
		got = p.owners[owner]
		p.mu.Unlock()
		if got == want {
			return
		}
	}
	t.Fatalf("%s has %d places, expected %d", owner, got, want)
}

// Places that clients cannot take are left for administrators and nodes; who waits gets the
// place that another one leaves.
func TestPlaces(t *testing.T) {
	t.Parallel()
	p := newPlaces(limits{all: 6, clients: 4, owner: 2})
	as := func(r identity.Role, name string) identity.Peer { return identity.Peer{Role: r, Name: name} }
	for i, tt := range []struct {
		who  identity.Peer
		want bool
	}{
		{as(identity.Client, "a"), true}, {as(identity.Client, "a"), true}, {as(identity.Client, "a"), false},
		{as(identity.Client, "b"), true}, {as(identity.Client, "c"), true}, {as(identity.Client, "d"), false},
		{as(identity.Admin, "a"), true}, {as(identity.Node, "n"), true}, {as(identity.Admin, "a"), false},
	} {
		if got := p.try(tt.who); got != tt.want {
			t.Errorf("%d: %v got a place: %v", i, tt.who, got)
		}
	}
	crowd := newPlaces(maxCalls)
	for n := range 300 { // three owners who take all they get
		crowd.try(as(identity.Client, fmt.Sprint(n%3)))
	}
	if !crowd.try(as(identity.Client, "fourth")) || !crowd.try(as(identity.Admin, "x")) || crowd.owners["client/0"] != 12 {
		t.Errorf("three owners have taken %v", crowd.owners)
	}
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if p.wait(short, as(identity.Client, "a")) {
		t.Error("there was a place")
	}
	go p.leave(as(identity.Client, "a"))
	if !p.wait(within(t), as(identity.Client, "d")) {
		t.Error("a place that was left is not given")
	}
}

func until(t *testing.T, views <-chan *catalog.View, wanted func(*catalog.View) bool) {
	t.Helper()
	limit := time.After(time.Minute)
	last := int64(-1)
	for {
		select {
		case v := <-views:
			if v.Revision <= last {
				t.Fatalf("revision %d came after %d", v.Revision, last)
			}
			if last = v.Revision; wanted(v) {
				return
			}
		case <-limit:
			t.Fatalf("no view is as wanted; the last had revision %d", last)
		}
	}
}
