package data

import "github.com/godwit-run/godwit/num"

// OutColumn is one column to be written. Values holds rows × width ×
// Kind.Size() little-endian bytes; Valid one byte per row, nil for no nulls.
type OutColumn struct {
	Name          string
	Kind          num.Kind
	Dims          []int64
	Values, Valid []byte
}

// Output is a table to be written, or one value if Scalar.
type Output struct {
	Columns []OutColumn
	Rows    int64
	Scalar  bool
}

// Write writes out to path in the format of its extension.
func Write(path string, out *Output) error { return todo }
