package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// reshapeMethods move elements without looking at them.
func reshapeMethods() map[string]method {
	return map[string]method{
		"window":    {sizes: 1, need: true, run: (*elab).window},
		"chunk":     {sizes: 1, need: true, run: (*elab).chunk},
		"take":      {max: 1, sizes: 1, run: (*elab).take},
		"reverse":   {run: (*elab).reverse},
		"transpose": {run: (*elab).transposeMethod},
		"flatten":   {run: (*elab).flatten},
		"reshape":   {sizes: maxDims, run: (*elab).reshape},
	}
}

// window is the W elements from each place on.
func (e *elab) window(c *methodUse) *graph.Node {
	w, n, at := c.sizes[0], c.recv.Type.Size, c.at()
	if hasDynamicSize(n) && e.proves(w.AddConst(-1)) && !e.proves(n.Sub(w)) {
		return e.windowsIfAny(c, w, n)
	}
	if !e.proves(w.AddConst(-1)) || !e.proves(n.Sub(w)) {
		e.errorf(at, "B08", "the window may be larger than the array").Note("1 <= %s <= %s is not known", w, n).
			Help("%s", declare("declare it", n.String()+" >= "+w.String(), "make the windows before the filter: x.window::<"+w.String()+">().filter(|w| …)", n, w))
		return nil
	}
	return e.tabulate(at, n.Sub(w).AddConst(1), func(i *graph.Node) *graph.Node {
		return e.tabulate(at, w, func(j *graph.Node) *graph.Node {
			return e.at(c.recv, e.indexArith(num.Add, n, at, i, j), at)
		})
	})
}

// windowsIfAny are the windows of an array whose size is known only at run time: none, if it
// has fewer elements than a window.
func (e *elab) windowsIfAny(c *methodUse, w, n size.Poly) *graph.Node {
	at := c.at()
	starts := e.tabulate(at, n, func(i *graph.Node) *graph.Node { return i })
	count := e.arith(num.Add, at, e.arith(num.Sub, at, e.sizeVal(n, at), e.sizeVal(w, at)), e.int(num.I64, 1, at))
	some := e.limit(&methodUse{x: c.x, recv: starts}, count, n)
	return e.mapEach(at, some, func(i *graph.Node) *graph.Node {
		return e.tabulate(at, w, func(j *graph.Node) *graph.Node {
			return e.at(c.recv, e.indexArith(num.Add, n, at, i, j), at)
		})
	})
}

// chunk is the elements by W.
func (e *elab) chunk(c *methodUse) *graph.Node {
	n, at := c.recv.Type.Size, c.at()
	w, ok := c.sizes[0].Const()
	if !ok || w < 1 {
		e.errorf(at, "B08", "the length of a chunk is a number").Note("found %s, expected at least 1", c.sizes[0]).Help("chunk::<8>()")
		return nil
	}
	return e.tabulate(at, size.Div(n, w), func(i *graph.Node) *graph.Node {
		start := e.indexArith(num.Mul, n, at, i, e.int(num.I64, w, at))
		return e.tabulate(at, c.sizes[0], func(j *graph.Node) *graph.Node {
			return e.at(c.recv, e.indexArith(num.Add, n, at, start, j), at)
		})
	})
}

func (e *elab) take(c *methodUse) *graph.Node {
	at, n := c.at(), c.recv.Type.Size
	if len(c.sizes)+len(c.x.Args) != 1 {
		e.errorf(c.x.Name.Span, "T08", "`take` takes one number").Note("found %d", len(c.sizes)+len(c.x.Args)).Help("take::<8>() or take(n)")
		return nil
	}
	if len(c.sizes) == 0 {
		return e.takeSome(c)
	}
	k := c.sizes[0]
	if e.proves(n.Sub(k)) {
		return e.tabulate(at, k, func(i *graph.Node) *graph.Node { return e.at(c.recv, i, at) })
	}
	return e.limit(c, e.sizeVal(k, at), k, n)
}

// takeSome is take(n) of a number known only at run time.
func (e *elab) takeSome(c *methodUse) *graph.Node {
	if r, ok := rangeOf(c.x.Args[0]); ok {
		lo, hi := e.operand(r.Lo), e.operand(r.Hi)
		e.errorf(r.Span, "T05", "`take` takes how many").Note("found a range").
			Help("%s", e.instead(c.x.Span, e.operand(c.x.Receiver)+".enumerate().filter(|(i, _)| i >= "+lo+" && i < "+hi+").map(|(_, e)| e)"))
		return nil
	}
	count := e.expr(c.x.Args[0], nil)
	if count == nil {
		return nil
	}
	if !types.IsInt(count.Type) {
		e.errorf(c.x.Args[0].Where(), "T05", "this has the wrong type").Note("expected an integer, found %s", count.Type).
			Help("%s as i64", e.operand(c.x.Args[0]))
		return nil
	}
	size := c.recv.Type.Size
	if p, ok := e.boundsOf(count).exact(); ok && e.proves(p) {
		return e.limit(c, e.as64(graph.Clamp, count, size, c.at()), p, size)
	}
	return e.limit(c, e.as64(graph.Clamp, count, size, c.at()), size)
}

func (e *elab) limit(c *methodUse, count *graph.Node, bounds ...size.Poly) *graph.Node {
	name := e.newSize(bounds...)
	r := e.add(graph.Limit, graph.ArrayOf(c.recv.Type.Elem(), size.Var(name)), c.at(), c.recv, count)
	r.Defines = name
	return r
}

func (e *elab) reverse(c *methodUse) *graph.Node {
	n, at := c.recv.Type.Size, c.at()
	return e.tabulate(at, n, func(i *graph.Node) *graph.Node {
		return e.at(c.recv, e.indexArith(num.Sub, n, at, e.sizeVal(n.AddConst(-1), at), i), at)
	})
}

func (e *elab) transposeMethod(c *methodUse) *graph.Node {
	if !e.matrix(c, c.recv) {
		return nil
	}
	return e.transpose(c, c.recv)
}

func (e *elab) matrix(c *methodUse, x *graph.Node) bool {
	if x.Type.Elem().Kind == graph.Array {
		return true
	}
	m := e.errorf(c.at(), "T29", "`%s` needs an array of arrays", c.x.Name.Text).Note("found %s", x.Type)
	if x.Type.Kind == graph.Array && x.Type.Elem().Kind == graph.Option {
		m.Help("%s%s", e.operand(c.x.Receiver), e.withoutNone(x.Type.Elem()))
	} else {
		m.Help("x: &[f32; N, M]")
	}
	return false
}

// transpose turns [T; N, M] into [T; M, N].
func (e *elab) transpose(c *methodUse, x *graph.Node) *graph.Node {
	at := c.at()
	return e.tabulate(at, x.Type.Elem().Size, func(j *graph.Node) *graph.Node {
		return e.tabulate(at, x.Type.Size, func(i *graph.Node) *graph.Node {
			return e.at(e.at(x, i, at), j, at)
		})
	})
}

// concat is concat(x, y).
func (e *elab) concat(x *syntax.Call, want *graph.Type) *graph.Node {
	if !e.argCount(x.Span, x.Span, "concat", x.Args, 2, 2) {
		return nil
	}
	var hint *graph.Type
	if w := elemWant(want); w != nil {
		hint = graph.ArrayOf(w, types.Open)
	}
	a := e.dense(e.expr(x.Args[0], hint))
	if a != nil && hint == nil {
		hint = openTexts(a.Type)
	}
	b := e.dense(e.expr(x.Args[1], hint))
	if a == nil || b == nil {
		return nil
	}
	for i, n := range [2]*graph.Node{a, b} {
		if n.Type.Kind != graph.Array {
			e.errorf(x.Args[i].Where(), "T29", "`concat` takes two arrays").Note("found %s", n.Type).Help("concat(%s, [%s])", e.text(x.Args[0].Where()), e.text(x.Args[1].Where()))
			return nil
		}
	}
	a, b = e.meetBoth(a, b, x.Span)
	elem := a.Type.Elem()
	b = e.coerce(b, graph.ArrayOf(elem, b.Type.Size), x.Args[1].Where())
	if b == nil {
		return nil
	}
	n, m, at := a.Type.Size, b.Type.Size, x.Span
	if !types.Small(n.Add(m)) {
		e.errorf(at, "T27", "this size is too large or too complicated").Note("found %s", n.Add(m)).Help("give the array a size of its own")
		return nil
	}
	return e.tabulate(at, n.Add(m), func(i *graph.Node) *graph.Node {
		count := e.sizeVal(n, at)
		return e.choose(at, e.arith(num.Lt, at, i, count),
			func() *graph.Node { return e.at(a, e.clamped(i, n, at), at) },
			func() *graph.Node { return e.at(b, e.clamped(e.arith(num.Sub, at, i, count), m, at), at) })
	})
}
