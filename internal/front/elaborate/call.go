package elaborate

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// inlining is a call being made: the callee's frame is filled from the
// turbofish and the arguments, then its body is elaborated in place.
type inlining struct {
	e    *elab
	d    *decl
	x    *syntax.Call
	fr   *frame
	args []*graph.Node
}

func (e *elab) callFunc(d *decl, x *syntax.Call, want *graph.Type) *graph.Node {
	if !e.argCount(x.Func.Span, x.Span, last(d.name), x.Args, len(d.fn.Params), len(d.fn.Params)) {
		e.args(x)
		return nil
	}
	if d.failed || d.sig == nil || d.sig.bad {
		e.args(x)
		return nil
	}
	c := &inlining{e: e, d: d, x: x, args: make([]*graph.Node, len(x.Args))}
	c.fr = e.calleeFrame(d, x.Span)
	if !c.turbofish() || !c.arguments() || !c.complete() {
		return nil
	}
	if !c.coerceArgs() || !c.clauses() {
		return nil
	}
	return c.body(want)
}

// calleeFrame is the frame of a call, in which no generic name is known yet.
func (e *elab) calleeFrame(d *decl, at diag.Span) *frame {
	return &frame{
		d: d, mod: d.mod, src: d.src, sizes: map[string]size.Poly{}, types: map[string]*graph.Type{},
		user: e.fr.user, callPos: e.where(at), moved: e.fr.moved || d.src != e.g.Source,
	}
}

// turbofish binds the sizes and types given by ::<…>.
func (c *inlining) turbofish() bool {
	given, generic := c.x.Func.Args, c.d.sig.generic
	if len(given) > len(generic) {
		c.e.errorf(c.x.Func.Span, "T09", "`%s` takes %d argument%s in ::<…>", last(c.d.name), len(generic), plural(len(generic))).
			Note("found %d", len(given)).Help("%s(…)", last(c.d.name))
		return false
	}
	for i, a := range given {
		if generic[i].Kind.Text == "Size" {
			p, ok := c.e.sizeArg(a)
			if !ok {
				return false
			}
			c.fr.sizes[generic[i].Name.Text] = p
			continue
		}
		t := typeReader{c.e, nil}.typeArg(a)
		if t == nil {
			return false
		}
		c.fr.types[generic[i].Name.Text] = t
	}
	return true
}

// arguments elaborates the arguments and matches their types with those of
// the parameters: first those that are not just literals, so that literals
// take the types that are then known.
func (c *inlining) arguments() bool {
	ok := true
	for pass := range 2 {
		for i, a := range c.x.Args {
			if (pass == 1) != c.waits(i) {
				continue
			}
			n := c.e.dense(c.e.expr(a, c.hint(i)))
			c.args[i] = n
			ok = ok && n != nil
		}
		for round := range 3 { // a size may be known only after another
			for i, n := range c.args {
				if n != nil {
					c.match(c.d.fn.Params[i].Type, n.Type, round > 0)
				}
			}
		}
	}
	return ok
}

// waits reports that an argument is better elaborated after the others: a
// literal, or an index, whose size others give.
func (c *inlining) waits(i int) bool {
	if flexible(c.x.Args[i]) || c.e.isSoft(c.x.Args[i]) {
		return true
	}
	t := c.d.fn.Params[i].Type
	if r, ok := t.(*syntax.RefType); ok {
		t = r.Elem
	}
	n, ok := t.(*syntax.NamedType)
	return ok && len(n.Path) == 1 && n.Path[0].Text == "idx"
}

// inCallee runs f with the callee's names, silently.
func (c *inlining) inCallee(f func()) {
	e := c.e
	fr, msgs := e.fr, e.msgs
	c.fr.base = len(e.vars)
	e.fr, e.msgs = c.fr, new(diag.List)
	f()
	e.fr, e.msgs = fr, msgs
}

// hint is the type that a parameter expects as far as it is known.
func (c *inlining) hint(i int) (t *graph.Type) {
	c.inCallee(func() {
		for _, s := range c.d.sig.sizes {
			if _, known := c.fr.sizes[s]; !known {
				c.fr.sizes[s] = types.Open
				defer delete(c.fr.sizes, s)
			}
		}
		t = c.e.typeExpr(c.d.fn.Params[i].Type)
	})
	return t
}

// match binds the names in a parameter's type from an argument's type. With
// bounds set it takes sizes from indices too, which are only upper bounds.
func (c *inlining) match(t syntax.Type, is *graph.Type, bounds bool) {
	switch t := t.(type) {
	case *syntax.RefType:
		c.match(t.Elem, is, bounds)
	case *syntax.TupleType:
		if is.Kind == graph.Tuple && len(is.Elems) == len(t.Elems) {
			for i, x := range t.Elems {
				c.match(x, is.Elems[i], bounds)
			}
		}
	case *syntax.ArrayType:
		c.matchArray(t, is, bounds)
	case *syntax.NamedType:
		c.matchNamed(t, is, bounds)
	}
}

func (c *inlining) matchArray(t *syntax.ArrayType, is *graph.Type, bounds bool) {
	dims := t.Dims
	if len(dims) == 0 {
		if is.Kind == graph.Array {
			c.match(t.Elem, is.Elem(), bounds)
		}
		return
	}
	for _, d := range dims {
		if is.Kind != graph.Array {
			return
		}
		if d.Dyn != nil {
			c.bindSize(d.Dyn.Text, is.Size)
			if bounds {
				c.solve(d.Size, is.Size)
			}
		} else {
			c.solve(d.Size, is.Size)
		}
		is = is.Elem()
	}
	c.match(t.Elem, is, bounds)
}

func (c *inlining) matchNamed(t *syntax.NamedType, is *graph.Type, bounds bool) {
	if len(t.Path) != 1 {
		return
	}
	name := t.Path[0].Text
	switch {
	case name == "idx" && bounds && is.Kind == graph.Index && len(t.Args) == 1 && t.Args[0].Size != nil:
		c.solve(t.Args[0].Size, is.Bound)
	case name == "Option" && is.Kind == graph.Option && len(t.Args) == 1:
		if t.Args[0].Type != nil {
			c.match(t.Args[0].Type, is.Elem(), bounds)
		} else if n, ok := t.Args[0].Size.(*syntax.NameExpr); ok {
			c.matchNamed(&syntax.NamedType{Span: n.Span, Path: n.Path}, is.Elem(), bounds)
		}
	}
	for _, g := range c.d.sig.kinds {
		if g.name == name && c.fr.types[name] == nil {
			if allowed := types.Computed(is); !allows(g.kind, is) && allows(g.kind, allowed) {
				is = allowed
			}
			c.fr.types[name] = is
		}
	}
}

func (c *inlining) bindSize(name string, p size.Poly) {
	if _, known := c.fr.sizes[name]; !known {
		c.fr.sizes[name] = p
	}
}

// solve finds the one size in an expression that is not known yet.
func (c *inlining) solve(x syntax.Expr, value size.Poly) {
	unknown := ""
	for _, s := range c.d.sig.sizes {
		if _, known := c.fr.sizes[s]; known || !mentions(x, s) {
			continue
		}
		if unknown != "" {
			return
		}
		unknown = s
	}
	if unknown == "" {
		return
	}
	mark := "\x00" + unknown
	c.fr.sizes[unknown] = size.Var(mark)
	var pattern size.Poly
	ok := false
	c.inCallee(func() { pattern, ok = c.e.sizeExpr(x) })
	delete(c.fr.sizes, unknown)
	if !ok {
		return
	}
	if p, solved := types.Solve(pattern, mark, value); solved {
		c.fr.sizes[unknown] = p
	}
}

func mentions(x syntax.Expr, name string) bool {
	found := false
	visitExprs(func(x any) bool {
		n, ok := x.(*syntax.NameExpr)
		found = found || ok && len(n.Path) == 1 && n.Path[0].Text == name
		return !found
	}, x)
	return found
}

// complete checks that all generics are known and allowed.
func (c *inlining) complete() bool {
	e, name := c.e, last(c.d.name)
	for _, s := range c.d.sig.sizes {
		if _, known := c.fr.sizes[s]; !known {
			e.errorf(c.x.Span, "T17", "the size `%s` of `%s` is not known", s, name).Note("no argument fixes it").
				Help("%s", e.callWith(c.x, name+"::<8>", -1, ""))
			return false
		}
	}
	for _, g := range c.d.sig.kinds {
		t := c.fr.types[g.name]
		if t == nil {
			e.errorf(c.x.Span, "T17", "the type `%s` of `%s` is not known", g.name, name).Note("no argument fixes it").
				Help("%s", e.callWith(c.x, name+"::<f32>", -1, ""))
			return false
		}
		if !allows(g.kind, t) {
			e.errorf(c.x.Span, "T21", "`%s` does not take this type", name).Note("expected %s: %s, found %s", g.name, g.kind, t).
				Help("%s", c.boundHelp(g.kind, t))
			return false
		}
	}
	return true
}

// boundHelp converts the first argument of the type that is not taken.
func (c *inlining) boundHelp(kind string, found *graph.Type) string {
	to := map[string]string{"Int": "i64", "Float": "f64", "Num": "f64"}[kind]
	for i, a := range c.args {
		if to != "" && found.IsScalar() && a != nil && a.Type.Equal(found) {
			return c.e.callWith(c.x, last(c.d.name), i, c.e.parenthesized(c.x.Args[i].Where())+" as "+to)
		}
	}
	return "take a number out of it, such as x.0 or x.field"
}

// coerceArgs converts the arguments to the parameters' types.
func (c *inlining) coerceArgs() bool {
	ok := true
	for i, p := range c.d.fn.Params {
		var t *graph.Type
		c.inCallee(func() { t = c.e.typeExpr(p.Type) })
		if t == nil {
			c.cannot(nil)
			return false
		}
		c.args[i] = c.e.dense(c.e.coerce(c.args[i], t, c.x.Args[i].Where()))
		ok = ok && c.args[i] != nil
	}
	return ok
}

// cannot reports that a generic function does not work for these types; the
// function alone was in order.
func (c *inlining) cannot(inner *diag.List) {
	note := "checked with other types, it is in order"
	if inner != nil && len(inner.Messages) > 0 {
		m := inner.Messages[0]
		c.e.lacking = c.e.lacking || lacks(inner.Messages)
		line, _ := m.Source.Position(m.Span.Start)
		note = fmt.Sprintf("%s, line %d: %s", m.Code, line, m.Text)
		if m.Code == "T18" {
			c.e.full = true
			c.e.errorf(c.x.Span, "T18", "%s", m.Text).Note("%s", m.Note).Help("%s", m.Help)
			return
		}
	}
	c.e.errorf(c.x.Span, "T22", "`%s` does not work for these types", last(c.d.name)).Note("%s", note).
		Help("call it with another type or size, or change `%s`", last(c.d.name))
}

// body elaborates the callee's body in place.
func (c *inlining) body(want *graph.Type) *graph.Node {
	r, inner := c.e.inline(c.fr, c.args, want)
	if inner.Failed() {
		c.cannot(inner)
		return nil
	}
	return r
}

// inline elaborates the body of a frame's function in place, and gives what there is to report.
func (e *elab) inline(fr *frame, args []*graph.Node, want *graph.Type) (r *graph.Node, inner *diag.List) {
	mark, lambda, msgs, caller, fn := len(e.vars), e.lambda, e.msgs, e.fr, fr.d.fn
	inner = new(diag.List)
	fr.base = mark
	e.fr, e.lambda, e.msgs = fr, 0, inner
	for i, p := range fn.Params {
		e.of(args[i]).soft = nil // the parameter has a type
		e.bind(p.Name, false, args[i])
	}
	var t *graph.Type
	if fn.Result != nil {
		t = e.typeExpr(fn.Result)
	}
	hint := t
	if t != nil && types.HasOpen(t) && want != nil && want.Kind == t.Kind {
		hint = want
	}
	r = e.coerce(e.block(fn.Body, hint), t, bodyEnd(fn.Body))
	e.fr, e.lambda, e.msgs, e.vars = caller, lambda, msgs, e.vars[:mark]
	return r, inner
}

// bodyEnd is where a body's value stands.
func bodyEnd(b *syntax.Block) diag.Span { return bodyValue(b) }
