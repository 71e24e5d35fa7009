package data

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: lines of text with an object of JSON each, as log files and the tools of the web write them. Out: a source with a column for each name,
// in the order in which names appear. A field that is not there, and null, are nulls. Texts, objects and lists are there by name;
// "NaN", "inf" and "-inf" in quotes are floats, as results are written. Of a column that an option says is text, what is no text is as it is written.

// maxNames bounds the columns that lines can make.
const maxNames = 1 << 16

// linesFile is such a file.
type linesFile struct {
	table
	noStatistics
	*input
	blocks []csvBlock
	found  []csvFound
	index  map[string]int
	forced []bool // by column: it is text, whatever stands there
}

var _ Source = (*linesFile)(nil)

func (s *linesFile) Path() string { return s.input.path }

// Raw is never possible: the values are text.
func (s *linesFile) Raw(int) (Raw, bool) { return Raw{}, false }

func (s *linesFile) looks() []csvFound { return s.found }

func openLines(in *input) (Source, error) {
	s := &linesFile{noStatistics: noStatistics{in.path}, input: in, index: map[string]int{}}
	s.table = table{name: in.path, format: "jsonl"}
	if err := s.count(); err != nil {
		return nil, err
	}
	var err error
	if s.forced, err = chosenColumns(s, in.opt.texts()); err != nil {
		return nil, err
	}
	s.found = s.unseen()
	if len(s.blocks) > 0 {
		if err := s.look(0, csvSample, s.found); err != nil {
			return nil, err
		}
	}
	for i := range s.cols {
		s.cols[i].Kind, s.cols[i].Stored = s.found[i].kind()
	}
	return s, nil
}

// unseen is what is known of columns before one is looked at.
func (s *linesFile) unseen() []csvFound {
	found := make([]csvFound, len(s.cols))
	for i := range found {
		found[i].json, found[i].forced = true, s.forces(i)
	}
	return found
}

// forces reports that an option says that a column is text; not of those that are here by Absent.
func (s *linesFile) forces(column int) bool { return column < len(s.forced) && s.forced[column] }

// count reads the file once, for its rows and its names.
func (s *linesFile) count() error {
	buf, have, off, line, before := make([]byte, min(csvBlockSize, s.size)), 0, int64(0), 1, 0
	for off < s.size {
		n := int(min(int64(len(buf)-have), s.size-off-int64(have)))
		if err := s.readAt(buf[have:have+n], off+int64(have)); err != nil {
			return err
		}
		have += n
		end := bytes.LastIndexByte(buf[:have], '\n') + 1
		if off+int64(have) == s.size {
			end = have
		}
		if end == 0 {
			if len(buf) >= csvLongestRow {
				return &Error{Path: s.input.path, Row: s.rows, Line: line, Msg: fmt.Sprintf("a line has more than %d bytes", csvLongestRow)}
			}
			buf = append(buf, make([]byte, len(buf))...)
			continue
		}
		b := csvBlock{offset: off, length: int64(end), line: line, before: before, row: s.rows}
		if err := s.names(b, buf[:end]); err != nil {
			return err
		}
		if s.rows > b.row {
			s.blocks, s.chunks = append(s.blocks, b), append(s.chunks, Chunk{b.row, s.rows})
		}
		line, before = s.where(b, buf[:end], end, 0)
		before--
		have = copy(buf, buf[end:have])
		off += int64(end)
	}
	if len(s.cols) == 0 && s.size > 0 && (s.rows > 0 || !s.input.listed) { // no bytes, and a list of nothing, are no rows, of any fields
		e := fail(s.input.path, "there is no field in it, expected lines such as {\"a\": 1, \"b\": 2.5}")
		e.Err = errNothing
		return e
	}
	return nil
}

// names counts the rows of a block and finds names that were not there before.
func (s *linesFile) names(b csvBlock, text []byte) error {
	return s.lines(b, text, func(_ int64, at int, row []byte) error {
		s.rows++
		return scanObject(row, func(f *jsonField) error {
			if _, ok := s.index[string(f.key)]; ok {
				return nil
			}
			if len(s.cols) == maxNames {
				return &jsonError{at: f.at, msg: fmt.Sprintf("expected at most %d names, found one more", maxNames)}
			}
			s.index[string(f.key)] = len(s.cols)
			s.cols = append(s.cols, Column{Name: string(f.key), Nullable: true})
			return nil
		})
	})
}

// lines calls each for the lines of a block that are not empty, with the row from 0 on and where they begin.
func (s *linesFile) lines(b csvBlock, text []byte, each func(row int64, at int, line []byte) error) error {
	row := int64(0)
	for at := 0; at < len(text); {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text) - at
		}
		line := text[at : at+end]
		if at == 0 && b.offset == 0 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := each(row, at, line); err != nil {
				return s.place(b, text, row, at, line, err)
			}
			row++
		}
		at += end + 1
	}
	return nil
}

// errEnough ends a walk over lines.
var errEnough = errors.New("enough")

// place says where in the file something is wrong with a line.
func (s *linesFile) place(b csvBlock, text []byte, row int64, at int, line []byte, err error) error {
	var bad *jsonError
	if !errors.As(err, &bad) {
		return err
	}
	e := &Error{Path: s.input.path, Row: b.row + row, Msg: bad.msg, Help: bad.help}
	if e.Line, e.Col = s.where(b, text, at, bad.at); e.Help != "" {
		return e
	}
	if s.input.listed {
		e.Help = "a file of JSON is a list of objects, or objects one after the other"
		return e
	}
	e.Help = "each line is an object of JSON"
	if first := bytes.TrimSpace(line); len(first) > 0 && first[0] == '[' || len(first) == 1 && first[0] == '{' {
		e.Help = "write each object on a line of its own: jq -c '.[]' (or . if it is no list)"
	}
	return e
}

// text reads a block.
func (s *linesFile) text(b csvBlock, to *[]byte) ([]byte, error) {
	t := sized(to, int(b.length))
	return t, s.readAt(t, b.offset)
}

// look finds what columns are in the first rows of a block.
func (s *linesFile) look(block int, rows int64, found []csvFound) error {
	bufs := pageBufferPool.Get().(*pageBuffers)
	defer pageBufferPool.Put(bufs)
	b := s.blocks[block]
	text, err := s.text(b, &bufs.chunk)
	if err != nil {
		return err
	}
	seen := make([]int64, len(s.cols))
	err = s.lines(b, text, func(row int64, at int, line []byte) error {
		if row == rows {
			return errEnough
		}
		return scanObject(line, func(f *jsonField) error {
			i, ok := s.index[string(f.key)]
			if !ok {
				return &ChangedError{s.input.path}
			}
			seen[i]++
			sorts := f.sorts()
			if found[i].forced && sorts != csvMissing {
				sorts = csvText | csvPhrase | csvQuoted
			}
			found[i].phrase(sorts)
			if sorts&^found[i].seen != 0 {
				line, col := s.where(b, text, at, f.at)
				found[i].add(sorts, csvPlace{s.input.path, 0, line, col, shortened(string(f.value))})
			}
			return nil
		})
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	for i, n := range seen {
		if n < min(rows, s.chunks[block].Rows()) {
			found[i].add(csvMissing, csvPlace{path: s.input.path, line: b.line, col: 1})
		}
	}
	return err
}

// sorts is what a value can be.
func (f *jsonField) sorts() csvSorts {
	switch {
	case f.nested:
		return csvText | csvNested
	case f.text && !f.isFloat():
		return csvText | csvQuoted | textSorts(f.value)
	case string(f.value) == "null":
		return csvMissing
	case f.text:
		return csvQuoted | sortsOf(f.value)
	}
	return sortsOf(f.value)
}

// isFloat reports a text that stands for a float that JSON cannot write.
func (f *jsonField) isFloat() bool {
	return slices.Contains([]string{"NaN", "inf", "-inf"}, string(f.value))
}

func (s *linesFile) typed(ctx context.Context, looked func(rows int64)) (Source, error) {
	found, err := allFound(ctx, s, func(chunk int, rows int64) ([]csvFound, error) {
		part := s.unseen()
		return part, s.look(chunk, rows, part)
	}, looked)
	if err != nil {
		return nil, err
	}
	t := *s
	t.found, t.cols = found, typedColumns(s.cols, found)
	return &t, nil
}

func (s *linesFile) unfit(column int) *Error {
	return s.found[column].conflict(s.input.path, s.cols[column].Name)
}

// doubt implements doubter.
func (s *linesFile) doubt(column int) *Error { return s.found[column].doubt(s.cols[column].Name) }

func (s *linesFile) checkWant(w Want) error {
	if s.forces(w.Column) && !w.Presence {
		return forcedText(s.input.path, &s.cols[w.Column], &s.found[w.Column], w)
	}
	err := checkWords(s.input.path, s.cols[w.Column].Name, &s.found[w.Column], w)
	var e *Error
	if errors.As(err, &e) && sortsOf([]byte(s.found[w.Column].at(csvText).text))&csvText == 0 {
		e.Help = quotedNumber
	}
	return err
}

// quotedNumber is the help for a text that would be a number without its quotes.
const quotedNumber = "it is a text in the file: write numbers without quotes"

func (s *linesFile) Fill(ctx context.Context, chunk int, wants []Want, dst []Dest) (int64, error) {
	c, err := checkFill(s, chunk, wants, dst)
	if err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	bufs := pageBufferPool.Get().(*pageBuffers)
	defer pageBufferPool.Put(bufs)
	b := s.blocks[chunk]
	text, err := s.text(b, &bufs.chunk)
	if err != nil {
		return 0, err
	}
	f := &linesFill{s: s, block: b, text: text, targets: make([][]csvTarget, len(s.cols)), last: make([]int64, len(s.cols))}
	for i, w := range wants {
		f.targets[w.Column] = append(f.targets[w.Column], csvTarget{w, dst[i]})
	}
	rows := int64(0)
	err = s.lines(b, text, func(row int64, at int, line []byte) error {
		if rows++; row >= c.Rows() {
			return &ChangedError{s.input.path}
		}
		return f.row(row, at, line)
	})
	if err == nil && rows != c.Rows() {
		err = &ChangedError{s.input.path}
	}
	return b.length, err
}

// linesFill stores the wanted fields of a block.
type linesFill struct {
	s       *linesFile
	block   csvBlock
	text    []byte
	targets [][]csvTarget // by column
	last    []int64       // the row after the last in which a column had a field
}

func (f *linesFill) row(row int64, at int, line []byte) error {
	err := scanObject(line, func(v *jsonField) error {
		i, ok := f.s.index[string(v.key)]
		switch {
		case !ok:
			return &ChangedError{f.s.input.path}
		case f.last[i] == row+1 && len(f.targets[i]) > 0:
			return &jsonError{at: v.at, msg: fmt.Sprintf("expected one field `%s`, found two", v.key)}
		}
		f.last[i] = row + 1
		for j := range f.targets[i] {
			if msg := f.store(&f.targets[i][j], v, row); msg != "" {
				return f.refuse(v.at, row, at, i, f.targets[i][j].want, string(v.value), msg)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range f.targets {
		if f.last[i] == row+1 {
			continue
		}
		for j := range f.targets[i] {
			if msg := f.targets[i][j].storeNull(row); msg != "" {
				return f.refuse(0, row, at, i, f.targets[i][j].want, "", msg)
			}
		}
	}
	return nil
}

func (f *linesFill) store(t *csvTarget, v *jsonField, row int64) string {
	switch {
	case !v.text && !v.nested && string(v.value) == "null":
		return t.storeNull(row)
	case t.want.Presence:
		t.dst.Valid[row] = 1
		return ""
	case t.want.Means.Sort != meaning.None:
		return t.storeJSON(v, row)
	case v.nested, v.text && (!v.isFloat() || !t.want.Kind.IsFloat()):
		return csvSyntax
	}
	return t.store(v.value, row)
}

// storeJSON stores a text that stands for something; a decimal may be a number, too.
func (t *csvTarget) storeJSON(v *jsonField, row int64) string {
	if v.nested || !v.text && t.want.Means.Sort != meaning.Decimal || len(trimBlanks(v.value)) == 0 {
		return meaning.Malformed
	}
	return t.store(v.value, row)
}

// refuse is the error for a value that is not what was wanted.
func (f *linesFill) refuse(col int, row int64, at, column int, w Want, text, msg string) error {
	e := &Error{Path: f.s.input.path, Row: f.block.row + row, Column: f.s.cols[column].Name}
	e.Line, e.Col = f.s.where(f.block, f.text, at, col)
	explain(e, w, text, msg)
	if s := w.Means.Sort; (s == meaning.Date || s == meaning.Timestamp) && msg == meaning.Malformed {
		if forms := dateHelp(unfitForms(0, []byte(text))); forms != "" {
			e.Help = "write the file as CSV with `godwit convert`, and then " + forms
		}
	}
	switch {
	case msg == csvNull:
		e.Msg = "expected a value, found none"
	case msg == csvSyntax && sortsOf([]byte(text))&csvText == 0 && f.text[at+col] == '"':
		e.Help = quotedNumber
	}
	return e
}

// checkText refuses columns of text by what was seen of them.
func checkWords(path, column string, found *csvFound, w Want) error {
	wrong := csvText | csvWord
	if w.Kind == num.Bool {
		wrong = csvText | csvNumber | csvSpelled
	}
	if w.Presence || w.Means.Sort != meaning.None || !found.has(wrong) {
		return nil
	}
	t := found.at(wrong & csvText)
	if other := wrong &^ csvText; !found.has(csvText) || found.has(other) && found.at(other).before(t) {
		t = found.at(other)
	}
	return &Error{Path: path, Row: -1, Line: t.line, Col: t.col, Column: column, Msg: csvExpected(w.Kind, t.text), Help: csvTextHelp(column, t.text, w.Kind)}
}

// Absent gives a source a column that it may have, but of which no row has a value: a field of JSON lines that nobody wrote is a null. ok is
// false for other formats, whose columns have names of their own, and where the name of another column is so near that it may be meant:
// one that is declared, as all names that the program has for columns are, means itself.
func Absent(src Source, name string, declared []string) (column int, ok bool) {
	s, ok := src.(*linesFile)
	if !ok || len(s.cols) == maxNames {
		return 0, false
	}
	var names []string
	for i, c := range s.cols {
		if s.found[i].seen != 0 && !slices.Contains(declared, c.Name) { // nothing was seen of columns that are here by Absent
			names = append(names, c.Name)
		}
	}
	if diag.Nearest(name, names) != "" {
		return 0, false
	}
	column = len(s.cols)
	s.index[name], s.found = column, append(s.found, csvFound{})
	c := Column{Name: name, Nullable: true}
	c.Kind, c.Stored = s.found[column].kind()
	s.cols = append(s.cols, c)
	return column, true
}
