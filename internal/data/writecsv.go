package data

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// writeCSV writes a row of names and the rows. A row's inner elements become
// columns name_0, name_1, …; a null becomes an empty field.
func writeCSV(w io.Writer, out *Output) error { return writeFields(w, out, ',') }

// writeTSV writes the same with tabs, as files that end in .tsv are read.
func writeTSV(w io.Writer, out *Output) error { return writeFields(w, out, '\t') }

func writeFields(w io.Writer, out *Output, sep byte) error {
	line, err := csvNames(out, sep)
	if err != nil {
		return err
	}
	for i := range out.Columns {
		if err := checkZeros(&out.Columns[i]); err != nil {
			return err
		}
	}
	if err := writeLine(w, line); err != nil {
		return err
	}
	for row := range out.Rows {
		line = line[:0]
		for i := range out.Columns {
			line = appendRow(line, &out.Columns[i], row, sep)
		}
		if len(line) == 1 {
			line = append(line[:0], '"', '"', sep) // an empty line would be skipped
		}
		if err := writeLine(w, line); err != nil {
			return err
		}
	}
	return nil
}

// csvNames is the row of names, of which each chooses one column.
func csvNames(out *Output, sep byte) (line []byte, err error) {
	of := map[string]*OutColumn{}
	for i := range out.Columns {
		c := &out.Columns[i]
		if c.width() == 0 {
			return nil, refuse(c, "a CSV file cannot hold rows without elements", "write .npy")
		}
		for j := range c.width() {
			name := c.name() + elementName(c.Dims, j)
			if strings.IndexByte(name, 0) >= 0 {
				return nil, refuse(c, "its name has a zero byte, which a CSV file cannot hold", "write .parquet or .arrow")
			}
			if other := of[name]; other != nil {
				return nil, refuse(c, fmt.Sprintf("an array becomes columns of its own in a CSV file, and one of `%s` and one of `%s` would both be called `%s`", other.name(), c.name(), name),
					"give one of them another name, or write .parquet or .arrow, which hold arrays")
			}
			of[name] = c
			line = appendField(line, name, sep)
		}
	}
	return line, nil
}

// checkZeros refuses text that no reader takes for text.
func checkZeros(c *OutColumn) error {
	zero := func(text string) bool { return strings.IndexByte(text, 0) >= 0 }
	if c.Means.Sort != meaning.Text || !slices.ContainsFunc(c.Texts, zero) {
		return nil
	}
	width := c.width()
	for i := range int64(len(c.Values) / c.Kind.Size()) {
		if row := i / width; (c.Valid == nil || c.Valid[row] != 0) && zero(c.text(i)) {
			e := refuse(c, "its text has a zero byte, which a CSV file cannot hold", "write .parquet, .arrow or .jsonl")
			e.Row = row
			return e
		}
	}
	return nil
}

// writeLine writes fields, of which each ends with a separator.
func writeLine(w io.Writer, line []byte) error {
	line[len(line)-1] = '\n'
	_, err := w.Write(line)
	return err
}

// elementName is "_i_j" for element n of a row.
func elementName(dims []int64, n int64) string {
	s := ""
	for i := len(dims) - 1; i >= 0; i-- {
		s = "_" + decimal(n%dims[i]) + s
		n /= dims[i]
	}
	return s
}

func appendField(line []byte, text string, sep byte) []byte {
	if strings.IndexByte(text, sep) >= 0 || strings.ContainsAny(text, "\"\r\n") {
		text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return append(append(line, text...), sep)
}

func appendRow(line []byte, c *OutColumn, row int64, sep byte) []byte {
	width := c.width()
	for j := range width {
		if c.Valid == nil || c.Valid[row] != 0 {
			if c.Means.Sort == meaning.Text {
				line = appendField(line, c.text(row*width+j), sep)
				continue
			}
			var ok bool
			if line, ok = c.meant(line, row*width+j); !ok {
				line = appendValue(line, c.Values, c.Kind, int(row*width+j))
			}
		}
		line = append(line, sep)
	}
	return line
}

// appendValue appends the shortest text that reads back as the same value, of an integer or a float as it is.
func appendValue(line, b []byte, k num.Kind, i int) []byte {
	switch k {
	case num.Bool:
		return strconv.AppendBool(line, b[i] != 0)
	case num.I8:
		return strconv.AppendInt(line, int64(int8(b[i])), 10)
	case num.I16:
		return strconv.AppendInt(line, int64(view[int16](b)[i]), 10)
	case num.I32:
		return strconv.AppendInt(line, int64(view[int32](b)[i]), 10)
	case num.I64:
		return strconv.AppendInt(line, view[int64](b)[i], 10)
	case num.U8:
		return strconv.AppendUint(line, uint64(b[i]), 10)
	case num.U16:
		return strconv.AppendUint(line, uint64(view[uint16](b)[i]), 10)
	case num.U32:
		return strconv.AppendUint(line, uint64(view[uint32](b)[i]), 10)
	case num.U64:
		return strconv.AppendUint(line, view[uint64](b)[i], 10)
	case num.F32:
		return appendFloat(line, float64(view[float32](b)[i]), 32)
	}
	return appendFloat(line, view[float64](b)[i], 64)
}

// appendFloat writes a whole number with a point, which tells readers that it is a float: 1 would be an integer to them, and the sign of -0 be lost.
func appendFloat(line []byte, x float64, bits int) []byte {
	at := len(line)
	line = strconv.AppendFloat(line, x, 'g', -1, bits)
	if bytes.IndexFunc(line[at:], func(r rune) bool { return r != '-' && (r < '0' || r > '9') }) < 0 {
		line = append(line, ".0"...)
	}
	return line
}
