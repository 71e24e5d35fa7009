package view

import (
	"errors"
	"strings"

	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/front/diag"
)

// messenger is an error that can be laid out as a message.
type messenger interface{ Message() *diag.Message }

// Message is an error as a message, if it can be laid out as one.
func Message(err error) (*diag.Message, bool) {
	var m messenger
	if !errors.As(err, &m) {
		return nil, false
	}
	return m.Message(), true
}

// Error renders any error so that it begins with "error" or, for a program
// that has warnings before its first error, "warning".
func Error(err error, s Style) string {
	text := err.Error()
	m, ok := Message(err)
	switch {
	case ok:
		text = m.Render()
	case !strings.HasPrefix(text, "error") && !strings.HasPrefix(text, "warning") && !strings.HasPrefix(text, "internal error"):
		text = "error: " + text
	case strings.HasPrefix(text, "internal error"):
		text = "error: " + text
	}
	return s.message(strings.TrimRight(value.Escaped(text, "\n\t"), "\n") + "\n")
}
