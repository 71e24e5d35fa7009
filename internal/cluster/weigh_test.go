package cluster_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
	"github.com/godwit-run/godwit/internal/run"
)

// TestCheaper: the same program goes to its rows or has them come here, whichever takes less time over the way that
// there is, and gives the same bits.
func TestCheaper(t *testing.T) {
	const rows = 1 << 20
	values := make([]byte, rows*4)
	for i := range int64(rows) {
		column.Put(num.F32, values, i, num.FromFloat(num.F32, float64(i%997)/997))
	}
	src := data.FromBytes("v", []data.Column{{Name: "c", Kind: num.F32, Stored: "f32"}}, rows, [][]byte{values}, nil)
	b := newBed(t, 3)
	if err := b.load(src, "v", cluster.LoadOptions{Shards: 3, By: "blocks"}); err != nil {
		t.Fatal(err)
	}
	way := func(trip, byte float64) machine.Link {
		return machine.Link{RoundTrip: machine.Exactly(trip), Byte: machine.Exactly(byte), Parcel: machine.Exactly(20_000)}
	}
	usual, slow, instant := way(200_000, 1), way(200_000, 100), way(1000, 1e-6)
	const ranged = "where N: Range<1, 1_000_000_000>"
	for _, c := range []struct {
		name, text string
		link       machine.Link
		fetched    bool
	}{
		{"a number comes back", "fn f(v: &[f32; N]) -> f32 " + ranged + " { v.sum() }", usual, false},
		{"twice as many bytes come back as there are", "fn f(v: &[f32; N]) -> [f64; N] " + ranged + " { v.map(|x| x as f64) }", usual, true},
		{"half as many bytes come back", "fn f(v: &[f32; N]) -> [u16; N] " + ranged + " { v.map(|x| (x * 100.0) as u16) }", slow, false},
		{"many turns over a fast way", "fn f(v: &[f32; N]) -> f32 " + ranged + " { let mut c = 0.5; for _ in 0..40 { c = v.map(|x| x * c).sum() / 1_000_000.0; } c }", usual, true},
		{"two turns over a slow way", "fn f(v: &[f32; N]) -> f32 " + ranged + " { let mut c = 0.5; for _ in 0..2 { c = v.map(|x| x * c).sum() / 1_000_000.0; } c }", slow, false},
		{"a way that takes no time", "fn f(v: &[f32; N]) -> [f32; N] " + ranged + " { v.map(|x| x + 1.0) }", instant, true},
	} {
		b.Client.Linked(c.link)
		got, err := b.agrees(c.text, src, "v", b.Client.Beside(cluster.Auto))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if fetched := strings.Contains(got.places(), "rows are fetched: expected"); fetched != c.fetched {
			t.Errorf("%s: rows fetched: %v, expected %v:\n%s", c.name, fetched, c.fetched, got.places())
		}
	}
}

// TestGivenMachine: where a machine is given, its links decide, whatever is known of these.
func TestGivenMachine(t *testing.T) {
	values := make([]byte, 4*100_000)
	src := data.FromBytes("v", []data.Column{{Name: "c", Kind: num.F32, Stored: "f32"}}, 100_000, [][]byte{values}, nil)
	b := newBed(t, 2)
	if err := b.load(src, "v", cluster.LoadOptions{Shards: 2, By: "blocks"}); err != nil {
		t.Fatal(err)
	}
	way := func(trip, byte float64) machine.Link {
		return machine.Link{RoundTrip: machine.Exactly(trip), Byte: machine.Exactly(byte), Parcel: machine.Exactly(20_000)}
	}
	slow, instant := way(200_000, 1000), way(1000, 1e-6)
	for _, c := range []struct {
		known, given machine.Link
		fetched      bool
	}{{slow, instant, true}, {instant, slow, false}} {
		b.Client.Linked(c.known)
		given := *machine.Default()
		given.Link = c.given
		beside := b.Client.Beside(cluster.Auto)
		beside.Machine = &given
		got, err := b.agrees("fn f(v: &[f32; N]) -> f32 where N: Range<1, 1_000_000_000> { let mut c = 0.5; for _ in 0..9 { c = v.map(|x| x * c).sum() / 1_000_000.0; } c }", src, "v", beside)
		if err != nil {
			t.Fatal(err)
		}
		if fetched := strings.Contains(got.places(), "rows are fetched: expected"); fetched != c.fetched {
			t.Errorf("rows fetched: %v, expected %v:\n%s", fetched, c.fetched, got.places())
		}
	}
}

// TestLinkIsMeasured: where both ways may be the cheaper one, the way to the nodes is measured before the first launch.
func TestLinkIsMeasured(t *testing.T) {
	const rows = 1 << 19
	src := data.FromBytes("v", []data.Column{{Name: "c", Kind: num.F32, Stored: "f32"}}, rows, [][]byte{make([]byte, rows*4)}, nil)
	b := newBed(t, 2)
	if err := b.load(src, "v", cluster.LoadOptions{Shards: 2, By: "blocks"}); err != nil {
		t.Fatal(err)
	}
	if _, lately := b.Client.Link(); lately {
		t.Fatal("the way was measured before anything was asked")
	}
	if _, err := b.agrees("fn f(v: &[f32; N]) -> [f32; N] where N: Range<1, 1_000_000_000> { v.map(|x| x + 1.0) }", src, "v", b.Client.Beside(cluster.Auto)); err != nil {
		t.Fatal(err)
	}
	l, lately := b.Client.Link()
	if !lately || !(l.RoundTrip.P10 > 0 && l.RoundTrip.P10 <= l.RoundTrip.P90 && l.Byte.P50 > 0) || l.Byte == machine.Default().Link.Byte {
		t.Errorf("measured %v: %+v", lately, l)
	}
}

// TestSilentNodesAreAskedOnce: a measurement that fails counts as one, so that calls do not wait for silent nodes again and again.
func TestSilentNodesAreAskedOnce(t *testing.T) {
	const rows = 1 << 19
	src := data.FromBytes("v", []data.Column{{Name: "c", Kind: num.F32, Stored: "f32"}}, rows, [][]byte{make([]byte, rows*4)}, nil)
	b := newBed(t, 2)
	if err := b.load(src, "v", cluster.LoadOptions{Shards: 2, By: "blocks"}); err != nil {
		t.Fatal(err)
	}
	b.crash(2)
	f := compiled(t, diag.NewSource("f.gw", "fn f(v: &[f32; N]) -> [f32; N] where N: Range<1, 1_000_000_000> { v.map(|x| x + 1.0) }"))
	remote, err := b.Client.Open("v")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Second)
	defer cancel()
	if _, err := b.beside(ctx, f, compile.Args{"v": compile.Table{Source: remote}}, cluster.Auto); err == nil {
		t.Fatal("silent nodes answered")
	}
	if l, lately := b.Client.Link(); !lately || l != machine.Default().Link {
		t.Errorf("measured %v: %+v", lately, l)
	}
}

// TestLoopsInOrder: a loop that walks through a data set forwards, backwards or by elements apart is not brought one element after the
// other, which would take a round trip each.
func TestLoopsInOrder(t *testing.T) {
	const rows = 60_000
	values := make([]byte, rows*8)
	for i := range int64(rows) {
		column.Put(num.I64, values, i, uint64(i*7919%rows))
	}
	src := data.FromBytes("v", []data.Column{{Name: "c", Kind: num.I64, Stored: "i64"}}, rows, [][]byte{values}, nil)
	b := newBed(t, 3)
	if err := b.load(src, "v", cluster.LoadOptions{Shards: 3, By: "blocks"}); err != nil {
		t.Fatal(err)
	}
	const head = "fn f(v: &[i64; N]) -> i64 where N: Range<1, 1_000_000_000> { let mut s = 0; for i in 0..N { s = (s * 31 + v[%s]) %% 1_000_003; } s }"
	for _, at := range []string{"i", "N - 1 - i", "((i as i64) * 7).wrap_idx()"} {
		got, err := b.agrees(fmt.Sprintf(head, at), src, "v", b.Client.Beside(cluster.Auto))
		if err != nil {
			t.Fatalf("v[%s]: %v", at, err)
		}
		if strings.Contains(got.places(), "are brought their rows") {
			t.Errorf("v[%s]: %s", at, got.places())
		}
	}
}

// What nodes were quick at does not say that this process is, which has no native code of the kernel: the way there counts as it was, the rows here as
// they are expected. What nodes were slow at tells of both.
func TestQuickElsewhere(t *testing.T) {
	const rows = 1 << 20
	src := data.FromBytes("v", []data.Column{{Name: "c", Kind: num.F32, Stored: "f32"}}, rows, [][]byte{make([]byte, 4*rows)}, nil)
	b := newBed(t, 2)
	if err := b.load(src, "v", cluster.LoadOptions{Shards: 2}); err != nil {
		t.Fatal(err)
	}
	b.Client.Linked(machine.Link{RoundTrip: machine.Exactly(200_000), Byte: machine.Exactly(1), Parcel: machine.Exactly(20_000)})
	const text = "fn f(v: &[f32; N]) -> f32 where N: Range<1, 1_000_000_000> { v.sum() }"
	expected := func(known *seen.Memory) (plan.Ways, run.LaunchStats) {
		b.Client.Forget()
		beside := b.Client.Beside(cluster.Auto)
		beside.Seen = known
		got, err := b.agrees(text, src, "v", beside)
		if err != nil {
			t.Fatal(err)
		}
		return beside.Foreseen()[0].Ways, got.launches[0]
	}
	cold, launch := expected(nil)
	for _, by := range []float64{1. / 64, 64} {
		known := seen.New("")
		for range 9 {
			known.Note(seen.OfWay(launch.Hash, "ship", runtime.GOMAXPROCS(0)), seen.Point{Sizes: launch.Sizes}, cold[plan.Ship].P50*by)
		}
		warm, _ := expected(known)
		if r := warm[plan.Ship].P50 / cold[plan.Ship].P50 / by; r < 0.5 || r > 2 {
			t.Errorf("ship took %v of what was expected: %v of that is", by, r)
		}
		if r := warm[plan.Fetch].P50 / cold[plan.Fetch].P50; r < 0.99 || (by > 1) != (r > 2) {
			t.Errorf("ship took %v of what was expected: fetch is expected to take %v", by, r)
		}
	}
}
