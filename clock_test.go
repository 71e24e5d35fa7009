package godwit_test

import (
	"context"
	"log/slog"
	"net"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/site"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// clocked is a cluster of nodes in this process, over mutual TLS and with etcd, whose wall
// clocks the test sets.
type clocked struct {
	*site.Site
	offset atomic.Int64
	ended  chan error
}

func newClocked(t *testing.T, nodes ...string) *clocked {
	t.Helper()
	s, err := site.Create(t.TempDir(), 3*time.Second)
	check(t, err)
	c := &clocked{Site: s, ended: make(chan error, len(nodes))}
	etcd, err := s.IssueNode("etcd", "127.0.0.1")
	check(t, err)
	member, err := control.Embed(t.Context(), control.Config{Dir: t.TempDir(), Name: "etcd", Identity: filepath.Join(etcd, "identity")})
	check(t, err)
	t.Cleanup(func() { member.Close() })
	ctx, cancel := context.WithCancel(context.Background())
	for _, name := range nodes {
		dir, err := s.IssueNode(name, "127.0.0.1")
		check(t, err)
		l, err := net.Listen("tcp", "127.0.0.1:0")
		check(t, err)
		at := l.Addr().String()
		check(t, l.Close())
		s.Nodes = append(s.Nodes, site.NodeCard{Name: name, Address: at})
		go func() {
			c.ended <- site.RunNode(ctx, site.NodeConfig{
				Name: name, Dir: dir, Listen: at, TTL: 3 * time.Second, Etcd: []string{member.Endpoint()},
				Clock: func() time.Time { return time.Now().Add(time.Duration(c.offset.Load())) },
				Log:   slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
			})
		}()
	}
	t.Cleanup(func() {
		cancel()
		for range nodes {
			if err := <-c.ended; err != nil {
				t.Errorf("a node ended with %v", err)
			}
		}
	})
	check(t, s.Save())
	within, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	for joined := 0; joined < len(nodes); time.Sleep(20 * time.Millisecond) {
		check(t, within.Err())
		if by, err := godwit.Connect(within, s.Dir, godwit.ConnectOptions{}); err == nil {
			joined = len(by.View().Nodes)
			check(t, by.Close())
		}
	}
	return c
}

// The wall clocks of all nodes jump an hour forwards and back while calls run, and new
// connections are made: nothing is wrong, nothing ends, no lease is lost.
func TestClockJumps(t *testing.T) {
	c := newClocked(t, "a", "b")
	first := c.connect(t)
	stored(t, first, wordnet, "h", godwit.LoadOptions{Shards: 2, Replicas: 2})
	p, err := godwit.Compile("fn total(v: &[u32; N]) -> i64 { v.map(|x| x as i64).sum() }")
	check(t, err)
	f, err := p.Func("total")
	check(t, err)
	sum := func(by *godwit.Cluster, v any) int64 {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		res, err := f.Call(ctx, godwit.Args{"v": v}, godwit.WithCluster(by), godwit.WithStrategy(godwit.Ship))
		check(t, err)
		n, err := res.Int64()
		check(t, err)
		return n
	}
	want, h := sum(first, godwit.File(wordnet)), godwit.DataSet("h")
	lives := first.View().Nodes
	calls := 0
	for _, jump := range []time.Duration{time.Hour, 0, -time.Hour, 0, time.Hour, -time.Hour, 0} {
		c.offset.Store(int64(jump))
		for end := time.Now().Add(time.Second); time.Now().Before(end); calls++ {
			if got := sum(first, h); got != want {
				t.Fatalf("with clocks off by %v the sum is %v, expected %v", jump, got, want)
			}
		}
		fresh := c.connect(t)
		if got := sum(fresh, h); got != want {
			t.Fatalf("over new connections, with clocks off by %v, the sum is %v, expected %v", jump, got, want)
		}
		for i, n := range fresh.View().Nodes {
			if n != lives[i] {
				t.Errorf("with clocks off by %v a node became %+v, and was %+v", jump, n, lives[i])
			}
		}
		select {
		case err := <-c.ended:
			t.Fatalf("with clocks off by %v a node ended: %v", jump, err)
		default:
		}
	}
	t.Logf("%d calls in %d jumps", calls, 7)
}

func (c *clocked) connect(t *testing.T) *godwit.Cluster {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cl, err := godwit.Connect(ctx, c.Dir, godwit.ConnectOptions{})
	check(t, err)
	t.Cleanup(func() { cl.Close() })
	return cl
}
