package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/view"
)

// heading is one godwit head.
type heading struct {
	dir  string
	json bool
	rows int
}

func newHead() *cobra.Command {
	h := &heading{}
	cmd := &cobra.Command{
		Use:               "head FILES|@DATASET",
		Short:             "Show the first rows of files",
		Long:              "Show the first rows of files, which are named as for godwit describe. Of what cannot be\nread, text files show what stands there.",
		Example:           "  godwit head flights.parquet\n  godwit head 'sales.csv?sep=;' -n 20\n  zcat log.jsonl.gz | godwit head -",
		Args:              one("the file"),
		ValidArgsFunction: completeTables,
		RunE:              action(h.run),
	}
	cmd.Flags().BoolVar(&h.json, "json", false, "print as JSON, with values as texts")
	cmd.Flags().IntVarP(&h.rows, "rows", "n", 10, "how many rows to show")
	clusterFlag(cmd, &h.dir)
	return cmd
}

func (h *heading) run(cmd *cobra.Command, args []string) error {
	if err := rowCount(h.rows); err != nil {
		return err
	}
	src, end, err := openTable(cmd.Context(), args[0], h.dir)
	if err != nil {
		return err
	}
	defer end()
	rows, err := data.Head(cmd.Context(), src, int64(h.rows))
	if err == nil {
		err = src.Unchanged()
	}
	if err != nil {
		return fileError(err)
	}
	t := &view.Rows{Columns: []string{}, First: rows, Rows: src.Rows()}
	for _, c := range src.Columns() {
		t.Columns = append(t.Columns, c.Name)
	}
	if h.json {
		return printJSON(cmd.OutOrStdout(), t)
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), t.Text(view.Room(cmd.OutOrStdout())))
	return err
}
