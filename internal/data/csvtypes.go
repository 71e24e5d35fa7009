package data

import (
	"cmp"
	"context"
	"sync"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// csvSample is the number of rows that are looked at when a file is opened. They settle
// what a column cannot be asked for, and nothing else.
const csvSample = 4096

// infer looks at the first rows. Every field is parsed as what the program wants.
func (s *csvFile) infer() error {
	s.found = make([]csvFound, len(s.cols))
	for i := range s.found {
		s.found[i] = s.said(i)
	}
	if len(s.blocks) > 0 {
		var err error
		if s.found, err = s.lookAt(0, csvSample); err != nil {
			return err
		}
	}
	for i := range s.found {
		s.cols[i].Kind, s.cols[i].Stored = s.found[i].kind()
		if d := s.typing(i); d != nil && !d.most {
			s.cols[i].Means = d.want.Means
		}
	}
	return nil
}

// said is what options say of a column.
func (s *csvFile) said(i int) csvFound {
	return csvFound{forced: s.forced[i], number: s.number[i], declared: s.declared[i]}
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
	for i := range found {
		found[i] = s.said(i)
		p.columns[i].each = func(pos int, field, raw []byte) { found[i].look(p, pos, field, raw) }
	}
	return found, p.rows(min(rows, s.chunks[block].Rows()))
}

// Typed gives a source whose columns have the types of all of their values: text is read
// as a whole, other formats say their types. looked, if set, is told of rows that were
// looked at, by several goroutines. The result reads the file of src, which is closed as before.
func Typed(ctx context.Context, src Source, looked func(rows int64)) (Source, error) {
	if s, ok := src.(typer); ok && Untyped(src) {
		return s.typed(ctx, looked)
	}
	return src, nil
}

type typer interface {
	typed(ctx context.Context, looked func(rows int64)) (Source, error)
}

// untyped is a file whose values say what they are, one by one.
type untyped interface {
	typer
	looks() []csvFound // by column
}

// Untyped reports that Typed has to read all of src.
func Untyped(src Source) bool {
	if s, ok := src.(*list); ok {
		return s.found != nil
	}
	_, ok := src.(untyped)
	return ok
}

func (s *csvFile) looks() []csvFound { return s.found }

func (s *csvFile) typed(ctx context.Context, looked func(rows int64)) (Source, error) {
	found, err := allFound(ctx, s, s.lookAt, looked)
	if err != nil {
		return nil, err
	}
	t := *s
	t.found, t.cols = found, typedColumns(s.cols, found)
	return &t, nil
}

// allFound looks at all fields, chunk by chunk, and gives what is in each column.
func allFound(ctx context.Context, src Source, lookAt func(chunk int, rows int64) ([]csvFound, error), looked func(rows int64)) ([]csvFound, error) {
	found := make([]csvFound, len(src.Columns()))
	if s, ok := src.(untyped); ok {
		for i, f := range s.looks() { // what options say holds without rows, too
			found[i].forced, found[i].number, found[i].declared = f.forced, f.number, f.declared
		}
	}
	var mu sync.Mutex
	err := Each(ctx, len(src.Chunks()), func(i int) error {
		n := src.Chunks()[i].Rows()
		part, err := lookAt(i, n)
		if err != nil {
			return err
		}
		if looked != nil {
			looked(n)
		}
		mu.Lock()
		defer mu.Unlock()
		for c := range part {
			found[c].join(&part[c], 0)
		}
		return nil
	})
	return found, err
}

// typedColumns are columns of which all fields were looked at.
func typedColumns(cols []Column, found []csvFound) []Column {
	out := make([]Column, len(cols))
	for i := range out {
		kind, stored := found[i].kind()
		unknown := stored == csvEmpty
		if unknown {
			kind = num.I8 // the kind that can be asked for as any other
		}
		m, form := found[i].meaning()
		if found[i].astray() {
			kind, m, form = num.Invalid, meaning.Meaning{}, "fields of other types"
		}
		out[i] = Column{Name: cols[i].Name, Kind: kind, Stored: cmp.Or(form, stored), Nullable: found[i].has(csvMissing), Means: m, Unknown: unknown}
		out[i].Blank = unknown && found[i].has(csvMissing) && !found[i].has(csvAbsent) && !found[i].json
	}
	return out
}

// unfit implements unfitter.
func (s *csvFile) unfit(column int) *Error {
	return s.found[column].conflict(s.input.path, Called(s, column))
}

// doubt implements doubter.
func (s *csvFile) doubt(column int) *Error { return s.found[column].doubt(Called(s, column)) }
