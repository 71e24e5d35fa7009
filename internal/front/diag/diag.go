// Package diag holds source positions and the coded messages that every
// stage reports through.
package diag

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// Span is a half-open range of bytes in one source file.
type Span struct{ Start, End int }

// Source is one file's text with the index of its lines.
type Source struct {
	Path  string
	Text  string
	First int   // this many lines before those that were written, as the head around an expression, are not counted
	lines []int // byte offset of each line's start
}

// NewSource indexes the lines of text.
func NewSource(path, text string) *Source {
	s := &Source{Path: path, Text: text, lines: []int{0}}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// Position gives the 1-based line and column (in bytes) of an offset. What is before the first line counts as its beginning.
func (s *Source) Position(offset int) (line, col int) {
	offset = max(0, min(offset, len(s.Text)))
	i, exact := slices.BinarySearch(s.lines, offset)
	if !exact {
		i--
	}
	if i < s.First {
		return 1, 1
	}
	return i + 1 - s.First, offset - s.lines[i] + 1
}

// Line is the text of a 1-based line without its line end.
func (s *Source) Line(n int) string {
	if n += s.First; n < 1 || n > len(s.lines) {
		return ""
	}
	end := len(s.Text)
	if n < len(s.lines) {
		end = s.lines[n] - 1
	}
	return strings.TrimSuffix(s.Text[s.lines[n-1]:end], "\r")
}

// Severity tells an error, which stops the program, from a warning.
type Severity uint8

const (
	Error Severity = iota
	Warning
)

func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Message is one finding about a source text. Code is stable and documented
// in docs/language.md; Note stands beside the carets and says what was found
// against what was expected; Help can be pasted.
type Message struct {
	Code     string
	Severity Severity
	Source   *Source
	Span     Span
	Text     string
	Note     string
	Help     string
}

// Error renders the message in full, so that a Message is usable as an error.
func (m *Message) Error() string { return m.Render() }

// List collects the messages of a run in order of report.
type List struct{ Messages []*Message }

// Add appends a message.
func (l *List) Add(m *Message) { l.Messages = append(l.Messages, m) }

// Failed reports whether any message is an error.
func (l *List) Failed() bool {
	return slices.ContainsFunc(l.Messages, func(m *Message) bool { return m.Severity == Error })
}

// Sort orders messages by file and position and drops exact repetitions.
func (l *List) Sort() {
	slices.SortStableFunc(l.Messages, func(a, b *Message) int {
		return cmp.Or(cmp.Compare(a.path(), b.path()), cmp.Compare(a.Span.Start, b.Span.Start), cmp.Compare(a.Code, b.Code))
	})
	l.Messages = slices.CompactFunc(l.Messages, func(a, b *Message) bool {
		return a.path() == b.path() && a.Span == b.Span && a.Code == b.Code && a.Text == b.Text
	})
}

func (m *Message) path() string {
	if m.Source == nil {
		return ""
	}
	return m.Source.Path
}

// Err returns nil when no message is an error, and otherwise an error whose
// text is all messages rendered.
func (l *List) Err() error {
	if !l.Failed() {
		return nil
	}
	l.Sort()
	errs := make([]error, len(l.Messages))
	for i, m := range l.Messages {
		errs[i] = m
	}
	return errors.Join(errs...)
}
