package data

import (
	"io"
	"math"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/godwit-run/godwit/internal/data/meaning"
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
	cols := make([]arrow.Array, len(out.Columns))
	for i := range cols {
		d := arrowData(&out.Columns[i], sc.Field(i).Type, out.Rows)
		cols[i] = array.MakeFromData(d)
	}
	sc, err := inLines(sc, cols, out.Rows)
	if err != nil {
		return err
	}
	f, err := ipc.NewFileWriter(w, ipc.WithSchema(sc))
	if err != nil {
		return err
	}
	if err := f.Write(array.NewRecordBatch(sc, cols, out.Rows)); err != nil {
		return err
	}
	return f.Close()
}

const (
	// arrowLine is the size of a cache's line, where a batch begins: so do its columns then, if its rows fill lines, as those of shards do, and wide loads from
	// a file that is mapped touch one line each.
	arrowLine = 64
	// arrowBegin is what a file begins with, its name and zeros, arrowWord what its parts are padded to, arrowPrefix what says how long a message is.
	arrowBegin, arrowWord, arrowPrefix = 8, 8, 8
)

// inLines is a schema with so many spaces in its metadata that a file's batch begins at a multiple of arrowLine.
func inLines(sc *arrow.Schema, cols []arrow.Array, rows int64) (*arrow.Schema, error) {
	batch, err := ipc.GetRecordBatchPayload(array.NewRecordBatch(sc, cols, rows))
	if err != nil {
		return nil, err
	}
	defer batch.Release()
	for n := 0; n <= 2*arrowLine; n += arrowWord {
		padded := sc
		if n > 0 {
			about := arrow.NewMetadata([]string{"padding"}, []string{strings.Repeat(" ", n)})
			padded = arrow.NewSchema(sc.Fields(), &about)
		}
		head := ipc.GetSchemaPayload(padded, memory.DefaultAllocator)
		begin := arrowBegin + messageLen(&head) + messageLen(&batch)
		head.Release()
		if begin%arrowLine == 0 {
			return padded, nil
		}
	}
	return sc, nil
}

// messageLen is how long a message is in a file, without its body.
func messageLen(p *ipc.Payload) int {
	m := p.Meta()
	defer m.Release()
	return (arrowPrefix + m.Len() + arrowWord - 1) / arrowWord * arrowWord
}

func arrowSchema(out *Output) *arrow.Schema {
	var fields []arrow.Field
	for i := range out.Columns {
		c := &out.Columns[i]
		t := arrowType(c)
		for d := len(c.Dims) - 1; d >= 0; d-- {
			t = arrow.FixedSizeListOfField(int32(c.Dims[d]), arrow.Field{Name: "item", Type: t})
		}
		fields = append(fields, arrow.Field{Name: c.name(), Type: t, Nullable: c.optional() || c.Unknown})
	}
	return arrow.NewSchema(fields, nil)
}

var arrowTimeUnits = map[meaning.Unit]arrow.TimeUnit{
	meaning.Second: arrow.Second, meaning.Milli: arrow.Millisecond, meaning.Micro: arrow.Microsecond, meaning.Nano: arrow.Nanosecond,
}

// arrowType is the type of a column's values.
func arrowType(c *OutColumn) arrow.DataType {
	if c.Unknown {
		return arrow.Null
	}
	u := arrowTimeUnits[c.Means.Unit]
	switch c.Means.Sort {
	case meaning.Date:
		return arrow.FixedWidthTypes.Date32
	case meaning.Time:
		return &arrow.Time64Type{Unit: u}
	case meaning.Timestamp:
		return &arrow.TimestampType{Unit: u, TimeZone: "UTC"}
	case meaning.Duration:
		return &arrow.DurationType{Unit: u}
	case meaning.Text:
		return arrow.BinaryTypes.String
	case meaning.Decimal:
		return &arrow.Decimal128Type{Precision: c.digits(), Scale: int32(c.Means.Places)}
	}
	return arrowTypes[c.Kind]
}

// arrowText lays the texts of a column out one after the other.
func arrowText(c *OutColumn, n int64) (offsets, data []byte, err error) {
	at := make([]int32, n+1)
	for i := range n {
		data = append(data, c.text(i)...)
		if len(data) > math.MaxInt32 {
			return nil, nil, refuse(c, "its text has more than 2 GiB", "write .parquet or .csv")
		}
		at[i+1] = int32(len(data))
	}
	return bytesOf(at), data, nil
}

// arrowData wraps a column's bytes; only bools and nulls are packed anew.
func arrowData(c *OutColumn, t arrow.DataType, rows int64) arrow.ArrayData {
	if c.Unknown {
		return array.NewData(t, int(rows), []*memory.Buffer{nil}, nil, int(rows), 0)
	}
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
	if c.Means.Sort == meaning.Decimal {
		values = arrowDecimals(c)
	}
	n := int(rows * c.width())
	buffers := []*memory.Buffer{nulls, memory.NewBufferBytes(values)}
	if c.Means.Sort == meaning.Text {
		offsets, text, err := arrowText(c, int64(n))
		if err != nil {
			panic(err)
		}
		buffers = []*memory.Buffer{nulls, memory.NewBufferBytes(offsets), memory.NewBufferBytes(text)}
	}
	d := array.NewData(elem, n, buffers, nil, 0, 0)
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
