package data

import (
	"context"
	"sync"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: memory in Go, as of a slice. Out: a source of one column without a name. Calls over a few numbers take not much
// longer than to make such a source, so whatever more than its bytes is asked of it comes from a memorySource that is made then.

// slice is the source of Slice.
type slice struct {
	argument string // its name
	bytes    []byte
	column   [1]Column
	made     sync.Once
	full     Source
}

// Slice is a source of one unnamed column over the elements in b, which is not copied. It is an argument of this name.
func Slice(argument string, k num.Kind, b []byte) Source {
	return Rows(argument, k, nil, b)
}

// Rows is Slice for rows with inner dimensions, none of which is 0.
func Rows(argument string, k num.Kind, dims []int64, b []byte) Source {
	return new(Room).Rows(argument, k, dims, b)
}

// Room is memory for one source of Rows.
type Room struct{ slice slice }

// Rows is Rows in this memory. What it made before must not be in use any more.
func (r *Room) Rows(argument string, k num.Kind, dims []int64, b []byte) Source {
	r.slice = slice{argument: argument, bytes: b, column: [1]Column{{Kind: k, Stored: k.String(), Dims: dims}}}
	return &r.slice
}

// Plain gives the column of a source of Slice, or one like it, of which there is nothing to know but that and the rows.
func Plain(s Source) (c *Column, ok bool) {
	switch s := s.(type) {
	case *slice:
		return &s.column[0], true
	case *memorySource:
		if len(s.cols) != 1 || s.cols[0].Name != "" || s.cols[0].Nullable {
			return nil, false
		}
		_, ok := s.Raw(0)
		return &s.cols[0], ok
	}
	return nil, false
}

func (s *slice) whole() Source {
	s.made.Do(func() { s.full = FromBytes(s.Path(), s.column[:], s.Rows(), [][]byte{s.bytes}, nil) })
	return s.full
}

func (s *slice) Path() string           { return "argument `" + s.argument + "`" }
func (s *slice) Format() string         { return "memory" }
func (s *slice) Rows() int64            { return int64(len(s.bytes)) / s.rowBytes() }
func (s *slice) Columns() []Column      { return s.column[:] }
func (s *slice) Chunks() []Chunk        { return s.whole().Chunks() }
func (s *slice) Prune([]Pred) []bool    { return nil }
func (s *slice) Unchanged() error       { return nil }
func (s *slice) Close() error           { return nil }
func (s *slice) checkWant(w Want) error { return checkMeant(s.Path(), &s.column[w.Column], w) }

// rowBytes is at least 1, where rows have nothing in them.
func (s *slice) rowBytes() int64 {
	return max(1, s.column[0].Width()*int64(s.column[0].Kind.Size()))
}

func (s *slice) Raw(column int) (Raw, bool) {
	return Raw{Length: int64(len(s.bytes)), Bytes: s.bytes}, column == 0
}

func (s *slice) Fill(ctx context.Context, chunk int, wants []Want, dst []Dest) (int64, error) {
	return s.whole().Fill(ctx, chunk, wants, dst)
}

func (s *slice) FillPruned(chunk int, preds []Pred, wants []Want, dst []Dest) error {
	return s.whole().FillPruned(chunk, preds, wants, dst)
}
