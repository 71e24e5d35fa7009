package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/compile"
)

// benchOptions are the choices of godwit bench.
type benchOptions struct {
	JSON    bool
	Quick   bool // within 50 seconds, with smaller sizes
	Threads int
}

// suite is a set of benchmarks.
type suite interface {
	Names() []string
	Run(ctx context.Context, name string, opt benchOptions, w io.Writer) error
}

// benchmarks is the suite of this build, nil if it has none.
var benchmarks suite

func newBench() *cobra.Command {
	var opt benchOptions
	cmd := &cobra.Command{
		Use:   "bench NAME",
		Short: "Measure against the limits of this machine",
		Args:  cobra.MatchAll(atLeastOne("the name of a benchmark"), cobra.MaximumNArgs(1)),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return benchNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: action(func(cmd *cobra.Command, args []string) error { return bench(cmd, args[0], opt) }),
	}
	cmd.Flags().BoolVar(&opt.JSON, "json", false, "print the figures as JSON")
	cmd.Flags().BoolVar(&opt.Quick, "quick", false, "finish within 50 seconds, with smaller sizes")
	cmd.Flags().IntVar(&opt.Threads, "threads", 0, "threads to use (default all processors)")
	return cmd
}

func benchNames() []string {
	if benchmarks == nil {
		return nil
	}
	return benchmarks.Names()
}

func bench(cmd *cobra.Command, name string, opt benchOptions) error {
	names := benchNames()
	if len(names) == 0 {
		return &compile.InputError{Text: "this build of godwit has no benchmarks"}
	}
	for _, n := range names {
		if n == name {
			return benchmarks.Run(cmd.Context(), name, opt, cmd.OutOrStdout())
		}
	}
	return &compile.InputError{Text: fmt.Sprintf("there is no benchmark `%s`", name), Help: "the benchmarks are " + strings.Join(names, ", ")}
}
