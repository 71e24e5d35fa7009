package data

import (
	"context"
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a source that a caller of the library wrote. Out: one that the rest may rely on as on those of this package. What the
// other says of itself is asked once and looked at. It is asked for values as it stores them; here they are converted and held
// to what is wanted of them, so that a kernel that takes an index for granted does not leave its memory.
// Invariant: what the other does not write is zero, and no error is lost.

// callers is such a source.
type callers struct {
	table
	Source // the caller's
	raws   []Raw
	isRaw  []bool
	bad    error // what is wrong with it; every Check and Fill reports it
}

// owned is what the sources of this package are.
type owned interface{ own() }

func (*table) own() {}
func (*slice) own() {}

// Callers gives a source of a caller's own, or one of this package as it is.
func Callers(src Source) Source {
	if _, ok := src.(owned); ok {
		return src
	}
	s := &callers{table: table{name: src.Path(), format: src.Format(), rows: src.Rows(), cols: src.Columns(), chunks: src.Chunks()}, Source: src}
	if s.bad = s.look(); s.bad != nil {
		s.rows, s.chunks = max(0, s.rows), nil
	}
	return s
}

func (s *callers) Path() string      { return s.table.Path() }
func (s *callers) Format() string    { return s.table.Format() }
func (s *callers) Rows() int64       { return s.table.Rows() }
func (s *callers) Columns() []Column { return s.table.Columns() }
func (s *callers) Chunks() []Chunk   { return s.table.Chunks() }

// look finds what is wrong with a description.
func (s *callers) look() error {
	if s.rows < 0 {
		return fail(s.name, "it has %d rows", s.rows)
	}
	at := int64(0)
	for i, c := range s.chunks {
		if c.Lo != at || c.Hi < c.Lo {
			return fail(s.name, "chunk %d has the rows %d to %d, expected them from %d on: chunks are ascending and leave nothing out", i, c.Lo, c.Hi, at)
		}
		at = c.Hi
	}
	if at != s.rows {
		return fail(s.name, "it has %d rows, and chunks for %d", s.rows, at)
	}
	s.raws, s.isRaw = make([]Raw, len(s.cols)), make([]bool, len(s.cols))
	for i := range s.cols {
		if err := s.lookAt(i); err != nil {
			return err
		}
	}
	return nil
}

func (s *callers) lookAt(column int) error {
	c := &s.cols[column]
	if !c.Kind.Valid() {
		return nil // nobody reads it
	}
	need, ok := sizeOf(s.rows, c.Dims, c.Kind)
	if !ok {
		return columnError(s.name, c, fmt.Sprintf("%d rows of %v elements are no size of an array", s.rows, c.Dims))
	}
	r, ok := s.Source.Raw(column)
	if !ok || c.Kind == num.Bool { // whose bytes might be others than 0 and 1
		return nil
	}
	have := int64(len(r.Bytes))
	if r.File != nil {
		have = r.Length
	}
	if have != need || r.Offset < 0 || c.Nullable {
		return columnError(s.name, c, fmt.Sprintf("%d rows without nulls need %d bytes, Raw gives %d", s.rows, need, have))
	}
	r.Length = have
	s.raws[column], s.isRaw[column] = r, true
	return nil
}

func (s *callers) checkWant(w Want) error {
	if s.bad != nil {
		return s.bad
	}
	return checkMeant(s.name, &s.cols[w.Column], w)
}

// Raw is what the caller's source said of the column, if its length is right.
func (s *callers) Raw(column int) (Raw, bool) {
	if s.bad != nil || column < 0 || column >= len(s.raws) {
		return Raw{}, false
	}
	return s.raws[column], s.isRaw[column]
}

func (s *callers) Prune(preds []Pred) []bool {
	if s.bad != nil {
		return nil
	}
	pruned := s.Source.Prune(preds)
	if len(pruned) != len(s.chunks) {
		return nil
	}
	return slices.Clone(pruned)
}

func (s *callers) Fill(ctx context.Context, chunk int, wants []Want, dst []Dest) (read int64, err error) {
	err = s.through(chunk, wants, dst, func(wants []Want, dst []Dest) (err error) {
		read, err = s.Source.Fill(ctx, chunk, wants, dst)
		return err
	})
	return read, err
}

func (s *callers) FillPruned(chunk int, preds []Pred, wants []Want, dst []Dest) error {
	return s.through(chunk, wants, dst, func(wants []Want, dst []Dest) error { return s.Source.FillPruned(chunk, preds, wants, dst) })
}

// through has the caller's source give values as it stores them, and makes of them what is wanted.
func (s *callers) through(chunk int, wants []Want, dst []Dest, get func([]Want, []Dest) error) error {
	if s.bad != nil {
		return s.bad
	}
	c, err := checkFill(s, chunk, wants, dst)
	if err != nil {
		return err
	}
	ask, to := make([]Want, len(wants)), make([]Dest, len(wants))
	for i, w := range wants {
		col := &s.cols[w.Column]
		ask[i] = Want{Column: w.Column, Kind: col.Kind, Option: col.Nullable, Presence: w.Presence && col.Nullable}
		if to[i].Values = dst[i].Values; w.Kind == col.Kind && w.Means.Sort == meaning.None {
			clear(to[i].Values)
		} else {
			to[i].Values = make([]byte, c.Rows()*col.Width()*int64(col.Kind.Size()))
		}
		if col.Nullable {
			to[i].Valid = make([]byte, c.Rows())
		}
	}
	if err := get(ask, slices.Clone(to)); err != nil {
		return err
	}
	for i, w := range prepared(s.cols, wants) {
		col := &s.cols[w.Column]
		if w.Presence && !col.Nullable {
			fillOnes(dst[i].Valid)
			continue
		}
		run := columnRun{kind: col.Kind, rows: int(c.Rows()), width: int(col.Width()), values: to[i].Values}
		if col.Nullable {
			run.nulls.bits = packBits(to[i].Valid)
		}
		if w.Presence {
			run.nulls.expand(dst[i].Valid)
			continue
		}
		if err := run.fill(place{path: s.name, column: col.Name, row: c.Lo, want: w, dst: dst[i]}); err != nil {
			return err
		}
	}
	return nil
}
