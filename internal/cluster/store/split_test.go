package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/cluster/catalog"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

var kinds = []num.Kind{num.Bool, num.I8, num.I16, num.I32, num.I64, num.U8, num.U16, num.U32, num.U64, num.F32, num.F64}

// table is all of a source's columns.
type table struct {
	cols          []data.Column
	rows          int64
	values, valid [][]byte
}

// drawTable makes a table of random columns with nulls, bits of floats included.
func drawTable(t *rapid.T) table {
	x := table{rows: rapid.Int64Range(0, 200).Draw(t, "rows")}
	for i := range rapid.IntRange(1, 5).Draw(t, "columns") {
		c := data.Column{Name: fmt.Sprint("c", i), Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Nullable: rapid.Bool().Draw(t, "nullable")}
		for range rapid.IntRange(0, 2).Draw(t, "dims") {
			c.Dims = append(c.Dims, rapid.Int64Range(1, 3).Draw(t, "dim"))
		}
		c.Stored = c.Kind.String()
		size := c.Width() * int64(c.Kind.Size())
		values := rapid.SliceOfN(rapid.Byte(), int(x.rows*size), int(x.rows*size)).Draw(t, "values")
		if c.Kind == num.Bool {
			for i := range values {
				values[i] &= 1
			}
		}
		var valid []byte
		if c.Nullable {
			valid = rapid.SliceOfN(rapid.ByteRange(0, 1), int(x.rows), int(x.rows)).Draw(t, "valid")
			for r, v := range valid {
				if v == 0 {
					clear(values[int64(r)*size : int64(r+1)*size])
				}
			}
		}
		x.cols, x.values, x.valid = append(x.cols, c), append(x.values, values), append(x.valid, valid)
	}
	return x
}

// readInto appends all rows of src, which has the table's columns.
func (x *table) readInto(src data.Source) error {
	if len(src.Columns()) != len(x.cols) {
		return fmt.Errorf("%d columns, expected %d", len(src.Columns()), len(x.cols))
	}
	for i, c := range src.Columns() {
		if w := x.cols[i]; c.Name != w.Name || c.Kind != w.Kind || c.Width() != w.Width() || len(c.Dims) != len(w.Dims) || c.Nullable && !w.Nullable {
			return fmt.Errorf("column %+v, expected %+v", c, w)
		}
	}
	for n, chunk := range src.Chunks() {
		for i := range x.cols {
			c := &x.cols[i]
			d := data.Dest{Values: make([]byte, chunk.Rows()*c.Width()*int64(c.Kind.Size())), Valid: make([]byte, chunk.Rows())}
			if _, err := src.Fill(context.Background(), n, []data.Want{{Column: i, Kind: c.Kind, Option: c.Nullable}}, []data.Dest{d}); err != nil {
				return err
			}
			x.values[i] = append(x.values[i], d.Values...)
			if c.Nullable {
				x.valid[i] = append(x.valid[i], d.Valid...)
			}
		}
	}
	x.rows += src.Rows()
	return nil
}

// reread splits src and reads all shards in order.
func reread(src data.Source, dir string, shards int, by string, skip ...string) (*Split, table, error) {
	var x table
	s, err := NewSplit(context.Background(), src, SplitOptions{Shards: shards, By: by, Skip: skip})
	if err != nil {
		return nil, x, err
	}
	for _, c := range s.Columns {
		x.cols = append(x.cols, data.Column{Name: c.Name, Kind: c.Kind, Stored: c.Stored, Dims: c.Dims, Nullable: c.Nullable})
	}
	x.values, x.valid = make([][]byte, len(x.cols)), make([][]byte, len(x.cols))
	for i, r := range s.Shards {
		if r.Lo != x.rows {
			return s, x, fmt.Errorf("shard %d begins at row %d, %d was expected", i, r.Lo, x.rows)
		}
		if err := x.readPart(s, i, dir); err != nil {
			return s, x, fmt.Errorf("shard %d: %w", i, err)
		}
		if r.Hi != x.rows {
			return s, x, fmt.Errorf("shard %d ends at row %d, %d was expected", i, x.rows, r.Hi)
		}
	}
	return s, x, nil
}

func (x *table) readPart(s *Split, i int, dir string) error {
	p, err := s.Part(context.Background(), i, dir)
	if err != nil {
		return err
	}
	defer p.Close()
	b, err := io.ReadAll(io.NewSectionReader(p, 0, math.MaxInt64))
	if err != nil {
		return err
	}
	if p.Bytes != int64(len(b)) || p.Sum != sha256.Sum256(b) {
		return fmt.Errorf("%d bytes with SHA-256 %x were announced, found %d", p.Bytes, p.Sum, len(b))
	}
	path := filepath.Join(dir, "part.arrow")
	if err := os.WriteFile(path, b, 0o644); err != nil {
		return err
	}
	src, err := data.Open(path)
	if err != nil {
		return err
	}
	defer src.Close()
	return x.readInto(src)
}

func TestSplitKeepsRows(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		x := drawTable(t)
		src := data.FromBytes("x", x.cols, x.rows, x.values, x.valid)
		by := rapid.SampledFrom([]string{"", catalog.ByBlocks, catalog.ByRows}).Draw(t, "by")
		_, got, err := reread(src, dir, rapid.IntRange(1, 7).Draw(t, "shards"), by)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.cols {
			if !bytes.Equal(got.values[i], x.values[i]) || !bytes.Equal(got.valid[i], x.valid[i]) {
				t.Fatalf("column %d has other values or nulls", i)
			}
		}
	})
}

func TestSplitByHash(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		const rows = 100
		k := rapid.SampledFrom([]num.Kind{num.I8, num.U16, num.I32, num.I64}).Draw(t, "kind")
		keys := rapid.SliceOfN(rapid.Byte(), rows*k.Size(), rows*k.Size()).Draw(t, "keys")
		shards := rapid.IntRange(1, 5).Draw(t, "shards")
		var order []byte
		for i := range rows {
			order = binary.LittleEndian.AppendUint64(order, uint64(i))
		}
		cols := []data.Column{{Name: "at", Kind: num.I64}, {Name: "key", Kind: k}}
		s, got, err := reread(data.FromBytes("x", cols, rows, [][]byte{order, keys}, nil), dir, shards, "hash(key)")
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Shards) != shards || got.rows != rows {
			t.Fatalf("%d shards with %d rows", len(s.Shards), got.rows)
		}
		for h, r := range s.Shards {
			last := int64(-1)
			for row := r.Lo; row < r.Hi; row++ {
				at := int64(binary.LittleEndian.Uint64(got.values[0][8*row:]))
				key := got.values[1][row*int64(k.Size()):][:k.Size()]
				if !bytes.Equal(key, keys[at*int64(k.Size()):][:k.Size()]) {
					t.Fatalf("row %d has the key of another", at)
				}
				if at <= last || ShardOf(integer(key, k), shards) != h {
					t.Fatalf("row %d follows row %d in shard %d", at, last, h)
				}
				last = at
			}
		}
	})
}

func TestSplitFiles(t *testing.T) {
	dir := t.TempDir()
	flights := filepath.Join("..", "..", "..", "examples", "flights", "flights-200k.parquet")
	src, err := data.Open(flights)
	check(t, err)
	defer src.Close()
	s, got, err := reread(src, dir, 3, catalog.ByBlocks)
	check(t, err)
	want := table{cols: got.cols, values: make([][]byte, len(got.cols)), valid: make([][]byte, len(got.cols))}
	check(t, want.readInto(src))
	if got.rows != want.rows || !reflect.DeepEqual(got.values, want.values) || !reflect.DeepEqual(got.valid, want.valid) {
		t.Errorf("%d rows of %s are not what was read from its shards", want.rows, flights)
	}
	if c := s.Shards[0].Hi; c%8192 != 0 {
		t.Errorf("the first cut is at %d", c)
	}
}

func TestSplitLeavesText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	check(t, os.WriteFile(path, []byte("a,name,b\n1,x,2.5\n2,y,3.5\n"), 0o644))
	src, err := data.Open(path)
	check(t, err)
	defer src.Close()
	s, got, err := reread(src, t.TempDir(), 2, catalog.ByRows, "name")
	check(t, err)
	if !reflect.DeepEqual(s.Left, []Left{{"name", "text", "expected numbers, or true and false, found \"x\""}}) || len(got.cols) != 2 || got.cols[1].Name != "b" {
		t.Errorf("left out are %v, kept %+v", s.Left, got.cols)
	}
	other := filepath.Join(t.TempDir(), "text.csv")
	check(t, os.WriteFile(other, []byte("name\nx\n"), 0o644))
	text, err := data.Open(other)
	check(t, err)
	defer text.Close()
	if s, err := NewSplit(context.Background(), text, SplitOptions{Shards: 1}); err != nil || s.Columns[0].Type() != "Str" || !reflect.DeepEqual(s.Texts, [][]string{{"x"}}) {
		t.Errorf("a table of text: %v, %+v", err, s)
	}
	for by, reason := range map[string]string{"hash(b)": "integers", "hash(z)": "no column", "hash(a": "no way to cut", "what": "no way to cut"} {
		if _, err := NewSplit(context.Background(), src, SplitOptions{Shards: 2, By: by, Skip: []string{"name"}}); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("by %s: expected an error with %q, found %v", by, reason, err)
		}
	}
	if _, err := s.Part(context.Background(), 2, t.TempDir()); err == nil {
		t.Error("a shard that is not there was written")
	}
}

// A table too large for memory at hand goes through a mapped file.
func TestSplitLarge(t *testing.T) {
	const rows = inMemory/8 + 12345
	xs := make([]int64, rows)
	for i := range xs {
		xs[i] = int64(i) * 7
	}
	dir := t.TempDir()
	s, err := NewSplit(context.Background(), data.FromSlice(xs), SplitOptions{Shards: 1})
	check(t, err)
	if s.Columns[0].Name != data.Unnamed {
		t.Errorf("the column is called %q", s.Columns[0].Name)
	}
	p, err := s.Part(context.Background(), 0, dir)
	check(t, err)
	defer p.Close()
	o := open(t, t.TempDir(), Options{Memory: true})
	f := File{1, 0, p.Lo, p.Hi, p.Bytes, p.Sum}
	b := make([]byte, 1<<20)
	for at := int64(0); at < p.Bytes; at += int64(len(b)) {
		n, err := p.ReadAt(b, at)
		if err != nil && err != io.EOF {
			t.Fatal(err)
		}
		check(t, o.Put(Itself, f, at, b[:n]))
	}
	check(t, o.Seal(f))
	h, _ := o.Shard(1, 0)
	defer h.Release()
	raw, ok := h.Source.Raw(0)
	if !ok || raw.Length != 8*rows {
		t.Fatalf("the column lies at %+v", raw)
	}
	last := make([]byte, 8)
	if _, err := raw.File.ReadAt(last, raw.Offset+raw.Length-8); err != nil || binary.LittleEndian.Uint64(last) != uint64(xs[rows-1]) {
		t.Errorf("the last row is %x, %v", last, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("files are left: %v", left)
	}
}
