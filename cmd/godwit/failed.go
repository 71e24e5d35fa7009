package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/view"
)

// failed is what a command with --json prints, in place of its result or after what it has printed
// already, when it fails. People find the same on standard error.
type failed struct {
	Error problem `json:"error"`
}

// problem is an error for programs. Code is that of docs/errors.md where there is one, the reason
// of a node's failure, or one of the words below.
type problem struct {
	Code     string `json:"code"`
	Message  string `json:"message"`
	Note     string `json:"note,omitempty"`
	Help     string `json:"help,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Col      int    `json:"col,omitempty"`
	ExitCode int    `json:"exit_code"`
	// Messages are all that there are about a program; the error itself is the first.
	Messages []finding `json:"messages,omitempty"`
}

// Codes of errors that have none of their own.
const (
	codeFailed      = "failed"
	codeUsage       = "usage"       // the command line is wrong
	codeNoSet       = "no_data_set" // of that name in the cluster
	codeDeadline    = "deadline"    // --deadline has passed
	codeInterrupted = "interrupted" // by a signal
	codeInternal    = "internal"    // a bug of godwit
)

// problemOf is an error with the exit code that it leads to.
func problemOf(err error, exit int) problem {
	p := problem{Code: codeFailed, Message: err.Error(), ExitCode: exit}
	var source *compile.SourceError
	var away *caller.Error
	m, described := view.Message(err)
	switch {
	case exit == exitUsage:
		p.Code = codeUsage
	case errors.As(err, &source) && len(source.Messages) > 0:
		p.Messages = findings(source.Messages)
		m, described = firstError(source.Messages), true
	case errors.Is(err, context.DeadlineExceeded):
		p.Code = codeDeadline
	case errors.As(err, &away):
		p.Code = strings.ReplaceAll(away.Reason.String(), " ", "_")
	case errors.Is(err, cluster.ErrNoSet):
		p.Code = codeNoSet
	case strings.HasPrefix(p.Message, "internal error"):
		p.Code = codeInternal
	}
	if described {
		f := findings([]*diag.Message{m})[0]
		p.Message, p.Note, p.Help, p.File, p.Line, p.Col = f.Text, f.Note, f.Help, f.File, f.Line, f.Col
		if f.Code != "" {
			p.Code = f.Code
		}
	}
	if at := (*data.Error)(nil); errors.As(err, &at) && p.File == "" {
		p.File, p.Line, p.Col = at.Path, at.Line, at.Col
	}
	return p
}

// firstError is what a list of messages fails by; warnings may come before it.
func firstError(list []*diag.Message) *diag.Message {
	for _, m := range list {
		if m.Severity == diag.Error {
			return m
		}
	}
	return list[0]
}

// told is an error that a command has printed as JSON itself.
type told struct{ error }

func (t *told) Unwrap() error { return t.error }

// tell prints an error as JSON if that was asked for.
func tell(w io.Writer, cmd *cobra.Command, args []string, err error, exit int) {
	var t *told
	if !wantsJSON(cmd, args) || errors.As(err, &t) {
		return
	}
	p := problemOf(err, exit)
	if exit == exitInterrupted {
		p = problem{Code: codeInterrupted, Message: "interrupted", ExitCode: exit}
	}
	_ = printJSON(w, &failed{p}) // who read it may be gone
}

// wantsJSON reports whether a command line asks for JSON; one that could not be read is looked
// through.
func wantsJSON(cmd *cobra.Command, args []string) bool {
	if cmd == nil {
		return false
	}
	f := cmd.Flags().Lookup("json")
	if f == nil || f.Value.String() == "true" {
		return f != nil
	}
	for _, a := range args {
		if a == "--" {
			break
		}
		if a == "--json" || a == "--json=true" {
			return true
		}
	}
	return false
}
