package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data/generate"
	"github.com/godwit-run/godwit/internal/measure"
)

// In: the tables of H2O.ai's db-benchmark, made by its rules. Out: its questions about groups and joins, answered from Parquet and from memory
// beside DuckDB and Polars. On all sides the whole answer is in memory in the end: a table there, a Result here. Answers are compared by their
// number of rows and the sums of their numbers, on both sides with an error that does not grow with the rows (fsum).

// problem is one question; polars is the same for Polars. sum are the numbers of a row of ours that are added up, of r; sums the same in SQL, by Kahan's summation: plain sum is off by more than the tolerance at 1e7 rows.
type problem struct {
	name, typ, body, sql, polars string
	sum                          []string
	sums                         string
	tables                       []string
}

const groupRow = "record Row { id1: Str, id2: Str, id3: Str, id4: i64, id5: i64, id6: i64, v1: i64, v2: i64, v3: f64 }\n"

var groupProblems = []problem{
	{name: "sum v1 by id1", typ: "(Str, i64)", body: "x.group_by(|r| r.id1).agg(|g| (g.key(), g.sum(|r| r.v1)))", polars: `x.group_by("id1").agg(a=pl.sum("v1"))`, sql: "SELECT id1, sum(v1) AS a FROM x GROUP BY id1", sum: []string{"r.1 as f64"}, sums: "fsum(a)"},
	{name: "sum v1 by id1, id2", typ: "((Str, Str), i64)", body: "x.group_by(|r| (r.id1, r.id2)).agg(|g| (g.key(), g.sum(|r| r.v1)))", polars: `x.group_by("id1", "id2").agg(a=pl.sum("v1"))`, sql: "SELECT id1, id2, sum(v1) AS a FROM x GROUP BY id1, id2", sum: []string{"r.1 as f64"}, sums: "fsum(a)"},
	{name: "sum v1, mean v3 by id3", typ: "(Str, i64, f64)", body: "x.group_by(|r| r.id3).agg(|g| (g.key(), g.sum(|r| r.v1), g.mean(|r| r.v3)))", polars: `x.group_by("id3").agg(a=pl.sum("v1"), b=pl.mean("v3"))`, sql: "SELECT id3, sum(v1) AS a, avg(v3) AS b FROM x GROUP BY id3", sum: []string{"r.1 as f64", "r.2"}, sums: "fsum(a), fsum(b)"},
	{name: "mean v1:v3 by id4", typ: "(i64, f64, f64, f64)", body: "x.group_by(|r| r.id4).agg(|g| (g.key(), g.mean(|r| r.v1), g.mean(|r| r.v2), g.mean(|r| r.v3)))", polars: `x.group_by("id4").agg(a=pl.mean("v1"), b=pl.mean("v2"), c=pl.mean("v3"))`, sql: "SELECT id4, avg(v1) AS a, avg(v2) AS b, avg(v3) AS c FROM x GROUP BY id4", sum: []string{"r.1", "r.2", "r.3"}, sums: "fsum(a), fsum(b), fsum(c)"},
	{name: "sum v1:v3 by id6", typ: "(i64, i64, i64, f64)", body: "x.group_by(|r| r.id6).agg(|g| (g.key(), g.sum(|r| r.v1), g.sum(|r| r.v2), g.sum(|r| r.v3)))", polars: `x.group_by("id6").agg(a=pl.sum("v1"), b=pl.sum("v2"), c=pl.sum("v3"))`, sql: "SELECT id6, sum(v1) AS a, sum(v2) AS b, sum(v3) AS c FROM x GROUP BY id6", sum: []string{"r.1 as f64", "r.2 as f64", "r.3"}, sums: "fsum(a), fsum(b), fsum(c)"},
	{name: "median v3, sd v3 by id4, id5", typ: "((i64, i64), f64, f64)", body: "x.group_by(|r| (r.id4, r.id5)).agg(|g| { let n = g.count() as f64; let m = g.mean(|r| r.v3); (g.key(), g.median(|r| r.v3), ((g.sum(|r| r.v3 * r.v3) - n * m * m) / (n - 1.0)).max(0.0).sqrt()) })", polars: `x.group_by("id4", "id5").agg(a=pl.median("v3"), b=pl.std("v3"))`, sql: "SELECT id4, id5, median(v3) AS a, stddev(v3) AS b FROM x GROUP BY id4, id5", sum: []string{"r.1", "r.2"}, sums: "fsum(a), fsum(b)"},
	{name: "max v1 - min v2 by id3", typ: "(Str, i64)", body: "x.group_by(|r| r.id3).agg(|g| (g.key(), g.max(|r| r.v1) - g.min(|r| r.v2)))", polars: `x.group_by("id3").agg(a=pl.max("v1") - pl.min("v2"))`, sql: "SELECT id3, max(v1) - min(v2) AS a FROM x GROUP BY id3", sum: []string{"r.1 as f64"}, sums: "fsum(a)"},
	{name: "largest two v3 by id6", typ: "(i64, f64)", body: "x.group_by(|r| r.id6).top_k::<2>(|r| r.v3).map(|r| (r.id6, r.v3))", polars: `x.group_by("id6").agg(v3=pl.col("v3").top_k(2)).explode("v3")`, sql: "SELECT id6, v3 FROM (SELECT id6, v3, row_number() OVER (PARTITION BY id6 ORDER BY v3 DESC) AS n FROM x) WHERE n <= 2", sum: []string{"r.1"}, sums: "fsum(v3)"},
	{name: "regression of v1, v2 by id2, id4", typ: "((Str, i64), f64)", body: `x.group_by(|r| (r.id2, r.id4)).agg(|g| {
        let n = g.count() as f64; let a = g.sum(|r| r.v1) as f64; let b = g.sum(|r| r.v2) as f64;
        let c = n * (g.sum(|r| r.v1 * r.v2) as f64) - a * b;
        (g.key(), c * c / ((n * (g.sum(|r| r.v1 * r.v1) as f64) - a * a) * (n * (g.sum(|r| r.v2 * r.v2) as f64) - b * b)))
    })`, polars: `x.group_by("id2", "id4").agg(a=pl.corr("v1", "v2") ** 2)`, sql: "SELECT id2, id4, pow(corr(v1, v2), 2) AS a FROM x GROUP BY id2, id4", sum: []string{"r.1"}, sums: "fsum(a)"},
	{name: "sum v3, count by id1:id6", typ: "((Str, Str, Str, i64, i64, i64), f64, i64)", body: "x.group_by(|r| (r.id1, r.id2, r.id3, r.id4, r.id5, r.id6)).agg(|g| (g.key(), g.sum(|r| r.v3), g.count()))", polars: `x.group_by("id1", "id2", "id3", "id4", "id5", "id6").agg(a=pl.sum("v3"), b=pl.len())`, sql: "SELECT id1, id2, id3, id4, id5, id6, sum(v3) AS a, count(*) AS b FROM x GROUP BY id1, id2, id3, id4, id5, id6", sum: []string{"r.1", "r.2 as f64"}, sums: "fsum(a), fsum(b)"},
}

const joinRows = `record Row { id1: i64, id2: i64, id3: i64, id5: Str, v1: f64 }
record Small { id1: i64, v2: f64 }
record Medium { id2: i64, id5: Str, v2: f64 }
record Big { id3: i64, v2: f64 }
`

var joinProblems = []problem{
	{name: "small inner on integer", typ: "(Row, f64)", body: "{ let by = d.index_by(|r| r.id1); x.join(by, |r| r.id1).map(|(a, b)| (a, b.v2)) }", polars: `x.join(small, on="id1").select("id1", "id2", "id3", "id5", "v1", "v2")`, sql: "SELECT x.id1, x.id2, x.id3, x.id5, v1, v2 FROM x JOIN small USING (id1)", tables: []string{"Small"}},
	{name: "medium inner on integer", typ: "(Row, f64)", body: "{ let by = d.index_by(|r| r.id2); x.join(by, |r| r.id2).map(|(a, b)| (a, b.v2)) }", polars: `x.join(medium.select("id2", "v2"), on="id2").select("id1", "id2", "id3", "id5", "v1", "v2")`, sql: "SELECT x.id1, x.id2, x.id3, x.id5, v1, v2 FROM x JOIN medium USING (id2)", tables: []string{"Medium"}},
	{name: "medium outer on integer", typ: "(Row, f64)", body: "{ let by = d.index_by(|r| r.id2); x.map(|a| (a, by.get(a.id2).map(|i| d[i].v2).or(0.0))) }", polars: `x.join(medium.select("id2", "v2"), on="id2", how="left").select("id1", "id2", "id3", "id5", "v1", pl.col("v2").fill_null(0))`, sql: "SELECT x.id1, x.id2, x.id3, x.id5, v1, coalesce(v2, 0) AS v2 FROM x LEFT JOIN medium USING (id2)", tables: []string{"Medium"}},
	{name: "medium inner on text", typ: "(Row, f64)", body: "{ let by = d.index_by(|r| r.id5); x.join(by, |r| r.id5).map(|(a, b)| (a, b.v2)) }", polars: `x.join(medium.select("id5", "v2"), on="id5").select("id1", "id2", "id3", "id5", "v1", "v2")`, sql: "SELECT x.id1, x.id2, x.id3, x.id5, v1, v2 FROM x JOIN medium USING (id5)", tables: []string{"Medium"}},
	{name: "big inner on integer", typ: "(Row, f64)", body: "{ let by = d.index_by(|r| r.id3); x.join(by, |r| r.id3).map(|(a, b)| (a, b.v2)) }", polars: `x.join(big.select("id3", "v2"), on="id3").select("id1", "id2", "id3", "id5", "v1", "v2")`, sql: "SELECT x.id1, x.id2, x.id3, x.id5, v1, v2 FROM x JOIN big USING (id3)", tables: []string{"Big"}},
}

// source is the program of a question: f answers it, check adds its numbers up, and each table has a function that reads it.
func (p problem) source(rows string) string {
	params, args, sums := "x: &[Row; N]", "x", p.sum
	for _, t := range p.tables {
		params, args, sums = params+", d: &["+t+"; M]", args+", d", []string{"r.0.v1", "r.1"}
	}
	list := make([]string, len(sums))
	for i, s := range sums {
		list[i] = "a.map(|r| " + s + ").sum()"
	}
	text := rows + "fn f(" + params + ") -> [" + p.typ + "] { " + p.body + " }\n" +
		fmt.Sprintf("fn check(%s) -> [f64; %d] { let a = %s; [a.len() as f64, %s] }\n", params, len(list)+1, p.body, strings.Join(list, ", ")) +
		"fn rows(x: &[Row; N]) -> [Row; N] { x }\n"
	for _, t := range p.tables {
		text += "fn other(d: &[" + t + "; M]) -> [" + t + "; M] { d }\n"
	}
	return text
}

// questionRows is how many rows the tables have.
func (c choices) questionRows() int64 {
	if c.quick {
		return 1_000_000
	}
	return 10_000_000
}

// h2o runs all of them, with one thread and with all.
func h2o(ctx context.Context, c choices) (*measure.Report, error) {
	dir, err := c.tables(ctx)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &measure.Report{Bench: "questions", Machine: measure.ThisMachine()}
	for _, threads := range c.numbers() {
		for _, memory := range []bool{false, true} {
			a := &asking{choices: c, dir: dir, threads: threads, memory: memory}
			if err := a.all(ctx, r); err != nil {
				return r, err
			}
		}
	}
	return r, nil
}

// tables makes all tables in a folder, which the caller removes.
func (c choices) tables(ctx context.Context) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "godwit-bench-"); err != nil {
		return "", err
	}
	c.progress("making the tables")
	if err = generate.Groups(ctx, filepath.Join(dir, "groups.parquet"), c.questionRows(), 100, 1); err == nil {
		err = generate.Joins(ctx, dir, c.questionRows(), 1)
	}
	if err != nil {
		os.RemoveAll(dir)
	}
	return dir, err
}

// questionSets are the questions by the tables that they are asked of.
var questionSets = []struct {
	rows, x  string
	problems []problem
}{{groupRow, "groups", groupProblems}, {joinRows, "x", joinProblems}}

// asking is one round of questions.
type asking struct {
	choices
	dir     string
	threads int
	memory  bool // tables are in memory on all sides
	db      *duck
	polars  *polars // nil if there is none
	rt      *godwit.Runtime
}

func (a *asking) runtime() *godwit.Runtime {
	opts := []godwit.Option{godwit.WithThreads(a.threads)}
	if !a.wasm {
		opts = append(opts, godwit.WithCompiler("", child()...))
	}
	return godwit.NewRuntime(opts...)
}

func (a *asking) all(ctx context.Context, r *measure.Report) (err error) {
	if a.db, err = openDuck(ctx, a.threads); err != nil {
		return err
	}
	defer a.db.close()
	switch a.polars, err = startPolars(ctx, a.dir, a.threads); {
	case errors.Is(err, errNoPolars):
		if note := err.Error(); !slices.Contains(r.Notes, note) {
			r.Notes = append(r.Notes, note)
		}
	case err != nil:
		return err
	default:
		defer a.polars.close()
	}
	a.rt = a.runtime()
	defer a.rt.Close()
	for _, set := range questionSets {
		for _, name := range []string{set.x, "small", "medium", "big"} {
			as := name
			if name == set.x {
				as = "x"
			}
			kind := "VIEW"
			if a.memory {
				kind = "TABLE"
			}
			for _, drop := range []string{"VIEW", "TABLE"} {
				a.db.db.ExecContext(ctx, "DROP "+drop+" IF EXISTS "+as) // of whichever kind there is
			}
			if _, err := a.db.db.ExecContext(ctx, fmt.Sprintf("CREATE %s %s AS SELECT * FROM read_parquet('%s')", kind, as, filepath.Join(a.dir, name+".parquet"))); err != nil {
				return err
			}
			if err := a.polars.table(as, filepath.Join(a.dir, name+".parquet"), a.memory); err != nil {
				return err
			}
		}
		for _, p := range set.problems {
			if a.only != nil && !a.only.MatchString(p.name) {
				continue
			}
			rows, err := a.ask(ctx, p, set.rows, set.x)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			r.Rows = append(r.Rows, rows...)
		}
	}
	return nil
}

// askings is how often a question counts.
func (a *asking) askings() int {
	if a.quick {
		return 5
	}
	return 7
}

// ask has all sides answer one question.
func (a *asking) ask(ctx context.Context, p problem, rows, x string) (answers []measure.Row, err error) {
	name := p.name + ", " + map[bool]string{false: "Parquet", true: "memory"}[a.memory] + ", " + count(a.threads)
	a.progress(name)
	f, check, args, end, err := a.prepare(ctx, p, rows, x)
	defer end()
	if err != nil {
		return nil, err
	}
	res, err := check.Call(ctx, args, godwit.WithRuntime(a.rt))
	if err != nil {
		return nil, err
	}
	sums, err := godwit.As[[]float64](res)
	if err != nil {
		return nil, err
	}
	if _, err := warmCall(ctx, a.patience(), f, args, godwit.WithRuntime(a.rt)); err != nil {
		return nil, err
	}
	contest := measure.Contest{
		Name: name, Against: a.db.name, Unit: "ms", Tolerance: 1e-3, Pairs: a.askings(),
		Ours: func(ctx context.Context) (time.Duration, []float64, error) {
			start := time.Now()
			r, err := f.Call(ctx, args, godwit.WithRuntime(a.rt))
			took := time.Since(start)
			if err != nil {
				return 0, nil, err
			}
			r.Close()
			return took, sums, nil
		},
		Reference: a.db.table(p),
	}
	if a.polars == nil {
		row, err := contest.Row(ctx)
		return []measure.Row{row}, err
	}
	// All three take turns: Polars after DuckDB. What came of it is told as two contests.
	ours, third := &recording{run: contest.Ours}, &recording{run: a.polars.answer(p)}
	contest.Ours = ours.record
	duck := contest.Reference
	contest.Reference = func(ctx context.Context) (time.Duration, []float64, error) {
		took, sums, err := duck(ctx)
		if err == nil {
			_, _, err = third.record(ctx)
		}
		return took, sums, err
	}
	row, err := contest.Row(ctx)
	if answers = append(answers, row); err != nil {
		return answers, err
	}
	contest.Against, contest.Ours, contest.Reference = a.polars.name, ours.replay, third.replay
	row, err = contest.Row(ctx)
	return append(answers, row), err
}

// recording keeps what runs gave, to give it again in the same order.
type recording struct {
	run    measure.Runner
	turns  []turnOf
	played int
}

type turnOf struct {
	took time.Duration
	sums []float64
}

func (r *recording) record(ctx context.Context) (time.Duration, []float64, error) {
	took, sums, err := r.run(ctx)
	r.turns = append(r.turns, turnOf{took, sums})
	return took, sums, err
}

func (r *recording) replay(context.Context) (time.Duration, []float64, error) {
	t := r.turns[r.played]
	r.played++
	return t.took, t.sums, nil
}

// table has DuckDB answer into a table, and adds the answer up outside of the time.
func (d *duck) table(p problem) measure.Runner {
	sums := p.sums
	if len(p.tables) > 0 {
		sums = "fsum(v1), fsum(v2)"
	}
	return func(ctx context.Context) (time.Duration, []float64, error) {
		if _, err := d.db.ExecContext(ctx, "DROP TABLE IF EXISTS answer"); err != nil {
			return 0, nil, err
		}
		start := time.Now()
		if _, err := d.db.ExecContext(ctx, "CREATE TABLE answer AS "+p.sql); err != nil {
			return 0, nil, err
		}
		took := time.Since(start)
		out := make([]float64, 1+strings.Count(sums, "fsum("))
		into := make([]any, len(out))
		for i := range out {
			into[i] = &out[i]
		}
		return took, out, d.db.QueryRowContext(ctx, "SELECT count(*), "+sums+" FROM answer").Scan(into...)
	}
}

// prepare compiles a question and gives its arguments: files, or results that have the rows.
func (a *asking) prepare(ctx context.Context, p problem, rows, x string) (f, check *godwit.Func, args godwit.Args, end func(), err error) {
	end = func() {}
	text := p.source(rows)
	prog, err := godwit.Compile(text)
	if err != nil {
		return
	}
	if f, err = prog.Func("f"); err != nil {
		return
	}
	if check, err = prog.Func("check"); err != nil {
		return
	}
	args = godwit.Args{"x": godwit.File(filepath.Join(a.dir, x+".parquet"))}
	for _, t := range p.tables {
		args["d"] = godwit.File(filepath.Join(a.dir, strings.ToLower(t)+".parquet"))
	}
	if !a.memory {
		return
	}
	var results []*godwit.Result
	end = func() {
		for _, r := range results {
			r.Close()
		}
	}
	for param, name := range map[string]string{"x": "rows", "d": "other"} {
		if args[param] == nil {
			continue
		}
		read, e := prog.Func(name)
		if e != nil {
			return f, check, args, end, e
		}
		r, e := read.Call(ctx, godwit.Args{param: args[param]}, godwit.WithRuntime(a.rt))
		if e != nil {
			return f, check, args, end, e
		}
		results, args[param] = append(results, r), r
	}
	return
}
