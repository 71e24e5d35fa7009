package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// burning takes minutes: one outer index is a leaf of 4096 rows, which takes seconds and
// cannot be cut.
const burning = `fn burn(v: &[f64; N] @ Cluster) -> f64 @ RAM {
    v.map(|x| { let mut a = x; for _ in 0..2_000_000 { a = a * 0.9999 + 0.5; } a }).sum()
}
`

// another is one more client of the bed's cluster.
func (b *bed) another(t *testing.T, number catalog.Peer) *cluster.Cluster {
	t.Helper()
	c, err := cluster.Connect(t.Context(), cluster.Config{Control: b.Control, Self: catalog.FirstClient + number,
		Dial: func(self catalog.Peer, _ func(catalog.Peer) (string, bool), h transport.Handler) (transport.Transport, error) {
			return b.Network.Join(self, h)
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("closing a client: %v", err)
		}
	})
	return c
}

// on runs a function beside the shards of v, as a client of its own.
func (b *bed) on(ctx context.Context, c *cluster.Cluster, f *compile.Func) (*outcome, error) {
	src, err := c.Open("v")
	if err != nil {
		return nil, err
	}
	mine := *b
	locals := *b.Locals
	locals.Client, mine.Locals = c, &locals
	return mine.beside(ctx, f, compile.Args{"v": compile.Table{Source: src}}, cluster.Ship)
}

// soon is how long anything small may take beside work that takes minutes, on a machine
// that has other things to do.
const soon = 10 * time.Second

func within(t *testing.T, what string, f func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	start := time.Now()
	if err := f(ctx); err != nil {
		t.Fatalf("%s, after %v: %v", what, time.Since(start), err)
	}
	t.Logf("%s: %v", what, time.Since(start))
}

// Six long maps of one client leave another one its part, at once: a fold, a status, a
// kernel that nobody knows, a cancellation.
func TestLongMapsOfAnother(t *testing.T) {
	b := newBed(t, 1)
	const rows = 1 << 16
	xs := make([]float64, rows)
	for i := range xs {
		xs[i] = float64(i % 7)
	}
	if err := b.load(data.FromSlice(xs), "v", cluster.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	long, fold := compiled(t, diag.NewSource("burn.gw", burning)), compiled(t, diag.NewSource("sum.gw", "fn total(v: &[f64; N] @ Cluster) -> f64 @ RAM { v.iter().sum() }\n"))
	greedy, modest := b.another(t, 100), b.another(t, 200)
	want, err := b.on(t.Context(), modest, fold)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var calls sync.WaitGroup
	ended := make(chan error, 6)
	for range 6 {
		calls.Go(func() {
			_, err := b.on(ctx, greedy, long)
			ended <- err
		})
	}
	defer calls.Wait()
	defer cancel()
	within(t, "maps begin", func(ctx context.Context) error {
		for {
			if r, err := report(ctx, modest); err != nil || r.Core.Jobs > 1 {
				return err
			}
		}
	})
	time.Sleep(100 * time.Millisecond)
	for range 3 {
		within(t, "a fold", func(ctx context.Context) error {
			got, err := b.on(ctx, modest, fold)
			if err != nil {
				return err
			}
			return same(want, got)
		})
	}
	within(t, "a new kernel", func(ctx context.Context) error {
		_, err := b.on(ctx, modest, compiled(t, diag.NewSource("new.gw", "fn twice(v: &[f64; N] @ Cluster) -> f64 @ RAM { v.map(|x| x * 2.0).sum() }\n")))
		return err
	})
	within(t, "a status", func(ctx context.Context) error {
		r, err := report(ctx, modest)
		if err != nil {
			return err
		}
		for _, k := range r.Core.Clients {
			if k.Peer == catalog.FirstClient+100 && k.Parcels == 6 {
				return nil
			}
		}
		return fmt.Errorf("six parcels of the greedy client are not shown: %+v", r.Core.Clients)
	})
	select {
	case err := <-ended:
		t.Fatalf("a long map ended before the test: %v", err)
	default:
	}
	cancel()
	within(t, "cancellations", func(ctx context.Context) error {
		for {
			if r, err := report(ctx, modest); err != nil || r.Core.Jobs <= 1 && r.Core.Queued == 0 {
				return err
			}
		}
	})
}

// report is that of the only node.
func report(ctx context.Context, c *cluster.Cluster) (*daemon.Report, error) {
	list, err := c.Status(ctx)
	if err != nil {
		return nil, err
	}
	if len(list) != 1 || list[0].Error != "" {
		return nil, fmt.Errorf("expected the report of one node, found %+v", list)
	}
	r := new(daemon.Report)
	return r, json.Unmarshal(list[0].Report, r)
}

// refusals counts what a client is told about what it sent.
type refusals struct {
	mu    sync.Mutex
	quota int
	other error
}

func (r *refusals) Receive(from catalog.Peer, b []byte) {
	h, _, payload, err := parcel.ReadHeader(b)
	if err != nil || h.Kind != parcel.Fail {
		return // the node asks for a kernel
	}
	f, err := parcel.ReadFailure(payload)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil && f.Reason == parcel.Busy && strings.Contains(f.Detail, "--client-parcels"):
		r.quota++
	case r.other == nil && (err != nil || f.Reason != parcel.NoCode && f.Reason != parcel.Expired):
		r.other = fmt.Errorf("node %d: %+v, %w", from, f, err)
	}
}

func (*refusals) Gone(catalog.Peer, error) {}

// A client that fills its quota is told so, and nobody else notices.
func TestGreedyClient(t *testing.T) {
	b := newBed(t, 1)
	if err := b.load(data.FromSlice(make([]float64, 1<<12)), "v", cluster.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	fold := compiled(t, diag.NewSource("sum.gw", "fn total(v: &[f64; N] @ Cluster) -> f64 @ RAM { v.iter().sum() }\n"))
	modest := b.another(t, 200)
	told := new(refusals)
	const self = catalog.FirstClient + 100
	net, err := b.Network.Join(self, told)
	if err != nil {
		t.Fatal(err)
	}
	defer net.Close()
	first, err := report(t.Context(), modest)
	if err != nil {
		t.Fatal(err)
	}
	limits, node := first.Core.Limits, modest.View().Nodes[0].Peer
	net.Know(map[catalog.Peer]string{node: ""})
	more := 500
	for i := range limits.ClientParcels + more {
		// Nobody has the kernel, so the parcels stay until they are given up.
		h := parcel.Header{Kind: parcel.Run, Hops: 1, Left: 1 << 31, Request: uint64(i + 1), Caller: self, Code: parcel.PrefixOf(kernel.Hash([]byte("no kernel")))}
		task := parcel.Task{Set: 1, Hi: 1, Operands: []parcel.Operand{{How: parcel.Out, Count: 1}}}
		err := net.Send(node, task.Append(h.Append(nil, nil)))
		for ; errors.Is(err, transport.ErrFull) && t.Context().Err() == nil; err = net.Send(node, task.Append(h.Append(nil, nil))) {
			time.Sleep(time.Millisecond)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	within(t, "quotas", func(ctx context.Context) error {
		for {
			told.mu.Lock()
			n, other := told.quota, told.other
			told.mu.Unlock()
			switch {
			case other != nil || n == more:
				return other
			case n > more || ctx.Err() != nil:
				return fmt.Errorf("%d parcels were turned away, expected %d", n, more)
			}
			time.Sleep(time.Millisecond)
		}
	})
	for range 5 {
		within(t, "a fold", func(ctx context.Context) error {
			_, err := b.on(ctx, modest, fold)
			return err
		})
	}
	last, err := report(t.Context(), modest)
	if err != nil {
		t.Fatal(err)
	}
	if n := last.Core.Refusals["busy"] - first.Core.Refusals["busy"]; n != int64(more) {
		t.Errorf("the node was busy %d times, expected only for the greedy client, %d times", n, more)
	}
	err = errors.New("the greedy client is not shown")
	for _, k := range last.Core.Clients {
		if k.Peer == self && k.Busy == int64(more) {
			err = nil
		}
	}
	if err != nil {
		t.Errorf("%v: %+v", err, last.Core.Clients)
	}
}
