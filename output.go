package godwit

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// output is a value as a table: a scalar alone, a tuple of scalars as one
// row, an array as its elements.
func output(v *value.Value) (*data.Output, error) {
	leaves := graph.Leaves(v.Type)
	out := &data.Output{Rows: 1, Scalar: v.Type.IsScalar()}
	elements := v.Type.Kind == graph.Array
	if elements && len(v.Columns) > 0 {
		out.Rows = v.Columns[0].Dims[0]
	}
	for j := 0; j < len(leaves); j++ {
		var valid []byte
		if leaves[j].Presence && j+1 < len(leaves) {
			valid = v.Columns[j].Data
			j++
			if err := wholeOption(v.Type, leaves[j-1].Path, int64(len(valid)) == out.Rows, leaves[j].Optional); err != nil {
				return nil, err
			}
		}
		c := v.Columns[j]
		dims := c.Dims
		switch {
		case elements:
			dims = dims[1:]
		case len(dims) > 0:
			return nil, &noTable{"the result has arrays that are no rows of one table", "give one array, of records with a field for each column; one row with arrays in it is an array of one: [row]"}
		}
		name := columnName(v.Type, leaves[j].Path)
		out.Columns = append(out.Columns, data.OutColumn{Name: name, Kind: c.Kind, Dims: dims, Values: c.Data, Valid: valid, Means: leaves[j].Type.Means, Texts: c.Texts})
	}
	return out, nil
}

// columns are those of a file with values of a type, without values.
func columns(t *graph.Type) (cols []data.OutColumn) {
	inner := 0
	if t.Kind == graph.Array {
		inner = 1
	}
	for _, l := range graph.Leaves(t) {
		if !l.Presence {
			cols = append(cols, data.OutColumn{Name: columnName(t, l.Path), Kind: l.Type.Num, Dims: make([]int64, max(0, len(l.Dims)-inner)), Means: l.Type.Means})
		}
	}
	return cols
}

// wholeOption refuses an Option that no column of a file is: rows are missing in each column for itself, and only as a whole.
func wholeOption(t *graph.Type, path string, rows, alone bool) error {
	column := cmp.Or(columnName(t, path), data.Unnamed)
	switch {
	case !rows:
		return &noTable{fmt.Sprintf("column `%s` has an Option inside of the array of a row; in a file only whole rows are missing", column),
			"give the array values with .or(…), or make the whole of it an Option"}
	case !alone:
		return &noTable{fmt.Sprintf("column `%s` is an Option of a record, a tuple or another Option; a file holds an Option of one value, or of one array", column),
			"take it apart: give the record a field that is an Option for each part"}
	}
	return nil
}

// noTable says why a result is no table.
type noTable struct{ msg, help string }

func (e *noTable) Error() string { return e.msg }

// refusal is the error of a result that goes to no file.
func refusal(path string, err error) *InputError {
	var no *noTable
	before := ""
	if errors.As(err, &no) && no.help != "" {
		before = no.help + "; or "
	}
	return &InputError{Text: path + ": " + err.Error(), Help: before + "take its values with As or JSON instead", Command: before + "print it with --json instead"}
}

// columnName is what a part of the elements is called in a file. Parts of tuples have numbers,
// which no row of names may consist of: a CSV file without such a row would look the same.
func columnName(t *graph.Type, path string) string {
	for t.Kind == graph.Array || t.Kind == graph.Option {
		t = t.Elem()
	}
	name := strings.TrimPrefix(path, ".")
	if name != "" && len(t.Names) == 0 {
		return data.Unnamed + "_" + name
	}
	return name
}
