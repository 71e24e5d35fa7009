package main

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/internal/data/generate"
	"github.com/godwit-run/godwit/internal/ir/num"
)

func newGenerate() *cobra.Command {
	var kind string
	var seed uint64
	cmd := &cobra.Command{
		Use:   "generate FILE.npy SHAPE | cycle FILE.npy N | flights FILE.parquet ROWS",
		Short: "Write large seeded inputs for trials and benchmarks",
		Long: `Write an array of seeded random numbers (SHAPE is 1000 or 1000x16), a
permutation of N indices that is one cycle, or a table of flights. The same
seed gives the same file everywhere. Memory stays small, but a cycle takes four
bytes for each index.`,
		Args: cobra.MatchAll(atLeastOne("the file"), atMost(3)),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			return generateFile(cmd.Context(), args, kind, cmd.Flags().Changed("kind"), seed)
		}),
	}
	cmd.Flags().StringVar(&kind, "kind", "f32", "element type of an array of random numbers")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the random numbers")
	return cmd
}

// generators are those that have a name, with the format that each writes.
var generators = map[string]string{"cycle": ".npy", "flights": ".parquet"}

func generateFile(ctx context.Context, args []string, kind string, kinded bool, seed uint64) error {
	form, ext := "", ".npy"
	if len(args) == 3 {
		form, args = args[0], args[1:]
		if ext = generators[form]; ext == "" {
			return misused("the generators are cycle and flights; an array needs none", "there is no generator `%s`", form)
		}
	}
	if len(args) < 2 {
		return misused("write 1000 or 1000x16 after the file", "the shape is missing")
	}
	if filepath.Ext(args[0]) != ext {
		return misused("name a file such as big"+ext, "`%s` is not the name of a file that %s writes", args[0], strings.TrimSpace("generate "+form))
	}
	shape, err := parseShape(args[1])
	if err != nil {
		return err
	}
	if form != "" && (kinded || len(shape) != 1) {
		return misused("give the number of rows, and no --kind", "generate %s decides the types and the shape itself", form)
	}
	k, ok := num.ParseKind(kind)
	switch {
	case form == "cycle":
		return generate.Permutation(ctx, args[0], shape[0], seed)
	case form == "flights":
		return generate.Flights(ctx, args[0], shape[0], seed)
	case !ok:
		return misused("name a scalar type, as in: godwit generate big.npy 1000x16 --kind f64", "--kind is `%s`", kind)
	}
	return generate.NPY(ctx, args[0], k, shape, seed)
}

func parseShape(text string) ([]int64, error) {
	var shape []int64
	for _, part := range strings.Split(text, "x") {
		n, err := strconv.ParseInt(strings.ReplaceAll(part, "_", ""), 10, 64)
		if err != nil || n < 0 || n > 1<<40 {
			return nil, misused("write 1000 or 1000x16", "the shape `%s` is not one", text)
		}
		shape = append(shape, n)
	}
	return shape, nil
}
