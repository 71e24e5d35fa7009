package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// readEverything opens a file and reads all columns in every way that they
// can be asked for. It must not panic, and its errors must be *Error.
func readEverything(t testing.TB, path string) error {
	src, err := Open(path)
	if err != nil {
		typed(t, err)
		return err
	}
	defer src.Close()
	if src.Rows() > 1<<16 {
		return nil // the reader of a damaged file decides how much it allocates
	}
	var first error
	for i, c := range src.Columns() {
		src.Raw(i)
		if c.Width() > 64 || c.Kind == num.Invalid {
			continue
		}
		for _, k := range []num.Kind{c.Kind, num.I16} {
			for _, option := range []bool{false, true} {
				w := Want{Column: i, Kind: k, Option: option}
				if Check(src, []Want{w}) != nil {
					continue
				}
				if _, _, err := tryReadAll(src, w); err != nil {
					typed(t, err)
					if k == c.Kind && option && first == nil {
						first = err
					}
				}
			}
		}
		p := []Pred{{Column: i, Int: 3}, {Column: i, IsFloat: true, Op: Ge}}
		src.Prune(p)
	}
	return first
}

func typed(t testing.TB, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Path == "" || e.Msg == "" {
		t.Fatalf("expected an *Error that names the file, found %#v", err)
	}
}

// small files of every format, as bytes.
func smallFiles(t testing.TB) map[string][]byte {
	dir := t.TempDir()
	out := &Output{Rows: 40, Columns: []OutColumn{
		{Name: "a", Kind: num.I32, Values: sample(num.I32, 40)},
		{Name: "b", Kind: num.F64, Values: sample(num.F64, 40), Valid: everyThird(40, 1)},
		{Name: "c", Kind: num.Bool, Values: sample(num.Bool, 40)},
		{Name: "d", Kind: num.U8, Dims: []int64{2}, Values: sample(num.U8, 80)},
	}}
	files := map[string][]byte{}
	add := func(name string) {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = b
	}
	for _, name := range []string{"x.csv", "x.arrow", "x.parquet", "x.jsonl"} {
		if err := Write(filepath.Join(dir, name), out); err != nil {
			t.Fatal(err)
		}
		add(name)
	}
	if err := Write(filepath.Join(dir, "x.npy"), &Output{Rows: 40, Columns: out.Columns[:1]}); err != nil {
		t.Fatal(err)
	}
	add("x.npy")
	files["x.csv.gz"], files["x.jsonl.zst"] = packed(".gz", files["x.csv"]), packed(".zst", files["x.jsonl"])
	batches := []arrow.RecordBatch{mixedBatch(0, 20)}
	writeBatches(t, filepath.Join(dir, "lz4.arrow"), false, batches, ipc.WithLZ4())
	add("lz4.arrow")
	writeBatches(t, filepath.Join(dir, "stream.arrow"), true, batches, ipc.WithZstd())
	add("stream.arrow")
	writeParquetFile(t, filepath.Join(dir, "v2.parquet"), out, 25, parquet.WithDataPageVersion(parquet.DataPageV2), parquet.WithCompression(compress.Codecs.Snappy))
	add("v2.parquet")
	return files
}

// A file that is cut anywhere gives an error or, in the formats that cannot
// tell, fewer rows.
func TestTruncation(t *testing.T) {
	for name, b := range smallFiles(t) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			step := 1
			if testing.Short() {
				step = 37
			} else if strings.Count(name, ".") > 1 {
				step = 11 // each is unpacked into a file
			}
			for n := 0; n < len(b); n += step {
				if err := os.WriteFile(path, b[:n], 0o644); err != nil {
					t.Fatal(err)
				}
				err := readEverything(t, path)
				if err == nil && name != "x.csv" && name != "x.jsonl" && name != "stream.arrow" {
					t.Fatalf("%d of %d bytes: no error", n, len(b))
				}
			}
		})
	}
}

// One byte that is wrong may change values, but must not do worse.
func TestFlippedBytes(t *testing.T) {
	for name, b := range smallFiles(t) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			for i := 0; i < len(b); i += 3 {
				c := bytes.Clone(b)
				c[i] ^= [...]byte{0xff, 0x01, 0x80}[i/3%3]
				if err := os.WriteFile(path, c, 0o644); err != nil {
					t.Fatal(err)
				}
				_ = readEverything(t, path)
			}
		})
	}
}

// A file that shrinks while it is open gives an error.
func TestShrinking(t *testing.T) {
	for name, b := range smallFiles(t) {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		src := mustOpen(t, path)
		if strings.HasSuffix(name, ".gz") || strings.HasSuffix(name, ".zst") {
			continue // what was unpacked stays
		}
		raw, canMap := src.Raw(0)
		if err := os.Truncate(path, 20); err != nil {
			t.Fatal(err)
		}
		col := 0
		for src.Columns()[col].Kind == num.Invalid || src.Columns()[col].Stored == "null" { // of which the file has no byte
			col++
		}
		_, _, err := tryReadAll(src, Want{Column: col, Kind: src.Columns()[col].Kind, Option: true})
		if err == nil || !strings.Contains(err.Error(), "cut short") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := raw.ReadAt(make([]byte, raw.Length), 0); canMap && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func fuzzFormat(f *testing.F, ext string) {
	for name, b := range smallFiles(f) {
		if filepath.Ext(name) == ext {
			f.Add(b)
		}
	}
	path := filepath.Join(f.TempDir(), "x"+ext)
	f.Fuzz(func(t *testing.T, b []byte) {
		p := fmt.Sprint(path, os.Getpid(), ext)
		if err := os.WriteFile(p, b, 0o644); err != nil {
			t.Fatal(err)
		}
		_ = readEverything(t, p)
	})
}

func FuzzNPY(f *testing.F)     { fuzzFormat(f, ".npy") }
func FuzzCSV(f *testing.F)     { fuzzFormat(f, ".csv") }
func FuzzArrow(f *testing.F)   { fuzzFormat(f, ".arrow") }
func FuzzParquet(f *testing.F) { fuzzFormat(f, ".parquet") }
func FuzzLines(f *testing.F)   { fuzzFormat(f, ".jsonl") }
func FuzzGzip(f *testing.F)    { fuzzFormat(f, ".gz") }

// FuzzSpec reads arguments: whatever they are, no panic, and errors are *Error.
func FuzzSpec(f *testing.F) {
	for _, s := range []string{"a.csv?sep=;&na=NA,-#x", `a\,b.csv,c-*.npy`, "**/[a-", "-", "?=", "x.csv?sep=%zz"} {
		f.Add(s)
	}
	f.Chdir(f.TempDir())
	f.Fuzz(func(t *testing.T, text string) {
		s, ok, err := ParseSpec(text)
		if err == nil && ok {
			_, err = s.expand()
		}
		var e *Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%q: %T", text, err)
		}
	})
}

// A page of Snappy that says to unpack to more than its header does is refused before room is made for it.
func TestSnappyBomb(t *testing.T) {
	d := &pageDecoder{codec: snappyCodec}
	var to []byte
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if out, err := d.unpack(&to, append(binary.AppendUvarint(nil, 1<<30), 0xfc, 0, 0, 0, 0), 1000); err == nil {
		t.Errorf("%d bytes", len(out))
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 1<<24 {
		t.Errorf("%d bytes were allocated", after.TotalAlloc-before.TotalAlloc)
	}
	if _, err := d.unpack(&to, []byte{0xff}, 1000); err == nil {
		t.Error("a length that is cut short is taken")
	}
}
