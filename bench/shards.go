package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/measure"
)

// In: the tables and questions of db-benchmark. Out: the questions answered beside four nodes, each with a shard of the table, and here from memory, in turns. The answers must be the same bytes.

// nodes is how many there are.
const nodes = 4

// sharded runs all of them, with one thread and with all.
func sharded(ctx context.Context, c choices) (*measure.Report, error) {
	dir, err := c.tables(ctx)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cluster, end, err := startNodes(ctx, filepath.Join(dir, "cluster"))
	if err != nil {
		return nil, err
	}
	defer end()
	for _, name := range []string{"groups", "x", "small", "medium", "big"} {
		c.progress("loading " + name)
		if _, err := cluster.Load(ctx, filepath.Join(dir, name+".parquet"), name, godwit.LoadOptions{}); err != nil {
			return nil, err
		}
	}
	r := &measure.Report{Bench: "shards", Machine: measure.ThisMachine()}
	for _, threads := range c.numbers() {
		a := &asking{choices: c, dir: dir, threads: threads, memory: true}
		if err := a.beside(ctx, cluster, r); err != nil {
			return r, err
		}
	}
	return r, nil
}

// program is what nodes are, as make build leaves it.
const program = "../bin/godwit"

// startNodes starts nodes in processes of their own, which keep their data in memory.
func startNodes(ctx context.Context, dir string) (c *godwit.Cluster, end func(), err error) {
	if out, err := exec.CommandContext(ctx, program, "up", "-d", "-n", fmt.Sprint(nodes), "--cluster", dir, "--memory", "--calibrate=false").CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("%s up, which make build makes: %w: %s", program, err, out)
	}
	down := func() { _ = exec.Command(program, "down", "--cluster", dir).Run() } // when all is over, whatever came of it
	if c, err = godwit.Connect(ctx, dir, godwit.ConnectOptions{}); err != nil {
		down()
		return nil, nil, err
	}
	return c, func() { c.Close(); down() }, nil
}

func (a *asking) beside(ctx context.Context, cluster *godwit.Cluster, r *measure.Report) error {
	a.rt = a.runtime()
	defer a.rt.Close()
	for _, set := range questionSets {
		for _, p := range set.problems {
			if a.only != nil && !a.only.MatchString(p.name) {
				continue
			}
			row, err := a.askBeside(ctx, cluster, p, set.rows, set.x)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			r.Rows = append(r.Rows, row)
		}
	}
	return nil
}

// askBeside has both ways answer one question.
func (a *asking) askBeside(ctx context.Context, cluster *godwit.Cluster, p problem, rows, x string) (row measure.Row, err error) {
	name := fmt.Sprintf("%s, %d shards, %s", p.name, nodes, count(a.threads))
	a.progress(name)
	f, _, here, end, err := a.prepare(ctx, p, rows, x)
	defer end()
	if err != nil {
		return row, err
	}
	there := godwit.Args{"x": godwit.DataSet(x)}
	for _, t := range p.tables {
		there["d"] = godwit.DataSet(strings.ToLower(t))
	}
	runner := func(args godwit.Args, opts ...godwit.Option) measure.Runner {
		return func(ctx context.Context) (time.Duration, []float64, error) {
			start := time.Now()
			r, err := f.Call(ctx, args, opts...)
			took := time.Since(start)
			if err == nil {
				r.Close()
			}
			return took, nil, err
		}
	}
	alone, beside := []godwit.Option{godwit.WithRuntime(a.rt)}, []godwit.Option{godwit.WithRuntime(a.rt), godwit.WithCluster(cluster)}
	if err := a.sameBytes(ctx, f, here, there, alone, beside); err != nil {
		return row, err
	}
	return measure.Contest{Name: name, Against: "Godwit here, from memory", Unit: "ms", Pairs: a.askings(), Ours: runner(there, beside...), Reference: runner(here, alone...)}.Row(ctx)
}

// sameBytes compares both answers.
func (a *asking) sameBytes(ctx context.Context, f *godwit.Func, here, there godwit.Args, alone, beside []godwit.Option) error {
	var files [2][]byte
	for i, way := range []struct {
		args godwit.Args
		opts []godwit.Option
	}{{here, alone}, {there, beside}} {
		if _, err := warmCall(ctx, a.patience(), f, way.args, way.opts...); err != nil {
			return err
		}
		r, err := f.Call(ctx, way.args, way.opts...)
		if err != nil {
			return err
		}
		path := filepath.Join(a.dir, fmt.Sprintf("answer%d.arrow", i))
		err = r.WriteFile(path)
		r.Close()
		if err == nil {
			files[i], err = os.ReadFile(path)
		}
		if err != nil {
			return err
		}
		defer os.Remove(path)
	}
	if !bytes.Equal(files[0], files[1]) {
		return fmt.Errorf("%d shards give another answer", nodes)
	}
	return nil
}
