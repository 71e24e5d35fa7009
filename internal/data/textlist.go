package data

import (
	"context"
	"errors"
	"fmt"

	"github.com/godwit-run/godwit/internal/data/meaning"
)

// In: columns of text in several files, in folders, and in lines of JSON. Out: their rows as those of one file have them; the
// dictionary is made of all (see Encode), so that it does not matter how rows are spread over files.

// spells implements texter: the words of folders are text; other columns are where all files have them so.
func (s *list) spells(column int) bool {
	if column >= s.keyed {
		return true
	}
	for _, m := range s.members {
		if len(m.src.Columns()) > 0 && !IsText(m.src, m.column(column)) {
			return false
		}
	}
	return true
}

// readText implements texter.
func (s *list) readText(ctx context.Context, chunk int, columns []int, empty []bool, parts []partText) error {
	_, err := s.readAlong(ctx, chunk, columns, empty, parts, nil, nil)
	return err
}

// readAlong implements alongside. Columns of folders cost no walk.
func (s *list) readAlong(ctx context.Context, chunk int, columns []int, empty []bool, parts []partText, wants []Want, dst []Dest) (filled bool, err error) {
	m := s.members[s.of[chunk]]
	var own, at []int
	var none []bool
	for k, c := range columns {
		if c >= s.keyed {
			m.keys[c-s.keyed].repeat(&parts[k], s.chunks[chunk].Rows())
			continue
		}
		own, at, none = append(own, m.column(c)), append(at, k), append(none, empty[k])
	}
	if len(own) == 0 {
		return len(wants) == 0, ctx.Err()
	}
	if filled = s.fillKeys(m, s.chunks[chunk], wants, dst) == nil; !filled {
		wants, dst = nil, nil
	}
	wants, dst = s.asked(m, wants, dst)
	if err := s.use(m); err != nil {
		return false, err
	}
	defer s.done(m)
	inner := make([]partText, len(own))
	if src, ok := m.src.(alongside); ok {
		also := false
		also, err = src.readAlong(ctx, chunk-m.first, own, none, inner, wants, dst)
		filled = filled && also
	} else {
		filled = filled && len(wants) == 0
		err = m.src.(texter).readText(ctx, chunk-m.first, own, none, inner)
	}
	if err != nil {
		return false, err
	}
	for i, k := range at {
		parts[k] = inner[i]
	}
	return filled, nil
}

func (s *typedList) spells(column int) bool { return s.files.spells(column) }

func (s *typedList) readText(ctx context.Context, chunk int, columns []int, empty []bool, parts []partText) error {
	return s.files.readText(ctx, chunk, columns, empty, parts)
}

func (s *typedList) readAlong(ctx context.Context, chunk int, columns []int, empty []bool, parts []partText, wants []Want, dst []Dest) (filled bool, err error) {
	return s.files.readAlong(ctx, chunk, columns, empty, parts, wants, dst)
}

// apart reports that columns are read one by one at no higher price than together.
func apart(src Source) bool { return src.Format() == "parquet" || src.Format() == "arrow" }

// placeOf is the file of a chunk, and the chunk's first row there.
func placeOf(src Source, chunk int) (path string, row int64) {
	switch s := src.(type) {
	case *typedList:
		return placeOf(s.files, chunk)
	case *list:
		m := s.members[s.of[chunk]]
		return m.src.Path(), s.chunks[chunk].Lo - m.lo
	}
	return src.Path(), src.Chunks()[chunk].Lo
}

// spells implements texter: a column has text where something in quotes was seen, or nothing yet that is none.
func (s *linesFile) spells(column int) bool {
	return s.forces(column) || s.found[column].has(csvQuoted) || !s.found[column].has(csvBit|csvNumber|csvWord)
}

func (s *arrowFile) spells(column int) bool {
	return s.cols[column].Means.Sort == meaning.Text || s.cols[column].Unknown
}

func (s *parquetFile) spells(column int) bool {
	return s.cols[column].Means.Sort == meaning.Text || s.cols[column].Unknown
}

func (s *memorySource) spells(column int) bool { return s.cols[column].Means.Sort == meaning.Text }

// readText implements texter: a field that is not there, and null, have no text; "" is one.
func (s *linesFile) readText(ctx context.Context, chunk int, columns []int, _ []bool, parts []partText) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	bufs := pageBufferPool.Get().(*pageBuffers)
	defer pageBufferPool.Put(bufs)
	b, rows := s.blocks[chunk], s.chunks[chunk].Rows()
	text, err := s.text(b, &bufs.chunk)
	if err != nil {
		return err
	}
	t := &linesText{s: s, at: make([]int, len(s.cols)), parts: parts}
	for i := range t.at {
		t.at[i] = -1
	}
	for k, c := range columns {
		t.at[c] = k
		parts[k].codes = make([]int32, 0, rows)
	}
	var bad *jsonError
	read := int64(0)
	err = s.lines(b, text, func(row int64, at int, line []byte) error {
		if read++; read > rows {
			return &ChangedError{s.input.path}
		}
		err := t.row(row, line)
		if errors.As(err, &bad) && t.bad >= 0 {
			e := s.place(b, text, row, at, line, err).(*Error)
			e.Column = s.cols[t.bad].Name
			return e
		}
		return err
	})
	if err == nil && read != rows {
		err = &ChangedError{s.input.path}
	}
	return err
}

// linesText takes texts out of lines.
type linesText struct {
	s     *linesFile
	at    []int // part of a column; -1 of those that are not wanted
	parts []partText
	bad   int // the column that an error is about; -1 if it is about the line
}

func (t *linesText) row(row int64, line []byte) error {
	t.bad = -1
	err := scanObject(line, func(f *jsonField) error {
		c, ok := t.s.index[string(f.key)]
		if !ok {
			return &ChangedError{t.s.input.path}
		}
		if t.at[c] < 0 {
			return nil
		}
		p := &t.parts[t.at[c]]
		switch {
		case int64(len(p.codes)) > row:
			return &jsonError{at: f.at, msg: fmt.Sprintf("expected one field `%s`, found two", f.key)}
		case !f.text && string(f.value) == "null":
			p.null()
			return nil
		case !f.text && t.s.forces(c):
			p.add(f.value)
			return nil
		case !f.text:
			t.bad = c
			e := &jsonError{f.at, fmt.Sprintf("expected text (Str), found %s", shortened(string(f.value))), "put it in quotes, or declare the column as what it is"}
			if f.nested {
				e.help = "leave the column out"
			}
			e.help += "; or have what is no text stand as it is written: " + sayText(t.s.cols[c].Name)
			return e
		}
		plain, err := plainText(f.value)
		if err != nil {
			t.bad = c
			return misread(err, f.at, fmt.Sprintf("expected text in UTF-8, with control characters as \\u and four digits, found %q", shortened(string(f.value))))
		}
		p.add(plain)
		return nil
	})
	if err != nil {
		return err
	}
	for i := range t.parts {
		if int64(len(t.parts[i].codes)) == row {
			t.parts[i].null()
		}
	}
	return nil
}
