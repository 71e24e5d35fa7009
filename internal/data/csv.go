package data

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/godwit-run/godwit/internal/data/meaning"
)

// csvBlockSize is about how many bytes of text a chunk has.
const csvBlockSize = 1 << 20

// csvFile is text in the form of RFC 4180, or of another dialect, with a row of names first. Empty
// lines are skipped; an empty field is a null, also if it is quoted.
type csvFile struct {
	table
	noStatistics
	*input
	dialect  *dialect
	blocks   []csvBlock
	found    []csvFound  // by column, in the rows that were looked at
	forced   []bool      // by column: it is text, whatever stands there
	number   []bool      // by column: it is numbers, whatever zeros they begin with
	declared []*declared // by column: its type, if ?types= says one
}

// csvBlock is a run of whole rows.
type csvBlock struct {
	offset, length int64
	line           int // of its first byte, 1-based
	before         int // bytes of that line that stand before it: 0 but where rows are not lines
	row            int64
}

var _ Source = (*csvFile)(nil)

func (s *csvFile) Path() string { return s.input.path }

func openCSV(in *input) (Source, error) {
	d := dialectOf(&in.opt)
	names, start, line, err := d.header(in)
	if err != nil {
		return nil, err
	}
	s := &csvFile{noStatistics: noStatistics{in.path}, input: in, dialect: d}
	s.table = table{name: in.path, format: "csv"}
	for _, n := range names {
		s.cols = append(s.cols, Column{Name: n, Nullable: true})
	}
	if s.forced, err = chosenColumns(s, in.opt.Text); err != nil {
		return nil, err
	}
	if s.number, err = chosenColumns(s, in.opt.Number); err != nil {
		return nil, err
	}
	for i := range s.cols {
		if s.forced[i] && s.number[i] {
			e := columnError(in.path, &s.cols[i], "?text= says that it is text, and ?number= that it is numbers")
			e.Help = "take its name out of one of them"
			return nil, e
		}
	}
	if err := s.declare(); err != nil {
		return nil, err
	}
	if err := s.count(start, line); err != nil {
		return nil, err
	}
	return s, s.infer()
}

// chosenColumns says of each column whether it is one of names.
func chosenColumns(s Source, names []string) ([]bool, error) {
	chosen := make([]bool, len(s.Columns()))
	for _, name := range names {
		i, err := Lookup(s, name)
		if err != nil {
			return nil, err
		}
		chosen[i] = true
	}
	return chosen, nil
}

// header reads the names and where the rows begin, and finds the separator.
func (d *dialect) header(in *input) (names []string, start int64, line int, err error) {
	b := make([]byte, min(in.size, csvBlockSize))
	if err := in.readAt(b, 0); err != nil {
		return nil, 0, 0, err
	}
	if err := noText(in.path, b); err != nil {
		return nil, 0, 0, err
	}
	rest := bytes.TrimPrefix(b, []byte("\ufeff"))
	for range in.opt.Skip {
		n := bytes.IndexByte(rest, '\n')
		if n < 0 {
			e := fail(in.path, "%d lines are to be skipped, and there are fewer", in.opt.Skip)
			e.Help = "skip fewer, as " + in.opt.with("skip", "1")
			return nil, 0, 0, e
		}
		rest = rest[n+1:]
	}
	for len(rest) > 0 && (rest[0] == '\n' || rest[0] == '\r') {
		rest = rest[1:]
	}
	skipped := len(b) - len(rest)
	if len(rest) == 0 {
		e := fail(in.path, "the file is empty, expected a first row with the names of the columns")
		e.Err = errNothing
		return nil, 0, 0, e
	}
	if err := d.find(in.path, rest, int64(len(b)) == in.size); err != nil {
		return nil, 0, 0, err
	}
	end := d.rowEnd(rest)
	if end < 0 && int64(len(b)) < in.size {
		return nil, 0, 0, fail(in.path, "the first row, which names the columns, has more than %d bytes", csvBlockSize)
	}
	line = 1 + bytes.Count(b[:skipped], []byte("\n"))
	if end < 0 {
		end = len(rest)
	}
	row := append(slices.Clip(bytes.TrimRight(rest[:end], "\r\n")), '\n') // a copy: the lines of rest are counted below
	if at := bytes.IndexByte(row, '\r'); at >= 0 && bytes.IndexByte(row[:at], d.quote) < 0 {
		e := &Error{Path: in.path, Row: -1, Line: line, Col: at + 1, Msg: "expected lines that end in \\n or \\r\\n, found \\r alone"}
		e.Help = "write the file with other line ends: tr '\\r' '\\n'"
		return nil, 0, 0, e
	}
	for pos := 0; pos < len(row); {
		field, next, msg := d.field(row, pos)
		if msg != "" {
			return nil, 0, 0, &Error{Path: in.path, Row: -1, Line: line, Col: pos + 1, Msg: msg, Help: quotesHelp}
		}
		names = append(names, strings.TrimSpace(string(field)))
		pos = next + 1
	}
	if d.noHeader {
		return make([]string, len(names)), int64(skipped), line, nil
	}
	if in.opt.Unique {
		names = unique(names)
	}
	return names, int64(skipped + end), line + bytes.Count(rest[:end], []byte("\n")), checkNames(in, names, line)
}

// noText refuses files that are no UTF-8 text, as far as their beginning tells.
func noText(path string, b []byte) error {
	e := fail(path, "")
	at := bytes.IndexByte(b, 0)
	switch {
	case at >= 0:
		e.Msg, e.Help = fmt.Sprintf("expected text in UTF-8, found a zero byte at %d", at), "write it in UTF-8 without zero bytes; of text in UTF-16 without a mark say so: ?encoding=utf-16le, or utf-16be"
	default:
		return nil
	}
	return e
}

func checkNames(in *input, names []string, line int) error {
	path := in.path
	e := &Error{Path: path, Row: -1, Line: line, Col: 1}
	if in.opt.Header {
		return checkEach(e, names)
	}
	if len(names) == 1 && in.opt.Separator == 0 && strings.ContainsAny(names[0], separatorsBeside) {
		e.Msg = "the fields are not separated by commas"
		e.Help = "not all of its first rows have as many fields by any other sign; say what separates them: " + in.opt.with("sep", mostOf(names[0]))
		return e
	}
	for _, n := range names { // a name may be a word, such as inf, that floats have, too
		if _, msg := parseFloat64([]byte(n)); msg != "" || !strings.ContainsAny(n, "0123456789") {
			return checkEach(e, names)
		}
	}
	e.Msg = fmt.Sprintf("expected the names of the columns, found %s", listed(names))
	e.Help = "add a first row with a name for each column, or say that there is none: " + path + in.opt.with("header", "no") + ", or that these are the names: " + path + in.opt.with("header", "yes")
	return e
}

// AsItIs reports a CSV file that is read as it lies there: not compressed, without options, and with its names on the first line.
func AsItIs(src Source) bool {
	s, ok := src.(*csvFile)
	return ok && !s.input.copied && s.input.path != Stdin && s.input.opt.unsaid() && len(s.blocks) > 0 && s.blocks[0].line == 2
}

// separatorsBeside are signs that often separate fields, besides the comma.
const separatorsBeside = ";\t|"

// mostOf is the sign of these that a row has most often, as it is said in an option.
func mostOf(row string) string {
	best := separatorsBeside[0]
	for i := range len(separatorsBeside) {
		if c := separatorsBeside[i]; strings.Count(row, string(c)) > strings.Count(row, string(best)) {
			best = c
		}
	}
	if best == '\t' {
		return "tab"
	}
	return string(best)
}

// checkEach refuses names that would not choose one column. It fills in e.
func checkEach(e *Error, names []string) error {
	seen := map[string]int{}
	for i, n := range names {
		if j, twice := seen[n]; twice && n != "" {
			e.Col, e.Column = 0, n
			e.Msg = fmt.Sprintf("columns %d and %d have this name", j+1, i+1)
			e.Help = fmt.Sprintf("give each column a name of its own, or have the second called `%s`, behind the name of the file: ?header=unique", unique(names)[i])
			return e
		}
		seen[n] = i
		if !utf8.ValidString(n) {
			e.Msg, e.Help = fmt.Sprintf("expected names in UTF-8, found %q", n), encodingHelp
			return e
		}
	}
	return nil
}

// Raw is never possible: the values are text.
func (s *csvFile) Raw(int) (Raw, bool) { return Raw{}, false }

func (s *csvFile) checkWant(w Want) error {
	if s.forced[w.Column] && !w.Presence {
		return forcedText(s.input.path, &s.cols[w.Column], &s.found[w.Column], w)
	}
	if d := s.typing(w.Column); d != nil {
		return s.checkDeclared(d, w)
	}
	return checkWords(s.input.path, s.cols[w.Column].Name, &s.found[w.Column], w)
}

// forcedText refuses what an option says is text.
func forcedText(path string, c *Column, found *csvFound, w Want) error {
	expected := w.Kind.String()
	if w.Means.Sort != meaning.None {
		expected = w.Means.String()
	}
	e := columnError(path, c, fmt.Sprintf("expected %s, found text, as %s says", expected, found.forcedBy()))
	e.Help = "declare it as Str, or take its name out of the option"
	return e
}

func (s *csvFile) Fill(ctx context.Context, chunk int, wants []Want, dst []Dest) (int64, error) {
	c, err := checkFill(s, chunk, wants, dst)
	if err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	bufs := pageBufferPool.Get().(*pageBuffers)
	defer pageBufferPool.Put(bufs)
	block := s.blocks[chunk]
	b, err := s.text(block, &bufs.chunk)
	if err != nil {
		return 0, err
	}
	p := newCSVParser(s, block, b, wants, dst)
	if err := p.rows(c.Rows()); err != nil {
		return block.length, err
	}
	return block.length, nil
}

// text reads a block and makes sure that it ends with a line end.
func (s *csvFile) text(block csvBlock, to *[]byte) ([]byte, error) {
	b := sized(to, int(block.length)+1)
	if err := s.readAt(b[:block.length], block.offset); err != nil {
		return nil, err
	}
	if n := len(b) - 1; n == 0 || b[n-1] != '\n' {
		b[n] = '\n'
		return b, nil
	}
	return b[:len(b)-1], nil
}
