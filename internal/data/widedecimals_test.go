package data

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// wideDecimals are batches of one column of Decimal(38, 2); "" is a null.
func wideDecimals(t *testing.T, batches ...[]string) (*arrow.Schema, []arrow.RecordBatch) {
	t.Helper()
	typ := &arrow.Decimal128Type{Precision: 38, Scale: 2}
	sc := arrow.NewSchema([]arrow.Field{{Name: "s", Type: typ, Nullable: true}}, nil)
	var recs []arrow.RecordBatch
	for _, texts := range batches {
		b := array.NewDecimal128Builder(memory.DefaultAllocator, typ)
		for _, text := range texts {
			if text == "" {
				b.AppendNull()
				continue
			}
			v, err := decimal128.FromString(text, 38, 2)
			if err != nil {
				t.Fatal(err)
			}
			b.Append(v)
		}
		recs = append(recs, array.NewRecordBatch(sc, []arrow.Array{b.NewArray()}, int64(len(texts))))
	}
	return sc, recs
}

// decimalFiles are the same rows in Arrow, in Parquet, and in memory.
func decimalFiles(t *testing.T, batches ...[]string) []Source {
	t.Helper()
	sc, recs := wideDecimals(t, batches...)
	var ar, pq bytes.Buffer
	w, err := ipc.NewFileWriter(&ar, ipc.WithSchema(sc))
	if err != nil {
		t.Fatal(err)
	}
	p, err := pqarrow.NewFileWriter(sc, &pq, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range recs {
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
		if err := p.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	return []Source{mustOpen(t, writeFile(t, "x.arrow", ar.String())), mustOpen(t, writeFile(t, "x.parquet", pq.String())), FromTable(array.NewTableFromRecords(sc, recs))}
}

// Decimals of more digits than the language has are read as the widest that it has: described as such, with a note, and written to any format.
func TestWideDecimals(t *testing.T) {
	for _, src := range decimalFiles(t, []string{"3.30", ""}, []string{"-9999999999999999.99"}) {
		t.Run(src.Format(), func(t *testing.T) {
			if notes := Notes(src, nil); len(notes) != 1 || !strings.Contains(notes[0], "column `s`: it is stored as ") || !strings.Contains(notes[0], ", and read as Decimal<18, 2>, ") {
				t.Error(notes)
			}
			meant, err := Meant(t.Context(), src, nil)
			if err != nil {
				t.Fatal(err)
			}
			s, err := Summarize(t.Context(), meant, false, nil)
			if err != nil || s[0].Declared() != "Option<Decimal<18, 2>>" || s[0].Min != "-9999999999999999.99" || s[0].Max != "3.30" {
				t.Errorf("%+v, %v", s, err)
			}
			for _, ext := range []string{".parquet", ".arrow", ".csv", ".jsonl"} {
				to := filepath.Join(t.TempDir(), "y"+ext)
				if _, err := Rewrite(t.Context(), src, Target{Path: to}, nil, nil); err != nil {
					t.Errorf("%s: %v", ext, err)
				}
			}
		})
	}
}

// A value of more digits is an error that names its row in the file, wherever chunks and nulls are.
func TestTooWideDecimals(t *testing.T) {
	for _, wide := range []string{"10000000000000000.00", "-123456789012345678901234567.89", "92233720368547758.08"} {
		for _, src := range decimalFiles(t, []string{"3.30", ""}, []string{"", "1.00", wide}) {
			_, err := Rewrite(t.Context(), src, Target{Path: filepath.Join(t.TempDir(), "y.csv")}, nil, nil)
			e := wantError(t, src.Path(), err, ": row 4: column `s`: expected a decimal of at most 18 digits, found one of more")
			if !strings.HasPrefix(e.Help, "leave the column out") {
				t.Error(e.Help)
			}
		}
	}
}
