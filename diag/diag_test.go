package diag

import (
	"strings"
	"testing"
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
	m := Errorf(s, Span{18, 19}, "N01", "no `%s` here", "y")
	m.Note, m.Help = "not found", "declare it:\nlet y = 1"
	want := "error[N01]: no `y` here\n --> a.gw:2:10\n  2 | \tlet x = y\n    | \t        ^ not found\n  help: declare it:\n        let y = 1\n"
	if got := m.Render(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestListSortsAndDropsRepeats(t *testing.T) {
	s := NewSource("a.gw", "abc")
	var l List
	l.Add(Errorf(s, Span{2, 3}, "T01", "later"))
	l.Add(Errorf(s, Span{0, 1}, "T01", "first"))
	l.Add(Errorf(s, Span{2, 3}, "T01", "later"))
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
