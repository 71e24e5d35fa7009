package data

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// table is the part that all sources share.
type table struct {
	name   string
	format string
	rows   int64
	cols   []Column
	chunks []Chunk
}

func (t *table) Path() string      { return t.name }
func (t *table) Format() string    { return t.format }
func (t *table) Rows() int64       { return t.rows }
func (t *table) Columns() []Column { return t.cols }
func (t *table) Chunks() []Chunk   { return t.chunks }

// noStatistics is for formats that say nothing about values beforehand.
type noStatistics struct{ path string }

func (noStatistics) Prune([]Pred) []bool { return nil }

func (s noStatistics) FillPruned(int, []Pred, []Want, []Dest) error {
	return fail(s.path, "no chunk of this file can be pruned: its format keeps no statistics")
}

// checkFill verifies the arguments of a Fill, so that what follows may rely
// on wants that convert and destinations of the right length.
func checkFill(src Source, chunk int, wants []Want, dst []Dest) (Chunk, error) {
	chunks := src.Chunks()
	if chunk < 0 || chunk >= len(chunks) {
		return Chunk{}, fail(src.Path(), "chunk number %d was asked for, the file has %d", chunk, len(chunks))
	}
	return chunks[chunk], checkRows(src, chunks[chunk], wants, dst)
}

// checkRows is checkFill for so many rows.
func checkRows(src Source, c Chunk, wants []Want, dst []Dest) error {
	if len(wants) != len(dst) {
		return fail(src.Path(), "%d columns are wanted in %d destinations", len(wants), len(dst))
	}
	if err := Check(src, wants); err != nil {
		return err
	}
	for i, w := range wants {
		col := &src.Columns()[w.Column]
		need := c.Rows() * col.Width() * int64(w.Kind.Size())
		if int64(len(dst[i].Values)) != need {
			return columnError(src.Path(), col, "its destination has the wrong length")
		}
		if w.Option && int64(len(dst[i].Valid)) != c.Rows() {
			return columnError(src.Path(), col, "its destination for nulls has the wrong length")
		}
	}
	return nil
}

// maxChunks bounds the list of chunks whatever number of rows a file claims.
const maxChunks = 1 << 20

// evenChunks cuts rows of width elements into chunks of about per elements.
func evenChunks(rows, width, per int64) []Chunk {
	step := max(1, per/max(1, width), rows/maxChunks+1)
	if width == 0 {
		step = rows // rows without elements cost nothing
	}
	var out []Chunk
	for lo := int64(0); lo < rows; lo += step {
		out = append(out, Chunk{lo, min(lo+step, rows)})
	}
	return out
}

// mulFits is a×b, and whether it is a size that memory could have.
func mulFits(a, b int64) (int64, bool) {
	if a < 0 || b < 0 || b != 0 && a > math.MaxInt64/2/b {
		return 0, false
	}
	return a * b, true
}

// sizeOf is the number of bytes of rows rows with inner dims.
func sizeOf(rows int64, dims []int64, k num.Kind) (int64, bool) {
	n, ok := mulFits(rows, int64(k.Size()))
	for _, d := range dims {
		if !ok {
			return 0, false
		}
		n, ok = mulFits(n, d)
	}
	return n, ok
}

// fillOnes sets every byte of valid to 1.
func fillOnes(valid []byte) {
	for i := range valid {
		valid[i] = 1
	}
}
