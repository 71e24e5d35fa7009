package cluster_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/generate"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

// array is a table with one seeded column; of integers, below limit.
func array(k num.Kind, rows int64, dims []int64, seed, limit uint64) data.Source {
	n := rows
	for _, d := range dims {
		n *= d
	}
	r := generate.NewRandom(seed)
	b := make([]byte, n*int64(k.Size()))
	for i := range n {
		bits := r.Next() % max(limit, 1)
		if k.IsFloat() {
			bits = num.FromFloat(k, 20*r.Float()-1)
		}
		column.Put(k, b, i, bits)
	}
	return data.FromBytes("array", []data.Column{{Name: "c", Kind: k, Stored: k.String(), Dims: dims}}, rows, [][]byte{b}, nil)
}

// larger are examples over arrays of which whole leaves lie inside of shards:
// 4096 rows, and 65,536 where elements have keys.
var larger = []struct {
	program string
	sets    map[string]data.Source
	others  compile.Args
	places  []string // words that tell where launches ran
}{
	{"sum/slice.gw", map[string]data.Source{"v": array(num.F32, 2_000_000, nil, 1, 0)}, nil, []string{"beside 3 shards"}},
	{"flights/mean_delay.gw", nil, nil, []string{"beside 3 shards"}},
	{"histogram/quantiles.gw", map[string]data.Source{"x": array(num.F64, 700_000, nil, 2, 0)}, compile.Args{"lo": compile.Text("0.0"), "hi": compile.Text("19.0")}, []string{"beside 3 shards"}},
	{"kmeans/kmeans.gw", map[string]data.Source{"x": array(num.F32, 400_000, []int64{2}, 3, 0)}, compile.Args{"c0": compile.Text("[[0.0, 1.0], [5.0, 6.0], [9.0, 2.0]]")}, []string{"beside 3 shards"}},
	{"welch/welch.gw", map[string]data.Source{"a": array(num.F64, 300_000, nil, 4, 0), "b": array(num.F64, 200_001, nil, 5, 0)}, nil, []string{"beside 3 shards"}},
	{"topk/moves.gw", map[string]data.Source{"close": array(num.F64, 900_000, nil, 6, 0)}, nil, []string{"beside 3 shards"}},
	{"rolling/rolling.gw", map[string]data.Source{"close": array(num.F64, 300_000, nil, 7, 0)}, nil, []string{"beside 3 shards"}},
	{"neighbours/nearest.gw", map[string]data.Source{"stored": array(num.F32, 300_000, []int64{4}, 8, 0)}, compile.Args{"query": compile.Text("[1.0, 2.0, 3.0, 4.0]")}, []string{"beside 3 shards"}},
	{"decode/step.gw", map[string]data.Source{"w": array(num.F32, 200_000, []int64{8}, 9, 0)}, compile.Args{"hidden": compile.Text("[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]")}, []string{"beside 3 shards"}},
	{"search/search.gw", map[string]data.Source{"keys": array(num.I64, 300_000, nil, 10, 1<<40)}, compile.Args{"queries": compile.Text("[1, 500000000, 12345678912]")}, []string{"states move among the 3 shards"}},
	{"wordnet/ancestor.gw", map[string]data.Source{"parent": array(num.I64, 500_000, nil, 11, 500_000)}, compile.Args{"start": compile.Text("77"), "steps": compile.Text("300")}, []string{"states move among the 3 shards"}},
	{"pagerank/pagerank.gw", map[string]data.Source{"src": array(num.I64, 300_000, nil, 12, 500), "off": array(num.I64, 501, nil, 13, 300_001)}, compile.Args{"steps": compile.Text("3")}, []string{"beside 3 shards"}},
}

// TestLarger runs the examples over larger arrays, where most pieces run beside
// shards, and compares bits with this machine alone.
func TestLarger(t *testing.T) {
	flights := filepath.Join(t.TempDir(), "flights.parquet")
	if err := generate.Flights(t.Context(), flights, 500_000, 1); err != nil {
		t.Fatal(err)
	}
	src, err := data.Open(flights)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	b := newBed(t, 3)
	for _, l := range larger {
		if l.sets == nil {
			l.sets = map[string]data.Source{"f": src}
		}
		t.Run(l.program, func(t *testing.T) {
			sources, err := compile.Read(filepath.Join("../../examples", l.program))
			if err != nil {
				t.Fatal(err)
			}
			f := compiled(t, sources...)
			args := compile.Args{}
			maps.Copy(args, l.others)
			for name, src := range l.sets {
				args[name] = compile.Table{Source: src}
			}
			want, err := b.run(context.Background(), f, args, run.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, by := range []string{"blocks", "rows"} {
				for name, src := range l.sets {
					set := fmt.Sprint("s", name)
					if err := b.load(src, set, cluster.LoadOptions{Shards: 3, By: by, Replace: true}); err != nil {
						t.Fatal(err)
					}
					remote, err := b.Client.Open(set)
					if err != nil {
						t.Fatal(err)
					}
					args[name] = compile.Table{Source: remote}
				}
				for _, s := range []cluster.Strategy{cluster.Ship, cluster.Auto, cluster.Gather} {
					got, err := b.beside(context.Background(), f, args, s)
					if err == nil {
						err = same(want, got)
					}
					if err != nil {
						t.Fatalf("%s, %s: %v", by, s, err)
					}
					if s != cluster.Ship {
						continue // auto goes the way that is cheaper
					}
					for _, words := range l.places {
						if !slices.ContainsFunc(got.Places, func(p string) bool { return strings.Contains(p, words) }) {
							t.Errorf("%s, %s: no launch ran %q:\n%s", by, s, words, got.places())
						}
					}
				}
			}
		})
	}
}
