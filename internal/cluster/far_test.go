package cluster_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/progen"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

// far starts processes of far memory, beside the nodes.
func (b *bed) far(t testing.TB, size int64, latency time.Duration, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := b.Far(context.Background(), name, size, latency); err != nil {
			t.Fatal(err)
		}
	}
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		n := 0
		for _, node := range b.Client.View().Nodes {
			if node.Far {
				n++
			}
		}
		if n == len(names) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("of %d processes of far memory %d are there", len(names), n)
		}
	}
}

// TestFarPrograms: random programs whose arrays lie in far memory give the bits, and the faults, of the interpreter, whichever way they go.
func TestFarPrograms(t *testing.T) {
	n := random(t, max(1, *programs/2), progen.Gen(9), func(b *bed) { b.far(t, 0, 0, "f1", "f2") })
	if n.whole == 0 {
		t.Error("nothing ran as a whole beside the one shard of a set")
	}
}

// TestFarWalks does the same with programs that follow references, with and without a longer way.
func TestFarWalks(t *testing.T) {
	for _, latency := range []time.Duration{0, 50 * time.Microsecond} {
		n := random(t, max(1, *programs/4), progen.Walks(), func(b *bed) { b.far(t, 0, latency, "f1") })
		if n.whole == 0 {
			t.Error("nothing ran as a whole beside the one shard of a set")
		}
	}
}

// TestFarPlacement: what is loaded as far goes to far memory and nothing else does; how much that takes is bounded, and dropping makes room.
func TestFarPlacement(t *testing.T) {
	b := newBed(t, 2)
	src := array(num.I64, 1000, nil, 1, 1000)
	if err := b.load(src, "x", cluster.LoadOptions{Far: true}); err == nil || !strings.Contains(err.Error(), "no far memory of the cluster is there") {
		t.Errorf("without far memory: %v", err)
	}
	b.far(t, 20_000, 0, "f1", "f2")
	on := func(name string) map[catalog.Peer]bool {
		set, ok := b.Client.View().Named(name)
		if !ok {
			t.Fatalf("there is no @%s", name)
		}
		peers := map[catalog.Peer]bool{}
		for i := range set.Shards {
			for _, p := range set.Shards[i].Assigned {
				peers[p] = true
			}
		}
		return peers
	}
	for name, far := range map[string]bool{"near": false, "away": true} {
		if err := b.load(src, name, cluster.LoadOptions{Far: far, Shards: 4, Replicas: 2}); err != nil {
			t.Fatal(err)
		}
		for p := range on(name) {
			if n, _ := b.Client.View().Node(p); n.Far != far {
				t.Errorf("node %d, which is far: %v, got a shard of a set that is far: %v", p, n.Far, far)
			}
		}
		if n := len(on(name)); n != 2 {
			t.Errorf("the shards are on %d nodes, of which 2 are such", n)
		}
		if err := b.Client.Drop(context.Background(), name); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.load(src, "x", cluster.LoadOptions{Far: true, Shards: 1, Replicas: 2}); err != nil {
		t.Fatal(err)
	}
	big := array(num.I64, 2000, nil, 1, 1000)
	if err := b.load(big, "y", cluster.LoadOptions{Far: true, Shards: 1}); err == nil || !strings.Contains(err.Error(), "the memory for data sets has no room for") {
		t.Errorf("beyond its size: %v", err)
	}
	if err := b.Client.Drop(context.Background(), "x"); err != nil {
		t.Fatal(err)
	}
	if err := b.load(big, "y", cluster.LoadOptions{Far: true, Shards: 1}); err != nil {
		t.Errorf("after a drop: %v", err)
	}
	if err := b.load(src, "y", cluster.LoadOptions{Replace: true}); err != nil {
		t.Fatal(err)
	}
	if set, _ := b.Client.View().Named("y"); !set.Far {
		t.Error("a set that is replaced does not stay far")
	}
}

// TestLatencyOverlaps: each answer of far memory comes so much later, and many are under way at the same time.
func TestLatencyOverlaps(t *testing.T) {
	const latency, many = 50 * time.Millisecond, 16
	b := newBed(t, 1)
	b.far(t, 0, latency, "f1")
	next := array(num.I64, 64, nil, 0, 63)
	if err := b.load(next, "next", cluster.LoadOptions{Far: true}); err != nil {
		t.Fatal(err)
	}
	src, err := b.Client.Open("next")
	if err != nil {
		t.Fatal(err)
	}
	f := compiled(t, diag.NewSource("f.gw", "fn f(v: &[i64; N] @ Far, at: &[i64; K]) -> [i64; K] where N: Range<64, 64>, K: Range<0, 1000> { at.map(|s| v[s.clamp_idx()]) }"))
	args := compile.Args{"v": compile.Table{Source: src}, "at": compile.Table{Source: array(num.I64, many, nil, 0, 63)}}
	var took [2]time.Duration
	for i, s := range []cluster.Strategy{cluster.Single, cluster.Gather} {
		start := time.Now()
		if _, err := b.beside(context.Background(), f, args, s); err != nil {
			t.Fatal(err)
		}
		took[i] = time.Since(start)
	}
	if took[0] < many*latency || took[1] < latency || took[1] > took[0]/4 {
		t.Errorf("%d loads took %v one after another and %v together, each at least %v", many, took[0], took[1], latency)
	}
}

// TestFarLost: a call whose far memory is gone ends with an error that names the set and the node, within its deadline.
func TestFarLost(t *testing.T) {
	b := newBed(t, 0)
	b.far(t, 0, 0, "f1")
	next := array(num.I64, 1<<16, nil, 0, 1<<16-1)
	if err := b.load(next, "next", cluster.LoadOptions{Far: true}); err != nil {
		t.Fatal(err)
	}
	src, err := b.Client.Open("next")
	if err != nil {
		t.Fatal(err)
	}
	f := compiled(t, diag.NewSource("f.gw", "fn f(v: &[i64; N] @ Far) -> i64 where N: Range<1, 1_000_000_000> { let mut i = 0; for _ in 0..4096 { i = v[i.clamp_idx()]; } i }"))
	args := compile.Args{"v": compile.Table{Source: src}}
	for _, s := range []cluster.Strategy{cluster.Auto, cluster.Single, cluster.Gather, cluster.Ship, cluster.Fetch} {
		if _, err := b.beside(context.Background(), f, args, s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	b.end(t, 1)
	for _, s := range []cluster.Strategy{cluster.Auto, cluster.Single, cluster.Gather, cluster.Ship, cluster.Fetch} {
		start := time.Now()
		_, err := b.beside(context.Background(), f, args, s)
		if err == nil || !strings.Contains(err.Error(), "next") || !strings.Contains(err.Error(), "no node that holds the shard is alive") {
			t.Errorf("%s: %v", s, err)
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%s: the error came after %v", s, took)
		}
	}
}

// TestFarArguments: only what lies in far memory is taken as that.
func TestFarArguments(t *testing.T) {
	b := newBed(t, 1)
	b.far(t, 0, 0, "f1")
	v := array(num.I64, 100, nil, 0, 9)
	for name, far := range map[string]bool{"near": false, "far": true} {
		if err := b.load(v, name, cluster.LoadOptions{Far: far}); err != nil {
			t.Fatal(err)
		}
	}
	f := compiled(t, diag.NewSource("f.gw", "fn f(v: &[i64; N] @ Far) -> i64 where N: Range<1, 1000> { v.sum() }"))
	want, err := b.run(context.Background(), compiled(t, diag.NewSource("f.gw", "fn f(v: &[i64; N]) -> i64 where N: Range<1, 1000> { v.sum() }")), compile.Args{"v": compile.Table{Source: v}}, run.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, refusal := range map[string]string{"": "it is on this machine", "near": "@near lies on nodes that are no far memory", "far": ""} {
		src := v
		if name != "" {
			if src, err = b.Client.Open(name); err != nil {
				t.Fatal(err)
			}
		}
		got, err := b.beside(context.Background(), f, compile.Args{"v": compile.Table{Source: src}}, cluster.Auto)
		if refusal != "" {
			if err == nil || !strings.Contains(err.Error(), refusal) {
				t.Errorf("%q: %v", name, err)
			}
			continue
		}
		if err == nil {
			err = same(want, got)
		}
		if err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}
