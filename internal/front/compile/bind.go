package compile

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Bound is a function with all its arguments.
type Bound struct {
	Func *Func

	ctx    context.Context // of Bind
	sizes  *sizes
	params [][]leaf // by parameter, in the order of graph.Leaves
	opened []data.Source
	coded  []*data.Coded // of the arguments
	tables []data.Source // of the caller, over files
	stdin  string        // the parameter that took standard input
	shapes []shape       // nil if they do not tell all
	plan   *lowered      // nil before Plan
	made   *Plan         // nil before Plan
	known  *known        // nil where the shapes do not tell all, or before Plan
	texts  [][]string    // the dictionaries of the graph, by number from 1 on
	coding time.Duration // that reading them took
	again  *call         // that it is part of; nil for one of Bind
}

// leaf is where one scalar column of an argument comes from: a lone scalar, a
// column of a source, or nowhere, which matters only if the function uses it.
type leaf struct {
	bits             uint64
	src              data.Source
	column           int
	option, presence bool
	blanks           data.Blanks
	missing          error
}

// binding is an argument of which the sizes are still to be solved.
type binding interface {
	// equations are what the argument says about the declared sizes.
	equations() []*equation
	// leaves are where the columns come from, once the sizes are known.
	leaves(s *sizes) ([]leaf, error)
}

// Bind matches arguments with parameters and generic sizes. Errors are
// *InputError. Close the result after the run.
func (f *Func) Bind(args Args) (*Bound, error) { return f.BindIn(context.Background(), args) }

// BindIn is Bind that ends with a context: lone values may be read from far away.
func (f *Func) BindIn(ctx context.Context, args Args) (*Bound, error) {
	b := &Bound{Func: f, ctx: ctx, sizes: newSizes(), shapes: f.shapes(f.inOrder(args))}
	if err := b.bind(args); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

func (b *Bound) bind(args Args) (err error) {
	defer caught(nil, &err)
	if err := b.Func.checkPlaces(args); err != nil {
		return err
	}
	if err := b.Func.checkNames(args); err != nil {
		return err
	}
	list, err := b.bindAll(args)
	if err != nil {
		return err
	}
	if err := b.readTexts(list); err != nil {
		return err
	}
	if err := b.solve(args, list); err != nil {
		return err
	}
	return b.finish(list)
}

// Close closes the files that Bind opened.
func (b *Bound) Close() error {
	var errs []error
	for _, s := range b.opened {
		errs = append(errs, s.Close())
	}
	for _, c := range b.coded {
		c.Close()
	}
	b.opened, b.coded = nil, nil
	return errors.Join(errs...)
}

// Reads reports whether an argument is the file at a path, under this name or another one.
func (b *Bound) Reads(path string) bool {
	at, err := os.Stat(path)
	return err == nil && b.anyFiles(func(s data.Source) bool {
		return slices.ContainsFunc(data.Files(s), func(path string) bool {
			of, err := os.Stat(path)
			return err == nil && os.SameFile(at, of)
		})
	})
}

// Within reports that what is written would be one of the files of an argument the next time.
func (b *Bound) Within(to data.Target) bool {
	return b.anyFiles(func(s data.Source) bool { return data.Within(s, to) })
}

func (b *Bound) anyFiles(is func(data.Source) bool) bool {
	return slices.ContainsFunc(b.opened, is) || slices.ContainsFunc(b.tables, is)
}

// Unchanged gives an error if a file that Bind opened, or that an argument reads, has been changed since it was opened.
func (b *Bound) Unchanged() error {
	for _, list := range [...][]data.Source{b.opened, b.tables} {
		for _, s := range list {
			if err := s.Unchanged(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Sizes are the values of the declared sizes. They must not be changed.
func (b *Bound) Sizes() map[string]int64 { return b.sizes.known }

// Knows gives an error if the function has neither a parameter nor a size of one of the names.
func (f *Func) Knows(given []string) error {
	var names []string
	for i := range f.Graph.Given() {
		names = append(names, f.info(i).Name)
	}
	params := len(names)
	for _, s := range f.Graph.Sizes {
		names = append(names, s.Name)
	}
	slices.Sort(given)
	for _, name := range given {
		if !slices.Contains(names, name) {
			return f.unknown(name, names[:params], names)
		}
	}
	return nil
}

func (f *Func) checkNames(args Args) error {
	if err := f.Knows(slices.Collect(maps.Keys(args))); err != nil {
		return err
	}
	var missing, inGo []string
	for i := range f.Graph.Given() {
		if name := f.info(i).Name; args[name] == nil {
			missing, inGo = append(missing, name), append(inGo, fmt.Sprintf("%q: %s", name, goExampleOf(f.Graph.ParamType(i))))
		}
	}
	if len(missing) > 0 {
		e := refuse(missing[0], "add to the arguments: godwit.Args{"+strings.Join(inGo, ", ")+"}", "%s needs %s\n  %s", quoted([]string{f.Name}), arguments(missing), f.Signature())
		e.Command = "run it like this:\n" + f.Example()
		return e
	}
	return nil
}

func arguments(names []string) string {
	if len(names) == 1 {
		return "an argument " + quoted(names)
	}
	return "the arguments " + quoted(names)
}

func (f *Func) unknown(name string, params, all []string) error {
	has := "it takes no arguments"
	if len(params) > 0 {
		has = "its parameters are " + quoted(params)
	}
	e := refuse(name, "", "`%s` has no parameter `%s`; %s\n  %s", f.Name, name, has, f.Signature())
	if near := diag.Nearest(name, all); near != "" {
		e.Help = "did you mean `" + near + "`?"
	}
	return e
}

func (b *Bound) bindAll(args Args) ([]binding, error) {
	var list []binding
	for i := range b.Func.Graph.Body.Params {
		d := b.Func.declared(i)
		a, err := b.bindOne(d, args[d.Name])
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// declared is a parameter as the program has it.
type declared struct {
	graph.ParamInfo
	typ *graph.Type
	all []graph.Leaf // of typ
}

func (f *Func) declared(i int) declared {
	return declared{f.info(i), f.Graph.ParamType(i), f.leaves[i]}
}

func (d declared) text() string {
	if d.Text != "" {
		return d.Text
	}
	return d.typ.String()
}

func (b *Bound) bindOne(d declared, a Arg) (binding, error) {
	if d.Derived != nil {
		return &derived{d, b}, nil
	}
	if d.Literal != nil {
		return valueOf(d, &value.Value{Type: d.typ, Columns: d.Literal}, nil)
	}
	switch a := a.(type) {
	case Text:
		if quotes(d.typ, string(a)) {
			return literalOf(d, string(a))
		}
		spec, ok, err := data.ParseSpec(string(a))
		switch {
		case err != nil:
			return nil, about(d.Name, err)
		case ok:
			file, err := b.open(d, spec)
			return file, orQuoted(d, string(a), err)
		}
		return literalOf(d, string(a))
	case File:
		spec := data.One(a.Path)
		spec.Column = a.Column
		return b.open(d, spec)
	case Files:
		return b.open(d, a.Spec)
	case Table:
		if data.ReadsFiles(a.Source) {
			b.tables = append(b.tables, a.Source)
		}
		return tableOf(b.ctx, d, a.Source, a.Column)
	case Value:
		return valueOf(d, a.Value, a.Orders)
	}
	return nil, refuse(d.Name, "", "argument `%s` is given as %T, which is no kind of argument", d.Name, a)
}

func (b *Bound) open(d declared, s *data.Spec) (binding, error) {
	src, err := data.OpenSpec(b.ctx, s, func() (*os.File, error) { return b.standardInput(d.Name) })
	if err != nil {
		return nil, about(d.Name, err)
	}
	b.opened = append(b.opened, src)
	if s.Behind {
		if _, err := data.Lookup(src, s.Column); err != nil {
			wrong := *err.(*data.Error)
			wrong.Help = strings.TrimPrefix(wrong.Help+"; "+data.HashHelp, "; ")
			return nil, about(d.Name, &wrong)
		}
	}
	return tableOf(b.ctx, d, src, s.Column)
}

// standardInput is given to one argument.
func (b *Bound) standardInput(name string) (*os.File, error) {
	if b.stdin != "" {
		return nil, refuse(name, "write it to a file, and name that for both", "argument `%s` is standard input, which is read once, for `%s`", name, b.stdin)
	}
	b.stdin = name
	return data.StandardInput()
}

// solve finds all sizes: first those that were given, then those that the
// arguments show.
func (b *Bound) solve(args Args, list []binding) error {
	var all []*equation
	for _, s := range b.Func.Graph.Sizes {
		a, given := args[s.Name]
		if !given || b.Func.isParam(s.Name) {
			continue
		}
		n, err := sizeOf(s.Name, a)
		if err != nil {
			return err
		}
		says := func() string { return fmt.Sprintf("%s=%d is given", s.Name, n) }
		all = append(all, &equation{poly: size.Var(s.Name), got: n, arg: s.Name, says: says, typ: "a size"})
	}
	for _, a := range list {
		all = append(all, a.equations()...)
	}
	all = append(all, b.textSizes()...)
	if err := b.sizes.solve(all); err != nil {
		return err
	}
	return b.checkSizes()
}

func (f *Func) isParam(name string) bool {
	for i := range f.Graph.Body.Params {
		if f.info(i).Name == name {
			return true
		}
	}
	return false
}

// sizeOf reads a size given as an argument.
func sizeOf(name string, a Arg) (int64, error) {
	var v *value.Value
	switch a := a.(type) {
	case Value:
		v = a.Value
	case Text:
		p, err := value.ParseLiteral(string(a), graph.I64Type, nil)
		if err != nil {
			return 0, refuse(name, "write a number: "+name+"=8", "`%s` is a size, and `%s` is none", name, string(a))
		}
		v = p
	}
	if v == nil || len(v.Columns) != 1 || !v.Columns[0].Kind.IsInt() || v.Columns[0].Len() != 1 {
		return 0, refuse(name, "give a number: "+name+"=8", "`%s` is a size, and must be an integer", name)
	}
	n := int64(v.Columns[0].At(0))
	if n < 0 {
		return 0, refuse(name, "", "`%s` is a size, and cannot be %s", name, column.Text(v.Columns[0].Kind, v.Columns[0].At(0)))
	}
	return n, nil
}

// finish finds the columns of all arguments and checks lone scalars.
func (b *Bound) finish(list []binding) error {
	for i, a := range list {
		leaves, err := a.leaves(b.sizes)
		if err != nil {
			return err
		}
		if err := b.checkScalars(b.Func.declared(i), leaves); err != nil {
			return err
		}
		b.params = append(b.params, leaves)
	}
	return nil
}

// checkScalars holds lone scalars to their Range and their bound.
func (b *Bound) checkScalars(d declared, leaves []leaf) error {
	for j, l := range d.all {
		if leaves[j].src != nil || len(l.Dims) > 0 {
			continue
		}
		k, n := l.Type.KindOf(), int64(leaves[j].bits)
		if k == num.U64 && n < 0 {
			help := fmt.Sprintf("declare `%s: [u64; 1]`, write `%s[0]` for it, and give [%s]", d.Name, d.Name, column.Text(k, leaves[j].bits))
			return refuse(d.Name, help, "argument `%s` is %s, but a lone u64 goes up to %d", d.Name, column.Text(k, leaves[j].bits), int64(math.MaxInt64))
		}
		if d.Ranged && d.typ.IsScalar() && k.IsInt() && (n < d.Lo || n > d.Hi) {
			return refuse(d.Name, "give a value within the range, or declare a wider one",
				"argument `%s` is %s, but `%s: Range<%s, %s>`", d.Name, column.Text(k, leaves[j].bits), d.Name, diag.Literal(d.Lo), diag.Literal(d.Hi)).
				at(b.Func.Graph.Source, b.Func.rangeOf(d.Name), "declared here")
		}
		if l.Type.Kind != graph.Index || l.Type.Means.Sort == meaning.Text {
			continue
		}
		if bound, ok := b.sizes.eval(l.Type.Bound); ok && (n < 0 || n >= bound) {
			return refuse(d.Name, fmt.Sprintf("give a value in 0..%s", l.Type.Bound),
				"argument `%s` is %d, but `%s` is below %s = %s (%s)", d.Name, n, l.Type, l.Type.Bound, diag.Prose(bound), b.reasons(l.Type.Bound)).
				at(b.Func.Graph.Source, d.Pos, "declared here")
		}
	}
	return nil
}

func (b *Bound) reasons(p size.Poly) string {
	names := p.Vars()
	if len(names) == 0 {
		return "a constant"
	}
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = b.sizes.reason(n)
	}
	return strings.Join(parts, "; ")
}
