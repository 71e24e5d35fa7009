package data

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/godwit-run/godwit/internal/ir/num"
)

var arrowTypes = map[num.Kind]arrow.DataType{
	num.Bool: arrow.FixedWidthTypes.Boolean,
	num.I8:   arrow.PrimitiveTypes.Int8, num.I16: arrow.PrimitiveTypes.Int16,
	num.I32: arrow.PrimitiveTypes.Int32, num.I64: arrow.PrimitiveTypes.Int64,
	num.U8: arrow.PrimitiveTypes.Uint8, num.U16: arrow.PrimitiveTypes.Uint16,
	num.U32: arrow.PrimitiveTypes.Uint32, num.U64: arrow.PrimitiveTypes.Uint64,
	num.F32: arrow.PrimitiveTypes.Float32, num.F64: arrow.PrimitiveTypes.Float64,
}

// writeArrow writes an IPC file of one batch without compression, so that it
// can be mapped.
func writeArrow(w io.Writer, out *Output) error {
	sc := arrowSchema(out)
	f, err := ipc.NewFileWriter(w, ipc.WithSchema(sc))
	if err != nil {
		return err
	}
	cols := make([]arrow.Array, len(out.Columns))
	for i := range cols {
		d := arrowData(&out.Columns[i], sc.Field(i).Type, out.Rows)
		cols[i] = array.MakeFromData(d)
	}
	if err := f.Write(array.NewRecordBatch(sc, cols, out.Rows)); err != nil {
		return err
	}
	return f.Close()
}

func arrowSchema(out *Output) *arrow.Schema {
	var fields []arrow.Field
	for i := range out.Columns {
		c := &out.Columns[i]
		t := arrowTypes[c.Kind]
		for d := len(c.Dims) - 1; d >= 0; d-- {
			t = arrow.FixedSizeListOfField(int32(c.Dims[d]), arrow.Field{Name: "item", Type: t})
		}
		fields = append(fields, arrow.Field{Name: c.name(), Type: t, Nullable: c.HasNulls()})
	}
	return arrow.NewSchema(fields, nil)
}

// arrowData wraps a column's bytes; only bools and nulls are packed anew.
func arrowData(c *OutColumn, t arrow.DataType, rows int64) arrow.ArrayData {
	values := c.Values
	if c.Kind == num.Bool {
		values = packBits(values)
	}
	var nulls *memory.Buffer
	count := 0
	if c.HasNulls() {
		nulls = memory.NewBufferBytes(packBits(c.Valid))
		for _, v := range c.Valid {
			if v == 0 {
				count++
			}
		}
	}
	_, elem := listDims(t)
	outer := nulls
	if len(c.Dims) > 0 {
		nulls = nil
	}
	n := int(rows * c.width())
	d := array.NewData(elem, n, []*memory.Buffer{nulls, memory.NewBufferBytes(values)}, nil, 0, 0)
	if len(c.Dims) == 0 {
		d.SetNullN(count)
		return d
	}
	return arrowLists(c.Dims, t, d, int(rows), outer, count)
}

// arrowLists puts fixed-size lists around the elements d.
func arrowLists(dims []int64, t arrow.DataType, d arrow.ArrayData, rows int, nulls *memory.Buffer, count int) arrow.ArrayData {
	elem := t.(*arrow.FixedSizeListType).Elem()
	if len(dims) > 1 {
		d = arrowLists(dims[1:], elem, d, rows*int(dims[0]), nil, 0)
	}
	return array.NewData(t, rows, []*memory.Buffer{nulls}, []arrow.ArrayData{d}, count, 0)
}
