package data

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"sort"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// parquetGroup is the number of elements of the widest column in a row group.
const parquetGroup = 1 << 20

// inMillis is out with timestamps in seconds, which Parquet does not have, in milliseconds.
func inMillis(out *Output) (*Output, error) {
	seconds := meaning.Meaning{Sort: meaning.Timestamp, Unit: meaning.Second}
	if !slices.ContainsFunc(out.Columns, func(c OutColumn) bool { return c.Means == seconds }) {
		return out, nil
	}
	o := *out
	o.Columns = slices.Clone(out.Columns)
	for i := range o.Columns {
		c := &o.Columns[i]
		if c.Means != seconds {
			continue
		}
		w := Want{Kind: num.I64, Means: meaning.Meaning{Sort: meaning.Timestamp, Unit: meaning.Milli}, from: seconds}
		w.scale, _ = seconds.To(w.Means)
		values := make([]byte, len(c.Values))
		if rescale(values, w, c.Values, c.Kind) >= 0 {
			return nil, refuse(c, "a timestamp is too far away for milliseconds, in which Parquet counts", "write .arrow or .csv")
		}
		c.Values, c.Means = values, w.Means
	}
	return &o, nil
}

// writeParquet writes row groups with zstd, dictionaries and statistics.
func writeParquet(w io.Writer, out *Output) error {
	props := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd), parquet.WithCreatedBy("godwit"))
	return writeGroups(w, out, parquetGroup, props)
}

// writeGroups writes row groups of about group elements.
func writeGroups(w io.Writer, out *Output, group int64, props *parquet.WriterProperties) error {
	out, err := inMillis(out)
	if err != nil {
		return err
	}
	root, err := parquetSchema(out)
	if err != nil {
		return err
	}
	// The writer closes what it writes to if it can; we do that ourselves.
	f := file.NewParquetWriter(struct{ io.Writer }{w}, root, file.WithWriterProps(props))
	width := int64(1)
	for i := range out.Columns {
		width = max(width, out.Columns[i].width())
	}
	for _, c := range evenChunks(out.Rows, width, group) {
		if err := writeGroup(f, out, c); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(out.Columns, func(c OutColumn) bool { return len(c.Dims) > 0 || c.onlyArrow() }) {
		if err := storeArrowSchema(f, out); err != nil {
			return err
		}
	}
	if err := orderEncodings(f); err != nil {
		return err
	}
	return f.Close()
}

// orderEncodings has the same table be the same file each time: arrow-go lists how many pages of a column have which encoding in the
// order of a Go map, which is another one each time. What it is asked for here is what it writes at the end.
func orderEncodings(f *file.Writer) error {
	m, err := f.FileMetadata()
	if err != nil {
		return err
	}
	for _, g := range m.RowGroups {
		for _, c := range g.Columns {
			stats := c.MetaData.EncodingStats
			sort.Slice(stats, func(i, j int) bool {
				a, b := stats[i], stats[j]
				return cmp.Or(cmp.Compare(b.PageType, a.PageType), cmp.Compare(b.Encoding, a.Encoding)) < 0
			})
		}
	}
	return nil
}

// onlyArrow reports a column whose meaning Parquet has no word for.
func (c *OutColumn) onlyArrow() bool {
	l, _ := c.parquetTime()
	return c.Means.Sort != meaning.None && l == nil
}

// storeArrowSchema keeps the lengths of fixed-size lists, which Parquet has no
// word for, in the place where Arrow's readers look.
func storeArrowSchema(f *file.Writer, out *Output) error {
	var b bytes.Buffer
	if err := ipc.NewWriter(&b, ipc.WithSchema(arrowSchema(out))).Close(); err != nil {
		return err
	}
	return f.AppendKeyValueMetadata("ARROW:schema", base64.StdEncoding.EncodeToString(b.Bytes()))
}

func parquetSchema(out *Output) (*schema.GroupNode, error) {
	var fields schema.FieldList
	for i := range out.Columns {
		c := &out.Columns[i]
		if c.width() == 0 {
			return nil, refuse(c, "a Parquet file cannot hold rows without elements", "write .npy or .arrow")
		}
		n, err := parquetNode(c)
		if err != nil {
			return nil, err
		}
		fields = append(fields, n)
	}
	return schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
}

// parquetNode is a value, or three-level lists around it.
func parquetNode(c *OutColumn) (schema.Node, error) {
	rep := parquet.Repetitions.Required
	if c.optional() || c.Unknown {
		rep = parquet.Repetitions.Optional
	}
	if len(c.Dims) == 0 {
		return parquetValue(c.name(), rep, c)
	}
	n, err := parquetValue("element", parquet.Repetitions.Required, c)
	for l := len(c.Dims) - 1; l >= 0 && err == nil; l-- {
		name, outer := "element", parquet.Repetitions.Required
		if l == 0 {
			name, outer = c.name(), rep
		}
		var list schema.Node
		if list, err = schema.NewGroupNode("list", parquet.Repetitions.Repeated, schema.FieldList{n}, -1); err == nil {
			n, err = schema.NewGroupNodeLogical(name, outer, schema.FieldList{list}, schema.NewListLogicalType(), -1)
		}
	}
	return n, err
}

var parquetTimeUnits = map[meaning.Unit]schema.TimeUnitType{
	meaning.Milli: schema.TimeUnitMillis, meaning.Micro: schema.TimeUnitMicros, meaning.Nano: schema.TimeUnitNanos,
}

// parquetTime is the type that a column is written as, nil if it has none of its own: Parquet has none for durations, which
// are integers there; Arrow's schema says what they are. A time of day has no zone, so it is not adjusted to UTC; a timestamp is UTC.
func (c *OutColumn) parquetTime() (schema.LogicalType, parquet.Type) {
	switch c.Means.Sort {
	case meaning.Date:
		return schema.DateLogicalType{}, parquet.Types.Int32
	case meaning.Time:
		return schema.NewTimeLogicalType(false, parquetTimeUnits[c.Means.Unit]), parquet.Types.Int64
	case meaning.Timestamp:
		u := c.Means.Unit
		if u == meaning.Second {
			u = meaning.Milli // see inMillis
		}
		return schema.NewTimestampLogicalType(true, parquetTimeUnits[u]), parquet.Types.Int64
	case meaning.Text:
		return schema.StringLogicalType{}, parquet.Types.ByteArray
	case meaning.Decimal:
		return schema.NewDecimalLogicalType(c.digits(), int32(c.Means.Places)), parquet.Types.Int64
	}
	return nil, parquet.Types.Undefined
}

func parquetValue(name string, rep parquet.Repetition, c *OutColumn) (schema.Node, error) {
	k := c.Kind
	if c.Unknown {
		return schema.NewPrimitiveNodeLogical(name, rep, schema.NullLogicalType{}, parquet.Types.Int32, -1, -1)
	}
	if c.Means.Sort == meaning.Decimal && c.digits() > meaning.MaxDigits {
		return nil, refuse(c, fmt.Sprintf("a decimal has more than %d digits", meaning.MaxDigits), "write .arrow or .csv")
	}
	if l, t := c.parquetTime(); l != nil {
		return schema.NewPrimitiveNodeLogical(name, rep, l, t, -1, -1)
	}
	physical := map[num.Kind]parquet.Type{num.Bool: parquet.Types.Boolean, num.F32: parquet.Types.Float, num.F64: parquet.Types.Double}
	if t, ok := physical[k]; ok {
		return schema.NewPrimitiveNode(name, rep, t, -1, -1)
	}
	t := parquet.Types.Int32
	if k.Bits() == 64 {
		t = parquet.Types.Int64
	}
	return schema.NewPrimitiveNodeLogical(name, rep, schema.NewIntLogicalType(int8(k.Bits()), k.IsSigned()), t, -1, -1)
}

func writeGroup(f *file.Writer, out *Output, c Chunk) error {
	g, err := f.AppendRowGroupChecked()
	if err != nil {
		return err
	}
	for i := range out.Columns {
		w, err := g.NextColumn()
		if err != nil {
			return err
		}
		if err := writeColumn(w, &out.Columns[i], c); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
	return g.Close()
}

// writeColumn writes the rows of a chunk in the physical type of their kind.
func writeColumn(w file.ColumnChunkWriter, c *OutColumn, rows Chunk) error {
	rowSize := c.width() * int64(c.Kind.Size())
	values := c.Values[rows.Lo*rowSize : rows.Hi*rowSize]
	var valid []byte
	if c.optional() {
		valid = c.Valid[rows.Lo:rows.Hi]
		values = presentRows(values, valid, int(rowSize))
	}
	def, rep := parquetLevels(c, valid, int(rows.Rows()))
	n := len(values) / c.Kind.Size()
	var err error
	if w, ok := w.(*file.ByteArrayColumnChunkWriter); ok {
		texts := make([]parquet.ByteArray, n)
		present := &OutColumn{Kind: c.Kind, Values: values, Texts: c.Texts}
		for i := range texts {
			texts[i] = []byte(present.text(int64(i)))
		}
		_, err = w.WriteBatch(texts, def, rep)
		return err
	}
	switch w := w.(type) {
	case *file.BooleanColumnChunkWriter:
		bools := make([]bool, n)
		for i := range bools {
			bools[i] = values[i] != 0
		}
		_, err = w.WriteBatch(bools, def, rep)
	case *file.Int32ColumnChunkWriter:
		wide := values
		if c.Kind.Size() < 4 {
			wide = make([]byte, n*4)
			convert(wide, Want{Kind: num.I32}, values, c.Kind)
		}
		_, err = w.WriteBatch(view[int32](wide), def, rep)
	case *file.Int64ColumnChunkWriter:
		_, err = w.WriteBatch(view[int64](values), def, rep)
	case *file.Float32ColumnChunkWriter:
		_, err = w.WriteBatch(view[float32](values), def, rep)
	case *file.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(view[float64](values), def, rep)
	default:
		err = fmt.Errorf("no writer for %s", c.Kind)
	}
	return err
}

// presentRows leaves null rows out.
func presentRows(values, valid []byte, size int) []byte {
	var out []byte
	for i, v := range valid {
		if v != 0 {
			out = append(out, values[i*size:(i+1)*size]...)
		}
	}
	return out
}

// parquetLevels are the definition and repetition levels of n rows. valid is
// nil if the column is required.
func parquetLevels(c *OutColumn, valid []byte, n int) (def, rep []int16) {
	if len(c.Dims) == 0 && valid == nil {
		return nil, nil
	}
	full := int16(len(c.Dims))
	if valid != nil {
		full++
	}
	f := &slowFill{col: &Column{Dims: c.Dims}}
	width := int(c.width())
	for row := range n {
		if valid != nil && valid[row] == 0 {
			def, rep = append(def, 0), append(rep, 0)
			continue
		}
		for i := range width {
			def, rep = append(def, full), append(rep, int16(f.level(i)))
		}
	}
	if len(c.Dims) == 0 {
		rep = nil
	}
	return def, rep
}
