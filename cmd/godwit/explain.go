package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/view"
)

func newExplain() *cobra.Command {
	var asJSON, asm bool
	var arch, file, engine string
	var threads int
	cmd := &cobra.Command{
		Use:   "explain FILE[:FUNC] [NAME=VALUE]...",
		Short: "Show every stage of a function on its way to the machine",
		Long: `Show what becomes of a function: its sizes, the graph after each pass, the
laws of its folds, the kernels with their bounds, and the schedule with the
rule by which it came about. With arguments, sizes have their values, and the
time that a run is expected to take comes first (see godwit calibrate).`,
		Example:           "  godwit explain flights.gw f=flights.parquet\n  godwit explain sum.gw v=data.npy --machine faster.toml",
		Args:              atLeastOne("the program"),
		ValidArgsFunction: completeTarget,
		RunE: action(func(cmd *cobra.Command, words []string) error {
			e, err := explain(words)
			if err != nil {
				return err
			}
			out := &explained{Explanation: e}
			if len(words) > 1 {
				if out.Expected, err = expect(cmd.Context(), words, godwit.WithPrediction(file), godwit.WithEngine(engine), godwit.WithThreads(threads)); err != nil {
					return err
				}
			}
			if asm || arch != "" {
				if err := assemble(cmd.Context(), e, arch); err != nil {
					return err
				}
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), out)
			}
			style := view.StyleOf(cmd.OutOrStdout())
			if err := view.Expected(cmd.OutOrStdout(), out.Expected, style); err != nil {
				return err
			}
			return view.Explain(cmd.OutOrStdout(), e, style)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the stages as JSON")
	cmd.Flags().BoolVar(&asm, "asm", false, "also show the instructions that this processor gets (needs libLLVM 19)")
	cmd.Flags().StringVar(&arch, "arch", "", "with the instructions of another processor: amd64, arm64 or riscv64")
	complete(cmd, "arch", "amd64", "arm64", "riscv64")
	cmd.Flags().StringVar(&file, "machine", "", "the time on the machine that this file of godwit calibrate describes (default this one)")
	cmd.Flags().IntVar(&threads, "threads", 0, "the time with so many threads (default all processors)")
	choiceFlag(cmd, &engine, "engine", godwit.Engines, "the time with "+alternatives(godwit.Engines))
	return cmd
}

// explained is what explain prints.
type explained struct {
	*compile.Explanation
	Expected *godwit.Stats `json:"expected,omitempty"`
}

// expect says what a run would take.
func expect(ctx context.Context, words []string, opts ...godwit.Option) (*godwit.Stats, error) {
	f, args, err := prepare(words)
	if err != nil {
		return nil, err
	}
	rt := newRuntime()
	defer rt.Close()
	return f.Predict(ctx, args, append(opts, godwit.WithRuntime(rt))...)
}

func explain(words []string) (*compile.Explanation, error) {
	file, fn := target(words[0])
	args, err := arguments(words[1:])
	if err != nil {
		return nil, err
	}
	for name, a := range args {
		if t, ok := a.(compile.Text); ok && strings.HasPrefix(string(t), "@") {
			return nil, misused("leave it out, or give a file with the same columns; what ran beside shards is told by godwit run --stats", "`%s=%s` is a data set, and explain reads files and values only", name, t)
		}
	}
	sources, err := compile.Read(file)
	if err != nil {
		return nil, err
	}
	p, err := compile.Check(sources...)
	if err != nil {
		return nil, err
	}
	return p.Explain(fn, args)
}
