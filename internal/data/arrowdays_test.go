package data

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// arrowSources are a table as a file, as a compressed one, and in memory.
func arrowSources(t *testing.T, sc *arrow.Schema, recs ...arrow.RecordBatch) map[string]Source {
	t.Helper()
	out := map[string]Source{"memory": FromTable(array.NewTableFromRecords(sc, recs))}
	for name, opt := range map[string][]ipc.Option{"plain": nil, "compressed": {ipc.WithZstd()}} {
		var b bytes.Buffer
		w, err := ipc.NewFileWriter(&b, append(opt, ipc.WithSchema(sc))...)
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range recs {
			if err := w.Write(rec); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		out[name] = mustOpen(t, writeFile(t, "x.arrow", b.String()))
	}
	return out
}

// date64 makes an array of milliseconds; the least one is a null.
func date64(values ...int64) arrow.Array {
	b := array.NewDate64Builder(memory.DefaultAllocator)
	for _, v := range values {
		if v == nat {
			b.AppendNull()
			continue
		}
		b.Append(arrow.Date64(v))
	}
	return b.NewArray()
}

// Days that Arrow counts in milliseconds are dates, as they are in Parquet, and moments to those who declare such.
func TestArrowDate64(t *testing.T) {
	day, stamp := meaning.Meaning{Sort: meaning.Date}, meaning.Meaning{Sort: meaning.Timestamp, Unit: meaning.Second}
	sc := arrow.NewSchema([]arrow.Field{{Name: "d", Type: arrow.FixedWidthTypes.Date64, Nullable: true}}, nil)
	rec := func(values ...int64) arrow.RecordBatch {
		return array.NewRecordBatch(sc, []arrow.Array{date64(values...)}, int64(len(values)))
	}
	for name, src := range arrowSources(t, sc, rec(dayMillis, nat), rec(-3*dayMillis)) {
		t.Run(name, func(t *testing.T) {
			if c := src.Columns()[0]; c.Type() != "Option<Date>" {
				t.Error(c.Type())
			}
			for _, w := range []Want{{Kind: num.I32, Option: true, Means: day}, {Kind: num.I32, Option: true}} {
				if got, valid := readAll(t, src, w); fmt.Sprint(view[int32](got), valid) != "[1 0 -3] [1 0 1]" {
					t.Error(view[int32](got), valid)
				}
			}
			if got, _ := readAll(t, src, Want{Kind: num.I64, Option: true, Means: stamp}); fmt.Sprint(view[int64](got)) != "[86400 0 -259200]" {
				t.Error(view[int64](got))
			}
			to := filepath.Join(t.TempDir(), "y.parquet")
			if _, err := Rewrite(t.Context(), src, Target{Path: to}, nil, nil); err != nil {
				t.Fatal(err)
			}
			if c := mustOpen(t, to).Columns()[0]; c.Type() != "Option<Date>" {
				t.Error(c.Type())
			}
		})
	}
	for name, src := range arrowSources(t, sc, rec(0), rec(nat, 5*dayMillis+1)) {
		_, _, err := tryReadAll(src, Want{Kind: num.I32, Option: true, Means: day})
		wantError(t, src.Path(), err, ": row 2: column `d`: expected Date, found 1970-01-06T00:00:00.001Z, which is no whole day")
		millis := meaning.Meaning{Sort: meaning.Timestamp, Unit: meaning.Milli}
		if got, _ := readAll(t, src, Want{Kind: num.I64, Option: true, Means: millis}); fmt.Sprint(view[int64](got)) != "[0 0 432000001]" {
			t.Error(name, view[int64](got))
		}
	}
	// One batch without nulls, of which the bytes are no dates.
	for name, src := range arrowSources(t, sc, rec(2*dayMillis)) {
		if _, ok := src.Raw(0); ok {
			t.Error(name, "is mapped as dates")
		}
		if got, _ := readAll(t, src, Want{Kind: num.I32, Means: day}); view[int32](got)[0] != 2 {
			t.Error(name, got)
		}
	}
}

// A column without values is one of missing numbers, as it is in Parquet, whatever lies beside it.
func TestArrowNull(t *testing.T) {
	sc := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}, {Name: "n", Type: arrow.Null, Nullable: true}, {Name: "b", Type: arrow.PrimitiveTypes.Int64}}, nil)
	ints := func(v int64) arrow.Array {
		b := array.NewInt64Builder(memory.DefaultAllocator)
		b.AppendValues([]int64{v, v + 1, v + 2}, nil)
		return b.NewArray()
	}
	rec := array.NewRecordBatch(sc, []arrow.Array{ints(1), array.NewNull(3), ints(10)}, 3)
	for name, src := range arrowSources(t, sc, rec, rec) {
		t.Run(name, func(t *testing.T) {
			if c := src.Columns()[1]; c.Type() != "Option<i32>" || !c.Unknown {
				t.Errorf("%+v", c)
			}
			for _, k := range []num.Kind{num.I32, num.F64, num.Bool} {
				w := Want{Column: 1, Kind: k, Option: true}
				if got, valid := readAll(t, src, w); fmt.Sprint(valid) != "[0 0 0 0 0 0]" || bytes.Count(got, []byte{0}) != len(got) {
					t.Error(k, got, valid)
				}
			}
			if got, _ := readAll(t, src, Want{Column: 2, Kind: num.I64}); fmt.Sprint(view[int64](got)) != "[10 11 12 10 11 12]" {
				t.Error(view[int64](got))
			}
			_, _, err := tryReadAll(src, Want{Column: 1, Kind: num.I32})
			wantError(t, src.Path(), err, ": row 0: column `n`: expected a value, found a null")
			if _, ok := src.Raw(1); ok {
				t.Error("nothing is mapped")
			}
		})
	}
	for name, src := range arrowSources(t, sc) { // no batch at all
		if src.Rows() != 0 || src.Columns()[1].Kind != num.I32 {
			t.Error(name)
		}
	}
}
