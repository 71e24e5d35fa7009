package value

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/godwit-run/godwit/internal/ir/graph"
)

// literal is a parsed value that knows nothing of sizes yet.
type literal struct {
	at    int // where it starts in the text
	bits  uint64
	items []literal // of an array or tuple in order; of Some, one
}

// literals reads text that stands for values of known types.
type literals struct {
	text  string
	at    int
	texts []string // that scalars of text are the numbers of
}

// LiteralError says where in a literal something else was expected.
type LiteralError struct {
	At   int // byte offset
	Text string
}

func (e *LiteralError) Error() string { return fmt.Sprintf("column %d: %s", e.At+1, e.Text) }

func failAt(at int, format string, args ...any) error {
	return &LiteralError{at, fmt.Sprintf(format, args...)}
}

func (p *literals) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// take skips space and then s, if it stands there.
func (p *literals) take(s string) bool {
	p.space()
	if strings.HasPrefix(p.text[p.at:], s) {
		p.at += len(s)
		return true
	}
	return false
}

// word reads letters, digits and what else numbers and names are made of.
func (p *literals) word() string {
	p.space()
	from := p.at
	for p.at < len(p.text) {
		c, n := utf8.DecodeRuneInString(p.text[p.at:])
		if strings.ContainsRune("()[]{},: \t\r\n", c) {
			break
		}
		p.at += n
	}
	return p.text[from:p.at]
}

// found describes what stands at the current place.
func (p *literals) found() string {
	p.space()
	at := p.at
	w := p.word()
	p.at = at
	switch {
	case w != "":
		return "`" + w + "`"
	case at < len(p.text):
		return "`" + p.text[at:at+1] + "`"
	}
	return "the end"
}

func (p *literals) expect(what string) error {
	return failAt(p.at, "expected %s, found %s", what, p.found())
}

// value reads a value of type t.
func (p *literals) value(t *graph.Type) (literal, error) {
	p.space()
	switch t.Kind {
	case graph.Array:
		return p.array(t)
	case graph.Tuple:
		if len(t.Names) > 0 {
			return p.record(t)
		}
		return p.tuple(t)
	case graph.Option:
		return p.option(t)
	}
	return p.scalar(t)
}

func (p *literals) array(t *graph.Type) (literal, error) {
	r := literal{at: p.at}
	if !p.take("[") {
		return r, p.expect(fmt.Sprintf("`[` of %s", t))
	}
	for !p.take("]") {
		e, err := p.value(t.Elem())
		if err != nil {
			return r, err
		}
		r.items = append(r.items, e)
		if err := p.separator("]"); err != nil {
			return r, err
		}
	}
	return r, nil
}

// separator takes a comma, unless the end stands there.
func (p *literals) separator(end string) error {
	if p.take(",") {
		return nil
	}
	if p.space(); strings.HasPrefix(p.text[p.at:], end) {
		return nil
	}
	return p.expect(fmt.Sprintf("`,` or `%s`", end))
}

func (p *literals) tuple(t *graph.Type) (literal, error) {
	r := literal{at: p.at}
	if !p.take("(") {
		return r, p.expect(fmt.Sprintf("`(` of %s", t))
	}
	for i, e := range t.Elems {
		item, err := p.value(e)
		if err != nil {
			return r, err
		}
		r.items = append(r.items, item)
		if i+1 < len(t.Elems) && !p.take(",") {
			return r, p.expect(fmt.Sprintf("`,` and field %d of %s", i+1, t))
		}
	}
	p.take(",")
	if !p.take(")") {
		return r, p.expect(fmt.Sprintf("`)` after the %d fields of %s", len(t.Elems), t))
	}
	return r, nil
}

func (p *literals) record(t *graph.Type) (literal, error) {
	r := literal{at: p.at, items: make([]literal, len(t.Elems))}
	p.take(t.Name)
	if !p.take("{") {
		return r, p.expect(fmt.Sprintf("`{` of %s", t))
	}
	given := make([]bool, len(t.Elems))
	for !p.take("}") {
		i, err := p.fieldName(t, given)
		if err != nil {
			return r, err
		}
		if r.items[i], err = p.value(t.Elems[i]); err != nil {
			return r, err
		}
		if err := p.separator("}"); err != nil {
			return r, err
		}
	}
	for i, name := range t.Names {
		if !given[i] {
			return r, failAt(r.at, "the field `%s` of %s is missing", name, t)
		}
	}
	return r, nil
}

// fieldWord reads a field's name: a word, or anything between backticks or quotes.
func (p *literals) fieldWord() string {
	if p.at < len(p.text) && (p.text[p.at] == '`' || p.text[p.at] == '"') {
		if n := strings.IndexByte(p.text[p.at+1:], p.text[p.at]); n >= 0 {
			name := p.text[p.at+1:][:n]
			p.at += n + 2
			return name
		}
	}
	return p.word()
}

// fieldName reads `name:` and gives the field's number.
func (p *literals) fieldName(t *graph.Type, given []bool) (int, error) {
	p.space()
	at := p.at
	name := p.fieldWord()
	for i, n := range t.Names {
		if n != name {
			continue
		}
		if given[i] {
			return 0, failAt(at, "the field `%s` is given twice", name)
		}
		given[i] = true
		if !p.take(":") {
			return 0, p.expect("`:`")
		}
		return i, nil
	}
	p.at = at
	return 0, p.expect("a field of " + t.String() + " (" + strings.Join(t.Names, ", ") + ")")
}

func (p *literals) option(t *graph.Type) (literal, error) {
	r := literal{at: p.at}
	switch w := p.word(); {
	case w == "None":
		return r, nil
	case w != "Some" || !p.take("("):
		p.at = r.at
		return r, p.expect("`None` or `Some(…)`")
	}
	item, err := p.value(t.Elem())
	if err != nil {
		return r, err
	}
	r.bits, r.items = 1, []literal{item}
	if !p.take(")") {
		return r, p.expect("`)` of Some")
	}
	return r, nil
}
