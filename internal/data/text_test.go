package data

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// texts are the rows of the files below; nil is a null.
func someTexts(n int) []*string {
	words := []string{"SFO", "", "été", "JFK", "a, \"b\"", "LAX"}
	rows := make([]*string, n)
	for i := range rows {
		if i%7 != 3 {
			rows[i] = &words[i*i%len(words)]
		}
	}
	return rows
}

// textBatch has the rows in every type of text, and a text that nothing uses in the dictionary.
func textBatch(rows []*string) arrow.RecordBatch {
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}
	sc := arrow.NewSchema([]arrow.Field{
		{Name: "number", Type: arrow.PrimitiveTypes.Int32},
		{Name: "utf8", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "large", Type: arrow.BinaryTypes.LargeString, Nullable: true},
		{Name: "dictionary", Type: dict, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, sc)
	defer b.Release()
	unused := array.NewStringBuilder(memory.DefaultAllocator)
	unused.Append("unused")
	if err := b.Field(3).(*array.BinaryDictionaryBuilder).InsertStringDictValues(unused.NewStringArray()); err != nil {
		panic(err)
	}
	for i, r := range rows {
		b.Field(0).(*array.Int32Builder).Append(int32(i))
		if r == nil {
			for c := 1; c < 4; c++ {
				b.Field(c).AppendNull()
			}
			continue
		}
		b.Field(1).(*array.StringBuilder).Append(*r)
		b.Field(2).(*array.LargeStringBuilder).Append(*r)
		if err := b.Field(3).(*array.BinaryDictionaryBuilder).AppendString(*r); err != nil {
			panic(err)
		}
	}
	return b.NewRecordBatch()
}

// wantTexts holds a column to the rows, through a Reading.
func wantTexts(t *testing.T, src Source, column int, rows []*string) {
	t.Helper()
	list, err := Encode(context.Background(), src, []int{column}, []bool{false})
	if err != nil {
		t.Fatal(err)
	}
	all := list[0].Texts
	if !slices.IsSorted(all) || slices.Contains(all, "unused") {
		t.Errorf("the dictionary is %q", all)
	}
	r := Reading(src, nil, map[int]*Coded{column: list[0]}, nil)
	codes, valid := readAll(t, r, Want{Column: column, Kind: num.I64, Option: true})
	for i, row := range rows {
		code := view[int64](codes)[i]
		switch {
		case (valid[i] == 1) != (row != nil):
			t.Fatalf("row %d: valid is %d", i, valid[i])
		case row != nil && all[code] != *row:
			t.Fatalf("row %d is %q, expected %q", i, all[code], *row)
		}
	}
}

func TestTextOfArrow(t *testing.T) {
	rows := someTexts(300)
	rec := textBatch(rows)
	memory := FromArrow(rec)
	for column := 1; column < 4; column++ {
		wantTexts(t, memory, column, rows)
	}
	for _, opt := range [][]ipc.Option{nil, {ipc.WithLZ4()}, {ipc.WithZstd()}} {
		path := filepath.Join(t.TempDir(), "x.arrow")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w, err := ipc.NewFileWriter(f, append(opt, ipc.WithSchema(rec.Schema()))...)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		src := mustOpen(t, path)
		for column := 1; column < 4; column++ {
			wantTexts(t, src, column, append(slices.Clone(rows), rows...))
		}
	}
}

func TestTextOfParquet(t *testing.T) {
	rows := someTexts(5000)
	node, err := schema.NewPrimitiveNodeLogical("s", parquet.Repetitions.Optional, schema.StringLogicalType{}, parquet.Types.ByteArray, -1, -1)
	if err != nil {
		t.Fatal(err)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{node}, -1)
	if err != nil {
		t.Fatal(err)
	}
	for _, dictionaries := range []bool{true, false} {
		var b bytes.Buffer
		w := file.NewParquetWriter(&b, root, file.WithWriterProps(parquet.NewWriterProperties(parquet.WithDictionaryDefault(dictionaries))))
		for lo := 0; lo < len(rows); lo += 1700 { // three row groups, each with a dictionary of its own
			var values []parquet.ByteArray
			var def []int16
			for _, r := range rows[lo:min(lo+1700, len(rows))] {
				if def = append(def, 0); r != nil {
					def[len(def)-1], values = 1, append(values, []byte(*r))
				}
			}
			g, err := w.AppendRowGroupChecked()
			if err != nil {
				t.Fatal(err)
			}
			c, err := g.NextColumn()
			if err == nil {
				_, err = c.(*file.ByteArrayColumnChunkWriter).WriteBatch(values, def, nil)
			}
			if err == nil {
				err = c.Close()
			}
			if err == nil {
				err = g.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		wantTexts(t, mustOpen(t, writeFile(t, "x.parquet", b.String())), 0, rows)
	}
}

// TestTextInput: what a column of text cannot be is said, with where and what to do.
func TestTextInput(t *testing.T) {
	encode := func(name, text string) (string, error) {
		path := writeFile(t, name, text)
		src := mustOpen(t, path)
		_, err := Encode(context.Background(), src, []int{0}, []bool{true})
		return path, err
	}
	path, err := encode("x.csv", "s,n\nabc,1\n\xff\xfe,2\n")
	if e := wantError(t, path, err, ":3:1: column `s`: expected text in UTF-8, found \"\\xff\\xfe\""); !strings.Contains(e.Help, "?encoding=latin1") {
		t.Error(e.Help)
	}
	defer func(n int64) { maxText = n }(maxText)
	maxText = 10
	if _, err := encode("x.csv", "s,n\nabc,1\nabc,1\nabcdef,2\nabc,1\n"); err != nil {
		t.Error(err)
	}
	path, err = encode("x.csv", "s,n\nabc,1\nabcdefgh,2\n")
	e := wantError(t, path, err, ": column `s`: its different texts have more than 10 bytes together")
	if e.Help == "" {
		t.Error("no help")
	}
	src := FromSlice([]int64{1})
	if _, err := Encode(context.Background(), src, []int{0}, []bool{true}); err == nil {
		t.Error("numbers are text")
	}
}

// TestCodesHaveTheNarrowestKind writes as many texts as need two and four bytes.
func TestCodesHaveTheNarrowestKind(t *testing.T) {
	for n, want := range map[int]num.Kind{256: num.U8, 257: num.U16, 1<<16 + 1: num.U32} {
		var b bytes.Buffer
		b.WriteString("s\n")
		for i := range n {
			fmt.Fprintf(&b, "%06d\n", (i*7919)%n)
		}
		src := mustOpen(t, writeFile(t, "x.csv", b.String()))
		list, err := Encode(context.Background(), src, []int{0}, []bool{true})
		if err != nil {
			t.Fatal(err)
		}
		c := list[0]
		if c.Kind != want || len(c.Texts) != n {
			t.Errorf("%d texts: %d of %s", n, len(c.Texts), c.Kind)
		}
		for i := range n {
			if code := column.Get(c.Kind, c.codes, int64(i)); c.Texts[code] != fmt.Sprintf("%06d", (i*7919)%n) {
				t.Fatalf("row %d is %s", i, c.Texts[code])
			}
		}
	}
}

// TestDecimalsOfFiles reads decimals of 128 bits, and finds the row of one that does not fit.
func TestDecimalsOfFiles(t *testing.T) {
	typ := &arrow.Decimal128Type{Precision: 30, Scale: 2}
	b := array.NewDecimal128Builder(memory.DefaultAllocator, typ)
	b.Append(decimal128.FromI64(-1250))
	b.AppendNull()
	b.Append(decimal128.FromI64(99))
	good := b.NewArray()
	b.Append(decimal128.FromI64(1))
	b.Append(decimal128.New(1, 0))
	large := b.NewArray()
	m := meaning.Meaning{Sort: meaning.Decimal, Digits: 9, Places: 3}
	want := Want{Kind: num.I64, Option: true, Means: m}
	for _, a := range []arrow.Array{good, large} {
		sc := arrow.NewSchema([]arrow.Field{{Name: "d", Type: typ, Nullable: true}}, nil)
		rec := array.NewRecordBatch(sc, []arrow.Array{a}, int64(a.Len()))
		var file bytes.Buffer
		w := ipc.NewWriter(&file, ipc.WithSchema(sc))
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for _, src := range []Source{FromArrow(rec), mustOpen(t, writeFile(t, "x.arrows", file.String()))} {
			values, valid, err := tryReadAll(src, want)
			if a == large {
				if err == nil || err.(*Error).Row != 1 {
					t.Errorf("%s: %v", src.Format(), err)
				}
				continue
			}
			if err != nil || !slices.Equal(view[int64](values), []int64{-12500, 0, 990}) || !bytes.Equal(valid, []byte{1, 0, 1}) {
				t.Errorf("%s: %v %v %v", src.Format(), view[int64](values), valid, err)
			}
			if _, _, err := tryReadAll(src, Want{Kind: num.F64, Option: true}); err == nil {
				t.Error("a decimal is read as a float, without its point")
			}
		}
	}
	for _, c := range []struct {
		b    []byte
		want int64
		ok   bool
	}{
		{[]byte{0xff}, -1, true}, {[]byte{0, 0xff}, 255, true}, {[]byte{0x80, 0, 0, 0, 0, 0, 0, 0}, -1 << 63, true},
		{[]byte{0xff, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0}, -1 << 63, true}, {[]byte{0, 0x80, 0, 0, 0, 0, 0, 0, 0}, 0, false}, {[]byte{1, 0, 0, 0, 0, 0, 0, 0, 0}, 0, false}, {nil, 0, true},
	} {
		if v, ok := bigEndian(c.b); ok != c.ok || ok && v != c.want {
			t.Errorf("%x is %d, %v", c.b, v, ok)
		}
	}
}
