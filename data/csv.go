package data

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/godwit-run/godwit/num"
)

// csvBlockSize is about how many bytes of text a chunk has.
const csvBlockSize = 1 << 20

// csvFile is text in the form of RFC 4180 with a row of names first. Empty
// lines are skipped; an empty field is a null, also if it is quoted.
type csvFile struct {
	table
	noStatistics
	*input
	blocks []csvBlock
	texts  []csvText // by column: why it is not numbers
}

// csvBlock is a run of whole rows.
type csvBlock struct {
	offset, length int64
	line           int // of its first byte, 1-based
	row            int64
}

// csvText is the first field that is no number.
type csvText struct {
	line, col int
	text      string
}

var _ Source = (*csvFile)(nil)

func (s *csvFile) Path() string { return s.input.path }

func openCSV(in *input) (Source, error) {
	names, start, line, err := csvHeader(in)
	if err != nil {
		return nil, err
	}
	s := &csvFile{noStatistics: noStatistics{in.path}, input: in}
	s.table = table{name: in.path, format: "csv"}
	for _, n := range names {
		s.cols = append(s.cols, Column{Name: n, Nullable: true})
	}
	if err := s.count(start, line); err != nil {
		return nil, err
	}
	return s, s.infer()
}

// csvHeader reads the names and where the rows begin.
func csvHeader(in *input) (names []string, start int64, line int, err error) {
	b := make([]byte, min(in.size, csvBlockSize))
	if err := in.readAt(b, 0); err != nil {
		return nil, 0, 0, err
	}
	if isUTF16(b) {
		e := fail(in.path, "the file is UTF-16, expected UTF-8")
		e.Help = "convert it: iconv -f UTF-16 -t UTF-8"
		return nil, 0, 0, e
	}
	rest := bytes.TrimPrefix(b, []byte("\ufeff"))
	for len(rest) > 0 && (rest[0] == '\n' || rest[0] == '\r') {
		rest = rest[1:]
	}
	skipped := len(b) - len(rest)
	if len(rest) == 0 {
		e := fail(in.path, "the file is empty, expected a first row with the names of the columns")
		return nil, 0, 0, e
	}
	end := csvRowEnd(rest)
	if end < 0 && int64(len(b)) < in.size {
		return nil, 0, 0, fail(in.path, "the first row, which names the columns, has more than %d bytes", csvBlockSize)
	}
	line = 1 + bytes.Count(b[:skipped], []byte("\n"))
	if end < 0 {
		end = len(rest)
	}
	row := append(bytes.TrimRight(rest[:end:end], "\r\n"), '\n')
	for pos := 0; pos < len(row); {
		field, next, msg := csvField(row, pos)
		if msg != "" {
			return nil, 0, 0, &Error{Path: in.path, Row: -1, Line: line, Col: pos + 1, Msg: msg}
		}
		names = append(names, strings.TrimSpace(string(field)))
		pos = next + 1
	}
	return names, int64(skipped + end), line + bytes.Count(rest[:end], []byte("\n")), checkNames(in.path, names, line)
}

// csvRowEnd is the length of the first row of b with its line end, -1 if it
// does not end in b.
func csvRowEnd(b []byte) int {
	quoted := false
	for i, c := range b {
		switch {
		case c == '"':
			quoted = !quoted
		case c == '\n' && !quoted:
			return i + 1
		}
	}
	return -1
}

func checkNames(path string, names []string, line int) error {
	e := &Error{Path: path, Row: -1, Line: line, Col: 1}
	if len(names) == 1 && strings.ContainsAny(names[0], ";\t") {
		e.Msg = "the fields are not separated by commas"
		e.Help = "write the file with ',' between fields and '.' in numbers"
		return e
	}
	for _, n := range names {
		if _, msg := parseFloat64([]byte(n)); msg != "" {
			return checkTwice(e, names)
		}
	}
	e.Msg = fmt.Sprintf("expected the names of the columns, found %s", listed(names))
	e.Help = "add a first row with a name for each column"
	return e
}

// isUTF16 goes by the mark at the start, or by the zeros of letters.
func isUTF16(b []byte) bool {
	return bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) || len(b) >= 2 && (b[0] == 0) != (b[1] == 0)
}

// checkTwice refuses a name that two columns have. Columns without a name
// cannot be asked for.
func checkTwice(e *Error, names []string) error {
	at := map[string]int{}
	for i, n := range names {
		if first, twice := at[n]; twice && n != "" {
			e.Msg = fmt.Sprintf("columns %d and %d are both called `%s`", first+1, i+1, n)
			e.Help = "give each column a name of its own in the first row"
			return e
		}
		at[n] = i
	}
	return nil
}

// csvField finds the field at pos of b, which ends with a line end outside of
// quotes. next is the position of the comma or the '\n' after it.
func csvField(b []byte, pos int) (field []byte, next int, msg string) {
	if b[pos] == '"' {
		return csvQuoted(b, pos)
	}
	i := pos
	for !csvStops[b[i]] {
		i++
	}
	if b[i] == '"' {
		return nil, i, "a quote inside of a field that does not begin with one"
	}
	end := i
	if b[i] == '\n' && end > pos && b[end-1] == '\r' {
		end--
	}
	return b[pos:end], i, ""
}

var csvStops = [256]bool{',': true, '\n': true, '"': true}

// csvQuoted reads a field in quotes; two quotes in it mean one.
func csvQuoted(b []byte, pos int) (field []byte, next int, msg string) {
	i, twice := pos+1, false
	for {
		q := bytes.IndexByte(b[i:], '"')
		if q < 0 {
			return nil, pos, "a quoted field has no end"
		}
		i += q + 1
		if i < len(b) && b[i] == '"' {
			twice = true
			i++
			continue
		}
		break
	}
	field = b[pos+1 : i-1]
	if twice {
		field = bytes.ReplaceAll(field, []byte(`""`), []byte(`"`))
	}
	if i < len(b) && b[i] == '\r' {
		i++
	}
	if i >= len(b) || b[i] != ',' && b[i] != '\n' {
		return nil, i, "expected a comma or the end of the line after a quoted field"
	}
	return field, i, ""
}

// Raw is never possible: the values are text.
func (s *csvFile) Raw(int) (Raw, bool) { return Raw{}, false }

func (s *csvFile) checkWant(w Want) error {
	col := &s.cols[w.Column]
	boolean := w.Kind == num.Bool
	switch {
	case col.Kind == num.Invalid:
		t := s.texts[w.Column]
		e := &Error{Path: s.input.path, Row: -1, Line: t.line, Col: t.col, Column: col.Name}
		e.Msg, e.Help = csvExpected(w.Kind, t.text), textHelp(t.text)
		return e
	case boolean && col.Kind == num.F64 && col.Stored != csvEmpty, !boolean && col.Kind == num.Bool:
		return columnError(s.input.path, col, fmt.Sprintf("expected %s, found %s", w.Kind, col.Stored))
	}
	return nil
}

// textHelp is what can be done about a field that is no number.
func textHelp(text string) string {
	for _, c := range text {
		if '0' <= c && c <= '9' {
			return "leave the column out, or leave the field empty where a value is missing"
		}
	}
	return "there are no strings: leave the column out, or store a number for each text; leave the field empty where a value is missing"
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
