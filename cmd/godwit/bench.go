package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/internal/measure"
)

func newBench() *cobra.Command {
	var opt measure.Options
	var asJSON bool
	cmd := &cobra.Command{
		Use:       "bench NAME",
		Short:     "Measure against C and the limits of this machine",
		Long:      "Measure against C and the limits of this machine. The benchmarks are " + strings.Join(measure.Names(), ", ") + ".",
		Args:      one("the name of a benchmark"),
		ValidArgs: measure.Names(),
		RunE:      action(func(cmd *cobra.Command, args []string) error { return bench(cmd, args[0], opt, asJSON) }),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the figures as JSON")
	cmd.Flags().BoolVar(&opt.Quick, "quick", false, "finish within 50 seconds, crossings within one minute and predict within 3, with smaller sizes")
	cmd.Flags().StringVar(&opt.Only, "only", "", "with predict and crossings the programs, with stream the rows, of which the name matches this regular expression")
	cmd.Flags().IntVar(&opt.Threads, "threads", 0, "threads to use (default all processors)")
	return cmd
}

func bench(cmd *cobra.Command, name string, opt measure.Options, asJSON bool) error {
	if !slices.Contains(measure.Names(), name) {
		return misused(didYouMean(name, measure.Names(), "the benchmarks are "+strings.Join(measure.Names(), ", ")), "there is no benchmark `%s`", name)
	}
	if opt.Threads < 0 {
		return misused("use 1 or more; 0 means all processors", "--threads is %d", opt.Threads)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	opt.Program = self
	opt.Progress = func(what string) { fmt.Fprintln(cmd.ErrOrStderr(), what) }
	r, err := measure.Run(cmd.Context(), name, opt)
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	if asJSON {
		return printJSON(w, r)
	}
	_, err = fmt.Fprint(w, r.Table())
	return err
}
