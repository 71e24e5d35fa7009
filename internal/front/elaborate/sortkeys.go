package elaborate

import (
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: the key of sort, sort_desc and top_k: a scalar, or an Option, a tuple or a record of such, of which parts may stand in Reverse. Out: its
// parts, the first of which decides, each with its direction. What is missing comes last in either direction. As sorts are stable, elements
// that are sorted by the last part first are in the order of all.

// sortKey gives the key of an element.
type sortKey struct {
	of    func(v *graph.Node) *graph.Node
	block *graph.Block // with the key of each element of the receiver
	parts []keyPart
}

// keyPart is a part of the key, which is given.
type keyPart struct {
	of   func(key *graph.Node, at diag.Span) *graph.Node
	desc bool
}

// plain reports a key of one scalar.
func (k *sortKey) plain() bool { return len(k.parts) == 1 && k.block.Results[0].Type.IsScalar() }

// sortKey elaborates the key of each element of the receiver.
func (e *elab) sortKey(c *methodUse, desc bool) *sortKey {
	k := &sortKey{of: func(v *graph.Node) *graph.Node { return v }}
	at, body := c.x.Name.Span, syntax.Expr(nil)
	if len(c.x.Args) == 1 {
		cl := e.closureArg(c, 0, 1)
		if cl == nil {
			return nil
		}
		at, body = bodyValue(cl.Body), valueExpr(cl.Body)
		e.allowReverse(body)
		k.of = func(v *graph.Node) *graph.Node { return e.applyClosure(cl, nil, v) }
	}
	var key *graph.Node
	k.block = e.slotBlock(c.recv, func(v *graph.Node) []*graph.Node {
		key = k.of(v)
		return []*graph.Node{key}
	})
	if key == nil {
		return nil
	}
	whole := func(n *graph.Node, _ diag.Span) *graph.Node { return n }
	if !k.add(e, key.Type, body, desc, whole) {
		e.errorf(at, "T29", "`%s` cannot sort by this", c.x.Name.Text).Note("found %s", key.Type).
			Help("a key is a number, a date, a time, text or a bool, or an Option, a tuple or a record of such:\n%s(|e| …)", c.x.Name.Text)
		return nil
	}
	return k
}

// add takes in the parts of a value of type t; false for types without an order.
func (k *sortKey) add(e *elab, t *graph.Type, x syntax.Expr, desc bool, of func(*graph.Node, diag.Span) *graph.Node) bool {
	if r := reversed(x); r != nil {
		x, desc = valueExpr(r.Args[0]), !desc
	}
	switch {
	case t.IsScalar():
		k.parts = append(k.parts, keyPart{of, desc})
		return true
	case t.Kind == graph.Option:
		k.parts = append(k.parts, keyPart{func(n *graph.Node, at diag.Span) *graph.Node {
			is := e.add(graph.IsSome, graph.BoolType, at, of(n, at))
			return e.arith(num.Not, at, is)
		}, false})
		return k.addValue(e, t.Elem(), desc, of)
	case t.Kind != graph.Tuple:
		return false
	}
	tuple, _ := x.(*syntax.TupleExpr)
	for i, elem := range t.Elems {
		var part syntax.Expr
		if tuple != nil {
			part = valueExpr(tuple.Elems[i])
		}
		if !k.add(e, elem, part, desc, func(n *graph.Node, at diag.Span) *graph.Node { return e.get(of(n, at), i, at) }) {
			return false
		}
	}
	return true
}

// addValue takes in what an Option has, as words; where it has nothing, all of them are one.
func (k *sortKey) addValue(e *elab, t *graph.Type, desc bool, of func(*graph.Node, diag.Span) *graph.Node) bool {
	inner := &sortKey{}
	if !inner.add(e, t, nil, desc, func(n *graph.Node, _ diag.Span) *graph.Node { return n }) {
		return false
	}
	for _, p := range inner.parts {
		k.parts = append(k.parts, keyPart{func(n *graph.Node, at diag.Span) *graph.Node {
			o := of(n, at)
			return e.choose(at, e.add(graph.IsSome, graph.BoolType, at, o),
				func() *graph.Node { return e.orderWord(p.of(e.add(graph.Unwrap, t, at, o), at), at) },
				func() *graph.Node { return e.int(num.I64, 0, at) })
		}, p.desc})
	}
	return true
}

// sortedBy is x in the order of a key, which is that of an element's value.
func (e *elab) sortedBy(x *graph.Node, k *sortKey, at diag.Span, value func(v *graph.Node) *graph.Node) *graph.Node {
	for _, p := range slices.Backward(k.parts) {
		x = e.sorted(x, p.desc, at, func(v *graph.Node) *graph.Node { return p.of(value(v), at) })
	}
	return x
}

// foremost is a word of which the greatest have the keys that come first: of a key that comes before another it is not less.
func (k *sortKey) foremost(e *elab, key *graph.Node, at diag.Span) *graph.Node {
	word := func(p keyPart) *graph.Node {
		w := e.orderWord(p.of(key, at), at)
		if !p.desc {
			w = e.arith(num.Xor, at, w, e.int(num.I64, -1, at))
		}
		return w
	}
	if len(k.parts) > 1 && k.missing(key.Type) {
		none := k.parts[0].of(key, at)
		return e.choose(at, none, func() *graph.Node { return e.int(num.I64, math.MinInt64, at) }, func() *graph.Node { return word(k.parts[1]) })
	}
	return word(k.parts[0])
}

// missing reports that the first part says whether there is a second.
func (k *sortKey) missing(t *graph.Type) bool {
	for t.Kind == graph.Tuple {
		t = t.Elems[0]
	}
	return t.Kind == graph.Option
}

// topBy is the first K elements in the order of a key of several parts. The word of the Kth, which top_k finds in one pass, leaves few elements
// for the sorts: those that may come before it or are its equals.
func (e *elab) topBy(c *methodUse, k *sortKey) *graph.Node {
	at, x, most := c.at(), c.recv, c.sizes[0]
	words := e.mapEach(at, x, func(v *graph.Node) *graph.Node { return k.foremost(e, k.of(v), at) })
	if words == nil {
		return nil
	}
	best := e.topOf(words, most, at, e.slotBlock(words, func(v *graph.Node) []*graph.Node { return []*graph.Node{v} }))
	least := e.add(graph.Reduce, graph.I64Type, at, best)
	least.Monoid = graph.MinOf
	pairs := e.mapOver(at, []*graph.Node{words, x}, func(_ *graph.Node, v []*graph.Node) *graph.Node { return e.tuple(at, v[0], v[1]) })
	kept := e.dense(e.filtered(pairs, at, func(v *graph.Node) *graph.Node {
		return e.arith(num.Ge, at, e.get(v, 0, at), least)
	}))
	rows := e.mapEach(at, kept, func(v *graph.Node) *graph.Node { return e.get(v, 1, at) })
	rows = e.sortedBy(rows, k, at, k.of)
	if e.proves(x.Type.Size.Sub(most)) {
		return e.tabulate(at, most, func(i *graph.Node) *graph.Node {
			return e.at(rows, e.toRange(graph.Clamp, e.toI64(i), rows.Type.Size, at), at)
		})
	}
	taken := *c
	taken.recv = rows
	return e.limit(&taken, e.sizeVal(most, at), most, rows.Type.Size)
}

// reversed is the call of Reverse that an expression is; nil for others.
func reversed(x syntax.Expr) *syntax.Call {
	if call, ok := x.(*syntax.Call); ok && len(call.Func.Path) == 1 && call.Func.Path[0].Text == "Reverse" && len(call.Args) == 1 {
		return call
	}
	return nil
}

// allowReverse lets the parts of a key stand in Reverse.
func (e *elab) allowReverse(x syntax.Expr) {
	if r := reversed(x); r != nil {
		if e.reverses == nil {
			e.reverses = map[*syntax.Call]bool{}
		}
		e.reverses[r] = true
		e.allowReverse(valueExpr(r.Args[0]))
	}
	if t, ok := x.(*syntax.TupleExpr); ok {
		for _, part := range t.Elems {
			e.allowReverse(valueExpr(part))
		}
	}
}

// turned is Reverse(x), which a sort reads from the text of its key: here it is x.
func (e *elab) turned(x *syntax.Call, want *graph.Type) *graph.Node {
	if !e.argCount(x.Span, x.Span, "Reverse", x.Args, 1, 1) {
		return nil
	}
	if !e.reverses[x] {
		e.errorf(x.Span, "T29", "`Reverse` is for the key of a sort").Note("it turns the order of a key, or of a part of it").
			Help("x.sort(|r| (r.a, Reverse(r.b)))")
		return nil
	}
	return e.expr(x.Args[0], want)
}

// valueExpr is what an expression gives, without blocks and parentheses around it.
func valueExpr(x syntax.Expr) syntax.Expr {
	switch v := x.(type) {
	case *syntax.Block:
		if v.Value != nil {
			return valueExpr(v.Value)
		}
	case *syntax.ParenExpr:
		return valueExpr(v.X)
	}
	return x
}
