package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/view"
)

func newExplain() *cobra.Command {
	var asJSON, asm bool
	var arch string
	cmd := &cobra.Command{
		Use:   "explain FILE[:FUNC] [NAME=VALUE]...",
		Short: "Show every stage of a function on its way to the machine",
		Long: `Show what becomes of a function: its sizes, the graph after each pass, the
laws of its folds, the kernels with their bounds, and the schedule with the
rule by which it came about. With arguments, sizes have their values.`,
		Example:           "  godwit explain flights.gw f=flights.parquet",
		Args:              atLeastOne("the program"),
		ValidArgsFunction: completeTarget,
		RunE: action(func(cmd *cobra.Command, words []string) error {
			e, err := explain(words)
			if err != nil {
				return err
			}
			if asm || arch != "" {
				if err := assemble(cmd.Context(), e, arch); err != nil {
					return err
				}
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), e)
			}
			return view.Explain(cmd.OutOrStdout(), e, view.StyleOf(cmd.OutOrStdout()))
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the stages as JSON")
	cmd.Flags().BoolVar(&asm, "asm", false, "also show the instructions that this processor gets (needs libLLVM 19)")
	cmd.Flags().StringVar(&arch, "arch", "", "with the instructions of another processor: amd64, arm64 or riscv64")
	complete(cmd, "arch", "amd64", "arm64", "riscv64")
	return cmd
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
