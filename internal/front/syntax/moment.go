package syntax

import (
	"strings"
	"unicode/utf8"

	"github.com/godwit-run/godwit/internal/data/meaning"
)

// In: the text of a literal for a date, a time or text. Out: the literal, or a message that says
// what it is not. What a literal is counted in is settled where it is used.

// momentEnd is how long a date, timestamp or time of day is that text begins with; 0 if it begins
// with none. The digits and signs of 2001-03-14 stand without spaces between them.
func momentEnd(text string) int {
	n := 0
	switch {
	case digitsAt(text, "dddd-dd-dd"):
		n = len("dddd-dd-dd")
		if digitsAt(text[n:], "Tdd:dd") {
			n += len("Tdd:dd")
			n += clockRest(text[n:])
			n += offsetLen(text[n:])
		}
	case digitsAt(text, "dd:dd:dd"):
		n = len("dd:dd")
		n += clockRest(text[n:])
	}
	if n == 0 || wordEnd(text, n) > n {
		return 0
	}
	return n
}

// digitsAt reports that text begins as the form says, where d is a digit.
func digitsAt(text, form string) bool {
	if len(text) < len(form) {
		return false
	}
	for i := range len(form) {
		if form[i] == 'd' && !isDigit(text[i]) || form[i] != 'd' && text[i] != form[i] {
			return false
		}
	}
	return true
}

// clockRest is how long the seconds behind hh:mm are, with a fraction.
func clockRest(text string) int {
	if !digitsAt(text, ":dd") {
		return 0
	}
	n := len(":dd")
	if digitsAt(text[n:], ".d") {
		for n++; n < len(text) && isDigit(text[n]); n++ {
		}
	}
	return n
}

func offsetLen(text string) int {
	for _, form := range []string{"Z", "+dd:dd", "-dd:dd", "+dddd", "-dddd", "+dd", "-dd"} {
		if digitsAt(text, form) {
			return len(form)
		}
	}
	return 0
}

// moment consumes a Moment token.
func (p *parser) moment(text string) Expr {
	x := &MomentLit{Span: p.here(), Text: text, Sort: meaning.Date}
	switch {
	case strings.Contains(text, "T"):
		x.Sort = meaning.Timestamp
	case strings.Contains(text, ":"):
		x.Sort = meaning.Time
	}
	p.next()
	return p.checkedMoment(x)
}

// checkedMoment reports a literal that is no value in any unit.
func (p *parser) checkedMoment(x *MomentLit) Expr {
	m := meaning.Meaning{Sort: x.Sort, Unit: meaning.Nano}
	if x.Sort == meaning.Timestamp {
		m.Unit = meaning.Micro // nanoseconds do not reach as far
	}
	_, why := m.Parse([]byte(strings.ReplaceAll(x.Text, "_", "")))
	if why == "" || strings.Contains(why, "holds") || strings.Contains(why, "counted in") {
		return x // which a unit decides
	}
	if why == meaning.Malformed {
		why = "not of this form"
	}
	p.report("S03", x.Span, "`"+x.Text+"` is no "+strings.ToLower(m.Sort.String()), why, nearestMoment(x.Text, m.Form()[strings.LastIndexByte(m.Form(), ' ')+1:]))
	return x
}

// textLiteral scans text up to its quote on the same line.
func (s *scanner) textLiteral(start int) {
	s.pos++
	for s.pos < len(s.text) && s.text[s.pos] != '\n' {
		c := s.text[s.pos]
		s.pos++
		if c == '\\' && s.pos < len(s.text) && s.text[s.pos] != '\n' {
			s.pos++
		} else if c == '"' {
			s.emit(Text, start)
			return
		}
	}
	s.report("S04", start, s.pos, "this text has no end", "expected `\"` on the same line", strings.TrimRight(s.text[start:s.pos], " \r")+`"`)
	s.emit(Illegal, start)
}

// textLit consumes a Text token.
func (p *parser) textLit() Expr {
	x := &TextLit{Span: p.here(), Text: p.span(p.i, p.i+1)}
	p.next()
	value, bad := unquoteText(x.Text)
	if bad != "" {
		p.report("S04", x.Span, "`"+bad+"` means nothing in text", "expected one of \\\" \\\\ \\n \\t", "write `\\\\"+strings.TrimPrefix(bad, "\\")+"` for `"+bad+"`")
	}
	if x.Value = value; !utf8.ValidString(value) {
		p.report("S04", x.Span, "this text is not UTF-8", "", "write it in UTF-8")
	}
	return x
}

var textEscapes = map[byte]byte{'"': '"', '\\': '\\', 'n': '\n', 't': '\t'}

// unquoteText is what text between quotes says, and the first escape in it that means nothing.
func unquoteText(text string) (value, bad string) {
	text = strings.TrimSuffix(strings.TrimPrefix(text, `"`), `"`)
	if !strings.Contains(text, `\`) {
		return text, ""
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			b.WriteByte(text[i])
			continue
		}
		i++
		c, ok := byte(0), false
		if i < len(text) {
			c, ok = textEscapes[text[i]]
		}
		if !ok {
			return b.String(), text[i-1 : min(i+1, len(text))]
		}
		b.WriteByte(c)
	}
	return b.String(), ""
}

// quoteText writes text as a literal.
func quoteText(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(value) + `"`
}

// QuoteText writes text as programs have it.
func QuoteText(value string) string { return quoteText(value) }
