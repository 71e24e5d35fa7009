package cluster_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/transport/memnet"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

// crash cuts the first nodes off: who asks them hears nothing.
func (b *bed) crash(nodes int) {
	b.Network.Change(func(now time.Duration, n *memnet.Network) {
		for i := range nodes {
			n.Crash(now, catalog.Peer(i+1))
		}
	})
}

// end ends the first nodes, of which the cluster hears.
func (b *bed) end(t *testing.T, nodes int) {
	for _, d := range b.Nodes[:nodes] {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	b.Nodes = b.Nodes[nodes:]
}

// later does something after a while; what it gives waits for the end of it.
func later(wait time.Duration, do func()) func() {
	done := make(chan struct{})
	time.AfterFunc(wait, func() { do(); close(done) })
	return func() { <-done }
}

// A load goes on with other nodes when some end before anything of a shard is stored, or when part of it is;
// all shards have their replicas then.
func TestLoadKilled(t *testing.T) {
	const rows = 3 << 20 // of which a shard is several parts
	src := array(num.I32, rows, nil, 1, 1<<20)
	f := compiled(t, diag.NewSource("f.gw", "fn f(v: &[i32; N]) -> i64 { v.map(|e| e as i64).sum() }"))
	for _, c := range []struct {
		shards, replicas int
		after            int // so many parts are stored; 0: the view is older than the end
	}{{1, 1, 0}, {2, 2, 0}, {1, 1, 1}, {2, 2, 1}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			b := newBed(t, 5)
			parts := 0
			opt := cluster.LoadOptions{Shards: c.shards, Replicas: c.replicas, Deadline: 10 * time.Second, Progress: func(int64, int64) {
				if parts++; parts == c.after {
					b.crash(2)
					b.end(t, 2)
				}
			}}
			if c.after == 0 { // this client hears of it when it has planned
				b.crash(2)
				defer later(100*time.Millisecond, func() { b.end(t, 2) })()
			}
			if err := b.load(src, "v", opt); err != nil {
				t.Fatal(err)
			}
			set, _ := b.Client.View().Named("v")
			for i, s := range set.Shards {
				if len(s.Assigned) != c.replicas || slices.Contains(s.Assigned, 1) || slices.Contains(s.Assigned, 2) || len(s.Replicas) != c.replicas {
					t.Errorf("shard %d was given to %v, and is held by %v", i, s.Assigned, s.Replicas)
				}
			}
			want, err := b.run(context.Background(), f, compile.Args{"v": compile.Table{Source: src}}, run.Options{})
			if err != nil {
				t.Fatal(err)
			}
			remote, err := b.Client.Open("v")
			if err != nil {
				t.Fatal(err)
			}
			got, err := b.beside(context.Background(), f, compile.Args{"v": compile.Table{Source: remote}}, cluster.Ship)
			if err == nil {
				err = same(want, got)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// Without another node the error says which one has ended, and that there is none in its place.
func TestLoadKilledNoOther(t *testing.T) {
	b := newBed(t, 2)
	opt := cluster.LoadOptions{Shards: 1, Replicas: 2, Deadline: 10 * time.Second}
	b.crash(1)
	defer later(100*time.Millisecond, func() { b.end(t, 1) })()
	err := b.load(array(num.I32, 1000, nil, 1, 100), "v", opt)
	if err == nil || !strings.Contains(err.Error(), "node n1") || !strings.Contains(err.Error(), "no other node is alive that could take it: 2 replicas need as many nodes") {
		t.Errorf("found %v", err)
	}
}
