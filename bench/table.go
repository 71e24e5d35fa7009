package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data/generate"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/measure"
)

// query is a question in both languages. The answer is a list of numbers.
type query struct {
	name, source, sql string
	read              func(*godwit.Result) ([]float64, error)
}

const record = "record Flight { delay: i16, distance: i16 }\n"

var queries = []query{
	{
		name: "filtered group-by mean",
		source: record + `
fn f(f: &[Flight; N] @ Disk) -> [f64; 32] @ RAM where N: Range<0, 10_000_000_000> {
    f.filter(|r| r.delay > 15).group_by::<32>(|r| (r.distance / 100).clamp(0, 31)).mean(|r| r.delay as f64)
}`,
		sql: `SELECT k.key, g.mean FROM range(32) k(key) LEFT JOIN
(SELECT least(greatest(distance // 100, 0), 31) AS key, avg(delay) AS mean FROM read_parquet(?) WHERE delay > 15 GROUP BY 1) g
ON k.key = g.key ORDER BY 1`,
		read: func(r *godwit.Result) ([]float64, error) { return godwit.As[[]float64](r) },
	},
	{
		name: "filtered mean",
		source: record + `
fn f(f: &[Flight; N] @ Disk) -> f64 @ RAM where N: Range<0, 10_000_000_000> {
    f.filter(|r| r.delay > 15).mean(|r| r.delay as f64)
}`,
		sql: `SELECT 0, avg(delay) FROM read_parquet(?) WHERE delay > 15`,
		read: func(r *godwit.Result) ([]float64, error) {
			x, err := r.Float64()
			return []float64{x}, err
		},
	},
	{
		name: "sum of two columns",
		source: record + `
fn f(f: &[Flight; N] @ Disk) -> i64 @ RAM where N: Range<0, 10_000_000_000> {
    f.map(|r| r.delay as i64 + r.distance as i64).sum()
}`,
		sql: `SELECT 0, sum(delay + distance) FROM read_parquet(?)`,
		read: func(r *godwit.Result) ([]float64, error) {
			x, err := r.Float64()
			return []float64{x}, err
		},
	},
}

// table compares with DuckDB over a Parquet file that is in the page cache.
func table(ctx context.Context, c choices) (*measure.Report, error) {
	path := c.file
	if path == "" {
		dir, err := os.MkdirTemp("", "godwit-bench-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		rows := int64(3_000_000)
		if c.quick {
			rows = 1_000_000
		}
		path = filepath.Join(dir, "flights.parquet")
		if err := generate.Flights(context.Background(), path, rows, 1); err != nil {
			return nil, err
		}
	}
	r := &measure.Report{Bench: "table", Machine: measure.ThisMachine()}
	for _, threads := range c.numbers() {
		if err := questions(ctx, c, path, threads, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// questions asks all queries, of both sides with so many threads.
func questions(ctx context.Context, c choices, path string, threads int, r *measure.Report) error {
	db, err := openDuck(ctx, threads)
	if err != nil {
		return err
	}
	defer db.close()
	opts := []godwit.Option{godwit.WithThreads(threads)}
	if !c.wasm {
		opts = append(opts, godwit.WithCompiler("", child()...))
	}
	rt := godwit.NewRuntime(opts...)
	defer rt.Close()
	for _, q := range queries {
		c.progress(q.name + ", " + count(threads))
		row, note, err := q.row(ctx, c, path, threads, db, rt)
		if err != nil {
			return err
		}
		r.Rows, r.Notes = append(r.Rows, row), append(r.Notes, note)
	}
	row, err := decoding(ctx, c, path, threads, db)
	if err == nil {
		r.Rows = append(r.Rows, row)
	}
	return err
}

// row has both answer the query, with results compared. The note says on what our
// kernels ran.
func (q query) row(ctx context.Context, c choices, path string, threads int, db *duck, rt *godwit.Runtime) (r measure.Row, note string, err error) {
	p, err := godwit.Compile(q.source)
	if err != nil {
		return r, "", err
	}
	f, err := p.Func("")
	if err != nil {
		return r, "", err
	}
	args := godwit.Args{"f": godwit.File(path)}
	limit, err := measure.LeastMillis(ctx, f, args, path, threads)
	if err != nil {
		return r, "", err
	}
	tiers, err := warmCall(ctx, c.patience(), f, args, godwit.WithRuntime(rt))
	if err != nil {
		return r, "", err
	}
	contest := measure.Contest{
		Name: q.name + ", Parquet, " + count(threads), Against: db.name,
		Unit: "ms", Limit: limit, Tolerance: 1e-9, Pairs: c.queries(),
		Ours:      measure.Call(f, args, q.read, godwit.WithRuntime(rt)),
		Reference: db.query(q.sql, path),
	}
	r, err = contest.Row(ctx)
	return r, contest.Name + ": " + tiers, err
}

// queries is how many pairs a row of queries has.
func (c choices) queries() int {
	if c.quick {
		return 7
	}
	return 21
}

// warmCall calls a function until its first kernel, which walks over the rows, is
// native, at least twice, and no longer than wait. It says what the kernels ran
// on and how much of the last call they took.
func warmCall(ctx context.Context, wait time.Duration, f *godwit.Func, args godwit.Args, opts ...godwit.Option) (string, error) {
	start := time.Now()
	for turn := 1; ; turn++ {
		res, err := f.Call(ctx, args, opts...)
		if err != nil {
			return "", err
		}
		steps := res.Stats().Plan.Steps
		if len(steps) == 0 {
			return "", errors.New("the call had no steps")
		}
		if turn < 2 || steps[0].Tier != string(engine.Native) && time.Since(start) < wait {
			continue
		}
		var list []string
		for _, s := range steps {
			list = append(list, fmt.Sprintf("%s on %s, %.2f ms", s.Label, s.Tier, 1e3*s.Seconds))
		}
		return fmt.Sprintf("%s; of %.2f ms.", strings.Join(list, "; "), 1e3*res.Stats().Seconds), nil
	}
}
