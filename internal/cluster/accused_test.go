package cluster_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/site"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/plan/watch"
)

// TestAccused: of two nodes with the same rows the one that has become slow is named, by itself and by the client, within half a minute of
// work, and the other gets the work from then on.
func TestAccused(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: it takes half a minute to find out who is slow")
	}
	t.Parallel()
	var slow atomic.Bool
	counts := [2]atomic.Int64{}
	started := 0
	l, err := site.LocalWith(t.Context(), 2, func(cfg *daemon.Config) {
		mine := started
		started++
		cfg.Slow = func() {
			counts[mine].Add(1)
			if mine == 0 && slow.Load() {
				time.Sleep(100 * time.Millisecond)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Options{Memory: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	b := &bed{Locals: l, eng: e}
	t.Cleanup(func() {
		if err := errors.Join(l.Client.Close(), l.Close(), e.Close()); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	if err := b.load(data.FromSlice(make([]float64, 1<<18)), "v", cluster.LoadOptions{Shards: 2, Replicas: 2}); err != nil {
		t.Fatal(err)
	}
	f := compiled(t, diag.NewSource("t.gw", "fn f(v: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> { v.map(|x| x.exp().sin()).sum() }"))
	call := func() {
		remote, err := b.Client.Open("v")
		if err != nil {
			t.Fatal(err)
		}
		out, err := b.beside(context.Background(), f, compile.Args{"v": compile.Table{Source: remote}}, cluster.Ship)
		if err != nil || out.away == 0 {
			t.Fatalf("%v, %d launches beside the shards", err, out.away)
		}
	}
	until := func(limit time.Duration, ready func() bool) (time.Duration, bool) {
		start := time.Now()
		for time.Since(start) < limit {
			call()
			if ready() {
				return time.Since(start), true
			}
		}
		return limit, false
	}
	until(15*time.Second, func() bool { return false }) // what is usual is learned
	named := func(list []watch.Accusation) bool {
		return slices.ContainsFunc(list, func(a watch.Accusation) bool { return a.Resource == watch.Resource{Kind: watch.Node, Name: "n1"} })
	}
	status := func() []watch.Accusation {
		nodes, err := b.Client.Status(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return cluster.AccusedOf(nodes)
	}
	if list := append(status(), b.Client.Accused()...); named(list) {
		t.Fatalf("nobody is slow yet: %+v", list)
	}
	slow.Store(true)
	slower := func(a watch.Accusation) bool { // on a busy machine it stands still first, as all do
		return a.Resource == watch.Resource{Kind: watch.Node, Name: "n1"} && !a.Stops
	}
	took, ok := until(30*time.Second, func() bool { return slices.ContainsFunc(status(), slower) })
	if !ok {
		t.Fatalf("n1 is not named after half a minute: %+v", status())
	}
	t.Logf("named after %v: %+v", took, status())
	for _, a := range status() {
		if a.Kind == watch.Node && (a.Name != "n1" || a.Factor < 1.5 || a.Pieces < 3 || time.Since(a.Since) > 40*time.Second) {
			t.Errorf("the evidence is %+v", a)
		}
	}
	if _, ok := until(15*time.Second, func() bool { return named(b.Client.Accused()) }); !ok {
		t.Fatalf("the client does not know: %+v", b.Client.Accused())
	}
	before := [2]int64{counts[0].Load(), counts[1].Load()}
	until(6*time.Second, func() bool { return false })
	if n1, n2 := counts[0].Load()-before[0], counts[1].Load()-before[1]; n1*5 > n2 {
		t.Errorf("the slow node did %d pieces more, the other %d", n1, n2)
	}
}
