package cluster_test

import (
	"context"
	"math"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/run"
)

// TestForeseenBytes: what is expected to travel if a launch goes to its rows is what travels then, be it what outer indices write, rows that nodes combine
// in aligned blocks as long as a piece, or rows that they combine in any order.
func TestForeseenBytes(t *testing.T) {
	const rows, leaf = 1 << 20, 1 << 16
	values := make([]byte, rows*4)
	for i := range int64(rows) {
		column.Put(num.I32, values, i, uint64(i*7919%1_000_003))
	}
	src := data.FromBytes("v", []data.Column{{Name: "c", Kind: num.I32, Stored: "i32"}}, rows, [][]byte{values}, nil)
	b := newBed(t, 3)
	remote := map[string]data.Source{}
	for name, opt := range map[string]cluster.LoadOptions{"even": {Shards: 4, By: "blocks"}, "three": {Shards: 3, By: "rows"}, "seven": {Shards: 7, By: "rows"}} {
		if err := b.load(src, name, opt); err != nil {
			t.Fatal(err)
		}
		var err error
		if remote[name], err = b.Client.Open(name); err != nil {
			t.Fatal(err)
		}
	}
	const head, ranged = "fn f(v: &[i32; N]) -> ", " where N: Range<1, 1_000_000_000> "
	for _, c := range []struct {
		name, set, text string
		here            float64 // bytes of rows that come here, from files that lie here, too
	}{
		{"as many elements as rows", "even", head + "[f64; N]" + ranged + "{ v.map(|x| x as f64) }", 0},
		{"short elements, many to a piece", "even", head + "[bool; N]" + ranged + "{ v.map(|x| x > 1000) }", 0},
		{"tables in the canonical order", "even", head + "[f64; 4096]" + ranged + "{ v.group_by::<4096>(|x| x.clamp(0, 4095)).sum(|x| x as f64) }", 0},
		{"small tables", "even", head + "[i64; 512]" + ranged + "{ v.group_by::<512>(|x| x.clamp(0, 511)).sum(|x| x as i64) }", 0},
		{"tables", "even", head + "[i64; 4096]" + ranged + "{ v.group_by::<4096>(|x| x.clamp(0, 4095)).sum(|x| x as i64) }", 0},
		{"small tables of blocks that no shard begins with", "three", head + "[i64; 512]" + ranged + "{ v.group_by::<512>(|x| x.clamp(0, 511)).sum(|x| x as i64) }", 2 * leaf * 4},
		{"tables of blocks that no shard begins with", "seven", head + "[i64; 4096]" + ranged + "{ v.group_by::<4096>(|x| x.clamp(0, 4095)).sum(|x| x as i64) }", 6 * leaf / 4 * 4},
	} {
		f := compiled(t, diag.NewSource("f.gw", c.text))
		side := b.Client.Beside(cluster.Auto).Small(16 << 10).Doubt(func(w *plan.Ways) { w[plan.Fetch] = w[plan.Fetch].Times(1e9) })
		if _, err := b.run(context.Background(), f, compile.Args{"v": compile.Table{Source: remote[c.set]}}, run.Options{Beside: side}); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		expected := -c.here
		for _, f := range side.Foreseen() {
			expected += f.Shipped().Bytes
		}
		s := side.Stats()
		if travelled := float64(s.Bytes); math.Abs(expected-travelled) > travelled/20 {
			t.Errorf("%s: %.0f bytes are expected to travel, %.0f did, in %d parcels", c.name, expected, travelled, s.Parcels)
		}
	}
}
