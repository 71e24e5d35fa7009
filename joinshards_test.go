package godwit_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data/generate"
)

// TestJoinShards: of two data sets in one step the smaller one comes here and goes to the shards of the larger one, of which no row comes here.
func TestJoinShards(t *testing.T) {
	dir := t.TempDir()
	if err := generate.Joins(t.Context(), dir, 100_000, 7); err != nil {
		t.Fatal(err)
	}
	c := started(t, 3)
	file := func(name string) string { return filepath.Join(dir, name+".parquet") }
	for _, name := range []string{"x", "medium"} {
		stored(t, c, file(name), name, godwit.LoadOptions{})
	}
	p, err := godwit.Compile(`record Row { id2: i64, v1: f64 }
record Medium { id2: i64, id4: Str, v2: f64 }
fn f(x: &[Row; N], d: &[Medium; M]) -> [(Str, f64, i64)] {
    let by = d.index_by(|r| r.id2);
    x.join(by, |r| r.id2).group_by(|(_, b)| b.id4).agg(|g| (g.key(), g.sum(|(a, b)| a.v1 * b.v2), g.count()))
}`)
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Func("f")
	if err != nil {
		t.Fatal(err)
	}
	want, _ := answered(t, f, godwit.Args{"x": godwit.File(file("x")), "d": godwit.File(file("medium"))})
	for _, s := range []godwit.Strategy{godwit.Auto, godwit.Ship, godwit.Fetch} {
		got, stats := answered(t, f, godwit.Args{"x": godwit.DataSet("x"), "d": godwit.DataSet("medium")}, godwit.WithCluster(c), godwit.WithStrategy(s))
		if !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes that differ from %d here", s, len(got), len(want))
		}
		places := strings.Join(stats.Travel.Places, "\n")
		if gone := strings.Contains(places, "beside 3 shards of @x") && stats.BytesRead < 100_000; s == godwit.Ship && !gone {
			t.Errorf("%d bytes are read here:\n%s", stats.BytesRead, places)
		}
	}
}
