package compile

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/diag"
)

// SourceError is a program that does not pass the checks.
type SourceError struct{ Messages []*diag.Message }

// Error renders all messages.
func (e *SourceError) Error() string {
	parts := make([]string, len(e.Messages))
	for i, m := range e.Messages {
		parts[i] = m.Render()
	}
	return strings.Join(parts, "\n")
}

// InputError is what is wrong with an argument, a file, or a choice of the
// caller, and what can be done.
type InputError struct {
	Arg  string // the argument it is about, "" if none
	Text string
	Help string
	// Command is the help for those who call through the command line, if it is another one.
	Command string
	// Source and Span tell what the program declares about it, if it does.
	Source *diag.Source
	Span   diag.Span
	Note   string
	Err    error // the cause, such as a *data.Error
}

// Error is the text and the help, without the line of source.
func (e *InputError) Error() string {
	if e.Help == "" {
		return e.Text
	}
	return e.Text + "\n  help: " + strings.ReplaceAll(e.Help, "\n", "\n        ")
}

func (e *InputError) Unwrap() error { return e.Err }

// Message is the error as the command line shows it.
func (e *InputError) Message() *diag.Message {
	if e.Command != "" {
		return &diag.Message{Source: e.Source, Span: e.Span, Text: e.Text, Note: e.Note, Help: e.Command}
	}
	return &diag.Message{Source: e.Source, Span: e.Span, Text: e.Text, Note: e.Note, Help: e.Help}
}

// at points to what the program declares.
func (e *InputError) at(src *diag.Source, span diag.Span, note string) *InputError {
	if span.End > span.Start {
		e.Source, e.Span, e.Note = src, span, note
	}
	return e
}

// failed is an error of the checker for one function.
func failed(err error) error {
	var m *diag.Message
	if errors.As(err, &m) {
		return &SourceError{Messages: []*diag.Message{m}}
	}
	return refuse("", "", "%v", err)
}

func refuse(arg, help, format string, args ...any) *InputError {
	return &InputError{Arg: arg, Help: help, Text: fmt.Sprintf(format, args...)}
}

// about says which argument an error of a file is about.
func about(arg string, err error) error {
	var e *data.Error
	if !errors.As(err, &e) {
		return err
	}
	about, text := fmt.Sprintf("argument `%s`: ", arg), e.Error()
	return &InputError{Arg: arg, Text: about + strings.TrimPrefix(text, about), Help: e.Help, Err: err}
}

func unreadable(path string, err error) error {
	var pe *fs.PathError
	text := err.Error()
	if errors.As(err, &pe) {
		text = pe.Err.Error()
	}
	e := refuse("", "", "%s: the program cannot be read: %s", path, text)
	if errors.Is(err, fs.ErrNotExist) {
		e.Help = "check the path; a program is a .gw file"
		if near := data.NearFile(path); near != "" {
			e.Help = "did you mean `" + near + "`?"
		}
	}
	e.Err = err
	return e
}

// BugError is a broken invariant inside the compiler.
type BugError struct {
	Err     error
	Stack   string
	Sources []*diag.Source
}

func (e *BugError) Error() string {
	return fmt.Sprintf("internal error: %v\n  help: this is a bug in godwit, not in your program; please report it together with the program", e.Err)
}

func (e *BugError) Unwrap() error { return e.Err }

func bug(sources []*diag.Source, err error) *BugError {
	var known *BugError
	if errors.As(err, &known) {
		return known
	}
	return &BugError{Err: err, Sources: sources}
}
