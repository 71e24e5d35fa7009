package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/generate"
	"github.com/godwit-run/godwit/measure"
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
		if err := generate.Flights(path, rows, 1); err != nil {
			return nil, err
		}
	}
	db, err := openDuck(ctx, c.threads)
	if err != nil {
		return nil, err
	}
	defer db.close()
	rt := godwit.NewRuntime(godwit.WithThreads(c.threads))
	defer rt.Close()
	r := &measure.Report{Bench: "table", Machine: measure.ThisMachine()}
	for _, q := range queries {
		row, err := q.row(ctx, c, path, db, rt)
		if err != nil {
			return nil, err
		}
		r.Rows = append(r.Rows, row)
	}
	return r, nil
}

// row has both answer the query, with results compared.
func (q query) row(ctx context.Context, c choices, path string, db *duck, rt *godwit.Runtime) (measure.Row, error) {
	p, err := godwit.Compile(q.source)
	if err != nil {
		return measure.Row{}, err
	}
	f, err := p.Func("")
	if err != nil {
		return measure.Row{}, err
	}
	args := godwit.Args{"f": godwit.File(path)}
	limit, err := measure.LeastMillis(ctx, f, args, path, c.threads)
	if err != nil {
		return measure.Row{}, err
	}
	pairs := 21
	if c.quick {
		pairs = 7
	}
	return measure.Contest{
		Name: fmt.Sprintf("%s, Parquet, %d threads", q.name, c.threads), Against: db.name,
		Unit: "ms", Limit: limit, Tolerance: 1e-9, Pairs: pairs,
		Ours:      measure.Call(f, args, q.read, godwit.WithRuntime(rt)),
		Reference: db.query(q.sql, path),
	}.Row(ctx)
}
