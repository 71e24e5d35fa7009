package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/control/remote"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// everybodys is a control whose sets belong to nobody: the network of the test does not say by which certificate somebody stores. Who allocates one
// waits until all others do, so that all of them have read the same set before.
type everybodys struct {
	control.Control
	missing atomic.Int64
	all     chan struct{}
}

func (e *everybodys) Allocate(ctx context.Context) (uint32, error) {
	if e.missing.Add(-1) == 0 {
		close(e.all)
	}
	select {
	case <-e.all:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	return e.Control.Allocate(control.For(ctx, ""))
}

func (e *everybodys) Replace(ctx context.Context, s *catalog.Set) (*catalog.Set, error) {
	return e.Control.Replace(control.For(ctx, ""), s)
}

// clients makes clients that reach the catalogue as those of real clusters do: through any of the nodes. As many as are told begin at the same time.
func (b *bed) clients(t *testing.T, nodes, many int) func(number catalog.Peer) *cluster.Cluster {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	authority, err := identity.Create(t.TempDir())
	must(err)
	everybodys := &everybodys{Control: b.Control, all: make(chan struct{})}
	everybodys.missing.Store(int64(many))
	var at []remote.Address
	for i := range nodes {
		name := fmt.Sprintf("n%d", i+1)
		id, err := authority.Issue(identity.Node, name, time.Hour)
		must(err)
		l, err := net.Listen("tcp", "127.0.0.1:0")
		must(err)
		server := grpc.NewServer(grpc.Creds(credentials.NewTLS(id.Server(identity.Node, identity.Client, identity.Admin))))
		service := remote.New(remote.Config{Control: everybodys, Identity: id})
		service.Register(server)
		views, err := b.Control.Watch(t.Context())
		must(err)
		go func() {
			for v := range views {
				service.Learn(v)
			}
		}()
		go server.Serve(l)
		t.Cleanup(server.Stop)
		at = append(at, remote.Address{Name: name, Address: l.Addr().String()})
	}
	return func(number catalog.Peer) *cluster.Cluster {
		t.Helper()
		id, err := authority.Issue(identity.Client, fmt.Sprintf("c%d", number), time.Hour)
		must(err)
		ctl, err := remote.Dial(remote.Options{Nodes: at, Identity: id, Timeout: patience})
		must(err)
		c, err := cluster.Connect(t.Context(), cluster.Config{Control: ctl, Self: catalog.FirstClient + number,
			Dial: func(self catalog.Peer, _ func(catalog.Peer) (string, bool), h transport.Handler) (transport.Transport, error) {
				return b.Network.Join(self, h)
			}})
		must(err)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
}

// one is a table of one row.
func one(v int) data.Source {
	return data.FromBytes(fmt.Sprint(v), []data.Column{{Name: "v", Kind: num.I64, Stored: "int64"}}, 1, [][]byte{{byte(v), 7: 0}}, nil)
}

// Rows that several clients add at the same time are all there, each once, whichever node a client asks.
func TestAppendsBesideEachOther(t *testing.T) {
	const many = 8
	for _, nodes := range []int{1, 3} {
		b := newBed(t, nodes)
		client := b.clients(t, nodes, many)
		if err := b.load(one(0), "s", cluster.LoadOptions{}); err != nil {
			t.Fatal(err)
		}
		var adding sync.WaitGroup
		var clients []*cluster.Cluster
		for i := range many {
			clients = append(clients, client(catalog.Peer(100+i)))
		}
		for i, c := range clients {
			adding.Go(func() {
				if l, err := c.Load(t.Context(), one(i+1), "s", cluster.LoadOptions{Append: true}); err != nil || l.More.Known {
					t.Errorf("%d nodes, client %d: %+v, %v", nodes, i, l, err)
				}
			})
		}
		adding.Wait()
		got := valuesOf(t, b, "s")
		slices.Sort(got)
		if want := []byte{0, 1, 2, 3, 4, 5, 6, 7, 8}; !slices.Equal(got, want) {
			t.Errorf("%d nodes: %v, expected %v", nodes, got, want)
		}
	}
}

// valuesOf are the lowest bytes of all rows.
func valuesOf(t *testing.T, b *bed, name string) (all []byte) {
	t.Helper()
	v, err := b.Control.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	set, _ := v.Named(name)
	for until := time.Now().Add(patience); b.Client.View().Revision < v.Revision && time.Now().Before(until); {
		time.Sleep(time.Millisecond)
	}
	src, err := b.Client.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range src.Chunks() {
		d := data.Dest{Values: make([]byte, 8*c.Rows())}
		if _, err := src.Fill(t.Context(), i, []data.Want{{Kind: num.I64}}, []data.Dest{d}); err != nil {
			t.Fatal(err)
		}
		for row := range c.Rows() {
			all = append(all, d.Values[8*row])
		}
	}
	if int64(len(all)) != set.Rows {
		t.Errorf("%d rows, the catalogue has %d", len(all), set.Rows)
	}
	return all
}

// hurried is a control at which somebody else adds a row just before each time that rows are added.
type hurried struct {
	control.Control
	first func() error
	times int
}

func (h *hurried) Replace(ctx context.Context, s *catalog.Set) (*catalog.Set, error) {
	h.times++
	if err := h.first(); err != nil {
		return nil, err
	}
	return h.Control.Replace(ctx, s)
}

func (h *hurried) Close() error { return nil }

// An append that never comes first ends, and says what is so; one whose caller does not wait any more ends sooner.
func TestAppendGivesUp(t *testing.T) {
	b := newBed(t, 1)
	if err := b.load(one(0), "s", cluster.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	h := &hurried{Control: b.Control, first: func() error {
		return b.load(one(1), "s", cluster.LoadOptions{Append: true, Again: true})
	}}
	c, err := cluster.Connect(t.Context(), cluster.Config{Control: h, Self: catalog.FirstClient + 77,
		Dial: func(self catalog.Peer, _ func(catalog.Peer) (string, bool), h transport.Handler) (transport.Transport, error) {
			return b.Network.Join(self, h)
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = c.Load(t.Context(), one(2), "s", cluster.LoadOptions{Append: true})
	if err == nil || err.Error() != "others added rows to @s, or replaced it, 33 times while these rows were to be added: nothing was added; try again when they are done" || h.times != 33 {
		t.Errorf("after %d times: %v", h.times, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("nobody waits any more")
	more := h.first
	h.times, h.first = 0, func() error { err := more(); cancel(enough); return err }
	began := time.Now()
	if _, err = c.Load(ctx, one(3), "s", cluster.LoadOptions{Append: true}); err == nil || h.times != 1 || strings.Contains(err.Error(), "33 times") {
		t.Errorf("after %d times and %v: %v", h.times, time.Since(began), err)
	}
	if got := valuesOf(t, b, "s"); slices.Contains(got, 2) || slices.Contains(got, 3) {
		t.Errorf("%v has rows of an append that failed", got)
	}
}

// deafened is a control that tells of no later views than the first one.
type deafened struct{ control.Control }

func (d *deafened) Watch(ctx context.Context) (<-chan *catalog.View, error) {
	v, err := d.Control.View(ctx)
	views := make(chan *catalog.View, 1)
	views <- v
	context.AfterFunc(ctx, func() { close(views) })
	return views, err
}

func (d *deafened) Close() error { return nil }

// Who reads a set that was replaced, and has not heard of it, is told that it was, and not that its shards are lost.
func TestReplacedUnheard(t *testing.T) {
	b := newBed(t, 2)
	if err := b.load(numbersOf(300), "s", cluster.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	c, err := cluster.Connect(t.Context(), cluster.Config{Control: &deafened{b.Control}, Self: catalog.FirstClient + 78,
		Dial: func(self catalog.Peer, _ func(catalog.Peer) (string, bool), h transport.Handler) (transport.Transport, error) {
			return b.Network.Join(self, h)
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	src, err := c.Open("s")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.load(numbersOf(200), "s", cluster.LoadOptions{Replace: true}); err != nil {
		t.Fatal(err)
	}
	d := data.Dest{Values: make([]byte, 8*300)}
	_, err = src.Fill(t.Context(), 0, []data.Want{{Kind: num.I64}}, []data.Dest{d})
	if e := (*caller.Error)(nil); !errors.As(err, &e) || !e.Gone || !strings.Contains(err.Error(), "@s was removed or replaced while it was read") {
		t.Errorf("%v, expected that @s was replaced", err)
	}
}
