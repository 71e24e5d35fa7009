package cluster_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

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
	"github.com/godwit-run/godwit/internal/ir/num"
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

// walkOf gives the parcel that the client has sent last, and has answers go nowhere but into n.sent.
func (n *tapped) walkOf(tb testing.TB) ([]byte, *parcel.Header, *parcel.Batch) {
	tb.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.quiet, n.sent = true, nil
	walk := slices.Clone(n.walk)
	h, _, payload, err := parcel.ReadHeader(walk)
	if err != nil {
		tb.Fatal(err)
	}
	b := new(parcel.Batch)
	if err := parcel.ReadBatch(b, payload); err != nil {
		tb.Fatal(err)
	}
	return walk, &h, b
}

// ordinary has the node receive a parcel, and gives the first that it sends for it: states of the parcel before may still be on their way.
func (n *tapped) ordinary(tb testing.TB, from catalog.Peer, b []byte) []byte {
	tb.Helper()
	asked, _, _, err := parcel.ReadHeader(b)
	if err != nil {
		tb.Fatal(err)
	}
	n.mu.Lock()
	n.sent = nil
	n.mu.Unlock()
	n.Handler.Receive(from, slices.Clone(b))
	for start := time.Now(); time.Since(start) < patience; time.Sleep(100 * time.Microsecond) {
		n.mu.Lock()
		for _, sent := range n.sent {
			if h, _, _, err := parcel.ReadHeader(sent); err == nil && h.Request == asked.Request {
				n.mu.Unlock()
				return sent
			}
		}
		n.mu.Unlock()
	}
	tb.Fatal("no answer came")
	return nil
}

// What is answered at once is, but for the time that it took, the answer of the ordinary way to the last bit; and what the ordinary way refuses,
// or sends elsewhere, is not answered at once: parcels in another client's name, starts that are no rows, states that
// want another shard, requests that were cancelled, and all of them once the set is gone.
func TestAtOnce(t *testing.T) {
	for _, states := range []int{1, 3, 8} {
		bed, n := tap(t, nil)
		bed.bumpTable(t)
		for range 2 {
			bed.bump(t, states, 1)
		}
		walk, h, b := n.walkOf(t)
		swift := n.Handler.(transport.Swift)
		room := make([]byte, 0, transport.SwiftBytes)
		from := n.from
		began := make([][]byte, len(b.Values)) // walk's own bytes are b's
		for i, v := range b.Values {
			began[i] = slices.Clone(v)
		}
		quick := 0
		for i := range 2000 {
			h.Request = uint64(1)<<40 + uint64(i)
			parcel.Readdress(walk, h)
			for s := range states { // the start is where it is, and the row that it wants
				row := uint64((i*37 + s) % 3000) // of 4096 in two shards
				if i%5 > 0 {
					row = uint64((i*37 + s) % 2048)
				}
				for c, k := range b.Kinds {
					if num.Kind(k) == num.I64 && (c == 0 || c > 1 && s > 0 && binary.LittleEndian.Uint64(began[c][8*s:]) == uint64(s)) {
						binary.LittleEndian.PutUint64(b.Values[c][8*s:], row)
					}
				}
			}
			got, ok := swift.Swift(from, walk, room)
			if !ok {
				n.ordinary(t, from, walk)
				continue
			}
			quick++
			got = slices.Clone(got)
			want := n.ordinary(t, from, walk)
			if why := unlike(want, got); why != "" {
				t.Fatalf("%d states, request %d: %s", states, i, why)
			}
		}
		if quick < 200 {
			t.Errorf("%d states: %d of 2000 parcels were answered at once", states, quick)
		}
		parcel.Readdress(walk, h)
		fits := func(what string) {
			t.Helper()
			for i := range 3000 { // a recipe is made anew after a while
				h.Request = uint64(1)<<41 + uint64(i)
				parcel.Readdress(walk, h)
				if _, ok := swift.Swift(from, walk, room); ok {
					return
				}
				n.ordinary(t, from, walk)
			}
			t.Fatalf("%d states: none is answered at once %s", states, what)
		}
		for i, v := range b.Values {
			copy(v, began[i])
		}
		fits("at first")
		no := func(what string, from catalog.Peer, p []byte) {
			t.Helper()
			if _, ok := swift.Swift(from, p, room); ok {
				t.Errorf("%d states: %s was answered at once", states, what)
			}
		}
		h.Request++
		other := *h
		other.Caller++
		parcel.Readdress(walk, &other)
		no("a parcel in another client's name", from, walk)
		if r, _, _, err := parcel.ReadHeader(n.ordinary(t, from, walk)); err != nil || r.Kind != parcel.Fail {
			t.Errorf("a parcel in another client's name: %v, %v", r.Kind, err)
		}
		parcel.Readdress(walk, h)
		no("another client's parcel", from+1, walk)
		for what, at := range map[string]int{"a parcel of another kind": 0, "a parcel with a flag": 1} {
			p := slices.Clone(walk)
			p[at] ^= 3 // a Walk becomes a Run
			no(what, from, p)
		}
		copy(b.Values[0], binary.LittleEndian.AppendUint64(nil, 1<<50))
		no("a row that is not there", from, walk)
		copy(b.Values[0], binary.LittleEndian.AppendUint64(nil, 4000))
		no("a row of the other shard", from, walk)
		copy(b.Values[0], began[0])
		fits("then")
		cancel := parcel.Header{Kind: parcel.Cancel, Left: h.Left, Request: h.Request + 7, Caller: h.Caller}
		n.Handler.Receive(from, cancel.Append(nil, nil))
		h.Request += 7
		parcel.Readdress(walk, h)
		no("a request that was cancelled", from, walk)
		late := *h
		late.Request, late.Left = h.Request+1, 0
		parcel.Readdress(walk, &late)
		no("a request whose time is over", from, walk)
		n.mu.Lock()
		n.quiet = false
		n.mu.Unlock()
		if err := bed.Client.Drop(context.Background(), "next"); err != nil {
			t.Fatal(err)
		}
		for start := time.Now(); len(bed.Nodes[0].View().Sets) > 0 && time.Since(start) < patience; {
			time.Sleep(time.Millisecond)
		}
		h.Request += 2
		parcel.Readdress(walk, h)
		no("a set that is gone", from, walk)
	}
}

// unlike says how two answers differ, apart from times.
func unlike(want, got []byte) string {
	a, b := new(parcel.Answer), new(parcel.Answer)
	g, _, q, err := parcel.ReadHeader(got)
	if err != nil || parcel.ReadAnswerInto(b, q) != nil {
		return fmt.Sprintf("the answer cannot be read: %v, %x", err, got)
	}
	w, _, p, err := parcel.ReadHeader(want)
	if err != nil || parcel.ReadAnswerInto(a, p) != nil {
		return fmt.Sprintf("the ordinary answer cannot be read: %v, %x", err, want)
	}
	a.Micros, b.Micros, w.Left, g.Left = parcel.Timing{}, parcel.Timing{}, 0, 0
	if w != g || !reflect.DeepEqual(a.Columns, b.Columns) || a.States != b.States || a.Steps != b.Steps || a.Hops != b.Hops || len(a.Faults)+len(b.Faults) > 0 {
		return fmt.Sprintf("want %+v %+v, got %+v %+v", w, a, g, b)
	}
	return ""
}
