package data

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// parquetFile has a chunk per row group that is not empty.
type parquetFile struct {
	table
	*input
	reader *file.Reader
	leaves []parquetLeaf // by column
	groups []int         // row group of a chunk
}

// parquetLeaf says how a column's values lie in the file. A column that
// Godwit cannot compute with has none: its index is -1.
type parquetLeaf struct {
	index          int // among the schema's leaves
	physical       num.Kind
	maxDef, maxRep int
	wide           bool // decimals in bytes, and times in 96 bits
}

var _ Source = (*parquetFile)(nil)

func (s *parquetFile) Path() string { return s.input.path }

func openParquet(in *input) (Source, error) {
	if err := parquetMagic(in); err != nil {
		return nil, err
	}
	r, err := file.NewParquetReader(in.file)
	if err != nil {
		return nil, damaged(in.path, err)
	}
	s := &parquetFile{table: table{name: in.path, format: "parquet"}, input: in, reader: r}
	if err := s.addGroups(); err != nil {
		return nil, err
	}
	s.addColumns()
	return s, nil
}

func damaged(path string, err error) *Error {
	return &Error{Path: path, Row: -1, Msg: "the file cannot be decoded: " + err.Error(), Err: err, Help: "the file is damaged, cut short or of an unsupported variant; write or copy it again"}
}

func parquetMagic(in *input) error {
	var head, tail [4]byte
	n := min(in.size, 4)
	if err := in.readAt(head[:n], 0); err != nil {
		return err
	}
	if string(head[:n]) == "PAR1"[:n] && in.size < 12 {
		return cutShort(in.path, 12, in.size)
	}
	if in.size < 12 {
		return fail(in.path, "this is not a Parquet file: it begins with %q", head[:n])
	}
	if err := in.readAt(tail[:], in.size-4); err != nil {
		return err
	}
	switch {
	case string(head[:]) == "PARE" || string(tail[:]) == "PARE":
		return fail(in.path, "encrypted Parquet files are not supported")
	case string(head[:]) != "PAR1":
		return fail(in.path, "this is not a Parquet file: it begins with %q", head[:])
	case string(tail[:]) != "PAR1":
		e := fail(in.path, "the Parquet file is cut short: its last 4 bytes are not \"PAR1\"")
		e.Help = "write or copy the file again"
		return e
	}
	return nil
}

func (s *parquetFile) addGroups() error {
	lo := int64(0)
	for i := range s.reader.NumRowGroups() {
		n := s.reader.MetaData().RowGroups[i].NumRows
		if n < 0 || lo+n < lo {
			return fail(s.input.path, "row group %d says that it has %d rows", i, n)
		}
		if n == 0 {
			continue
		}
		s.chunks = append(s.chunks, Chunk{lo, lo + n})
		s.groups = append(s.groups, i)
		lo += n
	}
	s.rows = lo
	if want := s.reader.NumRows(); want != lo {
		return fail(s.input.path, "the file says that it has %d rows, its row groups have %d", want, lo)
	}
	return nil
}

func (s *parquetFile) addColumns() {
	sc := s.reader.MetaData().Schema
	stored := storedArrowSchema(s.reader.MetaData())
	next := 0
	for i := range sc.Root().NumFields() {
		node := sc.Root().Field(i)
		leaves := countLeaves(node)
		col, leaf := parquetColumn(sc, node, next)
		if leaf.index < 0 && stored != nil {
			if dims := fixedDims(stored, node.Name()); dims != nil && leaves == 1 {
				col, leaf = parquetList(sc.Column(next), next, node, dims)
			}
		}
		if stored != nil && col.Kind == num.I64 && col.Means.Sort == meaning.None {
			col.Means = storedMeaning(stored, node.Name())
		}
		s.cols, s.leaves = append(s.cols, col), append(s.leaves, leaf)
		next += leaves
	}
}

func countLeaves(n schema.Node) int {
	g, ok := n.(*schema.GroupNode)
	if !ok {
		return 1
	}
	total := 0
	for i := range g.NumFields() {
		total += countLeaves(g.Field(i))
	}
	return total
}

// parquetColumn describes a top-level field; only plain values and optional
// ones are read, nested fields are there by name.
func parquetColumn(sc *schema.Schema, node schema.Node, index int) (Column, parquetLeaf) {
	col := Column{Name: node.Name(), Nullable: node.RepetitionType() != parquet.Repetitions.Required}
	leaf := parquetLeaf{index: -1}
	p, ok := node.(*schema.PrimitiveNode)
	if !ok || node.RepetitionType() == parquet.Repetitions.Repeated {
		col.Stored = "nested " + node.LogicalType().String()
		if node.LogicalType().IsNone() {
			col.Stored = "nested values"
		}
		return col, leaf
	}
	physical, kind, stored := parquetKind(p)
	col.Kind, col.Stored, col.Means = kind, stored, parquetMeaning(p)
	if _, null := p.LogicalType().(schema.NullLogicalType); null && p.PhysicalType() == parquet.Types.Int32 {
		col.Nullable, col.Unknown = true, true
	}
	if p.PhysicalType() == parquet.Types.Int96 {
		return int96Column(col, sc.Column(index), index)
	}
	if kind == num.Invalid && col.Means.Sort != meaning.Text && col.Means.Sort != meaning.Decimal {
		return col, leaf
	}
	wide := false
	if col.Means.Sort == meaning.Decimal {
		if physical, wide = decimalStorage(p); physical == num.Invalid {
			col.Means = meaning.Meaning{}
			return col, leaf
		}
		if l, ok := p.LogicalType().(schema.DecimalLogicalType); ok {
			_, col.Wider = narrowed(l.Precision(), l.Scale())
		}
	}
	d := sc.Column(index)
	leaf = parquetLeaf{index: index, physical: physical, maxDef: int(d.MaxDefinitionLevel()), maxRep: int(d.MaxRepetitionLevel()), wide: wide}
	return col, leaf
}

// decimalStorage is the kind in which decimals are read, and whether they are bytes in the file.
func decimalStorage(p *schema.PrimitiveNode) (physical num.Kind, wide bool) {
	switch p.PhysicalType() {
	case parquet.Types.Int32:
		return num.I32, false
	case parquet.Types.Int64:
		return num.I64, false
	case parquet.Types.FixedLenByteArray:
		return num.I64, true
	}
	return num.Invalid, false
}

// parquetKind gives the kind of the stored values, the kind that they mean,
// and the type's name.
func parquetKind(p *schema.PrimitiveNode) (physical, kind num.Kind, stored string) {
	stored = p.PhysicalType().String()
	logical := p.LogicalType()
	if !logical.IsNone() {
		stored = logical.String()
	}
	switch p.PhysicalType() {
	case parquet.Types.Boolean:
		physical = num.Bool
	case parquet.Types.Int32:
		physical = num.I32
	case parquet.Types.Int64:
		physical = num.I64
	case parquet.Types.Float:
		physical = num.F32
	case parquet.Types.Double:
		physical = num.F64
	default:
		return num.Invalid, num.Invalid, stored
	}
	if it, ok := logical.(schema.IntLogicalType); ok {
		return intKinds(it, physical, stored)
	}
	if _, ok := logical.(schema.DecimalLogicalType); ok {
		return num.Invalid, num.Invalid, stored
	}
	return physical, physical, stored
}

var parquetUnits = map[schema.TimeUnitType]meaning.Unit{
	schema.TimeUnitMillis: meaning.Milli, schema.TimeUnitMicros: meaning.Micro, schema.TimeUnitNanos: meaning.Nano,
}

// parquetMeaning is what values stand for; older files say it with a converted type, which
// arrow-go gives as a logical one.
func parquetMeaning(p *schema.PrimitiveNode) meaning.Meaning {
	switch l := p.LogicalType().(type) {
	case schema.DateLogicalType:
		return meaning.Meaning{Sort: meaning.Date}
	case schema.TimeLogicalType:
		return meaning.Meaning{Sort: meaning.Time, Unit: parquetUnits[l.TimeUnit()]}
	case schema.TimestampLogicalType:
		return meaning.Meaning{Sort: meaning.Timestamp, Unit: parquetUnits[l.TimeUnit()]}
	case schema.DecimalLogicalType:
		if l.Scale() >= 0 && l.Scale() <= meaning.MaxDigits {
			m, _ := narrowed(l.Precision(), l.Scale())
			return m
		}
	case schema.StringLogicalType, schema.EnumLogicalType:
		return meaning.Meaning{Sort: meaning.Text}
	}
	return meaning.Meaning{}
}

// intKinds: an unsigned 32 or 64 bit column uses all bits of its physical type.
func intKinds(it schema.IntLogicalType, physical num.Kind, stored string) (num.Kind, num.Kind, string) {
	name := fmt.Sprintf("i%d", it.BitWidth())
	if !it.IsSigned() {
		name = "u" + name[1:]
		if physical == num.I64 {
			physical = num.U64
		} else {
			physical = num.U32
		}
	}
	kind, ok := num.ParseKind(name)
	if !ok || kind.Size() > physical.Size() {
		return num.Invalid, num.Invalid, stored
	}
	return physical, kind, stored
}

// parquetList describes a list whose rows all have the length that the
// writer's Arrow schema says; Fill checks that they have.
func parquetList(d *schema.Column, index int, node schema.Node, dims []int64) (Column, parquetLeaf) {
	p, ok := d.SchemaNode().(*schema.PrimitiveNode)
	if !ok || int(d.MaxRepetitionLevel()) != len(dims) {
		return Column{Name: node.Name(), Stored: "nested values"}, parquetLeaf{index: -1}
	}
	physical, kind, stored := parquetKind(p)
	col := Column{Name: node.Name(), Kind: kind, Stored: stored, Dims: dims, Nullable: node.RepetitionType() == parquet.Repetitions.Optional}
	if kind != num.Invalid {
		col.Means = parquetMeaning(p) // of lists of decimals and text nothing can be read
	}
	if kind == num.Invalid {
		return col, parquetLeaf{index: -1}
	}
	return col, parquetLeaf{index: index, physical: physical, maxDef: int(d.MaxDefinitionLevel()), maxRep: len(dims)}
}

// storedArrowSchema is the schema that Arrow's writers leave in the footer,
// nil if there is none. It only adds the lengths of fixed-size lists.
func storedArrowSchema(m *metadata.FileMetaData) (sc *arrow.Schema) {
	defer func() {
		if recover() != nil {
			sc = nil
		}
	}()
	v := m.KeyValueMetadata().FindValue("ARROW:schema")
	if v == nil {
		return nil
	}
	b, err := base64.StdEncoding.DecodeString(*v)
	if err != nil {
		return nil
	}
	// An encapsulated message: a mark, the length of the metadata, these.
	n := int64(binary.LittleEndian.Uint32(b[4:8]))
	if sc, err = decodeSchema(b[8:][:n]); err != nil {
		return nil
	}
	return sc
}

// storedMeaning is what Arrow's schema says of a column of plain integers: Parquet has no durations,
// and no timestamps in seconds.
func storedMeaning(sc *arrow.Schema, name string) meaning.Meaning {
	fields, ok := sc.FieldsByName(name)
	if !ok {
		return meaning.Meaning{}
	}
	_, elem := listDims(fields[0].Type)
	m := arrowMeaning(elem)
	if m.Sort == meaning.Duration || m.Sort == meaning.Timestamp && m.Unit == meaning.Second {
		return m
	}
	return meaning.Meaning{}
}

// fixedDims are the lengths of the fixed-size lists that a field nests.
func fixedDims(sc *arrow.Schema, name string) []int64 {
	fields, ok := sc.FieldsByName(name)
	if !ok {
		return nil
	}
	dims, _ := listDims(fields[0].Type)
	return dims
}

func listDims(t arrow.DataType) ([]int64, arrow.DataType) {
	var dims []int64
	for {
		l, ok := t.(*arrow.FixedSizeListType)
		if !ok {
			return dims, t
		}
		dims = append(dims, int64(l.Len()))
		t = l.Elem()
	}
}

// checkWant implements wantChecker.
func (s *parquetFile) checkWant(w Want) error {
	if s.cols[w.Column].Unknown {
		return nil // without a value it is whatever is asked for
	}
	return checkMeant(s.input.path, &s.cols[w.Column], w)
}

// Raw is never possible: pages have headers between them.
func (s *parquetFile) Raw(int) (Raw, bool) { return Raw{}, false }

func (s *parquetFile) Close() error { return s.input.Close() }

// rest lets go of what the file says of its pages, too: of many files that would be much.
func (s *parquetFile) rest() error {
	s.reader = nil
	return s.input.rest()
}

func (s *parquetFile) wake() (err error) {
	defer guard(s.input.path, &err)
	if err := s.input.wake(); err != nil {
		return err
	}
	if s.reader, err = file.NewParquetReader(s.file); err != nil {
		return damaged(s.input.path, err)
	}
	return nil
}

func (s *parquetFile) Fill(ctx context.Context, chunk int, wants []Want, dst []Dest) (read int64, err error) {
	if _, err := checkFill(s, chunk, wants, dst); err != nil {
		return 0, err
	}
	defer guard(s.input.path, &err)
	for i, w := range prepared(s.cols, wants) {
		n, err := s.fillColumn(ctx, chunk, w, dst[i])
		read += n
		if err != nil {
			return read, err
		}
	}
	return read, nil
}
