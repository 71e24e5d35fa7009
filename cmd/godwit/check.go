package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/view"
)

// checking is one godwit check.
type checking struct{ json, together bool }

func newCheck() *cobra.Command {
	c := &checking{}
	cmd := &cobra.Command{
		Use:               "check FILE...",
		Short:             "Check programs without running them",
		Long:              "Check programs: names, types, sizes, bounds. Each file is a program of its own, unless --together is given.",
		Example:           "  godwit check *.gw",
		Args:              atLeastOne("the program"),
		ValidArgsFunction: completeFiles,
		RunE:              action(c.run),
	}
	cmd.Flags().BoolVar(&c.json, "json", false, "print the messages as JSON")
	cmd.Flags().BoolVar(&c.together, "together", false, "take all files as one program")
	return cmd
}

func completeFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"gw"}, cobra.ShellCompDirectiveFilterFileExt
}

// checks are what godwit check --json prints.
type checks struct {
	Programs []checked `json:"programs"`
	Error    *problem  `json:"error,omitempty"`
}

// checked is what is found out about one program.
type checked struct {
	Files     []string  `json:"files"`
	OK        bool      `json:"ok"`
	Functions []string  `json:"functions"`
	Messages  []finding `json:"messages"`
}

// finding is a message as JSON.
type finding struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Col      int    `json:"col"`
	Text     string `json:"text"`
	Note     string `json:"note,omitempty"`
	Help     string `json:"help,omitempty"`
}

func (c *checking) run(cmd *cobra.Command, paths []string) error {
	programs := [][]string{paths}
	if !c.together {
		programs = nil
		for _, p := range paths {
			programs = append(programs, []string{p})
		}
	}
	var all []checked
	var errs []error
	for _, files := range programs {
		found, err := check(files)
		all = append(all, found)
		errs = append(errs, err)
		if err == nil && !c.json {
			c.report(cmd, found)
		}
	}
	err := join(errs)
	if !c.json {
		return err
	}
	out := &checks{Programs: all}
	if err != nil {
		p := problemOf(first(errs), exitFailed)
		out.Error = &p
	}
	if perr := printJSON(cmd.OutOrStdout(), out); perr != nil {
		return perr
	}
	if err != nil {
		return &told{err}
	}
	return nil
}

func (c *checking) report(cmd *cobra.Command, found checked) {
	n := fmt.Sprintf("%d functions", len(found.Functions))
	if len(found.Functions) == 1 {
		n = "1 function"
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: ok, %s\n", strings.Join(found.Files, ", "), n)
}

// check takes every function as far as it goes without arguments: to verified kernels.
func check(files []string) (checked, error) {
	found := checked{Files: files, Functions: []string{}, Messages: []finding{}}
	sources, err := compile.Read(files...)
	if err != nil {
		p := problemOf(err, exitFailed)
		m := finding{Code: p.Code, Severity: diag.Error.String(), File: p.File, Text: p.Message, Note: p.Note, Help: p.Help}
		if m.File == "" && len(files) == 1 {
			m.File = files[0]
		}
		found.Messages = append(found.Messages, m)
		return found, err
	}
	p, err := compile.Check(sources...)
	if err != nil {
		var e *compile.SourceError
		if errors.As(err, &e) {
			found.Messages = findings(e.Messages)
		}
		return found, err
	}
	found.Messages, found.Functions = findings(p.Warnings), p.Names()
	if err := p.Runs(); err != nil {
		var e *compile.SourceError
		if errors.As(err, &e) {
			found.Messages = append(found.Messages, findings(e.Messages)...)
		}
		return found, err
	}
	found.OK = true
	return found, nil
}

func findings(list []*diag.Message) []finding {
	out := []finding{}
	for _, m := range list {
		f := finding{Code: m.Code, Severity: m.Severity.String(), Text: m.Text, Note: m.Note, Help: m.Help}
		if m.Source != nil {
			f.File = m.Source.Path
			f.Line, f.Col = m.Source.Position(m.Span.Start)
		}
		out = append(out, f)
	}
	return out
}

// first is the first error.
func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// join makes one error of those that are not nil, each rendered by itself.
func join(errs []error) error {
	var texts string
	n := 0
	var last error
	for _, err := range errs {
		if err != nil {
			texts += view.Error(err, view.Style{})
			last = err
			n++
		}
	}
	if n <= 1 {
		return last
	}
	return errors.New(texts)
}
