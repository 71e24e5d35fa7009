package diag

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPosition(t *testing.T) {
	s := NewSource("a.gw", "ab\ncd\r\n\nx")
	for _, c := range []struct{ offset, line, col int }{{0, 1, 1}, {2, 1, 3}, {3, 2, 1}, {7, 3, 1}, {8, 4, 1}, {99, 4, 2}} {
		if l, k := s.Position(c.offset); l != c.line || k != c.col {
			t.Errorf("offset %d: %d:%d, want %d:%d", c.offset, l, k, c.line, c.col)
		}
	}
	if got := s.Line(2); got != "cd" {
		t.Errorf("line 2 is %q", got)
	}
}

func TestRender(t *testing.T) {
	s := NewSource("a.gw", "fn f() {\n\tlet x = y\n}\n")
	m := errorf(s, Span{18, 19}, "N01", "no `%s` here", "y")
	m.Note, m.Help = "not found", "declare it:\nlet y = 1"
	want := "error[N01]: no `y` here\n --> a.gw:2:10\n  2 | \tlet x = y\n    | \t        ^ not found\n  help: declare it:\n        let y = 1\n"
	if got := m.Render(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestLongLine cuts a long line around the marked spot.
func TestLongLine(t *testing.T) {
	for _, c := range []struct{ before, mark, after string }{
		{"", "bad", strings.Repeat("x + ", 5000)},
		{strings.Repeat("x + ", 5000), "bad", ""},
		{strings.Repeat("äö + ", 4000), "bad", strings.Repeat(" + äö", 4000)},
		{strings.Repeat("\t", 300), "bad", ""},
		{"x + ", strings.Repeat("y", 20_000), " + z"},
	} {
		s := NewSource("a.gw", c.before+c.mark+c.after)
		m := errorf(s, Span{len(c.before), len(c.before) + len(c.mark)}, "N01", "no `%s` here", c.mark)
		m.Note, m.Help = c.mark, c.mark
		lines := strings.Split(m.Render(), "\n")
		if !utf8.ValidString(m.Render()) {
			t.Errorf("half a character is left of\n%q", m.Render())
		}
		for _, l := range lines {
			if len(l) > 1000 {
				t.Errorf("a line of %d bytes: %.80s", len(l), l)
			}
		}
		source, carets := lines[2], lines[3] // indented by spaces and tabs only
		at := strings.Index(carets, "^")
		if at < 0 || !strings.HasPrefix(string([]rune(source)[at:]), c.mark[:min(3, len(c.mark))]) {
			t.Errorf("the carets are not under %.10s:\n%s\n%s", c.mark, source, carets)
		}
	}
}

func TestListSortsAndDropsRepeats(t *testing.T) {
	s := NewSource("a.gw", "abc")
	var l List
	l.Add(errorf(s, Span{2, 3}, "T01", "later"))
	l.Add(errorf(s, Span{0, 1}, "T01", "first"))
	l.Add(errorf(s, Span{2, 3}, "T01", "later"))
	text := l.Err().Error()
	if strings.Count(text, "later") != 1 || strings.Index(text, "first") > strings.Index(text, "later") {
		t.Errorf("got\n%s", text)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"delay", "distance", "origin"}
	for name, want := range map[string]string{"dealy": "delay", "Distance": "distance", "x": "", "quantity": "", "orign": "origin"} {
		if got := Nearest(name, names); got != want {
			t.Errorf("nearest to %s is %q, want %q", name, got, want)
		}
	}
}

// A list keeps its lines, long ones end between words, and a command line is whole.
func TestLongTextsEndBetweenWords(t *testing.T) {
	m := &Message{Text: strings.Repeat("a line of a list\n", 100) + strings.Repeat("word ", 200), Help: "give it --skip " + strings.Repeat("name --skip ", 100) + "last"}
	got := m.Render()
	if strings.Count(got, "a line of a list\n") != 100 || !strings.Contains(got, " word …\n") || !strings.Contains(got, "--skip last") {
		t.Error(got)
	}
}

// errorf is an error message at a span.
func errorf(src *Source, span Span, code, format string, args ...any) *Message {
	return &Message{Code: code, Source: src, Span: span, Text: fmt.Sprintf(format, args...)}
}
