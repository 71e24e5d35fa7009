package data

import (
	"encoding/json"
	"io"
	"math"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// writeLines writes an object of JSON for each row. A row's inner elements become lists; a null is null.
func writeLines(w io.Writer, out *Output) error {
	names := make([][]byte, len(out.Columns))
	for i := range out.Columns {
		name, err := json.Marshal(out.Columns[i].name())
		if err != nil {
			return err
		}
		names[i] = name
	}
	var line []byte
	for row := range out.Rows {
		line = append(line[:0], '{')
		for i := range out.Columns {
			if i > 0 {
				line = append(line, ',')
			}
			line = append(append(line, names[i]...), ':')
			line = appendJSON(line, &out.Columns[i], row)
		}
		if _, err := w.Write(append(line, '}', '\n')); err != nil {
			return err
		}
	}
	return nil
}

func appendJSON(line []byte, c *OutColumn, row int64) []byte {
	if c.Valid != nil && c.Valid[row] == 0 {
		return append(line, "null"...)
	}
	at := row * c.width()
	return appendNested(line, c, c.Dims, &at)
}

func appendNested(line []byte, c *OutColumn, dims []int64, at *int64) []byte {
	if len(dims) == 0 {
		line = appendElement(line, c, *at)
		*at++
		return line
	}
	line = append(line, '[')
	for i := range dims[0] {
		if i > 0 {
			line = append(line, ',')
		}
		line = appendNested(line, c, dims[1:], at)
	}
	return append(line, ']')
}

// appendElement writes what stands for something as text.
func appendElement(line []byte, c *OutColumn, i int64) []byte {
	var buf [64]byte
	text, ok := c.meant(buf[:0], i)
	if !ok {
		return appendScalar(line, c.Values, c.Kind, int(i))
	}
	quoted, err := json.Marshal(string(text))
	if err != nil { // a string has no error
		return append(line, "null"...)
	}
	return append(line, quoted...)
}

// appendScalar writes a value as JSON; floats that JSON has no word for are texts.
func appendScalar(line, b []byte, k num.Kind, i int) []byte {
	if k.IsFloat() {
		if x := num.ToFloat(k, column.Get(k, b, int64(i))); math.IsNaN(x) || math.IsInf(x, 0) {
			return append(append(append(line, '"'), column.Text(k, column.Get(k, b, int64(i)))...), '"')
		}
	}
	return appendValue(line, b, k, i)
}
