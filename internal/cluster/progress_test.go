package cluster_test

import (
	"context"
	"slices"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

// Who watches a run over a data set is told of shards as they are done, and gets the same bits.
func TestRunIsWatched(t *testing.T) {
	const rows = 1 << 20
	b := newBed(t, 3)
	src := array(num.F64, rows, nil, 1, 0)
	if err := b.load(src, "x", cluster.LoadOptions{Shards: 8}); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{
		"fn f(v: &[f64; N]) -> f64 { v.map(|x| x * 0.5).sum() }",
		"fn f(v: &[f64; N]) -> [f64; N] { v.scan(1.0, |a, x| a * 0.5 + x) }",
	} {
		f := compiled(t, diag.NewSource("f.gw", program))
		want, err := b.run(context.Background(), f, compile.Args{"v": compile.Table{Source: src}}, run.Options{})
		if err != nil {
			t.Fatal(err)
		}
		remote, err := b.Client.Open("x")
		if err != nil {
			t.Fatal(err)
		}
		var told []int64
		side := b.Client.Beside(cluster.Ship)
		got, err := b.run(context.Background(), f, compile.Args{"v": compile.Table{Source: remote}}, run.Options{Beside: side, Progress: func(done, total int64) {
			if total != rows {
				t.Errorf("%d rows in all, %d were expected", total, rows)
			}
			told = append(told, done)
		}})
		if err == nil {
			err = same(want, got)
		}
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(told, func(n int64) bool { return n > 0 && n < rows }) || told[len(told)-1] != rows {
			t.Errorf("%s: told of %d\n%v", program, told, side.Stats().Places)
		}
	}
}
