package data

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/godwit-run/godwit/num"
)

// csvSample is the number of rows that are looked at when a file is opened. They settle
// what a column cannot be asked for, and nothing else.
const csvSample = 4096

// infer looks at the first rows. Every field is parsed as what the program wants.
func (s *csvFile) infer() error {
	s.found = make([]csvFound, len(s.cols))
	if len(s.blocks) > 0 {
		var err error
		if s.found, err = s.lookAt(0, csvSample, new([]byte)); err != nil {
			return err
		}
	}
	for i := range s.found {
		s.cols[i].Kind, s.cols[i].Stored = s.found[i].kind()
	}
	return nil
}

// lookAt finds what the columns are in the first rows of a block.
func (s *csvFile) lookAt(block int, rows int64, buf *[]byte) ([]csvFound, error) {
	b, err := s.text(s.blocks[block], buf)
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
	parts, err := s.lookAtAll(ctx, looked)
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

// lookAtAll looks at every block, on all processors. Of several errors it gives the first in the file.
func (s *csvFile) lookAtAll(ctx context.Context, looked func(rows int64)) ([][]csvFound, error) {
	parts, errs := make([][]csvFound, len(s.blocks)), make([]error, len(s.blocks))
	var next atomic.Int64
	var failed atomic.Bool
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(s.blocks)) {
		wg.Go(func() {
			var buf []byte
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= len(s.blocks) {
					return
				}
				if errs[i] = ctx.Err(); errs[i] == nil {
					parts[i], errs[i] = s.lookAt(i, s.chunks[i].Rows(), &buf)
				}
				if errs[i] != nil {
					failed.Store(true)
					return
				}
				if looked != nil {
					looked(s.chunks[i].Rows())
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// unfit implements unfitter.
func (s *csvFile) unfit(column int) *Error {
	return s.found[column].conflict(s.input.path, s.cols[column].Name)
}
