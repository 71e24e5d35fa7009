package control

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

func start(t *testing.T, cfg Config) *Server {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	began := time.Now()
	s, err := Embed(within(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("member %s ready after %v", cfg.Name, time.Since(began).Round(time.Millisecond))
	t.Cleanup(func() { s.Close() })
	return s
}

// dial connects over the network.
func dial(t *testing.T, opt Options, servers ...*Server) Control {
	t.Helper()
	var at []string
	for _, s := range servers {
		at = append(at, s.Endpoint())
	}
	c, err := Dial(at, nil, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestEtcd(t *testing.T) {
	s := start(t, Config{Name: "one"})
	opt := Options{TTL: 5 * time.Second}
	admin := dial(t, opt, s).(*registry)
	inside := s.Control()
	t.Cleanup(func() { inside.Close() })
	turn := 0
	conform(t, world{
		open: func() Control {
			if turn++; turn%2 == 0 {
				return dial(t, opt, s)
			}
			c := s.Control()
			t.Cleanup(func() { c.Close() })
			return c
		},
		expire: func(p catalog.Peer) {
			recs, _, err := admin.rec.read(within(t), numbered(nodePrefix, uint32(p)))
			check(t, err)
			if len(recs) != 1 {
				t.Fatalf("node %d was not alive", p)
			}
			_, n, err := decodeNode(recs[0])
			check(t, err)
			check(t, admin.rec.revoke(within(t), n.Lease))
		},
	})
	t.Run("time of a put", func(t *testing.T) { timePut(t, inside) })
}

func timePut(t *testing.T, c Control) {
	m := join(t, c, "a")
	var took []time.Duration
	for i := range 100 {
		began := time.Now()
		check(t, m.Hold(within(t), Held{Set: 1, Shard: uint32(i), Sum: [32]byte{}}))
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	t.Logf("a fenced put takes %v in the median, %v at worst of %d", took[len(took)/2], took[len(took)-1], len(took))
}

// A node that is silent is taken for dead after its time to live.
func TestSilence(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Name: "one"})
	c := dial(t, Options{TTL: 4 * time.Second}, s)
	views := must[<-chan *catalog.View](t)(dial(t, Options{}, s).Watch(within(t)))
	m := must[Membership](t)(c.Join(within(t), Member{Name: "a", Address: "127.0.0.1:1"}))
	until(t, views, func(v *catalog.View) bool { return len(v.Nodes) == 1 })
	time.Sleep(6 * time.Second)
	if v := must[*catalog.View](t)(s.Control().View(within(t))); len(v.Nodes) != 1 {
		t.Fatal("a node that renews its lease is gone")
	}
	m.(*membership).stop() // as if the process had died
	began := time.Now()
	until(t, views, func(v *catalog.View) bool { return len(v.Nodes) == 0 })
	t.Logf("a dead node was seen after %v, with a time to live of 4 s", time.Since(began).Round(time.Millisecond))
}

// A member that restarts knows what it knew, and its clients notice nothing but a
// pause.
func TestRestart(t *testing.T) {
	t.Parallel()
	cfg := Config{Name: "one", Dir: t.TempDir(), Client: free(t), Peer: free(t)}
	first := start(t, cfg)
	c := dial(t, Options{TTL: 30 * time.Second}, first)
	m := join(t, c, "a")
	views := must[<-chan *catalog.View](t)(c.Watch(within(t)))
	until(t, views, func(v *catalog.View) bool { return len(v.Nodes) == 1 })
	check(t, first.Close())

	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if _, err := c.View(ctx); err == nil || !strings.Contains(err.Error(), cfg.Client) {
		t.Errorf("without a control, expected an error that names %s, found %v", cfg.Client, err)
	}

	start(t, cfg)
	check(t, m.Hold(within(t), Held{Set: 1, Shard: 0, Sum: [32]byte{}}))
	b := join(t, c, "b")
	until(t, views, func(v *catalog.View) bool { _, ok := v.Node(b.Peer()); return ok })
	select {
	case <-m.Lost():
		t.Error("the membership was lost with the control")
	default:
	}
}

// A watch that is behind what is kept reads everything anew.
func TestCompaction(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Name: "one"})
	c := dial(t, Options{}, s).(*registry)
	b, err := c.readView(within(t))
	check(t, err)
	m := join(t, c, "a")
	check(t, m.Hold(within(t), Held{Set: 1, Shard: 0, Sum: [32]byte{}}))
	must[*clientv3.CompactResponse](t)(c.rec.(*etcd).order()[0].c.Compact(within(t), m.Incarnation()+1))
	if _, _, err := c.rec.watch(within(t), viewPrefix, b.revision).next(within(t)); err != errBehind {
		t.Fatalf("expected %v, found %v", errBehind, err)
	}
	out := make(chan *catalog.View, 1)
	ctx, cancel := context.WithCancel(within(t))
	defer cancel()
	c.follow(ctx, b, b.view(), out)
	if b, _ = c.readAnew(ctx, out, b); b.revision < m.Incarnation() {
		t.Errorf("revision %d was read anew, %d is there", b.revision, m.Incarnation())
	}
	if v := <-out; len(v.Nodes) != 1 {
		t.Errorf("the new view has %d nodes", len(v.Nodes))
	}
}

// freePort is where free looked last, from a place of this process's own on.
var freePort atomic.Uint32

func init() { freePort.Store(rand.Uint32N(12_000)) }

// free gives an address that nobody listens on now. Linux gives no port below 32768 to those who
// ask for any, so nobody takes it while a member that has it stands still.
func free(t *testing.T) string {
	t.Helper()
	for range 1000 {
		at := fmt.Sprintf("127.0.0.1:%d", 20_000+freePort.Add(1)%12_000)
		if l, err := net.Listen("tcp", at); err == nil {
			check(t, l.Close())
			return at
		}
	}
	t.Fatal("no port between 20000 and 32000 is free")
	return ""
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		cfg  Config
	}{
		{"no port", Config{Name: "a", Client: "127.0.0.1"}},
		{"a URL", Config{Name: "a", Client: "http://127.0.0.1:1"}},
		{"not in the cluster", Config{Name: "a", Peer: "127.0.0.1:1", Cluster: map[string]string{"b": "127.0.0.1:1"}}},
		{"even", Config{Name: "a", Peer: "127.0.0.1:1", Cluster: map[string]string{"a": "127.0.0.1:1", "b": "127.0.0.1:2"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.cfg.Dir = t.TempDir()
			_, err := Embed(within(t), tt.cfg)
			refused[*InvalidError](t, err)
		})
	}
	_, err := Dial(nil, nil, Options{})
	refused[*InvalidError](t, err)
	alone := Config{Name: "a", Dir: t.TempDir(), Peer: free(t), Ready: time.Second}
	alone.Cluster = map[string]string{"a": alone.Peer, "b": free(t), "c": free(t)}
	if _, err := Embed(within(t), alone); err == nil || !strings.Contains(err.Error(), "majority") {
		t.Errorf("one member of three, expected an error about the majority, found %v", err)
	}
}

// Control connects with this member inside of the process. It works as long as
// the cluster has a majority with this member in it.
func (s *Server) Control() Control {
	p := &endpoint{url: "member " + s.cfg.Name + " in this process", c: v3client.New(s.e.Server)}
	return newRegistry(&etcd{each: []*endpoint{p}}, s.cfg.Options)
}
