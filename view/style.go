// Package view lays out for people what other packages found: messages,
// explanations, differences and progress. It decides nothing.
package view

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Style says whether to use colours.
type Style struct{ Color bool }

// StyleOf uses colours on a terminal, unless the environment says not to
// (see no-color.org).
func StyleOf(w io.Writer) Style {
	return Style{Color: IsTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// IsTerminal tells whether w writes to a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Width is how many columns a terminal has, 100 for anything else.
func Width(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n >= 40 {
			return n
		}
	}
	return 100
}

const (
	red    = "31;1"
	yellow = "33;1"
	green  = "32"
	blue   = "34"
	cyan   = "36"
	bold   = "1"
)

func (s Style) paint(code, text string) string {
	if !s.Color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// message colours a rendered message: its headline, where it is, the carets
// and the help.
func (s Style) message(text string) string {
	if !s.Color {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(s.line(line))
	}
	return b.String()
}

func (s Style) line(line string) string {
	for word, code := range map[string]string{"error": red, "warning": yellow, "  help:": cyan} {
		if head, rest, ok := strings.Cut(line, ":"); ok && strings.HasPrefix(line, word) && !strings.Contains(head, " ") || ok && word == "  help:" && strings.HasPrefix(line, word) {
			return s.paint(code, head+":") + rest
		}
	}
	if strings.HasPrefix(line, " --> ") {
		return s.paint(blue, strings.TrimSuffix(line, "\n")) + "\n"
	}
	if bar := strings.Index(line, "| "); bar >= 0 && strings.TrimLeft(line[:bar], " ") == "" {
		return line[:bar+2] + s.paint(red, strings.TrimSuffix(line[bar+2:], "\n")) + "\n"
	}
	return line
}
