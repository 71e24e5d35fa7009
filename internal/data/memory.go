package data

import (
	"context"
	"fmt"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// memorySource is a table in memory: batches of columns, none of them copied.
type memorySource struct {
	table
	noStatistics
	batches []memoryBatch
	of      []int // batch of a chunk
	bad     error // what was wrong with the arguments; every Check and Fill reports it
	release func()
	once    sync.Once
}

// memoryBatch holds rows [lo, lo+rows). runs has a zero entry for a column
// that cannot be computed with.
type memoryBatch struct {
	lo     int64
	runs   []columnRun
	arrays []arrow.Array // of Arrow, for columns of text
}

var _ Source = (*memorySource)(nil)

// FromBytes is a source over memory. values[i] holds column i, rows × width ×
// Kind.Size() little-endian bytes (a bool is 0 or 1). valid, or valid[i], may
// be nil for no nulls, and otherwise holds a byte per row. Nothing is copied.
// Lengths that do not agree are reported by Check and Fill.
func FromBytes(name string, cols []Column, rows int64, values, valid [][]byte) Source {
	s := newMemory(name, rows, cols)
	if s.bad = checkMemory(name, cols, rows, values, valid); s.bad != nil {
		s.chunks = nil
		return s
	}
	b := memoryBatch{}
	for i := range cols {
		r := columnRun{kind: cols[i].Kind, rows: int(rows), width: int(cols[i].Width()), values: values[i]}
		if valid != nil && valid[i] != nil {
			r.nulls.bits = packBits(valid[i])
		}
		b.runs = append(b.runs, r)
	}
	s.addBatch(b, rows)
	return s
}

// FromSlice is a source of one unnamed column over xs, which is not copied.
func FromSlice[T scalar](xs []T) Source { return Slice("memory", num.KindOf[T](), bytesOf(xs)) }

func newMemory(name string, rows int64, cols []Column) *memorySource {
	return &memorySource{table: table{name: name, format: "memory", rows: rows, cols: cols}, noStatistics: noStatistics{name}}
}

func checkMemory(name string, cols []Column, rows int64, values, valid [][]byte) error {
	if len(values) != len(cols) || valid != nil && len(valid) != len(cols) {
		return fail(name, "%d columns are described, %d are given", len(cols), len(values))
	}
	for i := range cols {
		if !cols[i].Kind.Valid() {
			continue
		}
		need, ok := sizeOf(rows, cols[i].Dims, cols[i].Kind)
		if !ok || need != int64(len(values[i])) {
			return columnError(name, &cols[i], fmt.Sprintf("%d rows need %d bytes, %d are given", rows, need, len(values[i])))
		}
		if valid != nil && valid[i] != nil && int64(len(valid[i])) != rows {
			return columnError(name, &cols[i], fmt.Sprintf("%d rows need as many bytes of validity, %d are given", rows, len(valid[i])))
		}
	}
	return nil
}

func packBits(valid []byte) []byte {
	bits := make([]byte, (len(valid)+7)/8)
	for i, v := range valid {
		if v != 0 {
			bits[i>>3] |= 1 << (i & 7)
		}
	}
	return bits
}

// addBatch adds rows and cuts them into chunks.
func (s *memorySource) addBatch(b memoryBatch, rows int64) {
	width := int64(1)
	for i := range s.cols {
		width = max(width, s.cols[i].Width())
	}
	for _, c := range evenChunks(rows, width, npyBlock) {
		s.chunks = append(s.chunks, Chunk{b.lo + c.Lo, b.lo + c.Hi})
		s.of = append(s.of, len(s.batches))
	}
	s.batches = append(s.batches, b)
}

func (s *memorySource) checkWant(w Want) error {
	if s.bad != nil {
		return s.bad
	}
	return checkMeant(s.name, &s.cols[w.Column], w)
}

func (s *memorySource) Path() string     { return s.name }
func (s *memorySource) Unchanged() error { return nil }

func (s *memorySource) Close() error {
	if s.release != nil {
		s.once.Do(s.release)
	}
	return nil
}

func (s *memorySource) Raw(column int) (Raw, bool) {
	if s.bad != nil || column < 0 || column >= len(s.cols) || !s.cols[column].Kind.Valid() || len(s.batches) != 1 {
		return Raw{}, false
	}
	r := &s.batches[0].runs[column]
	if r.packed || r.kind != s.cols[column].Kind || r.nulls.bits != nil || r.inner.bits != nil {
		return Raw{}, false
	}
	return Raw{Length: int64(len(r.values)), Bytes: r.values}, true
}

func (s *memorySource) Fill(ctx context.Context, chunk int, wants []Want, dst []Dest) (int64, error) {
	if s.bad != nil {
		return 0, s.bad
	}
	c, err := checkFill(s, chunk, wants, dst)
	if err != nil {
		return 0, err
	}
	b := &s.batches[s.of[chunk]]
	for i, w := range prepared(s.cols, wants) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		var run columnRun
		if col := &s.cols[w.Column]; col.Means.Sort == meaning.Decimal && b.arrays != nil {
			run, err = decimalRun(s.name, col, b.arrays[w.Column], c.Lo-b.lo, c.Rows())
		} else if run = b.runs[w.Column].slice(int(c.Lo-b.lo), int(c.Hi-b.lo)); col.Kind.Valid() && run.kind != col.Kind {
			run, w, err = fromMillis(run, w)
		}
		if err != nil {
			return 0, placedAt(err, s.name, &s.cols[w.Column], func(at int) int64 { return c.Lo + int64(at) })
		}
		p := place{path: s.name, column: s.cols[w.Column].Name, row: c.Lo, want: w, dst: dst[i]}
		if err := run.fill(p); err != nil {
			return 0, err
		}
	}
	return 0, nil
}
