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
	f := fileOf(w)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// Filed is a writer that passes on to a file, or to none.
type Filed interface{ File() *os.File }

// fileOf is the file that w writes to; nil for others.
func fileOf(w io.Writer) *os.File {
	if to, ok := w.(Filed); ok {
		return to.File()
	}
	f, _ := w.(*os.File)
	return f
}

// Room is the width of a terminal, and 0 for anything else.
func Room(w io.Writer) int {
	if !IsTerminal(w) {
		return 0
	}
	return Width(w)
}

// Width is how many columns a terminal has, 100 for anything else.
func Width(w io.Writer) int {
	if f := fileOf(w); f != nil {
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
	body := strings.TrimSuffix(line, "\n")
	end := line[len(body):]
	head, rest, _ := strings.Cut(body, ":")
	switch {
	case head == "error" || strings.HasPrefix(head, "error["):
		return s.paint(red, head+":") + rest + end
	case head == "warning" || strings.HasPrefix(head, "warning["):
		return s.paint(yellow, head+":") + rest + end
	case head == "  help":
		return s.paint(cyan, head+":") + rest + end
	case strings.HasPrefix(body, " --> "):
		return s.paint(blue, body) + end
	}
	if bar, text, ok := strings.Cut(body, "| "); ok && strings.Trim(bar, " ") == "" {
		return bar + "| " + s.paint(red, text) + end
	}
	return line
}
