// Command bench measures Godwit against peers that are too large for its own
// binary, or are not always there: DuckDB, NumPy, Polars, and C by several compilers. It
// is a module of its own, so that they stay out of the product's dependencies.
//
//	go run . [stream] [compute] [arrays] [call] [nests] [far] [table] [questions] [shards] [--only sort] [--size 256] [--file flights.parquet] [--json] [--quick] [--wasm] [--threads 2]
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/measure"
)

// choices are the flags.
type choices struct {
	file    string
	json    bool
	quick   bool
	threads int
	wasm    bool           // no native code
	silent  bool           // no progress
	only    *regexp.Regexp // names of operations of arrays, compute, far, questions and shards; nil for all
	table   int64          // bytes of tables of far
}

// benches are all benchmarks, in the order in which they run.
var benches = []struct {
	name string
	run  func(context.Context, choices) (*measure.Report, error)
}{{"stream", stream}, {"compute", compute}, {"arrays", arrays}, {"call", call}, {"nests", nests}, {"far", far}, {"table", table}, {"questions", h2o}, {"shards", sharded}}

func main() {
	if isChild() {
		if godwit.ServeCompiler() != nil {
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	var c choices
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&c.file, "file", "", "a Parquet file with integer columns delay and distance, for table; generated if empty")
	flags.BoolVar(&c.json, "json", false, "print the figures as JSON")
	flags.BoolVar(&c.quick, "quick", false, "finish each benchmark within 50 seconds, with smaller sizes")
	flags.BoolVar(&c.wasm, "wasm", false, "run ours as WebAssembly, without native code")
	flags.IntVar(&c.threads, "threads", runtime.GOMAXPROCS(0), "the most threads to use")
	chosen, pattern := map[string]bool{}, flags.String("only", "", "the operations of arrays, compute, far, questions and shards whose names match")
	mebibytes := flags.Int64("size", 256, "the size in MiB of the tables of far, from 1 to 4096")
	for len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		chosen[args[0]], args = true, args[1:]
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("expected names of benchmarks before the flags, found %q after them", flags.Arg(0))
	}
	if c.table = *mebibytes << 20; *mebibytes < 1 || *mebibytes > 4096 {
		return fmt.Errorf("--size %d: expected 1 to 4096", *mebibytes)
	}
	if *pattern != "" {
		var err error
		if c.only, err = regexp.Compile(*pattern); err != nil {
			return err
		}
	}
	if err := known(chosen); err != nil {
		return err
	}
	for _, b := range benches {
		if len(chosen) > 0 && !chosen[b.name] {
			continue
		}
		r, err := b.run(ctx, c)
		if r != nil { // with an error: what was measured before it
			if err := show(r, c.json); err != nil {
				return err
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
	}
	return nil
}

func known(chosen map[string]bool) error {
	left := len(chosen)
	names := ""
	for _, b := range benches {
		if chosen[b.name] {
			left--
		}
		names += " " + b.name
	}
	if left > 0 {
		return fmt.Errorf("there is no such benchmark; there are%s", names)
	}
	return nil
}

func show(r *measure.Report, asJSON bool) error {
	if !asJSON {
		_, err := fmt.Println(r.Table())
		return err
	}
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
