package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/transport/memnet"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/seen"
	"github.com/godwit-run/godwit/internal/run"
)

// flows are programs whose answers are about as long as their data, or hold some of them.
var flows = map[string]string{
	"map":     "fn f(v: &[f64; N]) -> [f64; N] { v.map(|x| x * 2.0 + 1.0) }",
	"pairs":   "fn f(v: &[f64; N]) -> [f64; N - 1] where N >= 2 { v.window::<2>().map(|w| w[1] - w[0]) }",
	"softmax": "fn f(v: &[f64; N]) -> [f64; N] where N: Range<1, 1_000_000_000> { v.softmax() }",
	"kept":    "fn f(v: &[f64; N]) -> [f64; ?M <= N] { v.filter(|x| x > 3.0) }",
	"squares": "fn f(v: &[f64; N]) -> [(i64, f64); ?M <= N] { v.enumerate().filter(|(i, x)| x > 15.0).map(|(i, x)| (i * 2, x * x)) }",
	"scan":    "fn f(v: &[f64; N]) -> [f64; N] { v.scan(0.0, |a, x| a * 0.5 + x) }",
	"top":     "fn f(v: &[f64; N]) -> [f64; ?M <= 700] { v.top_k::<700>() }",
}

// answer runs a program over a table alone and over the data set, and says what came of the
// second.
func (b *bed) agrees(text string, src data.Source, set string, side *cluster.Beside) (*outcome, error) {
	f, err := compile.Check(diag.NewSource("flow.gw", text))
	if err != nil {
		return nil, err
	}
	fn, err := f.Func("f")
	if err != nil {
		return nil, err
	}
	want, err := b.run(context.Background(), fn, compile.Args{"v": compile.Table{Source: src}}, run.Options{})
	if err != nil {
		return nil, err
	}
	remote, err := b.Client.Open(set)
	if err != nil {
		return nil, err
	}
	got, err := b.run(context.Background(), fn, compile.Args{"v": compile.Table{Source: remote}}, run.Options{Beside: side})
	if err != nil {
		return nil, err
	}
	got.Stats = side.Stats()
	return got, same(want, got)
}

// TestNodeEndsAmongPieces: a node that ends in the middle of an answer, or the link to it, is
// replaced by another with the shard, and the bits stay.
func TestNodeEndsAmongPieces(t *testing.T) {
	src := array(num.F64, 100_000, nil, 1, 0)
	for name, text := range flows {
		for _, end := range []string{"crash", "cut"} {
			t.Run(name+" "+end, func(t *testing.T) {
				t.Parallel()
				b := newBed(t, 4)
				if err := b.load(src, "v", cluster.LoadOptions{Shards: 4, Replicas: 2}); err != nil {
					t.Fatal(err)
				}
				side, pieces := b.Client.Beside(cluster.Ship).Small(64<<10), 0
				side.Taken(func() {
					if pieces++; pieces != 2 {
						return
					}
					b.Network.Change(func(now time.Duration, n *memnet.Network) {
						if end == "crash" {
							n.Crash(now, 2)
							return
						}
						n.Cut(memnet.Cut{From: now, Until: now + time.Hour, A: []catalog.Peer{2}, B: []catalog.Peer{1, 3, 4, b.Client.Self()}})
					})
				})
				if _, err := b.agrees(text, src, "v", side); err != nil {
					t.Fatal(err)
				}
				if pieces < 4 {
					t.Errorf("the answer came in %d pieces, expected more", pieces)
				}
				if free := b.Client.Credit(); free != cluster.MostCredit {
					t.Errorf("%d of %d bytes of credit are left after the call", free, cluster.MostCredit)
				}
			})
		}
	}
}

// TestCreditComesBack: a call that ends in the middle leaves nothing on its way.
func TestCreditComesBack(t *testing.T) {
	b := newBed(t, 3)
	src := array(num.F64, 100_000, nil, 1, 0)
	if err := b.load(src, "v", cluster.LoadOptions{Shards: 3}); err != nil {
		t.Fatal(err)
	}
	for name, text := range flows {
		ctx, cancel := context.WithCancelCause(context.Background())
		enough := errors.New("enough")
		side := b.Client.Beside(cluster.Ship).Small(64 << 10)
		least := int64(cluster.MostCredit)
		side.Taken(func() {
			least = min(least, b.Client.Credit())
			cancel(enough)
		})
		fn := compiled(t, diag.NewSource("flow.gw", text))
		remote, err := b.Client.Open("v")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.run(ctx, fn, compile.Args{"v": compile.Table{Source: remote}}, run.Options{Beside: side}); !errors.Is(err, enough) {
			t.Errorf("%s: %v, expected %v", name, err, enough)
		}
		if free := b.Client.Credit(); free != cluster.MostCredit || least == cluster.MostCredit {
			t.Errorf("%s: of %d bytes of credit %d were left in the call and %d after it", name, cluster.MostCredit, least, free)
		}
	}
}

// TestKeptTravels: of what a filter drops nothing travels.
func TestKeptTravels(t *testing.T) {
	const rows = 600_000
	values := make([]byte, rows*8)
	for i := range int64(rows) {
		column.Put(num.F64, values, i, num.FromFloat(num.F64, float64(i%60_000)))
	}
	src := data.FromBytes("v", []data.Column{{Name: "c", Kind: num.F64, Stored: "f64"}}, rows, [][]byte{values}, nil)
	b := newBed(t, 3)
	if err := b.load(src, "v", cluster.LoadOptions{Shards: 3, By: "rows"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		least float64
		most  int64 // bytes
	}{{1e9, 4 << 10}, {59_000, 10_000*8 + 8<<10}, {-1, rows*8 + 16<<10}} {
		text := fmt.Sprintf("fn f(v: &[f64; N]) -> [f64; ?M <= N] { v.filter(|x| x > %.1f) }", c.least)
		got, err := b.agrees(text, src, "v", b.Client.Beside(cluster.Ship))
		if err != nil {
			t.Fatal(err)
		}
		if got.Bytes > c.most {
			t.Errorf("above %v: %d bytes travelled, at most %d were needed:\n%s", c.least, got.Bytes, c.most, got.places())
		}
	}
}

// TestTakenTravels: of what a filter keeps only the elements that are taken travel, at most as many from each
// shard, and shards behind those that have enough are not waited for. Whether the program faults does not
// depend on it.
func TestTakenTravels(t *testing.T) {
	const rows = 600_000
	values, wide := make([]byte, rows*8), make([]byte, rows*8)
	for i := range int64(rows) {
		column.Put(num.F64, values, i, num.FromFloat(num.F64, float64(i%5000)))
		column.Put(num.I64, wide, i, uint64(i%5000))
	}
	column.Put(num.I64, wide, rows-1, 1<<40)
	src := data.FromBytes("v", []data.Column{{Name: "c", Kind: num.F64, Stored: "f64"}}, rows, [][]byte{values}, nil)
	ints := data.FromBytes("w", []data.Column{{Name: "c", Kind: num.I64, Stored: "i64"}}, rows, [][]byte{wide}, nil)
	b := newBed(t, 3)
	for name, s := range map[string]data.Source{"v": src, "w": ints} {
		if err := b.load(s, name, cluster.LoadOptions{Shards: 3, By: "rows"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		text  string
		set   string
		first bool // only the first are asked for
		most  int64
	}{
		{"fn f(v: &[f64; N]) -> [f64; ?M <= 10] { v.filter(|x| x > 4000.0).take(10) }", "v", true, 3*10*8 + 3<<10},
		{"fn f(v: &[f64; N]) -> [f64; ?M <= N] { v.filter(|x| x > 4990.0).take(100) }", "v", true, 3*100*8 + 3<<10},
		{"fn f(v: &[f64; N]) -> [f64; ?M <= N] { v.filter(|x| x > 4998.0).take(1000) }", "v", true, 3*1000*8 + 3<<10},
		{"fn f(v: &[f64; N]) -> [f64; ?M <= N] { v.filter(|x| x > 1.0).take(0) }", "v", true, 1 << 10},
		{"fn f(v: &[f64; N]) -> (i64, f64) { let k = v.filter(|x| x > 4990.0).take(100); let n = k.len(); (n as i64, k.sum()) }", "v", true, 3*100*8 + 3<<10},
		// How many are kept is asked for.
		{"fn f(v: &[f64; N]) -> (i64, f64) { let k = v.filter(|x| x > 4990.0); (k.len() as i64, k.take(100).sum()) }", "v", false, 1 << 30},
		// The last element faults.
		{"fn f(v: &[i64; N]) -> [i64; ?M <= N] { v.filter(|x| 10 / (x - 1099511627776) == 0).take(10) }", "w", false, 1 << 30},
	} {
		s := src
		if c.set == "w" {
			s = ints
		}
		for _, small := range []int64{0, 4 << 10} {
			got, err := b.agrees(c.text, s, c.set, b.Client.Beside(cluster.Ship).Small(small))
			if err != nil {
				t.Fatalf("%s: %v", c.text, err)
			}
			if first := strings.Contains(got.places(), "the first "); first != c.first || small == 0 && got.Bytes > c.most {
				t.Errorf("%s: %d bytes travelled, at most %d were needed:\n%s", c.text, got.Bytes, c.most, got.places())
			}
		}
	}
	// A value that the declared type cannot hold is an error, wherever it lies.
	remote, err := b.Client.Open("w")
	if err != nil {
		t.Fatal(err)
	}
	f := compiled(t, diag.NewSource("narrow.gw", "fn f(v: &[i16; N]) -> [i16; ?M <= N] { v.filter(|x| x > 4000).take(10) }"))
	if _, err := b.run(context.Background(), f, compile.Args{"v": compile.Table{Source: remote}}, run.Options{Beside: b.Client.Beside(cluster.Ship)}); err == nil {
		t.Error("the last element does not fit i16, and nobody said so")
	}
}

// TestOneRowOfEachShard: tables of groups that give the same in any order come back as one of each shard, wherever shards begin; and so they do from a
// replica when a node ends meanwhile.
func TestOneRowOfEachShard(t *testing.T) {
	const rows, groups, shards = 5_000_000, 40_000, 4 // the first shard has five leaves
	const text = "fn f(v: &[i64; N]) -> [i64; 40_000] where N: Range<0, 1_000_000_000> { v.group_by::<40_000>(|x| (x % 40_000 + 40_000) % 40_000).agg(|g| g.sum(|x| x)) }"
	src := array(num.I64, rows, nil, 1, 1<<40)
	for _, end := range []bool{false, true} {
		b := newBed(t, shards)
		if err := b.load(src, "v", cluster.LoadOptions{Shards: shards, Replicas: 2}); err != nil {
			t.Fatal(err)
		}
		side := b.Client.Beside(cluster.Ship)
		if end {
			pieces := 0
			side.Taken(func() {
				if pieces++; pieces == 1 {
					b.crash(1)
					b.end(t, 1)
				}
			})
		}
		got, err := b.agrees(text, src, "v", side)
		if err != nil {
			t.Fatal(err)
		}
		if most := int64((shards + 1) * groups * 16); !end && got.Bytes > most {
			t.Errorf("%d bytes travel, expected %d tables of %d\n%s", got.Bytes, shards, groups*16, got.places())
		}
	}
}

// TestLeavesInTurn: a leaf that lies on several shards has its tables go from one to the next, those of no other leaf, and nowhere before it begins.
func TestLeavesInTurn(t *testing.T) {
	const rows, groups, shards = 3_000_000, 10_000, 5 // leaves of 1,048,576 rows, shards of 600,000
	const text = "fn f(v: &[f64; N]) -> [f64; 10_000] where N: Range<0, 1_000_000_000> { v.enumerate().group_by::<10_000>(|(i, _)| (i as i64 * 7919) % 10_000).agg(|g| g.sum(|(_, x)| x)) }"
	src := array(num.F64, rows, nil, 1, 1)
	for _, end := range []bool{false, true} {
		b := newBed(t, shards)
		if err := b.load(src, "v", cluster.LoadOptions{Shards: shards, Replicas: 2, By: "rows"}); err != nil {
			t.Fatal(err)
		}
		side := b.Client.Beside(cluster.Ship)
		if end {
			pieces := 0
			side.Taken(func() {
				if pieces++; pieces == 3 {
					b.crash(2)
					b.end(t, 2)
				}
			})
		}
		got, err := b.agrees(text, src, "v", side)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got.places(), "in turn: beside 5 shards") {
			t.Fatalf("it did not run in turn:\n%s", got.places())
		}
		// Five shards and two leaves that begin within one make seven pieces, and three are the first of a leaf.
		if most := int64(7+4+1) * groups * 8; !end && got.Bytes > most {
			t.Errorf("%d bytes travel, expected no more than %d\n%s", got.Bytes, most, got.places())
		}
		if end {
			continue
		}
		const took = 77e9 // ns
		later := b.Client.Beside(cluster.Auto)
		later.Seen = seen.New("")
		for _, l := range got.launches {
			for range 3 { // what is so far from what the code says is believed when it has come again
				later.Seen.Note(seen.OfWay(l.Hash, "ship", run.Threads(0)), seen.Point{Sizes: l.Sizes}, took)
			}
		}
		if _, err = b.agrees(text, src, "v", later); err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(later.Foreseen(), func(f cluster.Foreseen) bool { return math.Abs(f.Ways[plan.Ship].P50/took-1) < 0.01 }) {
			t.Errorf("what it took in turn is not what is expected: %+v", later.Foreseen())
		}
	}
}
