package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/godwit-run/godwit/internal/front/diag"
)

// In: a field's name, as a column of a file has it. Out: how a program writes it. A name that is no name of the
// language, or a reserved word, stands between backticks.

// FieldText is a field's name as a program writes it.
func FieldText(name string) string {
	if isName(name) {
		return name
	}
	return "`" + name + "`"
}

// isName reports a name of the language that is not reserved.
func isName(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return (r == '_' || unicode.IsLetter(r)) && wordEnd(text, 0) == len(text) && text != "_" && keyword(text) == Ident
}

// quotedName scans a field's name between backticks, on one line.
func (s *scanner) quotedName(start int) {
	line := s.text[start+1:]
	if n := strings.IndexAny(line, "\r\n"); n >= 0 {
		line = line[:n]
	}
	n := strings.IndexByte(line, '`')
	if n < 0 {
		s.pos = start + 1
		s.report("S01", start, s.pos, "a name between backticks does not end", "expected another backtick on this line", "leave it out")
		return
	}
	s.pos = start + n + 2
	name := line[:n]
	if name == "" || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r == '?' || unicode.IsControl(r) }) {
		s.report("S01", start, s.pos, "this cannot be the name of a field", "between backticks stands anything but `?` and control characters", "leave the column out, or give it another name in the file")
	}
	s.emit(Quoted, start)
}

// fieldName consumes the name of a field; what says which.
func (p *parser) fieldName(what string) Name {
	if p.at(Quoted) {
		n := Name{p.here(), strings.Trim(p.word(), "`")}
		p.next()
		return n
	}
	if n, ok := p.reserved(what, FieldText); ok {
		n.Text = strings.Trim(n.Text, "`")
		return n
	}
	return p.name(what)
}

// fieldText is the name of a field as it is to be written. The parts of a tuple are numbers.
func (f *formatter) fieldText(n Name) string {
	if strings.Trim(n.Text, "0123456789") == "" && !f.quotedAt(n.Span) {
		return n.Text
	}
	return FieldText(n.Text)
}

func (f *formatter) quotedAt(s diag.Span) bool {
	return s.Start < len(f.text) && f.text[s.Start] == '`'
}
