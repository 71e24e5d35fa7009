package data

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// writeNPY writes version 1.0, or 2.0 for a very long shape.
func writeNPY(w io.Writer, out *Output) error {
	c := &out.Columns[0]
	if len(out.Columns) > 1 {
		return refuse(&OutColumn{}, fmt.Sprintf("an NPY file holds one array, the result has %d columns", len(out.Columns)),
			"write .parquet, .arrow or .csv, which hold tables")
	}
	if c.Means.Sort == meaning.Text {
		return refuse(c, "an NPY file cannot hold text", "write .parquet, .arrow, .jsonl or .csv")
	}
	if c.Means.Sort == meaning.Decimal {
		return refuse(c, "an NPY file cannot hold decimals", "write .parquet, .arrow or .csv, or convert them: as f64")
	}
	if err := checkTimes(c); err != nil {
		return err
	}
	if c.Means.Sort == meaning.Date {
		c = &OutColumn{Name: c.Name, Kind: num.I64, Dims: c.Dims, Valid: c.Valid, Means: c.Means, Values: make([]byte, 2*len(c.Values))}
		convert(c.Values, Want{Kind: num.I64}, out.Columns[0].Values, num.I32)
		out = &Output{Columns: []OutColumn{*c}, Rows: out.Rows, Scalar: out.Scalar}
	}
	if c.HasNulls() {
		return refuse(c, "an NPY file cannot hold nulls", "write .parquet, .arrow or .csv, or replace nulls with .or(…)")
	}
	for _, b := range [][]byte{npyHead(out, 64), c.Values} {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// npyHead is what comes before the data, which begin at a multiple of align.
func npyHead(out *Output, align int) []byte {
	c := &out.Columns[0]
	shape := append([]int64{out.Rows}, c.Dims...)
	if out.Scalar {
		shape = c.Dims
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", npyDescr(c), npyShape(shape))
	head := []byte("\x93NUMPY\x01\x00\x00\x00")
	if len(text) > 60000 {
		head = []byte("\x93NUMPY\x02\x00\x00\x00\x00\x00")
	}
	pad := align - 1 - (len(head)+len(text))%align
	text += strings.Repeat(" ", pad) + "\n"
	if head[6] == 1 {
		binary.LittleEndian.PutUint16(head[8:], uint16(len(text)))
	} else {
		binary.LittleEndian.PutUint32(head[8:], uint32(len(text)))
	}
	return append(head, text...)
}

// npyDescr is the dtype of a column: datetime64 and timedelta64 count in 64 bits.
func npyDescr(c *OutColumn) string {
	k := c.Kind
	for code, m := range npyTimes {
		if m == c.Means && k == num.I64 {
			return "<" + code
		}
	}
	for code, kind := range npyKinds {
		if kind == k && k.Size() == 1 {
			return "|" + code
		} else if kind == k {
			return "<" + code
		}
	}
	return ""
}
