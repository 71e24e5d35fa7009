package diag

import (
	"fmt"
	"strings"
)

// Render lays a message out for a person: the coded headline, where it is,
// the source line with carets and the note under it, then the help.
//
//	error[T03]: `x` doubles on each turn, so its size has no bound
//	 --> demo.gw:4:23
//	  4 |   for _ in 0..n { x = concat(x, x) }
//	    |                       ^^^^^^^^^^^^ [f32; L] goes in, [f32; 2*L] comes out
//	  help: loop variables must keep their size. To build an output, use map:
//	        let y = (0..n).map(|i| …)
func (m *Message) Render() string {
	var b strings.Builder
	b.WriteString(m.Severity.String())
	if m.Code != "" {
		fmt.Fprintf(&b, "[%s]", m.Code)
	}
	fmt.Fprintf(&b, ": %s\n", m.Text)
	if m.Source != nil {
		m.renderLine(&b)
	}
	if m.Help != "" {
		help := strings.ReplaceAll(strings.TrimRight(m.Help, "\n"), "\n", "\n        ")
		fmt.Fprintf(&b, "  help: %s\n", help)
	}
	return b.String()
}

func (m *Message) renderLine(b *strings.Builder) {
	line, col := m.Source.Position(m.Span.Start)
	text := m.Source.Line(line)
	fmt.Fprintf(b, " --> %s:%d:%d\n", m.Source.Path, line, col)
	number := fmt.Sprint(line)
	fmt.Fprintf(b, "  %s | %s\n", number, text)
	pad := indent(text, col-1)
	width := max(1, min(m.Span.End-m.Span.Start, len(text)-col+1))
	note := m.Note
	if note != "" {
		note = " " + note
	}
	fmt.Fprintf(b, "  %s | %s%s%s\n", strings.Repeat(" ", len(number)), pad, strings.Repeat("^", width), note)
}

// indent keeps tabs so that the carets line up under a line that has them.
func indent(text string, n int) string {
	b := []byte(text[:min(n, len(text))])
	for i, c := range b {
		if c != '\t' {
			b[i] = ' '
		}
	}
	return string(b)
}
