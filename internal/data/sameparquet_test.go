package data

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// The same table is the same file, also where a column has pages of several encodings, as text of which a dictionary would be too large.
func TestParquetIsTheSameEachTime(t *testing.T) {
	const rows = 60_000
	texts, codes := make([]string, rows), make([]int32, rows)
	for i := range texts {
		texts[i], codes[i] = fmt.Sprintf("user-%09d-with-a-long-name", i), int32(i)
	}
	out := &Output{Rows: rows, Columns: []OutColumn{{Name: "u", Kind: num.I32, Means: meaning.Meaning{Sort: meaning.Text}, Texts: texts, Values: bytesOf(codes)}}}
	var first []byte
	for range 16 { // two encodings in the order of a map are the same each time once in 32768 tests
		var b bytes.Buffer
		if err := writeParquet(&b, out); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = b.Bytes()
		}
		if !bytes.Equal(first, b.Bytes()) {
			t.Fatal("the same table gives other bytes")
		}
	}
	src := mustOpen(t, writeFile(t, "x.parquet", string(first))).(*parquetFile)
	meta, err := src.reader.MetaData().RowGroup(0).ColumnChunk(0)
	if err != nil {
		t.Fatal(err)
	}
	data := 0
	for _, s := range meta.EncodingStats() {
		if s.PageType != 2 {
			data++
		}
	}
	if data < 2 {
		t.Errorf("the test needs a column whose pages have two encodings, it has %v", meta.EncodingStats())
	}
}
