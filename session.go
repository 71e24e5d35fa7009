package godwit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/session"
)

// A Session answers expressions about files, one after the other, as godwit repl does. Files have names, and types by what is in
// them; functions and records can be declared, and expressions named:
//
//	s := godwit.NewSession()
//	err := s.Bind(ctx, "flights", godwit.File("flights.parquet"))
//	res, err := s.Eval(ctx, "flights.count(|r| r.delay > 15)")
//
// What is refused leaves the session as it was. It is safe for concurrent use.
type Session struct {
	opts []Option

	mu     sync.Mutex
	state  session.State
	args   Args
	fields []string // of all files, for completion
}

// NewSession begins a session. The options hold for all its calls.
func NewSession(opts ...Option) *Session { return &Session{opts: opts, args: Args{}} }

// Declare adds functions, records, constants, modules and imports; those of the same name go. It returns their names.
// Errors are *SourceError.
func (s *Session) Declare(text string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next, names, err := s.state.Declare(text)
	if err == nil {
		err = s.keep(next)
	}
	return names, err
}

// keep takes a state whose declarations pass the checks, and with them all that was said.
func (s *Session) keep(next session.State) error {
	q := next.Ask("0")
	if _, err := compile.Ask(session.Asked, q.Sources...); err != nil {
		return err
	}
	s.state = next
	return nil
}

// Bind gives files, or a data set of the cluster, a name: a parameter of this name in the expressions that mention it. Its rows are
// records with a field for each column, of the type that the values have; so text files are read as a whole once. The record is called like
// the argument, with a capital; one of this name that was declared before counts instead. It returns the declaration, under comments on
// columns of text that may be meant as something else.
func (s *Session) Bind(ctx context.Context, name string, arg any, opts ...Option) (string, error) {
	if !isName(name) {
		return "", badOption("`%s` is not a name; a name has letters, digits and _, begins with no digit, and is no word of the language", name)
	}
	src, end, err := s.open(ctx, name, arg, opts)
	if err != nil {
		return "", err
	}
	defer end()
	typed, err := data.Typed(ctx, src, nil)
	var notes []string
	if err == nil {
		notes = data.Notes(typed, nil)
	}
	if err == nil && !strings.HasPrefix(src.Path(), "@") {
		typed, err = data.Meant(ctx, typed, nil)
	}
	var sums []data.Summary
	if err == nil {
		sums, err = nullsOf(ctx, typed)
	}
	if err != nil {
		return "", ofFile(err)
	}
	a := session.Argument{Name: name, Rows: typed.Rows()}
	a.Record = compile.Declaration(recordName(name), typed, sums)
	switch column, one := strings.CutPrefix(a.Record, "x: &["); {
	case a.Record == "":
		return "", &InputError{Text: fmt.Sprintf("%s has no column that a program can read", src.Path())}
	case one:
		a.Record, a.Type = "", "&["+strings.TrimSuffix(column, "; N]")+"; "+session.Size(name)+"]"
	default:
		a.Type = "&[" + recordName(name) + "; " + session.Size(name) + "]"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.keep(s.state.Bind(a)); err != nil {
		return "", err
	}
	s.args[name] = arg
	for _, c := range typed.Columns() {
		if c.Kind.Valid() && !slices.Contains(s.fields, c.Name) {
			s.fields = append(s.fields, c.Name)
		}
	}
	declared := a.Record
	if a.Record == "" {
		declared = a.Name + ": " + a.Type
	}
	for _, n := range notes {
		declared = "// " + strings.ReplaceAll(n, "\n", " ") + "\n" + declared
	}
	return declared, nil
}

// open opens what a name is bound to.
func (s *Session) open(ctx context.Context, name string, arg any, opts []Option) (data.Source, func(), error) {
	var o options
	if err := o.read(append(slices.Clone(s.opts), opts...)); err != nil {
		return nil, nil, err
	}
	text := ""
	switch a := arg.(type) {
	case File:
		src, err := data.OpenSpec(ctx, data.One(string(a)), data.StandardInput)
		if err != nil {
			return nil, nil, ofFile(err)
		}
		return src, func() { src.Close() }, nil
	case DataSet:
		text = "@" + string(a)
	case Text:
		text = string(a)
	default:
		return nil, nil, badOption("Bind takes a File, a Text or a DataSet, not a %T", arg)
	}
	if set, ok := strings.CutPrefix(text, "@"); ok {
		if o.cluster == nil {
			return nil, nil, &InputError{Text: "`" + text + "` is a data set, and there is no cluster", Help: "add the option WithCluster"}
		}
		src, err := o.cluster.c.Open(set)
		if err != nil {
			return nil, nil, err
		}
		return src, func() { src.Close() }, nil
	}
	spec, ok, err := data.ParseSpec(text)
	if !ok {
		return nil, nil, &InputError{Text: fmt.Sprintf("`%s` names no file", text), Help: "name a file, a folder or a pattern; values are named as expressions: let " + name + " = 3"}
	}
	if err == nil {
		err = allColumns(text, spec)
	}
	var src data.Source
	if err == nil {
		src, err = data.OpenSpec(ctx, spec, data.StandardInput)
	}
	if err != nil {
		return nil, nil, ofFile(err)
	}
	return src, func() { src.Close() }, nil
}

// allColumns refuses the name of a column where all are read.
func allColumns(text string, spec *data.Spec) error {
	if spec.Column == "" {
		return nil
	}
	help := "leave #" + spec.Column + " out"
	if spec.Behind {
		help += "; or " + data.HashHelp
	}
	return &InputError{Text: fmt.Sprintf("`%s` names a column, and all of them are read", text), Help: help}
}

// ofFile gives an error of a file the type that callers expect.
func ofFile(err error) error {
	var file *data.Error
	if errors.As(err, &file) {
		return &InputError{Text: file.Error(), Help: file.Help, Err: err}
	}
	return err
}

// nullsOf finds out which columns have nulls: others are declared without an Option.
func nullsOf(ctx context.Context, src data.Source) ([]data.Summary, error) {
	if !strings.HasPrefix(src.Path(), "@") {
		return data.Summarize(ctx, src, false, nil)
	}
	var list []data.Summary
	for _, c := range src.Columns() {
		list = append(list, data.Summary{Column: c, Nulls: -1})
	}
	return list, nil
}

// Let names an expression, which is computed anew wherever the name is used.
func (s *Session) Let(name, expr string) error {
	if !isName(name) {
		return badOption("`%s` is not a name; a name has letters, digits and _, begins with no digit, and is no word of the language", name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	next, err := s.state.Let(name, expr)
	if err != nil {
		return &InputError{Text: err.Error()}
	}
	if _, err := compile.Ask(session.Asked, s.state.Ask(expr).Sources...); err != nil {
		return err
	}
	return s.keep(next)
}

// Drop forgets a name, and reports whether there was one.
func (s *Session) Drop(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	had := s.state.Has(name)
	s.state = s.state.Drop(name)
	delete(s.args, name)
	return had
}

// Names lists what was declared, bound and named.
func (s *Session) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Names()
}

// Texts shows what was declared, bound and named, a text for each; of files also the record that their rows are.
func (s *Session) Texts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Texts()
}

// Source is a program of what was declared.
func (s *Session) Source() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Source()
}

// Fields lists the names of the columns of all files that are bound.
func (s *Session) Fields() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.fields)
}

// Func compiles an expression to a function, and gives the arguments that it takes. Errors are *SourceError.
func (s *Session) Func(expr string) (*Func, Args, error) {
	s.mu.Lock()
	q := s.state.Ask(expr)
	args := Args{}
	for _, name := range q.Args {
		args[name] = s.args[name]
	}
	s.mu.Unlock()
	p, err := compile.Ask(session.Asked, q.Sources...)
	if err != nil {
		return nil, nil, err
	}
	f, err := (&Program{p}).Func(session.Asked)
	return f, args, err
}

// Eval computes an expression.
func (s *Session) Eval(ctx context.Context, expr string, opts ...Option) (*Result, error) {
	f, args, err := s.Func(expr)
	if err != nil {
		return nil, err
	}
	return f.Call(ctx, args, append(slices.Clone(s.opts), opts...)...)
}

// recordName is a name with a capital.
func recordName(name string) string {
	r, n := utf8.DecodeRuneInString(name)
	if up := unicode.ToUpper(r); up != r {
		return string(up) + name[n:]
	}
	return "Row_" + name
}

// isName reports whether a text is a name in the language.
func isName(name string) bool {
	src := diag.NewSource("name", "const "+name+" = 0;")
	p, err := compile.Check(src)
	return err == nil && len(p.Files[0].Items) == 1 && !strings.ContainsAny(name, " ;:=/")
}
