package elaborate

import (
	"slices"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// orderMethods put elements in order.
func orderMethods() map[string]method {
	return map[string]method{
		"sort":      {max: 1, run: func(e *elab, c *methodUse) *graph.Node { return e.sort(c, false) }},
		"sort_desc": {max: 1, run: func(e *elab, c *methodUse) *graph.Node { return e.sort(c, true) }},
		"top_k":     {max: 1, sizes: 1, need: true, run: (*elab).topK},
	}
}

// sortBlock gives the key of each element.
func (e *elab) sortBlock(c *methodUse) *graph.Block {
	var cl *syntax.Closure
	at := c.x.Name.Span
	if len(c.x.Args) == 1 {
		if cl = e.closureArg(c, 0, 1); cl == nil {
			return nil
		}
		at = bodyValue(cl.Body)
	}
	var key *graph.Node
	b := e.slotBlock(c.recv, func(v *graph.Node) []*graph.Node {
		key = v
		if cl != nil {
			key = e.applyClosure(cl, nil, v)
		}
		return []*graph.Node{key}
	})
	if key == nil {
		return nil
	}
	if !key.Type.IsScalar() {
		e.errorf(at, "T29", "`%s` needs a number to sort by", c.x.Name.Text).Note("found %s", key.Type).
			Help("%s", e.sorts(c, cl, key.Type))
		return nil
	}
	return b
}

func (e *elab) sort(c *methodUse, desc bool) *graph.Node {
	b := e.sortBlock(c)
	if b == nil {
		return nil
	}
	n := e.add(graph.Sort, c.recv.Type, c.at(), c.recv)
	n.Blocks, n.Desc = []*graph.Block{b}, desc
	return n
}

func (e *elab) topK(c *methodUse) *graph.Node {
	b := e.sortBlock(c)
	if b == nil {
		return nil
	}
	k, have := c.sizes[0], c.recv.Type.Size
	n := e.make(graph.TopK, graph.ArrayOf(c.recv.Type.Elem(), k), c.at(), []*graph.Node{c.recv})
	n.Blocks, n.Poly, n.HasPoly = []*graph.Block{b}, k, true
	if !e.proves(have.Sub(k)) {
		n.Defines = e.newSize(k, have)
		n.Type = graph.ArrayOf(c.recv.Type.Elem(), size.Var(n.Defines))
	}
	e.cur.b.Nodes = append(e.cur.b.Nodes, n)
	return n
}

// linearMethods work on arrays of floats.
func linearMethods() map[string]method {
	return map[string]method{
		"dot":     {min: 1, max: 1, run: (*elab).dot},
		"matmul":  {min: 1, max: 1, run: (*elab).matmul},
		"softmax": {run: (*elab).softmax},
	}
}

func (e *elab) floats(c *methodUse, t *graph.Type) bool {
	if types.IsFloat(t) {
		return true
	}
	m := e.errorf(c.x.Name.Span, "T29", "`%s` needs floats", c.x.Name.Text).Note("the elements are %s", t)
	if types.IsInt(t) {
		m.Help("%s.map(|e| e as f64).%s(%s)", e.operand(c.x.Receiver), c.x.Name.Text, e.argText(c.x))
	}
	return false
}

// sameFloats checks that two arrays hold floats of one kind.
func (e *elab) sameFloats(c *methodUse, x, y *graph.Type) bool {
	if !e.floats(c, types.Innermost(x)) || !e.floats(c, types.Innermost(y)) {
		return false
	}
	if a, b := types.Innermost(x).Num, types.Innermost(y).Num; a != b {
		e.errorf(c.at(), "F04", "the two sides have different types").Note("%s with %s", x, y).
			Help("%s.map(|e| e as %s)", e.operand(c.x.Args[0]), a)
		return false
	}
	return true
}

func (e *elab) dot(c *methodUse) *graph.Node {
	y := e.arrayArg(c, 0)
	if y == nil || !e.floats(c, c.recv.Type.Elem()) || !e.floats(c, y.Type.Elem()) || !e.sameFloats(c, c.recv.Type, y.Type) || !e.equalSizes(c, c.recv, y) {
		return nil
	}
	return e.dotOf(c, c.recv, y)
}

// dotOf is the canonical sum of the products.
func (e *elab) dotOf(c *methodUse, x, y *graph.Node) *graph.Node {
	products := e.mapOver(c.at(), []*graph.Node{x, y}, func(_ *graph.Node, v []*graph.Node) *graph.Node {
		return e.arith(num.Mul, c.at(), v[0], v[1])
	})
	if e.isFused() && pairUp(products) {
		return e.reduce(graph.FusedSum, products, c.at())
	}
	return e.reduce(graph.SumOf, products, c.at())
}

// matmul transposes its right side first, so that every product is a dot of
// two rows.
func (e *elab) matmul(c *methodUse) *graph.Node {
	b := e.matmulArg(c)
	if b == nil || !e.matrix(c, c.recv) || !e.sameFloats(c, c.recv.Type, b.Type) {
		return nil
	}
	if c.recv.Type.Elem().Elem().Kind == graph.Array || b.Type.Elem().Kind == graph.Array && b.Type.Elem().Elem().Kind == graph.Array {
		e.errorf(c.at(), "T29", "`matmul` takes matrices, and a vector on its right").Note("%s with %s", c.recv.Type, b.Type).
			Help("map over the first dimension:\na.map(|m| m.matmul(b))")
		return nil
	}
	if inner := c.recv.Type.Elem().Size; !e.sameSize(inner, b.Type.Size) {
		e.errorf(c.at(), "T06", "the sizes differ").Note("%s with %s: %s against %s", c.recv.Type, b.Type, inner, b.Type.Size).
			Help("a: &[f32; N, M], b: &[f32; M, P]")
		return nil
	}
	if b.Type.Elem().Kind != graph.Array {
		return e.mapEach(c.at(), c.recv, func(row *graph.Node) *graph.Node { return e.dotOf(c, row, b) })
	}
	cols := e.transpose(c, b)
	return e.mapEach(c.at(), c.recv, func(row *graph.Node) *graph.Node {
		return e.mapEach(c.at(), cols, func(col *graph.Node) *graph.Node { return e.dotOf(c, row, col) })
	})
}

// matmulArg is the right side of a product; its literals are of the left
// side's kind, whatever its shape.
func (e *elab) matmulArg(c *methodUse) *graph.Node {
	x := c.x.Args[0]
	var want *graph.Type
	if hasLiteral(x) {
		k := types.Innermost(c.recv.Type).Num
		want = literalType(x, k, k)
	}
	n := e.dense(e.expr(x, want))
	if n != nil && n.Type.Kind != graph.Array {
		e.errorf(x.Where(), "T29", "`matmul` takes an array here").Note("found %s", n.Type).Help("[%s; N]", e.text(x.Where()))
		return nil
	}
	return n
}

// softmax subtracts the maximum first, so that no exponential overflows. The
// maximum of nothing is no fault here, as nothing is computed from it.
func (e *elab) softmax(c *methodUse) *graph.Node {
	x, at := c.recv, c.at()
	if !e.floats(c, x.Type.Elem()) {
		return nil
	}
	most := e.add(graph.Reduce, x.Type.Elem(), at, x)
	most.Monoid = graph.MaxOf
	powers := e.mapEach(at, x, func(v *graph.Node) *graph.Node {
		return e.prelude(at, "exp", e.arith(num.Sub, at, v, most))
	})
	total := e.reduce(graph.SumOf, powers, at)
	return e.mapEach(at, powers, func(v *graph.Node) *graph.Node { return e.arith(num.Div, at, v, total) })
}

// sorts is the help for a sort by what is no number: by each part of a tuple, the last first, as
// sorts are stable; by an Option with what is missing last; by a field of a record.
func (e *elab) sorts(c *methodUse, cl *syntax.Closure, t *graph.Type) string {
	name, text := c.x.Name.Text, e.operand(c.x.Receiver)
	param, body := "e", syntax.Expr(nil)
	if cl != nil {
		param, body = e.text(cl.Params[0].Pattern.Where()), cl.Body
		for {
			p, ok := body.(*syntax.ParenExpr)
			if !ok {
				break
			}
			body = p.X
		}
	}
	by := func(name, key string) string { return "." + name + "(|" + param + "| " + key + ")" }
	few, said := "", func(text string) string { return text }
	if name == "top_k" && len(c.x.TypeArgs) == 1 && c.x.TypeArgs[0].Size != nil {
		few, name = ".take("+e.text(c.x.TypeArgs[0].Size.Where())+")", "sort_desc"
		said = func(text string) string { return e.instead(c.x.Span, text) }
	}
	if tuple, ok := body.(*syntax.TupleExpr); ok {
		for _, part := range slices.Backward(tuple.Elems) {
			text += by(name, e.text(part.Where()))
		}
		return said(text + few)
	}
	value := param
	if body != nil {
		value = e.operand(body)
	}
	switch {
	case t.Kind == graph.Option && t.Elem().IsScalar() && e.isGroup(c.x.Receiver):
		return e.text(diag.Span{Start: c.x.Name.Span.Start, End: cl.Span.Start}) + "|" + param + "| " + value + ".or(" + zeroText(t.Elem()) + "))"
	case t.Kind == graph.Option && t.Elem().IsScalar():
		return said(text + by(name, value+".or("+zeroText(t.Elem())+")") + by("sort", value+".is_none()") + few)
	case t.Kind == graph.Tuple:
		for i, f := range t.Elems {
			if f.IsScalar() {
				return said(text + by(name, value+"."+t.FieldName(i)) + few)
			}
		}
	}
	return c.x.Name.Text + "(|e| …)"
}

// isGroup reports an expression that gives groups.
func (e *elab) isGroup(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.MethodCall:
		return x.Name.Text == "group_by"
	case *syntax.NameExpr:
		v := e.lookup(x.Path[0].Text)
		return v != nil && v.typ == groupType
	}
	return false
}
