package data

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
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
	found  []csvFound // by column, in the rows that were looked at
}

// csvBlock is a run of whole rows.
type csvBlock struct {
	offset, length int64
	line           int // of its first byte, 1-based
	row            int64
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
	if err := noText(in.path, b); err != nil {
		return nil, 0, 0, err
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
	if at := bytes.IndexByte(row, '\r'); at >= 0 && !bytes.ContainsRune(row[:at], '"') {
		e := &Error{Path: in.path, Row: -1, Line: line, Col: at + 1, Msg: "expected lines that end in \\n or \\r\\n, found \\r alone"}
		e.Help = "write the file with other line ends: tr '\\r' '\\n'"
		return nil, 0, 0, e
	}
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

// noText refuses files that are no UTF-8 text, as far as their beginning tells.
func noText(path string, b []byte) error {
	e := fail(path, "")
	at := bytes.IndexByte(b, 0)
	switch {
	case bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")):
		e.Msg, e.Help = "expected text in UTF-8, found UTF-16", "write it in UTF-8: iconv -f UTF-16 -t UTF-8"
	case at >= 0:
		e.Msg, e.Help = fmt.Sprintf("expected text in UTF-8, found a zero byte at %d", at), "write it in UTF-8 without zero bytes; text in UTF-16 is converted by iconv -f UTF-16 -t UTF-8"
	default:
		return nil
	}
	return e
}

func checkNames(path string, names []string, line int) error {
	e := &Error{Path: path, Row: -1, Line: line, Col: 1}
	if len(names) == 1 && strings.ContainsAny(names[0], ";\t") {
		e.Msg = "the fields are not separated by commas"
		e.Help = "write the file with ',' between fields and '.' in numbers"
		return e
	}
	for _, n := range names { // a name may be a word, such as inf, that floats have, too
		if _, msg := parseFloat64([]byte(n)); msg != "" || !strings.ContainsAny(n, "0123456789") {
			return checkEach(e, names)
		}
	}
	e.Msg = fmt.Sprintf("expected the names of the columns, found %s", listed(names))
	e.Help = "add a first row with a name for each column"
	return e
}

// checkEach refuses names that would not choose one column. It fills in e.
func checkEach(e *Error, names []string) error {
	seen := map[string]int{}
	for i, n := range names {
		if j, twice := seen[n]; twice && n != "" {
			e.Col, e.Column = 0, n
			e.Msg, e.Help = fmt.Sprintf("columns %d and %d have this name", j+1, i+1), "give each column a name of its own"
			return e
		}
		seen[n] = i
		if !utf8.ValidString(n) {
			e.Msg, e.Help = fmt.Sprintf("expected names in UTF-8, found %q", n), "write the file in UTF-8: iconv -t UTF-8 -f ISO-8859-1, or whatever it is in"
			return e
		}
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
	col, found := s.cols[w.Column].Name, &s.found[w.Column]
	wrong := csvText | csvWord
	if w.Kind == num.Bool {
		wrong = csvText | csvNumber
	}
	if w.Presence || w.Means.Sort != meaning.None || !found.has(wrong) {
		return nil
	}
	t := found.at(wrong & csvText)
	if other := wrong &^ csvText; !found.has(csvText) || found.has(other) && found.at(other).before(t) {
		t = found.at(other)
	}
	return &Error{Path: s.input.path, Row: -1, Line: t.line, Col: t.col, Column: col, Msg: csvExpected(w.Kind, t.text), Help: csvTextHelp(col, t.text, w.Kind)}
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
