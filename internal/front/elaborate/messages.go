package elaborate

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// message is a message being written. Types and sizes in it are written as g, if there is one, declares them.
type message struct {
	m *diag.Message
	g *graph.Graph
}

// Note says beside the carets what was found against what was expected.
func (m message) Note(format string, args ...any) message {
	m.m.Note = sprintf(m.g, format, args)
	return m
}

// Help gives text that can be pasted.
func (m message) Help(format string, args ...any) message {
	m.m.Help = sprintf(m.g, format, args)
	return m
}

func sprintf(g *graph.Graph, format string, args []any) string {
	if len(args) == 0 {
		return format
	}
	if g != nil {
		args = declared(g, args)
	}
	return fmt.Sprintf(format, args...)
}

// declared writes the types and sizes among args.
func declared(g *graph.Graph, args []any) []any {
	d, out := g.Declarer(), slices.Clone(args)
	for i, a := range args {
		switch a := a.(type) {
		case *graph.Type:
			out[i] = d.Type(a)
		case size.Poly:
			out[i] = d.Size(a)
		}
	}
	return out
}

func itoa[T ~int | ~int64](n T) string { return strconv.FormatInt(int64(n), 10) }

// maxMessages is where a person has stopped reading.
const maxMessages = 100

func (p *Program) errorf(src *diag.Source, at diag.Span, code, format string, args ...any) message {
	return addTo(p.msgs, src, at, code, sprintf(nil, format, args))
}

func addTo(list *diag.List, src *diag.Source, at diag.Span, code, text string) message {
	m := &diag.Message{Code: code, Source: src, Span: at, Text: text}
	if len(list.Messages) < maxMessages {
		list.Add(m)
	}
	return message{m: m}
}

// errorf reports an error in the function being elaborated.
func (e *elab) errorf(at diag.Span, code, format string, args ...any) message {
	m := addTo(e.msgs, e.fr.src, at, code, sprintf(e.g, format, args))
	m.g = e.g
	return m
}

// text is the source text of a span, for pasting into a help line.
func (e *elab) text(at diag.Span) string {
	t := e.fr.src.Text
	if at.Start < 0 || at.End > len(t) || at.Start > at.End {
		return "x"
	}
	return t[at.Start:at.End]
}

// operand is a span's text, in parentheses where a method is to follow.
func (e *elab) operand(x syntax.Expr) string {
	switch x.(type) {
	case *syntax.Binary, *syntax.Unary, *syntax.Cast, *syntax.If, *syntax.Match, *syntax.Closure, *syntax.RangeExpr:
		return "(" + e.text(x.Where()) + ")"
	}
	return e.text(x.Where())
}

// tooLarge stops the elaboration of a function that grows out of bounds.
func (e *elab) tooLarge(at diag.Span) {
	if e.full {
		return
	}
	e.full = true
	e.errorf(at, "T18", "this function is too large with all its calls written out").
		Note("more than %d operations", maxNodes).Help("call the helper once, inside a map:\nlet y = x.map(|e| helper(e));")
}

// runtimeElement reports an array of run-time-sized arrays.
func (e *elab) runtimeElement(t *graph.Type, at diag.Span) {
	e.errorf(at, "T07", "elements of an array must have a fixed size").
		Note("each would be %s, whose size is known only at run time", t).
		Help("%s", e.folded(t, e.text(at)))
}

// suggest adds the nearest of the names to the help.
func suggest(m message, name string, among []string) {
	if best := nearest(name, among); best != "" {
		m.Help("did you mean `%s`?", best)
	}
}

// nearest finds the name that was probably meant.
func nearest(name string, among []string) string {
	slices.Sort(among)
	return diag.Nearest(name, slices.DeleteFunc(among, func(n string) bool { return n == "" || n == "_" || isDynamic(n) }))
}
