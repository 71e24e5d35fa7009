package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/generate"
	"github.com/godwit-run/godwit/num"
)

func newGenerate() *cobra.Command {
	var kind string
	var seed uint64
	cmd := &cobra.Command{
		Use:   "generate FILE.npy SHAPE | cycle FILE.npy N | flights FILE.parquet ROWS",
		Short: "Write large seeded inputs for trials and benchmarks",
		Long: `Write an array of seeded random numbers (SHAPE is 1000 or 1000x16), a
permutation of N indices that is one cycle, or a table of flights. The same
seed gives the same file everywhere; memory stays small.`,
		Args: cobra.RangeArgs(2, 3),
		RunE: action(func(_ *cobra.Command, args []string) error { return generateFile(args, kind, seed) }),
	}
	cmd.Flags().StringVar(&kind, "kind", "f32", "element type of an array")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the random numbers")
	return cmd
}

func generateFile(args []string, kind string, seed uint64) error {
	form := "array"
	if len(args) == 3 {
		form, args = args[0], args[1:]
	}
	shape, err := parseShape(args[1])
	if err != nil {
		return err
	}
	switch form {
	case "cycle":
		return generate.Permutation(args[0], shape[0], seed)
	case "flights":
		return generate.Flights(args[0], shape[0], seed)
	case "array":
	default:
		return &godwit.InputError{Text: fmt.Sprintf("there is no generator `%s`", form), Help: "the generators are cycle and flights; an array needs none"}
	}
	k, ok := num.ParseKind(kind)
	if !ok || filepath.Ext(args[0]) != ".npy" {
		return &godwit.InputError{Text: fmt.Sprintf("cannot generate %s of `%s`", args[0], kind), Help: "name an .npy file and a scalar type, as in: godwit generate big.npy 1000x16 --kind f64"}
	}
	return generate.NPY(args[0], k, shape, seed)
}

func parseShape(text string) ([]int64, error) {
	var shape []int64
	for _, part := range strings.Split(text, "x") {
		n, err := strconv.ParseInt(strings.ReplaceAll(part, "_", ""), 10, 64)
		if err != nil || n < 0 || n > 1<<40 {
			return nil, &godwit.InputError{Text: fmt.Sprintf("the shape `%s` is not one", text), Help: "write 1000 or 1000x16"}
		}
		shape = append(shape, n)
	}
	return shape, nil
}
