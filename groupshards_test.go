package godwit_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data/generate"
)

// shardGroups are groups of the table of generate.Groups. turn says that a leaf of floats goes from shard to shard.
var shardGroups = []struct {
	name, typ, body string
	turn            bool
}{
	{name: "few numbers", typ: "(i64, i64, f64)", body: "x.group_by(|r| r.id4).agg(|g| (g.key(), g.sum(|r| r.v1), g.mean(|r| r.v3)))", turn: true},
	{name: "numbers", typ: "(i64, i64, f64, i64)", body: "x.group_by(|r| r.id6).agg(|g| (g.key(), g.sum(|r| r.v1), g.sum(|r| r.v3), g.max(|r| r.v2)))", turn: true},
	{name: "negative numbers", typ: "(i64, f64)", body: "x.group_by(|r| -7 * r.id6).agg(|g| (g.key(), g.mean(|r| r.v3)))", turn: true},
	{name: "two numbers", typ: "((i64, i64), i64, i64)", body: "x.group_by(|r| (r.id4, r.id5)).agg(|g| (g.key(), g.count(), g.min(|r| r.v1)))", turn: true},
	{name: "text and number", typ: "((Str, i64), f64)", body: "x.group_by(|r| (r.id2, r.id4)).agg(|g| (g.key(), g.sum(|r| r.v3)))", turn: true},
	{name: "filtered", typ: "(i64, f64)", body: "x.filter(|r| r.v2 > 7).group_by(|r| r.id6).agg(|g| (g.key(), g.sum(|r| r.v3)))"},
	{name: "deviations", typ: "(i64, f64, f64)", body: "x.group_by(|r| r.id4).agg(|g| (g.key(), g.stddev_samp(|r| r.v3), g.var_pop(|r| r.v1)))", turn: true},
	{name: "none", typ: "(i64, f64)", body: "x.filter(|r| r.v2 > 99).group_by(|r| r.id6).agg(|g| (g.key(), g.sum(|r| r.v3)))"},
	{name: "far apart", typ: "(i64, i64)", body: "x.group_by(|r| r.id6 *% 7_046_029_254_386_353_131).agg(|g| (g.key(), g.sum(|r| r.v1)))"},
	{name: "distinct", typ: "i64", body: "x.distinct(|r| r.id6).map(|r| r.id6)"},
}

// TestGroupShards: groups by keys that nobody knows have the same bytes beside four shards as here, and no row
// comes here where code is to go there.
func TestGroupShards(t *testing.T) {
	path := filepath.Join(t.TempDir(), "groups.parquet")
	if err := generate.Groups(t.Context(), path, 300_000, 100, 7); err != nil {
		t.Fatal(err)
	}
	c := started(t, 4)
	stored(t, c, path, "groups", godwit.LoadOptions{})
	for _, q := range shardGroups {
		t.Run(q.name, func(t *testing.T) {
			p, err := godwit.Compile("record Row { id1: Str, id2: Str, id3: Str, id4: i64, id5: i64, id6: i64, v1: i64, v2: i64, v3: f64 }\nfn f(x: &[Row; N]) -> [" + q.typ + "] { " + q.body + " }")
			if err != nil {
				t.Fatal(err)
			}
			f, err := p.Func("f")
			if err != nil {
				t.Fatal(err)
			}
			want, _ := answered(t, f, godwit.Args{"x": godwit.File(path)})
			for _, s := range []godwit.Strategy{godwit.Auto, godwit.Ship, godwit.Fetch} {
				got, stats := answered(t, f, godwit.Args{"x": godwit.DataSet("groups")}, godwit.WithCluster(c), godwit.WithStrategy(s))
				if !bytes.Equal(got, want) {
					t.Errorf("%s: %d bytes that differ from %d here", s, len(got), len(want))
				}
				if s != godwit.Ship {
					continue
				}
				places := strings.Join(stats.Travel.Places, "\n")
				if stats.BytesRead > 0 {
					t.Errorf("%d bytes are read here:\n%s", stats.BytesRead, places)
				}
				if strings.Contains(places, "in turn") != q.turn {
					t.Errorf("leaves that go from shard to shard are expected: %t\n%s", q.turn, places)
				}
			}
		})
	}
}

// answered is what a function gives, as a file.
func answered(t *testing.T, f *godwit.Func, args godwit.Args, opts ...godwit.Option) ([]byte, godwit.Stats) {
	t.Helper()
	r, err := f.Call(t.Context(), args, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out := filepath.Join(t.TempDir(), "answer.arrow")
	if err := r.WriteFile(out); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b, r.Stats()
}
