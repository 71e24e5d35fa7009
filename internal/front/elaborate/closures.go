package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// closureArg is an argument that must be a closure of so many parameters.
func (e *elab) closureArg(c *methodUse, i, params int) *syntax.Closure {
	if i >= len(c.x.Args) {
		return nil
	}
	arg := unwrapped(c.x.Args[i])
	names := closureNames[params]
	cl, ok := arg.(*syntax.Closure)
	if !ok {
		m := e.errorf(arg.Where(), "O06", "`%s` takes a closure here", c.x.Name.Text).Note("expected %s …", names)
		meant := ""
		if params == 1 {
			meant = e.closureMeant(arg, c.x.Receiver, e.rowType(c.recv))
		}
		if n, isName := arg.(*syntax.NameExpr); meant != "" {
			m.Help("%s", meant)
		} else if without := e.withoutSetting(c, i); without != "" {
			m.Help("%s", without)
		} else if isName && !e.isUnknown(e.text(n.Span)) && e.lookup(e.text(n.Span)) != nil {
			m.Help("%s %s", names, e.text(n.Span))
		} else if isName {
			m.Help("%s %s(%s)", names, e.text(n.Span), names[1:len(names)-1])
		} else {
			m.Help("%s %s", names, e.text(arg.Where()))
		}
		return nil
	}
	if len(cl.Params) != params {
		m := e.errorf(cl.Span, "O02", "this closure has the wrong number of parameters").
			Note("`%s` gives it %d, found %d", c.x.Name.Text, params, len(cl.Params))
		key, desc, compares := e.comparator(cl)
		row := e.rowType(c.recv)
		if pairs := row.Kind == graph.Tuple && row.Name == "" && len(row.Elems) == 2; params == 1 && !pairs && compares && orders[c.x.Name.Text] {
			m.Help("give the key by which elements are ordered:\n%s", e.orderedBy(c, key, desc))
		} else if params == 1 && len(cl.Params) == 2 && (pairs || c.recv != nil && c.recv.Type.Kind != graph.Array) {
			m.Help("take a pair apart:\n|(%s, %s)| %s", e.text(cl.Params[0].Pattern.Where()), e.text(cl.Params[1].Pattern.Where()), e.text(cl.Body.Where()))
		} else {
			m.Help("%s …", names)
		}
		return nil
	}
	return cl
}

// orders are the operations that put elements in the order of a key.
var orders = map[string]bool{"sort": true, "sort_desc": true, "top_k": true}

// orderedBy is the operation with a key in place of a comparison.
func (e *elab) orderedBy(c *methodUse, key string, desc bool) string {
	switch {
	case !desc:
	case c.x.Name.Text == "sort":
		return "sort_desc(" + key + ")"
	case c.x.Name.Text == "sort_desc":
		return "sort(" + key + ")"
	}
	return c.x.Name.Text + "(" + key + ")"
}

var closureNames = [...]string{1: "|e|", 2: "|a, e|"}

// applyClosure elaborates a closure's body in the open block, with its parameters
// standing for the given values.
func (e *elab) applyClosure(c *syntax.Closure, want *graph.Type, args ...*graph.Node) *graph.Node {
	mark, saved := len(e.vars), e.fr.loop
	e.lambda++
	e.fr.loop = nil
	for i, p := range c.Params {
		e.bindPattern(p.Pattern, false, e.paramAs(p, args[i]))
	}
	n := e.expr(c.Body, want)
	e.lambda--
	e.fr.loop = saved
	e.vars = e.vars[:mark]
	return n
}

// paramAs checks the type written at a closure's parameter.
func (e *elab) paramAs(p syntax.ClosureParam, n *graph.Node) *graph.Node {
	if p.Type == nil {
		return n
	}
	t := e.typeExpr(p.Type)
	if t == nil {
		return nil
	}
	return e.coerce(n, t, p.Type.Where())
}

// predicate elaborates a closure that gives a bool.
func (e *elab) predicate(c *syntax.Closure, args ...*graph.Node) *graph.Node {
	return e.coerce(e.applyClosure(c, graph.BoolType, args...), graph.BoolType, bodyValue(c.Body))
}

// bodyValue is where the value of a closure stands.
func bodyValue(x syntax.Expr) diag.Span {
	if b, ok := x.(*syntax.Block); ok && b.Value != nil {
		return bodyValue(b.Value)
	}
	return x.Where()
}

// unwrapped is an expression without the parentheses around it.
func unwrapped(x syntax.Expr) syntax.Expr {
	if p, ok := x.(*syntax.ParenExpr); ok {
		return unwrapped(p.X)
	}
	return x
}
