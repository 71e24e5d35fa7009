package data

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// csvParser walks over the rows of a block and stores the wanted fields.
type csvParser struct {
	src     *csvFile
	block   csvBlock
	b       []byte
	columns []csvColumn
	typed   bool // some of these columns have a type that ?types= says
	plain   bool // none has, and fields are taken as they are
	lenient bool // a field that is not what is wanted is no error: refused says that there was one
	refused bool
	buf     []byte // of fields that are written anew
}

// csvColumn is what becomes of a column's fields.
type csvColumn struct {
	targets []csvTarget
	each    func(pos int, field, raw []byte) // nil if nobody looks at them
}

// csvTarget is where a column's values go.
type csvTarget struct {
	want Want
	dst  Dest
}

func newCSVParser(src *csvFile, block csvBlock, b []byte, wants []Want, dst []Dest) *csvParser {
	p := &csvParser{src: src, block: block, b: b, columns: make([]csvColumn, len(src.cols))}
	for i, w := range wants {
		c := &p.columns[w.Column]
		c.targets = append(c.targets, csvTarget{w, dst[i]})
		p.typed = p.typed || src.typing(w.Column) != nil
	}
	p.plain = !p.typed && !src.dialect.rewrites
	return p
}

// rows parses n rows.
func (p *csvParser) rows(n int64) error {
	pos := 0
	for row := int64(0); row < n; row++ {
		pos = p.skipEmpty(pos)
		if pos >= len(p.b) {
			return p.changed()
		}
		next, err := p.row(pos, row)
		if err != nil {
			return err
		}
		pos = next
	}
	return nil
}

func (p *csvParser) changed() error { return &ChangedError{p.src.input.path} }

func (p *csvParser) skipEmpty(pos int) int {
	for pos < len(p.b) {
		switch {
		case p.b[pos] == '\n':
			pos++
		case p.b[pos] == '\r' && pos+1 < len(p.b) && p.b[pos+1] == '\n':
			pos += 2
		default:
			return pos
		}
	}
	return pos
}

// row parses the row at pos and returns where the next one begins.
func (p *csvParser) row(pos int, row int64) (int, error) {
	start, d, last := pos, p.src.dialect, len(p.columns)-1
	for col := range p.columns {
		raw, next, ok := d.plain(p.b, pos)
		if !ok {
			var msg string
			if raw, next, msg = d.field(p.b, pos); msg != "" {
				return 0, p.misquoted(pos, next, row, col, msg)
			}
		}
		switch c := &p.columns[col]; {
		case c.each == nil && len(c.targets) == 0:
		case c.each == nil && len(c.targets) == 1 && p.plain:
			if msg := c.targets[0].store(raw, row); msg != "" && !p.forgiven() {
				return 0, p.refuse(pos, row, col, c.targets[0].want, raw, msg)
			}
		case len(c.targets) == 0 && p.plain:
			c.each(pos, raw, raw)
		default:
			if err := p.take(c, col, pos, raw, row); err != nil {
				return 0, err
			}
		}
		pos = next + 1
		if (col == last) != (p.b[next] == '\n') {
			return 0, p.miscounted(start, row)
		}
	}
	return pos, nil
}

// take stores a field where it is wanted.
func (p *csvParser) take(c *csvColumn, col, pos int, raw []byte, row int64) error {
	field := raw
	if d := p.src.dialect; d.rewrites {
		field = d.rewritten(raw, &p.buf)
	}
	if p.typed && p.astray(col, field) && !p.forgiven() {
		return p.stray(pos, row, col, raw)
	}
	for i := range c.targets {
		if msg := c.targets[i].store(field, row); msg != "" && !p.forgiven() {
			return p.refuse(pos, row, col, c.targets[i].want, raw, msg)
		}
	}
	if c.each != nil {
		c.each(pos, field, raw)
	}
	return nil
}

// forgiven notes that a field is not what is wanted, and reports whether that is no error.
func (p *csvParser) forgiven() bool {
	p.refused = true
	return p.lenient
}

// astray reports a field that is read, and is not of the type that ?types= says.
func (p *csvParser) astray(col int, field []byte) bool {
	if len(p.columns[col].targets) == 0 {
		return false
	}
	d := p.src.typing(col)
	if d == nil {
		return false
	}
	field = trimBlanks(field)
	return len(field) > 0 && d.refuses(field) != ""
}

// stray is the error for such a field.
func (p *csvParser) stray(pos int, row int64, col int, raw []byte) error {
	e := p.fail(pos, row, col, "")
	e.Column = Called(p.src, col)
	p.src.typing(col).explain(e, string(trimBlanks(raw)))
	e.Err = errStray
	return e
}

func (p *csvParser) miscounted(start int, row int64) error {
	fields, empty := 0, false
	for pos := start; pos < len(p.b); {
		field, next, msg := p.src.dialect.field(p.b, pos)
		if msg != "" {
			return p.misquoted(pos, next, row, fields, msg)
		}
		fields, empty = fields+1, len(trimBlanks(field)) == 0
		if p.b[next] == '\n' {
			break
		}
		pos = next + 1
	}
	e := p.fail(start, row, -1, fmt.Sprintf("expected %d fields, found %d", len(p.columns), fields))
	e.Col, e.Help = 0, "put fields that contain a "+p.src.dialect.separator()+" in quotes"
	first, begins := p.src.cols[0].Name, p.src.tableBegins()
	switch {
	case strings.HasPrefix(first, "#") && first != numbered(0):
		opt := &p.src.input.opt
		e.Help = fmt.Sprintf("the first row names the columns; if it is a comment, %q, leave it out: %s%s", shortened(first), p.src.input.path, opt.with("skip", strconv.Itoa(opt.Skip+1)))
	case begins > 0:
		e.Help = fmt.Sprintf("if the table begins on line %d, leave out what stands before it: %s%s; or ", begins, p.src.input.path, p.src.input.opt.with("skip", strconv.Itoa(begins-1))) + e.Help
	case fields == len(p.columns)+1 && empty:
		e.Help = "the row ends in a " + p.src.dialect.separator() + ", behind which one more field begins: leave it out, or give the row of names one, too"
	case fields < len(p.columns):
		e.Help = "leave a field empty where a value is missing, and write its " + p.src.dialect.separator()
	}
	return e
}

// tableBegins is the first line with a sign that separates fields, below a row of names that has one name, and none; 0 if there is no such line soon.
func (s *csvFile) tableBegins() int {
	const most = 20 // lines before a table
	if len(s.cols) > 1 || s.input.opt.Separator != 0 {
		return 0
	}
	b := make([]byte, min(s.size, 64<<10))
	if s.readAt(b, 0) != nil {
		return 0
	}
	for i, line := range bytes.SplitN(b, []byte("\n"), most+1) {
		if i < most && bytes.ContainsAny(line, ","+separatorsBeside) {
			if i > s.input.opt.Skip {
				return i + 1
			}
			return 0
		}
	}
	return 0
}

// position is the line and column, 1-based, of a byte of the block.
func (p *csvParser) position(pos int) (line, col int) {
	before := p.b[:pos]
	return p.block.line + bytes.Count(before, []byte("\n")), pos - bytes.LastIndexByte(before, '\n')
}

func (p *csvParser) fail(pos int, row int64, col int, msg string) *Error {
	e := &Error{Path: p.src.input.path, Row: p.block.row + row, Msg: msg}
	e.Line, e.Col = p.position(pos)
	if col >= 0 && col < len(p.src.cols) {
		e.Column = p.src.cols[col].Name
	}
	return e
}

// refuse is the error for a field that is not what was wanted.
func (p *csvParser) refuse(pos int, row int64, col int, w Want, field []byte, msg string) error {
	e := p.fail(pos, row, col, msg)
	explain(e, w, string(trimBlanks(field)), msg)
	d := p.src.dialect.date
	switch s := w.Means.Sort; {
	case s != meaning.Date && s != meaning.Timestamp:
	case d != nil:
		d.expect(e)
	case msg == meaning.Malformed:
		e.Help = cmp.Or(dateHelp(unfitForms(0, trimBlanks(field))), e.Help)
	}
	return e
}

// explain says what is wrong with a text that was to be stored.
func explain(e *Error, w Want, text, msg string) {
	switch {
	case msg == csvNull:
		n := nullAt("", 0, "")
		e.Msg, e.Help = "expected a value, found an empty field", n.Help
		if text != "" {
			e.Msg = fmt.Sprintf("expected a value, found %q, which stands for none", shortened(text))
		}
		return
	case w.Means.Sort != meaning.None:
		e.Msg, e.Help = csvMeant(w.Means, text, msg, e.Column)
		return
	}
	switch msg {
	case csvRange:
		m := misfit("", 0, "", w, text)
		e.Msg, e.Help = m.Msg, m.Help
	case csvExact:
		e.Msg, e.Help = inexact(w.Kind, text)
		e.Help = csvRounded(text, e.Help)
	case csvHuge:
		e.Msg = fmt.Sprintf("expected %s, %s is too large for it", w.Kind, text)
	default:
		e.Msg, e.Help = csvExpected(w.Kind, text), csvTextHelp(e.Column, text, w.Kind)
	}
}

// instant is what a point of time is read as where nothing else is said.
var instant = meaning.Meaning{Sort: meaning.Timestamp, Unit: meaning.Micro}

func stamped(text string) bool {
	_, why := instant.Parse([]byte(text))
	return why == ""
}

// csvMeant is what is wrong with a field for a date, a time or a decimal.
func csvMeant(m meaning.Meaning, text, why, name string) (msg, help string) {
	msg = fmt.Sprintf("expected %s, found %q", m.Form(), shortened(text))
	if why != meaning.Malformed {
		msg += ": " + why
	}
	if help = csvWordHelp(name, text); help != "" {
		return msg, help
	}
	switch _, number := parseInt([]byte(text)); {
	case number == "" && m.IsTime():
		return msg, countedHelp(m)
	case m.Sort == meaning.Date && stamped(text):
		return msg, fmt.Sprintf("declare it as %s, and take its .date()", instant)
	case m.Sort == meaning.Decimal && why != meaning.Malformed:
		return msg, decimalHelp(m, text, "as f64")
	}
	return msg, "write it as in " + m.Form()[strings.LastIndexByte(m.Form(), ' ')+1:] + ", or declare it as Str"
}

// csvRounded is the help for an integer that no float is. The text can be written as a float, too,
// which is the way out where no integer type holds it together with the other fields.
func csvRounded(text, help string) string {
	point := "write it with a point, as " + shortened(text) + ".0, to have it rounded"
	if strings.Contains(help, point) {
		return help
	}
	return help + "; if no integer type holds the whole column, " + point
}

func csvExpected(k num.Kind, text string) string {
	what := "a number"
	switch {
	case k.IsInt():
		what = "an integer"
	case k == num.Bool:
		what = "true or false"
	}
	return fmt.Sprintf("expected %s (%s), found %q", what, k, shortened(text))
}
