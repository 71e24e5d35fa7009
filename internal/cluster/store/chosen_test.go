package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/godwit-run/godwit/internal/data"
)

// No column goes unsaid: those that cannot be stored are named all at once, with their types,
// and the others are stored as what they are.
func TestEveryColumnIsSaid(t *testing.T) {
	types := []struct {
		name   string
		typ    arrow.DataType
		stored string // as the language has it; "" if it cannot be stored
		found  string
	}{
		{"big", arrow.PrimitiveTypes.Uint64, "Option<u64>", "uint64"},
		{"half", arrow.FixedWidthTypes.Float16, "", "float16"},
		{"text", arrow.BinaryTypes.String, "Option<Str>", "utf8"},
		{"when", arrow.FixedWidthTypes.Timestamp_us, "Option<Timestamp<us>>", "timestamp[us, tz=UTC]"},
		{"day", arrow.FixedWidthTypes.Date32, "Option<Date>", "date32"},
		{"list", arrow.ListOf(arrow.PrimitiveTypes.Int64), "", "list<item: int64, nullable>"},
		{"triple", arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Float32), "Option<[f32; 3]>", "fixed_size_list<item: float32, nullable>[3]"},
		{"words", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}, "Option<Str>", "dictionary<values=utf8, indices=int32, ordered=false>"},
		{"codes", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Int64}, "Option<i64>", "dictionary<values=int64, indices=int8, ordered=false>"},
		{"money", &arrow.Decimal128Type{Precision: 10, Scale: 2}, "Option<Decimal<10, 2>>", "decimal(10, 2)"},
		{"nothing", arrow.Null, "Option<i32>", "null"},
		{"flag", arrow.FixedWidthTypes.Boolean, "Option<bool>", "bool"},
	}
	var fields []arrow.Field
	for _, c := range types {
		fields = append(fields, arrow.Field{Name: c.name, Type: c.typ, Nullable: true})
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	for range 3 {
		for _, f := range b.Fields() {
			f.AppendNull()
		}
	}
	src := data.FromArrow(b.NewRecordBatch())
	defer src.Close()
	_, err := NewSplit(t.Context(), src, SplitOptions{Shards: 1})
	unfit := (*UnfitError)(nil)
	if !errors.As(err, &unfit) {
		t.Fatalf("stored: %v", err)
	}
	s, err := NewSplit(t.Context(), src, SplitOptions{Shards: 2, Skip: append(unfit.Names, "flag")})
	if err != nil {
		t.Fatal(err)
	}
	stored, left := map[string]string{}, map[string]Left{}
	for _, c := range s.Columns {
		stored[c.Name] = c.Type()
	}
	for _, c := range s.Left {
		left[c.Name] = c
	}
	for _, c := range types {
		said := strings.Contains(unfit.Error(), fmt.Sprintf("column `%s`: expected numbers, bools, text, dates, times or decimals, found %s", c.name, c.found))
		out := c.stored == "" || c.name == "flag"
		if said != (c.stored == "") || out != (left[c.name].Type == c.found) || (left[c.name].Why != "") != said || !out && stored[c.name] != c.stored {
			t.Errorf("%s: stored as %q, left out as %+v, said %v", c.name, stored[c.name], left[c.name], said)
		}
	}
	for i := range s.Shards {
		p, err := s.Part(t.Context(), i, t.TempDir())
		check(t, err)
		check(t, p.Close())
	}
	if _, err := NewSplit(t.Context(), src, SplitOptions{Shards: 1, Skip: []string{"fla"}}); err == nil || !strings.Contains(err.Error(), "no column `fla`") {
		t.Errorf("a column that is not there was left out: %v", err)
	}
}
