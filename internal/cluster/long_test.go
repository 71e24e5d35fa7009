package cluster_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/num"
)

var long = flag.Int64("rows", 150_000, "rows of TestLongResults; the stated size is 100,000,000, which takes 12 GB and minutes")

// longs are twenty programs whose results are long arrays, what filters keep and running values.
var longs = []struct {
	name, text string
}{
	{"scaled", "fn f(v: &[f64; N]) -> [f64; N] { v.map(|x| x * 2.0 + 1.0) }"},
	{"roots", "fn f(v: &[f64; N]) -> [f64; N] { v.map(|x| (x.abs() + 1.0).sqrt()) }"},
	{"narrow", "fn f(v: &[f64; N]) -> [f32; N] { v.map(|x| x as f32) }"},
	{"signs", "fn f(v: &[f64; N]) -> [bool; N] { v.map(|x| x > 0.0) }"},
	{"pairs", "fn f(v: &[f64; N]) -> [(f64, bool); N] { v.map(|x| (x, x > 0.0)) }"},
	{"differences", "fn f(v: &[f64; N]) -> [f64; N - 1] where N >= 2 { v.window::<2>().map(|w| w[1] - w[0]) }"},
	{"rolling", "fn f(v: &[f64; N]) -> [f64; N - 9] where N >= 10 { v.window::<10>().map(|w| w.sum()) }"},
	{"softmax", "fn f(v: &[f64; N]) -> [f64; N] where N: Range<1, 1_000_000_000> { v.softmax() }"},
	{"centred", "fn f(v: &[f64; N]) -> [f64; N] where N: Range<1, 1_000_000_000> { let m = v.mean(); v.map(|x| x - m) }"},
	{"running sum", "fn f(v: &[f64; N]) -> [f64; N] { v.scan(0.0, |a, x| a + x) }"},
	{"decaying", "fn f(v: &[f64; N]) -> [f64; N] { v.scan(0.0, |a, x| a * 0.5 + x) }"},
	{"running maximum", "fn f(v: &[f64; N]) -> [f64; N] { v.scan(-1.0, |a, x| if x > a { x } else { a }) }"},
	{"none kept", "fn f(v: &[f64; N]) -> [f64; ?M <= N] { v.filter(|x| x > 99.0) }"},
	{"few kept", "fn f(v: &[f64; N]) -> [f64; ?M <= N] { v.filter(|x| x > 18.9998) }"},
	{"half kept", "fn f(v: &[f64; N]) -> [f64; ?M <= N] { v.filter(|x| x > 9.0) }"},
	{"all kept", "fn f(v: &[f64; N]) -> [f64; ?M <= N] { v.filter(|x| x > -99.0) }"},
	{"places kept", "fn f(v: &[f64; N]) -> [(i64, f64); ?M <= N] { v.enumerate().filter(|(i, x)| x > 18.9).map(|(i, x)| (i * 2, x * x)) }"},
	{"first of a map", "fn f(v: &[f64; N]) -> [f64; ?M <= N] { v.map(|x| x * x).take(1000) }"},
	{"best", "fn f(v: &[f64; N]) -> [f64; ?M <= 700] { v.top_k::<700>() }"},
	{"at the least", "fn f(v: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> { let w = v.map(|x| (x * 3.0).sqrt() / (1.0 + x * x)); w[v.argmin()] }"},
}

// TestLongResults holds twenty programs over 4 shards with 2 replicas to the same over an array of
// this machine: the same bits, no error, and about as many bytes as the rows or the result have, whichever
// is less.
func TestLongResults(t *testing.T) {
	b := newBed(t, 4)
	if *long > 1_000_000 {
		e, err := engine.New(engine.Options{Memory: 4 << 30})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		b.eng = e
	}
	src := array(num.F64, *long, nil, 1, 0)
	if err := b.load(src, "v", cluster.LoadOptions{Shards: 4, Replicas: 2}); err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	for _, l := range longs {
		start := time.Now()
		side := b.Client.Beside(cluster.Ship).Small(min(*long, 4<<20) / 4)
		if *long > 1_000_000 {
			side = b.Client.Beside(cluster.Ship)
		}
		got, err := b.agrees(l.text, src, "v", side)
		if err != nil {
			t.Errorf("%s: %v", l.name, err)
			continue
		}
		least := int64(0)
		for _, c := range got.columns {
			least += int64(len(c.Data))
		}
		// Kernels, heads, and what leaves that straddle shards take.
		most := least + least/50 + 128<<10
		if got.Bytes > most {
			t.Errorf("%s: %d bytes travelled, the result has %d:\n%s", l.name, got.Bytes, least, got.places())
		}
		fmt.Fprintf(&table, "\n%-16s %12d bytes travelled, %12d are the result, %5d parcels, %6.2f s both", l.name, got.Bytes, least, got.Parcels, time.Since(start).Seconds())
	}
	t.Logf("%d rows:%s", *long, table.String())
}
