// Package elaborate checks a program — names, types with symbolic sizes,
// bounds, places — and makes the graph of each function in the same pass:
// checking a body emits its nodes, and a call emits those of the callee again
// with the types at hand.
package elaborate

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Program is a checked program.
type Program struct {
	msgs    *diag.List
	scratch *diag.List // for look-ups whose failure is no error
	root    *module
	decls   []*decl
	imports []imported
	funcs   []*decl // in order of declaration
	settled map[soft]num.Kind
	taken   map[*decl]bool // those whose names were used for sizes
}

// FuncInfo is a function as declared.
type FuncInfo struct {
	Name     string // qualified: geo::dist
	Pub      bool
	Doc      string
	Generics []string // as written: "K: Size"
	Params   []string // as written: "v: &[f32; N] @ Disk"
	Result   string   // as written, with its place
	Where    []string // as written
	Calls    []string // the functions that it calls
	Failed   bool     // it has errors
	// Runnable is false for functions with generic types, which have no graph
	// of their own.
	Runnable bool
	Pos      diag.Span
	Source   *diag.Source
}

// Check resolves and checks all files as one program. Every function is
// checked, called or not; errors go to msgs. The Program is usable for those
// functions that have none.
func Check(files []*syntax.File, msgs *diag.List) (p *Program) {
	p = &Program{msgs: msgs, scratch: new(diag.List), root: newModule("", nil), settled: map[soft]num.Kind{}}
	defer p.bug(files)
	for _, f := range files {
		p.collect(f.Items, p.root, f.Source)
	}
	p.resolveUses()
	for _, d := range p.decls {
		switch d.kind {
		case recordDecl:
			p.recordType(d)
		case constDecl:
			p.constant(d)
		case funcDecl:
			p.funcs = append(p.funcs, d)
		}
	}
	for _, d := range p.funcs {
		p.head(d)
	}
	p.resolveCalls()
	for _, d := range p.funcs {
		p.check(d)
	}
	return p
}

// bug turns a panic, which only a broken invariant causes, into a message.
func (p *Program) bug(files []*syntax.File) {
	r := recover()
	if r == nil {
		return
	}
	var src *diag.Source
	if len(files) > 0 {
		src = files[0].Source
	}
	p.msgs.Add(bugMessage(src, r))
}

// bugMessage describes a panic with the program that caused it.
func bugMessage(src *diag.Source, r any) *diag.Message {
	text := ""
	if src != nil {
		text = src.Text
	}
	return &diag.Message{
		Source: src, Text: fmt.Sprintf("this is a bug in Godwit: %v", r),
		Note: "the program may be in order",
		Help: "please report it with this program:\n" + text + "\n" + firstLines(string(debug.Stack()), 24),
	}
}

func firstLines(s string, n int) string {
	lines := strings.SplitN(s, "\n", n+1)
	return strings.Join(lines[:min(len(lines), n)], "\n")
}

// resolveCalls finds the functions that each function calls.
func (p *Program) resolveCalls() {
	for _, d := range p.funcs {
		if d.fn.Body == nil {
			continue
		}
		r := resolver{out: p.scratch, src: d.src, mod: d.mod}
		calledNames(d.fn.Body, func(n *syntax.NameExpr) {
			p.scratch.Messages = nil
			if r.first(n.Path[0].Text) == nil {
				return
			}
			if c := r.path(n.Path, "N02"); c != nil && c.kind == funcDecl && !slices.Contains(d.calls, c) {
				d.calls = append(d.calls, c)
			}
		})
	}
}

// check checks a function after those that it calls.
func (p *Program) check(d *decl) {
	if d.state != fresh {
		return
	}
	d.state = busy
	for _, c := range d.calls {
		if c.state == busy {
			p.recursive(d, c)
			continue
		}
		p.check(c)
	}
	if !d.failed && !d.sig.bad && d.fn.Body != nil {
		p.standalone(d)
	} else {
		d.failed = true
	}
	d.state = done
}

// recursive reports a call that leads back.
func (p *Program) recursive(d, c *decl) {
	c.failed, d.failed = true, true
	var at diag.Span
	r := resolver{out: p.scratch, src: d.src, mod: d.mod}
	calledNames(d.fn.Body, func(n *syntax.NameExpr) {
		if at.End == 0 && r.first(n.Path[0].Text) != nil && r.path(n.Path, "N02") == c {
			at = n.Span
		}
	})
	m := p.errorf(d.src, at, "T01", "`%s` calls itself, so it may not end", c.name)
	if d == c {
		m.Note("a call of the function it stands in")
	} else {
		m.Note("`%s` is called by `%s`, which `%s` calls in turn", c.name, d.name, c.name)
	}
	m.Help("use a bounded loop:\nfor _ in 0..100 { … if done { break; } }")
}

// standalone checks a function by itself: with its own conditions as facts,
// and one after the other the representatives of its generic types.
func (p *Program) standalone(d *decl) {
	most := 1
	for _, g := range d.sig.kinds {
		most = max(most, len(representatives[g.kind]))
	}
	for i := range most {
		reps := map[string]*graph.Type{}
		for _, g := range d.sig.kinds {
			list := representatives[g.kind]
			reps[g.name] = types.Scalars[list[i%len(list)]]
		}
		own := new(diag.List)
		g := p.entry(d, reps, own)
		if g == nil && !own.Failed() && !p.msgs.Failed() {
			own.Add(bugMessage(d.src, "the function `"+d.name+"` is refused without a reason"))
		}
		p.report(d, own, reps)
		if g == nil { // be it for an error elsewhere, which has been reported
			d.failed = true
			return
		}
		if len(reps) == 0 {
			d.graph = g
		}
	}
}

// report passes messages on; with generic types it says which were tried.
func (p *Program) report(d *decl, own *diag.List, reps map[string]*graph.Type) {
	for _, m := range own.Messages {
		if len(reps) > 0 && m.Note != "" && !strings.Contains(m.Note, "with "+d.sig.kinds[0].name+" = ") {
			m.Note += ", with " + d.sig.kinds[0].name + " = " + reps[d.sig.kinds[0].name].String()
		}
		if len(p.msgs.Messages) < maxMessages {
			p.msgs.Add(m)
		}
	}
}

// Funcs lists the functions in order of declaration.
func (p *Program) Funcs() []*FuncInfo {
	list := make([]*FuncInfo, 0, len(p.funcs))
	for _, d := range p.funcs {
		list = append(list, d.info())
	}
	return list
}

func (d *decl) info() *FuncInfo {
	text := func(start, end int) string {
		return strings.Join(strings.Fields(d.src.Text[start:end]), " ")
	}
	f := &FuncInfo{Name: d.name, Pub: d.pub, Failed: d.failed, Runnable: len(d.sig.kinds) == 0, Pos: d.at, Source: d.src}
	for _, c := range d.calls {
		f.Calls = append(f.Calls, c.name)
	}
	for _, g := range d.fn.Generics {
		f.Generics = append(f.Generics, text(g.Span.Start, g.Span.End))
	}
	for _, m := range d.fn.Params {
		f.Params = append(f.Params, text(m.Span.Start, m.Span.End))
	}
	if d.fn.Result != nil {
		end := d.fn.Result.Where().End
		if d.fn.Place != nil {
			end = d.fn.Place.Span.End
		}
		f.Result = text(d.fn.Result.Where().Start, end)
	}
	for _, c := range d.fn.Where {
		at := clauseSpan(c)
		f.Where = append(f.Where, text(at.Start, at.End))
	}
	for _, c := range d.fn.Doc {
		f.Doc += strings.TrimSpace(strings.TrimPrefix(c.Text, "///")) + "\n"
	}
	return f
}

func clauseSpan(c syntax.Clause) diag.Span {
	switch c := c.(type) {
	case *syntax.RangeClause:
		return c.Span
	case *syntax.CompareClause:
		return c.Span
	case *syntax.ExpectClause:
		return c.Span
	}
	return diag.Span{}
}

// Graph gives the graph of a function with its calls inlined. Each call gives
// a graph of its own, which the caller may change.
func (p *Program) Graph(name string) (g *graph.Graph, err error) {
	var d *decl
	for _, f := range p.funcs {
		if f.name == name {
			d = f
		}
	}
	switch {
	case d == nil:
		return nil, p.noFunction(name)
	case d.failed:
		return nil, fmt.Errorf("%w: %s", ErrFailed, name)
	case len(d.sig.kinds) > 0:
		return nil, fmt.Errorf("%w: %s<%s>; call it from a function with fixed types", ErrGeneric, name, d.sig.kinds[0].name)
	}
	if g = d.graph; g != nil {
		d.graph = nil
		return g, nil
	}
	defer func() {
		if r := recover(); r != nil {
			g, err = nil, bugMessage(d.src, r)
		}
	}()
	msgs := new(diag.List)
	if g = p.entry(d, nil, msgs); g == nil && !msgs.Failed() {
		return nil, bugMessage(d.src, "there is no graph")
	}
	return g, msgs.Err()
}

// Errors of Program.Graph.
var (
	ErrNoFunction = errors.New("there is no such function")
	ErrFailed     = errors.New("the function has errors")
	ErrGeneric    = errors.New("a function with generic types cannot be run by itself")
)

func (p *Program) noFunction(name string) error {
	var names []string
	for _, f := range p.funcs {
		names = append(names, f.name)
	}
	if best := nearest(name, names); best != "" {
		return fmt.Errorf("%w: %s (did you mean %s?)", ErrNoFunction, name, best)
	}
	return fmt.Errorf("%w: %s", ErrNoFunction, name)
}
