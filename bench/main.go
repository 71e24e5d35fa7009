// Command bench measures Godwit against peers that are too large for its own
// binary. It is a module of its own, so that they stay out of the product's
// dependencies.
//
//	go run . [table] [--file flights.parquet] [--json] [--quick]
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"

	"github.com/godwit-run/godwit/measure"
)

// choices are the flags.
type choices struct {
	file    string
	json    bool
	quick   bool
	threads int
}

func main() {
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
	flags.StringVar(&c.file, "file", "", "a Parquet file with integer columns delay and distance; generated if empty")
	flags.BoolVar(&c.json, "json", false, "print the figures as JSON")
	flags.BoolVar(&c.quick, "quick", false, "finish within 50 seconds, with smaller sizes")
	flags.IntVar(&c.threads, "threads", runtime.GOMAXPROCS(0), "threads to use")
	name := "table"
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		name, args = args[0], args[1:]
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if name != "table" {
		return fmt.Errorf("there is no benchmark %q; there is table", name)
	}
	r, err := table(ctx, c)
	if err != nil {
		return err
	}
	return show(r, c.json)
}

func show(r *measure.Report, asJSON bool) error {
	if !asJSON {
		_, err := fmt.Print(r.Table())
		return err
	}
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
