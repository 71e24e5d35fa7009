package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/view"
)

// In: files, or a data set. Out: what is in them, and the record that a program declares to read them.

// describing is one godwit describe.
type describing struct {
	dir        string
	json, full bool
	rows       int
}

func newDescribe() *cobra.Command {
	d := &describing{}
	cmd := &cobra.Command{
		Use:   "describe FILES|@DATASET",
		Short: "Show columns, types, extremes and first rows of files",
		Long: `Show what columns files have, with the type of each in the language, how many
nulls, the least and the greatest value, how many different values, and the first
rows; and the record that a program declares to read them.

FILES are what a program takes as an argument: a file, several with commas
between them, a folder, a pattern such as 'part-*.parquet', or - for standard
input, with options of text behind them: 'sales.csv?sep=;&decimal=,&text=zip'. A
column of CSV that has numbers and words is text; a note says where the first is.
Where a file has statistics that say enough a column is not read, but for text; --full
reads all. Of a data set only --full reads the values.`,
		Example:           "  godwit describe flights.parquet\n  godwit describe 'flights/part-*.csv?na=NA' --json\n  godwit describe @flights --full",
		Args:              one("the file"),
		ValidArgsFunction: completeTables,
		RunE:              action(d.run),
	}
	cmd.Flags().BoolVar(&d.json, "json", false, "print as JSON")
	cmd.Flags().BoolVar(&d.full, "full", false, "read all values, whatever statistics say")
	cmd.Flags().IntVarP(&d.rows, "rows", "n", 5, "how many of the first rows to show")
	clusterFlag(cmd, &d.dir)
	return cmd
}

// completeTables leaves it to the shell to complete names of files.
func completeTables(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// openTable opens what an argument names as a table. What is returned ends with close.
func openTable(ctx context.Context, name, dir string) (src data.Source, end func(), err error) {
	if set, ok := strings.CutPrefix(name, "@"); ok {
		if _, column, ok := strings.Cut(set, "#"); ok {
			return nil, nil, misused("leave #"+column+" out", "`%s` names a column, and the table is shown as a whole", name)
		}
		c, err := connect(ctx, dir)
		if err != nil {
			return nil, nil, err
		}
		if src, err = c.Open(set); err != nil {
			c.Close()
			return nil, nil, err
		}
		return src, func() { c.Close() }, nil
	}
	spec, ok, err := data.ParseSpec(name)
	if !ok {
		spec = data.One(name)
	}
	if err == nil && spec.Column != "" {
		help := "leave #" + spec.Column + " out"
		if spec.Behind {
			help += "; or " + data.HashHelp
		}
		return nil, nil, misused(help, "`%s` names a column, and the table is shown as a whole", name)
	}
	if err == nil {
		src, err = data.OpenSpec(ctx, spec, data.StandardInput)
	}
	if err != nil {
		return nil, nil, fileError(err)
	}
	return src, func() { src.Close() }, nil
}

// fileError gives an error of a file the form of other errors.
func fileError(err error) error {
	if e, ok := err.(*data.Error); ok {
		return &godwit.InputError{Text: e.Error(), Help: e.Help, Err: e}
	}
	return err
}

// rowCount is checked for describe and head.
func rowCount(n int) error {
	if n < 0 || n > 1<<20 {
		return misused("use 0 to 1,048,576", "--rows is %d", n)
	}
	return nil
}

func (d *describing) run(cmd *cobra.Command, args []string) error {
	if err := rowCount(d.rows); err != nil {
		return err
	}
	src, end, err := openTable(cmd.Context(), args[0], d.dir)
	if err != nil {
		return err
	}
	defer end()
	desc, err := d.describe(cmd, src)
	if err == nil {
		err = src.Unchanged()
	}
	if err != nil {
		return fileError(err)
	}
	if d.json {
		return printJSON(cmd.OutOrStdout(), desc)
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), view.Description(desc, view.Room(cmd.OutOrStdout())))
	return err
}

// describe looks at a table. Text is read as a whole for its types; then for its values, which are in memory by then as far as there is room.
func (d *describing) describe(cmd *cobra.Command, src data.Source) (*view.Described, error) {
	ctx := cmd.Context()
	p := view.NewProgress(cmd.ErrOrStderr(), "reading", "rows")
	defer p.Close()
	files := data.Files(src)
	typed, err := data.Typed(ctx, src, nil)
	if err != nil {
		return nil, err
	}
	remote := strings.HasPrefix(src.Path(), "@")
	if src = typed; !remote {
		if src, err = data.Meant(ctx, typed, nil); errors.Is(err, data.ErrManyTexts) {
			src, err = typed, nil // a program cannot read the text either
		}
		if err != nil {
			return nil, err
		}
	}
	var sums []data.Summary
	if remote && !d.full {
		for _, c := range src.Columns() {
			sums = append(sums, data.Summary{Column: c, Nulls: -1, Distinct: -1})
		}
	} else if sums, err = data.Summarize(ctx, src, d.full, nil); err != nil {
		return nil, err
	}
	desc := &view.Described{Path: src.Path(), Format: src.Format(), Rows: src.Rows(), Columns: []view.DescribedColumn{}}
	if !remote {
		desc.Files = len(files)
	}
	desc.Notes = data.Notes(typed, nil)
	if remote {
		desc.Notes = append(desc.Notes, notesOfSet(typed)...)
	}
	for i := range sums {
		desc.Columns = append(desc.Columns, columnOf(&sums[i]))
	}
	if desc.First, err = data.Head(ctx, src, int64(d.rows)); err != nil {
		return nil, err
	}
	desc.Declare = compile.Declaration("Row", src, sums)
	return desc, nil
}

// notesOfSet say what columns of a data set may be declared as beside their types.
func notesOfSet(src data.Source) (notes []string) {
	for _, c := range src.Columns() {
		also := cluster.Also(&catalog.Column{Means: c.Means, Blank: c.Blank, Unknown: c.Unknown})
		if _, text, ok := strings.Cut(also, "; "); ok {
			notes = append(notes, fmt.Sprintf("%s: column `%s`: %s", src.Path(), c.Name, text))
		}
	}
	return notes
}

func columnOf(s *data.Summary) view.DescribedColumn {
	c := view.DescribedColumn{Name: s.Name, Type: s.Declared(), Stored: s.Stored, Min: s.Min, Max: s.Max, More: s.More}
	if s.Nulls >= 0 {
		c.Nulls = &s.Nulls
	}
	if s.Distinct >= 0 {
		c.Distinct = &s.Distinct
	}
	return c
}
