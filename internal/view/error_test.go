package view

import (
	"errors"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
)

func TestErrorBeginsWithError(t *testing.T) {
	src := diag.NewSource("a.gw", "fn f() {\n    x\n}\n")
	m := &diag.Message{Code: "N01", Source: src, Span: diag.Span{Start: 13, End: 14}, Text: "there is no `x` here"}
	m.Note, m.Help = "not found", "let x = 1;"
	for _, err := range []error{
		errors.New("plain"),
		&compile.SourceError{Messages: []*diag.Message{m}},
		&compile.InputError{Text: "no such file", Help: "look again\nand again"},
		&compile.BugError{Err: errors.New("broken")},
	} {
		text := Error(err, Style{})
		if !strings.HasPrefix(text, "error") || !strings.HasSuffix(text, "\n") {
			t.Errorf("%T is shown as %q", err, text)
		}
		color := Error(err, Style{Color: true})
		if stripped := strip(color); stripped != text || color == text {
			t.Errorf("%T in colour is %q, without %q", err, color, stripped)
		}
	}
}

// strip takes the colours out of a text.
func strip(s string) string {
	for {
		before, rest, ok := strings.Cut(s, "\x1b[")
		if !ok {
			return s
		}
		_, after, _ := strings.Cut(rest, "m")
		s = before + after
	}
}

func TestNoColorWithoutTerminal(t *testing.T) {
	if StyleOf(&strings.Builder{}).Color || IsTerminal(&strings.Builder{}) || Width(&strings.Builder{}) != 100 {
		t.Error("a buffer is taken for a terminal")
	}
}
