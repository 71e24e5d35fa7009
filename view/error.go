package view

import (
	"errors"
	"strings"

	"github.com/godwit-run/godwit/diag"
)

// messenger is an error that can be laid out as a message.
type messenger interface{ Message() *diag.Message }

// Error renders any error so that it begins with "error" or, for a program
// that has warnings before its first error, "warning".
func Error(err error, s Style) string {
	var m messenger
	text := err.Error()
	switch {
	case errors.As(err, &m):
		text = m.Message().Render()
	case !strings.HasPrefix(text, "error") && !strings.HasPrefix(text, "warning") && !strings.HasPrefix(text, "internal error"):
		text = "error: " + text
	case strings.HasPrefix(text, "internal error"):
		text = "error: " + text
	}
	return s.message(strings.TrimRight(escaped(text, "\n\t"), "\n") + "\n")
}
