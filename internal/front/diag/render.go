package diag

import (
	"fmt"
	"strings"
	"unicode/utf8"
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
	fmt.Fprintf(&b, ": %s\n", cut(m.Text))
	if m.Source != nil {
		m.renderLine(&b)
	}
	if m.Help != "" {
		text := m.Help
		if m.Source != nil { // others are not made of a source, and may be command lines to be pasted
			text = cut(text)
		}
		help := strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n        ")
		fmt.Fprintf(&b, "  help: %s\n", help)
	}
	return b.String()
}

func (m *Message) renderLine(b *strings.Builder) {
	line, col := m.Source.Position(m.Span.Start)
	text := m.Source.Line(line)
	fmt.Fprintf(b, " --> %s:%d:%d\n", m.Source.Path, line, col)
	number := fmt.Sprint(line)
	width := max(1, min(m.Span.End-m.Span.Start, len(text)-col+1))
	text, at, width := excerpt(text, col-1, width)
	fmt.Fprintf(b, "  %s | %s\n", number, text)
	note := m.Note
	if note != "" {
		note = " " + cut(note)
	}
	at = min(at, len(text))
	carets := max(1, utf8.RuneCountInString(text[at:min(at+width, len(text))]))
	fmt.Fprintf(b, "  %s | %s%s%s\n", strings.Repeat(" ", len(number)), indent(text, at), strings.Repeat("^", carets), note)
}

// Most bytes of a source line, and of what is marked in it, that are shown.
const (
	maxLine = 240
	maxMark = 120
)

// excerpt cuts a line that is too long around width bytes at offset at, and
// gives where they begin in what is left, and how many of them it shows.
func excerpt(text string, at, width int) (string, int, int) {
	if len(text) <= maxLine {
		return text, at, width
	}
	at = min(at, len(text))
	width = min(width, maxMark)
	room := (maxLine - width) / 2
	start, end := max(0, min(at-room, len(text)-maxLine)), min(len(text), max(at+width+room, maxLine))
	for start > 0 && start < at && !utf8.RuneStart(text[start]) {
		start++
	}
	for end < len(text) && end > at+width && !utf8.RuneStart(text[end]) {
		end--
	}
	short := text[start:end]
	if start > 0 {
		short = "…" + short
		at += len("…")
	}
	if end < len(text) {
		short += "…"
	}
	return short, at - start, width
}

// cut shortens lines that were pasted from a source when they are too long, between words where
// there are some.
func cut(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if len(line) <= 2*maxLine {
			continue
		}
		end := 2 * maxLine
		for !utf8.RuneStart(line[end]) {
			end--
		}
		if word := strings.LastIndexByte(line[:end], ' '); word > maxLine {
			end = word
		}
		lines[i] = strings.TrimRight(line[:end], " ,") + " …"
	}
	return strings.Join(lines, "\n")
}

// indent is as wide as the first n bytes of a line, and keeps its tabs so that
// the carets line up under it.
func indent(text string, n int) string {
	var b strings.Builder
	for _, c := range text[:min(n, len(text))] {
		if c != '\t' {
			c = ' '
		}
		b.WriteRune(c)
	}
	return b.String()
}
