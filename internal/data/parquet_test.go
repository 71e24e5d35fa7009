package data

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/godwit-run/godwit/internal/ir/num"
	"pgregory.net/rapid"
)

func writeParquetFile(t testing.TB, path string, out *Output, group int64, opts ...parquet.WriterProperty) {
	t.Helper()
	var b bytes.Buffer
	if err := writeGroups(&b, out, group, parquet.NewWriterProperties(opts...)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// fewValues is n values of a kind of which some repeat in runs.
func fewValues(k num.Kind, n int, r *rand.Rand) []byte {
	some := sample(k, 300)
	b := make([]byte, 0, n*k.Size())
	for len(b) < n*k.Size() {
		i := r.IntN(300)
		run := 1
		if r.IntN(50) == 0 {
			run = min(r.IntN(200)+1, n-len(b)/k.Size())
		}
		for range run {
			b = append(b, some[i*k.Size():(i+1)*k.Size()]...)
		}
	}
	return b
}

func TestParquetVariants(t *testing.T) {
	const rows, group = 30_000, 12_345
	r := rand.New(rand.NewPCG(1, 2))
	out := &Output{Rows: rows}
	for _, k := range allKinds {
		for _, nulls := range []string{"", "few", "many", "later groups"} {
			c := OutColumn{Name: k.String() + nulls, Kind: k, Values: fewValues(k, rows, r)}
			if nulls != "" {
				c.Valid = bytes.Repeat([]byte{1}, rows)
				for i := range c.Valid {
					if nulls == "many" && r.IntN(2) == 0 || nulls == "later groups" && i >= group || r.IntN(4000) == 0 {
						c.Valid[i] = 0
					}
				}
			}
			out.Columns = append(out.Columns, c)
		}
	}
	for name, opts := range map[string][]parquet.WriterProperty{
		"v1":           {},
		"v2":           {parquet.WithDataPageVersion(parquet.DataPageV2)},
		"v2 zstd":      {parquet.WithDataPageVersion(parquet.DataPageV2), parquet.WithCompression(compress.Codecs.Zstd)},
		"plain":        {parquet.WithDictionaryDefault(false)},
		"snappy":       {parquet.WithCompression(compress.Codecs.Snappy)},
		"gzip":         {parquet.WithCompression(compress.Codecs.Gzip), parquet.WithDictionaryDefault(false)},
		"brotli":       {parquet.WithCompression(compress.Codecs.Brotli)},
		"lz4":          {parquet.WithCompression(compress.Codecs.Lz4Raw)},
		"small pages":  {parquet.WithDataPageSize(1000), parquet.WithBatchSize(100)},
		"small dict":   {parquet.WithDictionaryPageSizeLimit(600), parquet.WithBatchSize(1000), parquet.WithDataPageSize(3000)},
		"delta":        {parquet.WithDictionaryDefault(false), parquet.WithEncoding(parquet.Encodings.DeltaBinaryPacked)},
		"stream split": {parquet.WithDictionaryDefault(false), parquet.WithEncoding(parquet.Encodings.ByteStreamSplit)},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.parquet")
			some := &Output{Rows: out.Rows}
			for _, c := range out.Columns {
				if name == "delta" && !c.Kind.IsInt() || name == "stream split" && c.Kind == num.Bool {
					continue
				}
				some.Columns = append(some.Columns, c)
			}
			writeParquetFile(t, path, some, group, opts...)
			src := mustOpen(t, path)
			if len(src.Chunks()) != 3 {
				t.Error(src.Chunks())
			}
			for i, c := range some.Columns {
				got, valid := readAll(t, src, Want{Column: i, Kind: c.Kind, Option: true})
				compareOption(t, c, got, valid)
				if c.Valid == nil {
					got, _ = readAll(t, src, Want{Column: i, Kind: c.Kind})
					if !bytes.Equal(got, c.Values) {
						t.Fatal(c.Name)
					}
				}
			}
		})
	}
}

// A dictionary may have entries that do not fit but that no row uses.
func TestUnusedDictionaryEntry(t *testing.T) {
	d := &pageDecoder{ctx: context.Background(), path: "x", want: Want{Kind: num.I8}, leaf: parquetLeaf{physical: num.I32}, bufs: new(pageBuffers)}
	dict := []int32{1, 1000, 3}
	d.dict = make([]byte, 3)
	convert(d.dict, d.want, bytesOf(dict), num.I32)
	d.stored = bytesOf(dict)
	out := make([]byte, 4)
	if err := d.codes(out, []byte{2, 3, 0b10001000, 0}, nil); err != nil || !bytes.Equal(out, []byte{1, 3, 1, 3}) {
		t.Error(out, err)
	}
	err := d.codes(out, []byte{2, 3, 0b10000100, 0}, nil)
	wantError(t, "x", err, ": row 1: expected i8 (-128 to 127), found 1000")
}

// satisfies is the meaning of a predicate on element i.
func satisfies(p Pred, b []byte, k num.Kind, i int) bool {
	var c int
	switch {
	case p.IsFloat:
		x := 0.0
		if k == num.F32 {
			x = float64(view[float32](b)[i])
		} else {
			x = view[float64](b)[i]
		}
		if math.IsNaN(x) {
			return p.Op == Ne
		}
		c = cmp.Compare(x, p.Float)
	case k == num.U64:
		c = compareUnsigned(view[uint64](b)[i], p.Int)
	default:
		wide := make([]byte, 8)
		convert(wide, Want{Kind: num.I64}, b[i*k.Size():(i+1)*k.Size()], k)
		c = cmp.Compare(view[int64](wide)[0], p.Int)
	}
	return [...]bool{Lt: c < 0, Le: c <= 0, Gt: c > 0, Ge: c >= 0, Eq: c == 0, Ne: c != 0}[p.Op]
}

func TestPrune(t *testing.T) {
	kinds := []num.Kind{num.I8, num.I16, num.I32, num.I64, num.U8, num.U32, num.U64, num.F32, num.F64}
	dir, file, prunes := t.TempDir(), 0, 0
	rapid.Check(t, func(t *rapid.T) {
		const rows, group = 60, 10
		out := &Output{Rows: rows}
		for i, k := range kinds {
			c := OutColumn{Name: fmt.Sprint("c", i), Kind: k, Values: make([]byte, rows*k.Size())}
			base := rapid.IntRange(-100, 100).Draw(t, "base")
			spread := rapid.IntRange(1, 20).Draw(t, "spread")
			for row := range rows {
				x := base + (row/group)*10 + rapid.IntRange(0, spread).Draw(t, "x")
				setNumber(c.Values, k, row, x, rapid.IntRange(0, 60).Draw(t, "nan") == 0)
			}
			if rapid.IntRange(0, 3).Draw(t, "nulls") == 0 {
				c.Valid = bytes.Repeat([]byte{1}, rows)
				c.Valid[rapid.IntRange(0, rows-1).Draw(t, "null")] = 0
			}
			out.Columns = append(out.Columns, c)
		}
		var preds []Pred
		for range rapid.IntRange(1, 2).Draw(t, "preds") {
			p := Pred{Column: rapid.IntRange(0, len(kinds)-1).Draw(t, "column"), Op: PredOp(rapid.IntRange(0, 5).Draw(t, "op"))}
			p.Int = int64(rapid.IntRange(-150, 200).Draw(t, "constant"))
			p.Float, p.IsFloat = float64(p.Int), kinds[p.Column].IsFloat()
			preds = append(preds, p)
		}
		var b bytes.Buffer
		if err := writeGroups(&b, out, group, parquet.NewWriterProperties()); err != nil {
			t.Fatal(err)
		}
		file++
		path := filepath.Join(dir, fmt.Sprint(file, ".parquet"))
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		src, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		for chunk, pruned := range src.Prune(preds) {
			if pruned {
				prunes++
				checkPruned(t, src, out, chunk, preds)
			}
		}
	})
	if prunes == 0 {
		t.Error("nothing was ever pruned")
	}
}

func setNumber(b []byte, k num.Kind, i, x int, nan bool) {
	switch k {
	case num.F32:
		view[float32](b)[i] = float32(x)
		if nan {
			view[float32](b)[i] = float32(math.NaN())
		}
	case num.F64:
		view[float64](b)[i] = float64(x)
		if nan {
			view[float64](b)[i] = math.NaN()
		}
	default:
		one := make([]byte, 8)
		view[int64](one)[0] = int64(x)
		copy(b[i*k.Size():(i+1)*k.Size()], one)
	}
}

// checkPruned: no row of the chunk satisfies all predicates, nor does any that
// FillPruned makes up; and it refuses what Fill refuses.
func checkPruned(t *rapid.T, src Source, out *Output, chunk int, preds []Pred) {
	c := src.Chunks()[chunk]
	all := func(value func(p Pred, row int) bool) bool {
		for row := range int(c.Rows()) {
			every := true
			for _, p := range preds {
				every = every && value(p, row)
			}
			if every {
				return false
			}
		}
		return true
	}
	if !all(func(p Pred, row int) bool {
		col := out.Columns[p.Column]
		return (col.Valid == nil || col.Valid[int(c.Lo)+row] == 1) && satisfies(p, col.Values, col.Kind, int(c.Lo)+row)
	}) {
		t.Fatal("a chunk was pruned that has a row")
	}
	var wants []Want
	var dst, plain []Dest
	for i, col := range out.Columns {
		w := Want{Column: i, Kind: col.Kind, Option: i%2 == 0}
		if w.Kind.IsInt() && i == 1 {
			w.Kind = num.U8
		}
		wants = append(wants, w)
		d := func() Dest {
			return Dest{Values: make([]byte, c.Rows()*int64(w.Kind.Size())), Valid: make([]byte, c.Rows())}
		}
		dst, plain = append(dst, d()), append(plain, d())
	}
	for i := range wants {
		_, errFill := src.Fill(context.Background(), chunk, wants[i:i+1], plain[i:i+1])
		errPruned := src.FillPruned(chunk, preds, wants[i:i+1], dst[i:i+1])
		if (errFill == nil) != (errPruned == nil) {
			t.Fatalf("column %d: Fill says %v, FillPruned %v", i, errFill, errPruned)
		}
		if errFill != nil {
			return
		}
	}
	if !all(func(p Pred, row int) bool { return satisfies(p, dst[p.Column].Values, wants[p.Column].Kind, row) }) {
		t.Fatal("a row that was made up satisfies the predicates")
	}
}
