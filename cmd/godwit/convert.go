package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/view"
)

// converting is one godwit convert.
type converting struct {
	dir  string
	skip []string
	by   []string
	json bool
}

func newConvert() *cobra.Command {
	c := &converting{}
	cmd := &cobra.Command{
		Use:   "convert FILES|@DATASET OUT",
		Short: "Write files as one of another format",
		Long: `Write the rows of files, which are named as for godwit describe, to one file: .npy,
.csv, .tsv, .jsonl, .arrow or .parquet. Types stay as they are; those of text are such as
hold all values, dates and timestamps among them; numbers among which is a word are
text. The new file appears when it is complete. Columns that cannot be read, such as
lists, are left out with --skip. With --partition-by, OUT is a new folder, of Parquet
files if its name has no ending.`,
		Example:           "  godwit convert flights.csv flights.parquet\n  godwit convert 'year=*/part-*.csv.gz' all.arrow --skip remarks\n  godwit convert flights.csv flights --partition-by year,month",
		Args:              cobra.MatchAll(atLeastOne("the file"), atMost(2)),
		ValidArgsFunction: completeTwoTables,
		RunE:              action(c.run),
	}
	cmd.Flags().StringArrayVar(&c.skip, "skip", nil, "leave the column of this name, or of this number, as #1, out (can be given several times)")
	partitionFlag(cmd, &c.by, "OUT")
	cmd.Flags().BoolVar(&c.json, "json", false, "print what was written as JSON")
	clusterFlag(cmd, &c.dir)
	return cmd
}

func completeTwoTables(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// noted prints what was noticed of columns.
func noted(cmd *cobra.Command, notes []string) {
	for _, n := range notes {
		fmt.Fprintln(cmd.ErrOrStderr(), "note: "+view.Shown(n))
	}
}

// converted is what godwit convert --json prints.
type converted struct {
	Out     string                 `json:"out"`
	By      []string               `json:"partition_by,omitempty"`
	Rows    int64                  `json:"rows"`
	Columns []view.DescribedColumn `json:"columns"`
	Left    []string               `json:"left"` // columns that were left out
}

func (c *converting) run(cmd *cobra.Command, args []string) error {
	if len(args) < 2 {
		return misused("name it behind the first: godwit convert "+args[0]+" OUT.parquet", "the file to write is missing")
	}
	if err := partitioned(cmd, c.by); err != nil {
		return err
	}
	if err := noFolder(args[1], args[1]); err != nil {
		return err
	}
	src, end, err := openTable(cmd.Context(), args[0], c.dir)
	if err != nil {
		return err
	}
	defer end()
	w, err := data.Rewrite(cmd.Context(), src, data.Target{Path: args[1], By: c.by}, c.skip, nil)
	if err != nil {
		return fileError(err)
	}
	out := &converted{Out: args[1], By: w.By, Rows: w.Rows, Columns: []view.DescribedColumn{}, Left: append([]string{}, w.Left...)}
	for i := range w.Columns {
		d := view.DescribedColumn{Name: w.Columns[i].Name, Type: w.Columns[i].Type(), Stored: w.Columns[i].Stored}
		if slices.Contains(w.By, d.Name) {
			d.Stored += ", now in the names of folders"
		}
		out.Columns = append(out.Columns, d)
	}
	noted(cmd, w.Notes)
	if c.json {
		return printJSON(cmd.OutOrStdout(), out)
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), view.Converted(out.Out, out.Rows, out.Columns, out.Left))
	return err
}
