package data

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// viewBatch has two columns of views around one of numbers, with texts that lie in views and in buffers, and nulls. Rows are numbered from lo.
func viewBatch(lo, n int) (rec arrow.RecordBatch, want [][2]string) {
	sc := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.BinaryTypes.StringView, Nullable: true}, {Name: "i", Type: arrow.PrimitiveTypes.Int64}, {Name: "b", Type: arrow.BinaryTypes.StringView, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, sc)
	defer b.Release()
	for i := lo; i < lo+n; i++ {
		row := [2]string{strings.Repeat("ä", i%9), fmt.Sprintf("a text too long for a view %d%s", i%50, strings.Repeat(".", i%3*400))}
		for k, at := range []int{0, 2} {
			v := b.Field(at).(*array.StringViewBuilder)
			if i%(5+k) == 3 {
				row[k] = Null
				v.AppendNull()
				continue
			}
			v.Append(row[k])
		}
		b.Field(1).(*array.Int64Builder).Append(int64(i))
		want = append(want, row)
	}
	return b.NewRecordBatch(), want
}

// Text in Arrow's views, as polars writes it, is text as any other: of files, compressed or not, of streams, of parts of arrays, and in memory.
func TestTextViews(t *testing.T) {
	first, want := viewBatch(0, 500)
	second, more := viewBatch(500, 70000)
	want = append(want, more...)
	sources := map[string]Source{}
	for name, opts := range map[string][]ipc.Option{"plain": nil, "zstd": {ipc.WithZstd()}, "lz4": {ipc.WithLZ4()}} {
		var b bytes.Buffer
		w := ipc.NewWriter(&b, append(opts, ipc.WithSchema(first.Schema()))...)
		for _, rec := range []arrow.RecordBatch{first, second.NewSlice(0, 100), second.NewSlice(100, 70000)} {
			if err := w.Write(rec); err != nil {
				t.Fatal(err)
			}
		}
		w.Close()
		path := filepath.Join(t.TempDir(), "x.arrow")
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		src, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		sources[name] = src
	}
	sources["memory"] = FromTable(array.NewTableFromRecords(first.Schema(), []arrow.RecordBatch{first, second}))
	for name, src := range sources {
		if got := src.Columns()[0].Type(); got != "Option<Str>" {
			t.Errorf("%s: type %s", name, got)
		}
		coded, err := Encode(t.Context(), src, []int{0, 2}, []bool{false, false})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if ints, _ := readAll(t, src, Want{Column: 1, Kind: num.I64}); len(ints) != 8*len(want) || view[int64](ints)[70000] != 70000 {
			t.Errorf("%s: %d bytes of numbers", name, len(ints))
		}
		for k, c := range coded {
			codes, valid, err := c.Rows(0, src.Rows())
			if err != nil {
				t.Fatal(err)
			}
			for i, row := range want {
				got := Null
				if valid[i] != 0 {
					got = c.Texts[column.Get(c.Kind, codes, int64(i))]
				}
				if got != row[k] {
					t.Fatalf("%s: row %d: %q, want %q", name, i, got, row[k])
				}
			}
		}
		src.Close()
	}
}

// Views that point outside of their buffers are an error, and nothing is read there.
func TestDamagedTextViews(t *testing.T) {
	rec, _ := viewBatch(0, 20)
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(rec.Schema()))
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	w.Close()
	at := bytes.LastIndex(b.Bytes(), []byte("a te\x00\x00\x00\x00")) // the last long one's: its buffer and its offset come behind
	if at < 4 {
		t.Fatal("there is no view")
	}
	for _, c := range []struct {
		name string
		at   int
		b    byte
	}{{"buffer", at + 4, 9}, {"buffer below 0", at + 7, 0xff}, {"offset", at + 11, 0x7f}, {"offset below 0", at + 11, 0xff}, {"length", at - 1, 0x7f}, {"length below 0", at - 1, 0xff}} {
		bad := bytes.Clone(b.Bytes())
		bad[c.at] = c.b
		path := filepath.Join(t.TempDir(), "x.arrow")
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		src, err := Open(path)
		if err == nil {
			_, err = Encode(t.Context(), src, []int{2}, []bool{false})
			src.Close()
		}
		if err == nil {
			t.Errorf("%s: no error", c.name)
		}
	}
}
