package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
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

func (e *elab) sort(c *methodUse, desc bool) *graph.Node {
	k := e.sortKey(c, desc)
	switch {
	case k == nil:
		return nil
	case !k.plain():
		return e.sortedBy(c.recv, k, c.at(), k.of)
	}
	n := e.add(graph.Sort, c.recv.Type, c.at(), c.recv)
	n.Blocks, n.Desc = []*graph.Block{k.block}, k.parts[0].desc
	return n
}

func (e *elab) topK(c *methodUse) *graph.Node {
	k := e.sortKey(c, true)
	switch {
	case k == nil:
		return nil
	case !k.plain() || !k.parts[0].desc:
		return e.topBy(c, k)
	}
	return e.topOf(c.recv, c.sizes[0], c.at(), k.block)
}

// topOf is the first k elements in the order of the keys of a block, the greatest first.
func (e *elab) topOf(x *graph.Node, k size.Poly, at diag.Span, keys *graph.Block) *graph.Node {
	n := e.make(graph.TopK, graph.ArrayOf(x.Type.Elem(), k), at, []*graph.Node{x})
	n.Blocks, n.Poly, n.HasPoly = []*graph.Block{keys}, k, true
	if have := x.Type.Size; !e.proves(have.Sub(k)) {
		n.Defines = e.newSize(k, have)
		n.Type = graph.ArrayOf(x.Type.Elem(), size.Var(n.Defines))
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
	e.errorf(c.x.Name.Span, "T29", "`%s` needs floats", c.x.Name.Text).Note("the elements are %s", t).Help("%s", e.linearHelp(c, t))
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
