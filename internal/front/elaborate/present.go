package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: elements, and a value for each that may be an Option. Out: the elements that have a value, and it. So sums, means, extremes and
// quantiles of Options are those of what there is; an extreme of nothing is None.

// givesOption reports that a value is an Option; nothing is left of the attempt.
func (e *elab) givesOption(x *graph.Node, at diag.Span, value func(v *graph.Node) *graph.Node) bool {
	msgs := e.msgs
	defer func() { e.msgs = msgs }()
	e.msgs = new(diag.List)
	var n *graph.Node
	e.inBlock(func() { n = value(e.param(x.Type.Elem(), at)) })
	return n != nil && !e.msgs.Failed() && n.Type.Kind == graph.Option
}

// present keeps the elements of x whose Option has a value, and gives that.
func (e *elab) present(x *graph.Node, at diag.Span, value func(v *graph.Node) *graph.Node) (*graph.Node, func(v *graph.Node) *graph.Node) {
	kept := e.filtered(x, at, func(v *graph.Node) *graph.Node { return e.add(graph.IsSome, graph.BoolType, at, value(v)) })
	return kept, e.unwrapped(at, value)
}

// presentIn is a group of the elements that have a value, and the value; the group itself where values are no Options.
func (e *elab) presentIn(g *grouping, at diag.Span, value func(v *graph.Node) *graph.Node) (*grouping, func(v *graph.Node) *graph.Node, bool) {
	of := func(v *graph.Node) *graph.Node {
		if _, elem := g.split(v); elem != nil {
			return value(elem)
		}
		return nil
	}
	if !e.givesOption(g.x, at, of) {
		return g, value, false
	}
	own := *g
	own.rows, own.elem = nil, nil
	own.x, _ = e.present(g.x, at, of)
	return &own, e.unwrapped(at, value), true
}

// unwrapped is what a value that is there has.
func (e *elab) unwrapped(at diag.Span, value func(v *graph.Node) *graph.Node) func(v *graph.Node) *graph.Node {
	return func(v *graph.Node) *graph.Node {
		o := value(v)
		return e.add(graph.Unwrap, o.Type.Elem(), at, o)
	}
}

// extremeIfAny has Some of each extreme where something was counted.
func (e *elab) extremeIfAny(extremes, counts *graph.Node, at diag.Span) *graph.Node {
	if extremes == nil || counts == nil {
		return nil
	}
	return e.mapOver(at, []*graph.Node{extremes, counts}, func(_ *graph.Node, v []*graph.Node) *graph.Node {
		t := graph.OptionOf(v[0].Type)
		return e.choose(at, e.arith(num.Gt, at, v[1], e.int(num.I64, 0, at)),
			func() *graph.Node { return e.add(graph.Some, t, at, v[0]) },
			func() *graph.Node { return e.add(graph.Nothing, t, at) })
	})
}
