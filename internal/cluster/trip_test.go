package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/site"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
)

// tapped is a node whose parcels are seen, and which is given parcels without a network.
type tapped struct {
	transport.Handler // the node
	transport.Transport

	mu    sync.Mutex
	walk  []byte // the last one that came
	from  catalog.Peer
	quiet bool // answers go nowhere
	sent  [][]byte
}

func (n *tapped) Receive(from catalog.Peer, b []byte) {
	if h, _, _, err := parcel.ReadHeader(b); err == nil && h.Kind == parcel.Walk {
		n.mu.Lock()
		n.walk, n.from = slices.Clone(b), from
		n.mu.Unlock()
	}
	n.Handler.Receive(from, b)
}

func (n *tapped) Send(to catalog.Peer, b []byte) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.quiet {
		n.sent = append(n.sent, b)
		return nil
	}
	return n.Transport.Send(to, b)
}

// tap starts a node and a client.
func tap(tb testing.TB, edit func(*daemon.Config)) (*bed, *tapped) {
	tb.Helper()
	n := &tapped{}
	l, err := site.LocalWith(context.Background(), 1, func(cfg *daemon.Config) {
		dial := cfg.Dial
		cfg.Dial = func(self catalog.Peer, names func(catalog.Peer) (string, bool), h transport.Handler) (transport.Transport, error) {
			n.Handler = h
			var err error
			n.Transport, err = dial(self, names, n)
			return n, err
		}
		if edit != nil {
			edit(cfg)
		}
	})
	if err != nil {
		tb.Fatal(err)
	}
	e, err := engine.New(engine.Options{Memory: 1 << 30})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := errors.Join(l.Client.Close(), l.Close(), e.Close()); err != nil {
			tb.Errorf("closing: %v", err)
		}
	})
	return &bed{Locals: l, eng: e}, n
}

// bumps is a program that adds one to starts by following the table next.
const bumps = `fn bump(next: &[idx<N>; N], starts: &[idx<N>; M], steps: u32) -> [idx<N>; M]
where N: Range<1, 1_000_000_000>, M: Range<1, 1_000_000>, steps: Range<0, 2048>
{
    starts.map(|s| {
        let mut i = s;
        for _ in 0..steps { i = next[i]; }
        i
    })
}
`

// tableOf stores the table, in two shards.
func (b *bed) bumpTable(tb testing.TB) {
	next := make([]int64, 4096)
	for i := range next {
		next[i] = (int64(i) + 1) % 4096
	}
	if err := b.load(data.FromSlice(next), "next", cluster.LoadOptions{Shards: 2, By: "rows", Replicas: 1}); err != nil {
		tb.Fatal(err)
	}
}

// bump sends n states that take so many steps, as the client does.
func (b *bed) bump(tb testing.TB, n, steps int) *outcome {
	tb.Helper()
	src, err := b.Client.Open("next")
	if err != nil {
		tb.Fatal(err)
	}
	starts := make([]int64, n)
	for i := range starts {
		starts[i] = int64(i) % 2047
	}
	f := compiled(tb, diag.NewSource("bump.gw", bumps))
	out, err := b.beside(context.Background(), f, compile.Args{"next": compile.Table{Source: src},
		"starts": compile.Table{Source: data.FromSlice(starts)}, "steps": compile.Text(fmt.Sprint(steps))}, cluster.Ship)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// BenchmarkParcel is a node's way from a parcel's bytes to its answer's.
func BenchmarkParcel(b *testing.B) {
	for _, states := range []int{1, 4096} {
		b.Run(fmt.Sprintf("states=%d", states), func(b *testing.B) {
			bed, n := tap(b, nil)
			bed.bumpTable(b)
			bed.bump(b, states, 1)
			bed.bump(b, states, 1)
			n.mu.Lock()
			n.quiet = true
			walk := n.walk
			n.mu.Unlock()
			h, _, _, err := parcel.ReadHeader(walk)
			if err != nil {
				b.Fatal(err)
			}
			request, ordinary, room := uint64(1)<<40, 0, make([]byte, 0, transport.SwiftBytes)
			for b.Loop() {
				request++
				h.Request = request
				parcel.Readdress(walk, &h)
				if _, ok := n.Handler.(transport.Swift).Swift(n.from, walk, room); !ok {
					ordinary++
					n.Handler.Receive(n.from, slices.Clone(walk))
				}
				n.sent = n.sent[:0]
			}
			b.ReportMetric(float64(ordinary)/float64(b.N), "ordinary/op")
		})
	}
}
