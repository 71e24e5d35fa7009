package data

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// mixedBatch has columns of many types around the numbers, so that nodes and
// buffers must be counted right. Rows are numbered from lo.
func mixedBatch(lo, n int) arrow.RecordBatch {
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Int32}
	sc := arrow.NewSchema([]arrow.Field{
		{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "view", Type: arrow.BinaryTypes.StringView},
		{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8)},
		{Name: "struct", Type: arrow.StructOf(arrow.Field{Name: "a", Type: arrow.BinaryTypes.String}, arrow.Field{Name: "b", Type: arrow.PrimitiveTypes.Float64})},
		{Name: "none", Type: arrow.Null, Nullable: true},
		{Name: "i", Type: arrow.PrimitiveTypes.Int64},
		{Name: "option", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "bits", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "code", Type: dict, Nullable: true},
		{Name: "pair", Type: arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32), Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, sc)
	defer b.Release()
	for i := lo; i < lo+n; i++ {
		b.Field(0).(*array.StringBuilder).Append(fmt.Sprint("text", i))
		b.Field(1).(*array.StringViewBuilder).Append(fmt.Sprint("a text too long for a view to hold it ", i))
		b.Field(2).(*array.ListBuilder).Append(true)
		b.Field(2).(*array.ListBuilder).ValueBuilder().(*array.Int8Builder).Append(int8(i))
		st := b.Field(3).(*array.StructBuilder)
		st.Append(true)
		st.FieldBuilder(0).(*array.StringBuilder).Append("s")
		st.FieldBuilder(1).(*array.Float64Builder).Append(0.5)
		b.Field(4).(*array.NullBuilder).AppendNull()
		b.Field(5).(*array.Int64Builder).Append(int64(i))
		b.Field(7).(*array.BooleanBuilder).Append(i%3 == 0)
		pair := b.Field(9).(*array.FixedSizeListBuilder)
		if i%5 == 2 {
			b.Field(6).AppendNull()
			b.Field(8).AppendNull()
			pair.AppendNull()
			continue
		}
		b.Field(6).(*array.Int64Builder).Append(int64(-i))
		_ = b.Field(8).(*array.Int32DictionaryBuilder).Append(int32(i%7) * 1000)
		pair.Append(true)
		pair.ValueBuilder().(*array.Float32Builder).AppendValues([]float32{float32(i), float32(-i)}, nil)
	}
	return b.NewRecordBatch()
}

// checkMixed expects n rows of mixedBatch from src.
func checkMixed(t *testing.T, src Source, n int) {
	t.Helper()
	if src.Rows() != int64(n) {
		t.Fatalf("%d rows, expected %d", src.Rows(), n)
	}
	col := func(name string) int {
		i, err := Lookup(src, name)
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	ints, _ := readAll(t, src, Want{Column: col("i"), Kind: num.U16})
	options, valid := readAll(t, src, Want{Column: col("option"), Kind: num.I32, Option: true})
	bits, _ := readAll(t, src, Want{Column: col("bits"), Kind: num.Bool})
	codes, codeValid := readAll(t, src, Want{Column: col("code"), Kind: num.I16, Option: true})
	pairs, pairValid := readAll(t, src, Want{Column: col("pair"), Kind: num.F64, Option: true})
	for i := range n {
		null := i%5 == 2
		want := [...]float64{float64(i), float64(-i), 0, float64(i % 7 * 1000), float64(i), float64(-i), 1, 1, 1}
		if i%3 == 0 {
			want[2] = 1
		}
		if null {
			want[1], want[3], want[4], want[5], want[6], want[7], want[8] = 0, 0, 0, 0, 0, 0, 0
		}
		got := [...]float64{
			float64(view[uint16](ints)[i]), float64(view[int32](options)[i]), float64(bits[i]), float64(view[int16](codes)[i]),
			view[float64](pairs)[2*i], view[float64](pairs)[2*i+1], float64(valid[i]), float64(codeValid[i]), float64(pairValid[i]),
		}
		if got != want {
			t.Fatalf("row %d: %v, expected %v", i, got, want)
		}
	}
	if c := src.Columns()[col("none")]; c.Type() != "Option<i32>" {
		t.Errorf("none is %s", c.Type())
	}
	for _, name := range []string{"text", "view", "list", "struct"} {
		if k := src.Columns()[col(name)].Kind; k != num.Invalid {
			t.Errorf("%s has kind %v", name, k)
		}
	}
}

type batchWriter interface {
	Write(arrow.RecordBatch) error
	Close() error
}

func writeBatches(t testing.TB, path string, stream bool, batches []arrow.RecordBatch, opts ...ipc.Option) {
	t.Helper()
	var b bytes.Buffer
	var w batchWriter
	opts = append(opts, ipc.WithSchema(batches[0].Schema()))
	if stream {
		w = ipc.NewWriter(&b, append(opts, ipc.WithDictionaryDeltas(true))...)
	} else {
		f, err := ipc.NewFileWriter(io.Writer(&b), opts...)
		if err != nil {
			t.Fatal(err)
		}
		w = f
	}
	for _, rec := range batches {
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What a column may be is said whole: lists are refused, text and decimals are not.
func TestUnreadableColumn(t *testing.T) {
	var paths []string
	for range 2 {
		path := filepath.Join(t.TempDir(), "x.arrow")
		writeBatches(t, path, false, []arrow.RecordBatch{mixedBatch(0, 3)})
		paths = append(paths, path)
	}
	for _, names := range [][]string{paths[:1], paths} {
		src, err := OpenSpec(t.Context(), Several(names, Options{}), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Rewrite(t.Context(), src, Target{Path: filepath.Join(t.TempDir(), "y.parquet")}, nil, nil)
		if err == nil || !strings.Contains(err.Error(), "column `list`: expected numbers, bools, text, dates, times or decimals, found list<item: int8") {
			t.Error(err)
		}
		src.Close()
	}
}

func TestArrowVariants(t *testing.T) {
	for _, stream := range []bool{false, true} {
		for name, opts := range map[string][]ipc.Option{"plain": nil, "lz4": {ipc.WithLZ4()}, "zstd": {ipc.WithZstd()}} {
			t.Run(fmt.Sprint(name, stream), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "x.arrow")
				all := mixedBatch(0, 1508)
				parts := []arrow.RecordBatch{all.NewSlice(0, 1001), all.NewSlice(1001, 1008), all.NewSlice(1008, 1508)}
				writeBatches(t, path, stream, parts, opts...)
				checkMixed(t, mustOpen(t, path), 1508)
			})
		}
	}
}

func TestFromArrow(t *testing.T) {
	rec := mixedBatch(0, 1000)
	src := FromArrow(rec)
	defer src.Close()
	checkMixed(t, src, 1000)
	raw, ok := src.Raw(5)
	if !ok || view[int64](raw.Bytes)[17] != 17 {
		t.Error("no bytes of the column `i`")
	}
	slices := []arrow.RecordBatch{rec.NewSlice(0, 13), rec.NewSlice(13, 600), rec.NewSlice(600, 1000)}
	table := array.NewTableFromRecords(rec.Schema(), slices)
	defer table.Release()
	whole := FromTable(table)
	defer whole.Close()
	checkMixed(t, whole, 1000)
	one := FromArray(slices[1].Column(5))
	defer one.Close()
	got, _ := readAll(t, one, Want{Kind: num.I64})
	if view[int64](got)[0] != 13 {
		t.Error(view[int64](got)[0])
	}
}

func TestArrowRawWithDims(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.arrow")
	c := OutColumn{Name: "x", Kind: num.F32, Dims: []int64{3}, Values: sample(num.F32, 300)}
	first := OutColumn{Name: "n", Kind: num.I32, Values: sample(num.I32, 100), Valid: everyThird(100, 0)}
	if err := Write(path, &Output{Rows: 100, Columns: []OutColumn{first, c}}); err != nil {
		t.Fatal(err)
	}
	src := mustOpen(t, path)
	if _, ok := src.Raw(0); ok {
		t.Error("a column with nulls cannot be mapped")
	}
	raw, ok := src.Raw(1)
	if !ok {
		t.Fatal("the column cannot be mapped")
	}
	b := make([]byte, raw.Length)
	if _, err := raw.File.ReadAt(b, raw.Offset); err != nil || !bytes.Equal(b, c.Values) {
		t.Fatal("other values", err)
	}
}
