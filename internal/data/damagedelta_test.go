package data

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// deltaFiles are Parquet files of text and integers as differences, with the schema that Arrow stores, as bytes.
func deltaFiles(t *testing.T) map[string][]byte {
	schema := arrow.NewSchema([]arrow.Field{{Name: "t", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "i", Type: arrow.PrimitiveTypes.Int64}}, nil)
	r := rand.New(rand.NewPCG(3, 5))
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := range 64 {
		if i%7 == 0 {
			b.Field(0).(*array.StringBuilder).AppendNull()
		} else {
			b.Field(0).(*array.StringBuilder).Append(fmt.Sprint("text ", r.IntN(1000)))
		}
		b.Field(1).(*array.Int64Builder).Append(r.Int64N(1 << 40))
	}
	batch := b.NewRecordBatch()
	files := map[string][]byte{}
	for _, e := range []parquet.Encoding{parquet.Encodings.DeltaByteArray, parquet.Encodings.DeltaLengthByteArray} {
		for version, v := range map[string]parquet.DataPageVersion{"v1": parquet.DataPageV1, "v2": parquet.DataPageV2} {
			props := parquet.NewWriterProperties(parquet.WithDictionaryDefault(false), parquet.WithEncodingFor("t", e), parquet.WithEncodingFor("i", parquet.Encodings.DeltaBinaryPacked),
				parquet.WithDataPageVersion(v), parquet.WithCompression(compress.Codecs.Uncompressed))
			var out bytes.Buffer
			w, err := pqarrow.NewFileWriter(schema, &out, props, pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Write(batch); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			files[fmt.Sprint(e, " ", version)] = out.Bytes()
		}
	}
	return files
}

// One byte that is wrong in what holds differences, or in the schema that Arrow stores, may change values, but the file is read to an end,
// in memory that suits it.
func TestFlippedDifferences(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 5
	}
	for name, b := range deltaFiles(t) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.parquet")
			for i := 0; i < len(b); i += step {
				for _, flip := range []byte{0x40, 0x20} { // 64 values become none, and a letter another size
					c := bytes.Clone(b)
					c[i] ^= flip
					if err := os.WriteFile(path, c, 0o644); err != nil {
						t.Fatal(err)
					}
					_ = readInTime(t, path, fmt.Sprintf("byte %d with %#x", i, flip))
				}
			}
		})
	}
}

// readInTime reads a file's columns, those of text too.
func readInTime(t *testing.T, path, what string) error {
	over := make(chan error)
	go func() { over <- readTextsToo(t, path) }()
	select {
	case err := <-over:
		return err
	case <-time.After(20 * time.Second):
		t.Fatalf("%s: it is still read after 20 s", what)
		return nil
	}
}

func readTextsToo(t *testing.T, path string) error {
	if err := readEverything(t, path); err != nil {
		return err
	}
	src, err := Open(path)
	if err != nil {
		return err
	}
	defer src.Close()
	for i := range src.Columns() {
		if IsText(src, i) && src.Rows() < 1<<16 {
			if _, err := Encode(context.Background(), src, []int{i}, []bool{false}); err != nil {
				typed(t, err)
				return err
			}
		}
	}
	return nil
}

// Pages that say that they have more values than there are, which arrow-go looks for without an end, are errors.
func TestEndlessPages(t *testing.T) {
	paths, _ := filepath.Glob("testdata/endless/*.parquet")
	if len(paths) < 4 {
		t.Fatalf("found %v", paths)
	}
	for _, path := range paths {
		if err := readInTime(t, path, path); err == nil {
			t.Errorf("%s is read without an error", path)
		}
	}
}
