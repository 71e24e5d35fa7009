package data

import (
	"context"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// csvSample is the number of rows that are looked at when a file is opened. They settle
// what a column cannot be asked for, and nothing else.
const csvSample = 4096

// infer looks at the first rows. Every field is parsed as what the program wants.
func (s *csvFile) infer() error {
	s.found = make([]csvFound, len(s.cols))
	if len(s.blocks) > 0 {
		var err error
		if s.found, err = s.lookAt(0, csvSample); err != nil {
			return err
		}
	}
	for i := range s.found {
		s.cols[i].Kind, s.cols[i].Stored = s.found[i].kind()
	}
	return nil
}

// lookAt finds what the columns are in the first rows of a block.
func (s *csvFile) lookAt(block int, rows int64) ([]csvFound, error) {
	bufs := pageBufferPool.Get().(*pageBuffers)
	defer pageBufferPool.Put(bufs)
	b, err := s.text(s.blocks[block], &bufs.chunk)
	if err != nil {
		return nil, err
	}
	found := make([]csvFound, len(s.cols))
	p := newCSVParser(s, s.blocks[block], b, nil, nil)
	p.each = func(col, pos int, field []byte) { found[col].look(p, pos, field) }
	return found, p.rows(min(rows, s.chunks[block].Rows()))
}

// Typed gives a source whose columns have the types of all of their values: text is read
// as a whole, other formats say their types. looked, if set, is told of rows that were
// looked at, by several goroutines. The result reads the file of src, which is closed as before.
func Typed(ctx context.Context, src Source, looked func(rows int64)) (Source, error) {
	if s, ok := src.(*csvFile); ok {
		return s.typed(ctx, looked)
	}
	return src, nil
}

// Untyped reports that Typed has to read all of src.
func Untyped(src Source) bool {
	_, ok := src.(*csvFile)
	return ok
}

func (s *csvFile) typed(ctx context.Context, looked func(rows int64)) (Source, error) {
	parts := make([][]csvFound, len(s.blocks))
	err := Each(ctx, len(parts), func(i int) (err error) {
		n := s.chunks[i].Rows()
		if parts[i], err = s.lookAt(i, n); err == nil && looked != nil {
			looked(n)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	t := *s
	t.found = make([]csvFound, len(s.cols))
	t.cols = make([]Column, len(s.cols))
	for i := range t.cols {
		for _, p := range parts {
			t.found[i].then(&p[i])
		}
		kind, stored := t.found[i].kind()
		if stored == csvEmpty {
			kind = num.I8 // the kind that can be asked for as any other
		}
		t.cols[i] = Column{Name: s.cols[i].Name, Kind: kind, Stored: stored, Nullable: t.found[i].has(csvMissing)}
	}
	return &t, nil
}

// unfit implements unfitter.
func (s *csvFile) unfit(column int) *Error {
	return s.found[column].conflict(s.input.path, s.cols[column].Name)
}
