package data

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// codedBatch has rows of numbers, some of them missing, and of text as codes of a dictionary.
func codedBatch(lo, n int) arrow.RecordBatch {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "i", Type: arrow.PrimitiveTypes.Int64},
		{Name: "o", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "t", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for i := lo; i < lo+n; i++ {
		b.Field(0).(*array.Int64Builder).Append(int64(i) * 1_000_003)
		if i%3 == 0 {
			b.Field(1).(*array.Float64Builder).AppendNull()
		} else {
			b.Field(1).(*array.Float64Builder).Append(float64(i) / 7)
		}
		_ = b.Field(2).(*array.BinaryDictionaryBuilder).AppendString([]string{"one", "three", "seventeen"}[i%3])
	}
	return b.NewRecordBatch()
}

// arrowVictims are Arrow files to be damaged, as bytes.
func arrowVictims(t *testing.T) map[string][]byte {
	dir := t.TempDir()
	own := &Output{Rows: 40, Columns: []OutColumn{
		{Name: "a", Kind: num.I32, Values: sample(num.I32, 40)},
		{Name: "b", Kind: num.F64, Values: sample(num.F64, 40), Valid: everyThird(40, 1)},
		{Name: "c", Kind: num.U8, Values: bytes.Repeat([]byte{0, 1}, 20), Texts: []string{"yes", "certainly not"}, Means: meaning.Meaning{Sort: meaning.Text}},
	}}
	if err := Write(filepath.Join(dir, "own.arrow"), own); err != nil {
		t.Fatal(err)
	}
	batches := []arrow.RecordBatch{codedBatch(0, 21), codedBatch(21, 9), codedBatch(30, 20)}
	writeBatches(t, filepath.Join(dir, "batches.arrow"), false, batches)
	writeBatches(t, filepath.Join(dir, "stream.arrow"), true, batches[:2], ipc.WithZstd())
	files := map[string][]byte{}
	for _, name := range []string{"own.arrow", "batches.arrow", "stream.arrow", "testdata/polars.arrow"} {
		path := filepath.Join(dir, name)
		if strings.HasPrefix(name, "testdata/") {
			path, name = name, filepath.Base(name)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = b
	}
	return files
}

// arrowAnswer is all that can be read of a file: its columns, and then its values.
func arrowAnswer(t *testing.T, path string) (columns, values string, err error) {
	src, err := Open(path)
	if err != nil {
		typed(t, err)
		return "", "", err
	}
	defer src.Close()
	var names, all strings.Builder
	fmt.Fprintln(&all, src.Rows())
	for i, c := range src.Columns() {
		fmt.Fprintln(&names, c.Name, c.Stored, c.Nullable)
		var part any
		switch {
		case IsText(src, i):
			var coded []*Coded
			if coded, err = Encode(t.Context(), src, []int{i}, []bool{false}); err == nil {
				part = []any{coded[0].Texts, coded[0].codes, coded[0].valid}
			}
		case c.Kind != num.Invalid:
			var v, valid []byte
			v, valid, err = tryReadAll(src, Want{Column: i, Kind: c.Kind, Option: true})
			part = [][]byte{v, valid}
		}
		if err != nil {
			typed(t, err)
			return "", "", err
		}
		fmt.Fprintln(&all, part)
	}
	return names.String(), all.String(), nil
}

// outsideBodies are the bytes of a file that are no values.
func outsideBodies(t *testing.T, path string, size int) []bool {
	s := mustOpen(t, path).(*arrowFile)
	out := slices.Repeat([]bool{true}, size)
	batches := slices.Clone(s.batches)
	for _, m := range s.dictionaries {
		batches = append(batches, m.batch)
	}
	for _, b := range batches {
		for _, at := range b.buffers {
			for i := range at.length {
				out[b.body+at.offset+i] = false
			}
		}
	}
	return out
}

// damagedCopy is a file with damage at a byte, and the damage's name.
type damagedCopy struct {
	at   int
	what string
	b    []byte
}

// damages calls each with copies that are damaged at a byte that is no value.
func damages(b []byte, outside []bool, step int, each func(damagedCopy)) {
	for i := 0; i < len(b); i += step {
		if !outside[i] {
			continue
		}
		for _, flip := range []byte{b[i], [...]byte{0x01, 0x08, 0x80, 0xff}[i%4]} {
			if flip != 0 {
				c := bytes.Clone(b)
				c[i] ^= flip
				each(damagedCopy{i, "flip", c})
			}
		}
		n := [...]int{1, 8, 64}[i%3]
		each(damagedCopy{i, "insert", slices.Insert(bytes.Clone(b), i, make([]byte, n)...)})
		if i+n <= len(b) {
			each(damagedCopy{i, "remove", slices.Delete(bytes.Clone(b), i, i+n)})
		}
		if i%4 == 0 {
			each(damagedCopy{i, "cut", b[:i]})
		}
	}
}

// nullCounts are the numbers of nulls that arrays of a file say that they have.
func nullCounts(t *testing.T, path string) map[byte]bool {
	counts := map[byte]bool{}
	for _, b := range mustOpen(t, path).(*arrowFile).batches {
		for _, n := range b.nodes {
			counts[byte(n.nulls)] = n.nulls > 0
		}
	}
	return counts
}

// Damage to what is no value gives an error, or the same values, apart from what no reader could know:
//   - a number of nulls that becomes 0: writers leave bits for nulls where there are none, so nobody looks at them then;
//   - a stream has its schema once, so names and types may become others there; a file repeats it at its end;
//   - a stream may end without a mark, so it may be cut between messages.
func TestDamagedMetadata(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7
	}
	for name, b := range arrowVictims(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, stream := filepath.Join(t.TempDir(), name), name == "stream.arrow"
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
			outside, nulls := outsideBodies(t, path, len(b)), nullCounts(t, path)
			columns, values, err := arrowAnswer(t, path)
			if err != nil {
				t.Fatal(err)
			}
			damaged := filepath.Join(t.TempDir(), name)
			counts := map[string]int{}
			damages(b, outside, step, func(d damagedCopy) {
				if err := os.WriteFile(damaged, d.b, 0o644); err != nil {
					t.Fatal(err)
				}
				c, v, err := arrowAnswer(t, damaged)
				switch {
				case err != nil:
					counts["error"]++
				case v == values && c == columns:
					counts["same"]++
				case d.what == "flip" && d.b[d.at] == 0 && nulls[b[d.at]], stream && c != columns, stream && d.what == "cut":
					counts["unknowable"]++
				default:
					t.Errorf("%s at byte %d, by %d bytes: other columns %v or values without an error", d.what, d.at, len(d.b)-len(b), c != columns)
				}
			})
			t.Log(counts)
		})
	}
}

// A second stream behind the first is not left out in silence; zeros are padding.
func TestBehindStream(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.arrow")
	writeBatches(t, path, true, []arrow.RecordBatch{codedBatch(0, 21)})
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		behind []byte
		ok     bool
	}{{nil, true}, {make([]byte, 100), true}, {b, false}} {
		if err := os.WriteFile(path, append(bytes.Clone(b), c.behind...), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := arrowAnswer(t, path); (err == nil) != c.ok {
			t.Errorf("%d bytes behind the stream: %v", len(c.behind), err)
		}
	}
}

// Columns may share a buffer; one that lies inside of another, or leaves a hole for one that is shared, is damage.
func TestSharedBuffers(t *testing.T) {
	for _, c := range []struct {
		buffers []arrowBuffer
		want    bool
	}{
		{[]arrowBuffer{{0, 80}, {0, 80}, {128, 8}}, false},
		{[]arrowBuffer{{128, 8}, {0, 80}}, false},
		{[]arrowBuffer{{0, 80}, {72, 80}}, true},
		{[]arrowBuffer{{0, 80}, {0, 72}}, true},
		{[]arrowBuffer{{0, 80}, {0, 80}, {160, 80}}, true},
	} {
		if got := overlapping(c.buffers); got != c.want {
			t.Errorf("%v: %v", c.buffers, got)
		}
	}
}
