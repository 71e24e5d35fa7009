package godwit

import (
	"errors"
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
			if int64(len(valid)) != out.Rows || !leaves[j].Optional {
				return nil, errors.New("a file can only hold Option for whole rows of numbers")
			}
		}
		c := v.Columns[j]
		dims := c.Dims
		switch {
		case elements:
			dims = dims[1:]
		case len(dims) > 0:
			return nil, errors.New("the result has several arrays, and a file holds one table")
		}
		name := columnName(leaves[j].Path)
		out.Columns = append(out.Columns, data.OutColumn{Name: name, Kind: c.Kind, Dims: dims, Values: c.Data, Valid: valid, Means: leaves[j].Type.Means, Texts: c.Texts})
	}
	return out, nil
}

// columnName is what a part of the elements is called in a file. Parts of tuples have numbers,
// which no row of names may consist of: a CSV file without such a row would look the same.
func columnName(path string) string {
	name := strings.TrimPrefix(path, ".")
	if name != "" && name[0] >= '0' && name[0] <= '9' {
		return data.Unnamed + "_" + name
	}
	return name
}
