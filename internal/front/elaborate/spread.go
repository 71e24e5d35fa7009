package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: numbers, or groups of rows with a number for each. Out: how far they are from their mean, by the names of SQL. Every number is an f64
// before anything is added or taken off, so that no sum of integers overflows. There are two passes: a mean, and then the sum of the squares of
// what each number differs from it. Taking the square of a mean off a mean of squares would lose all digits where values are large and close
// together. The mean is rounded; by how much, the sum of the differences says, which would be 0 else, and that is taken off.
// The passes are folds like those of mean and sum, and run where those do: on all threads, and on the nodes that have the rows.

// spread is one of the four.
type spread struct{ sample, root bool }

var spreads = map[string]spread{
	"var_pop": {}, "var_samp": {sample: true}, "stddev_pop": {root: true}, "stddev_samp": {sample: true, root: true},
}

// spreadTable has the four for arrays, or for groups.
func spreadTable(run func(e *elab, c *methodUse, s spread) *graph.Node) map[string]method {
	table := map[string]method{}
	for name, s := range spreads {
		table[name] = method{max: 1, masked: true, run: func(e *elab, c *methodUse) *graph.Node { return run(e, c, s) }}
	}
	return table
}

// spreadOf is that of an array.
func (e *elab) spreadOf(c *methodUse, s spread) *graph.Node {
	x := e.presentValues(c)
	if x == nil {
		return nil
	}
	at := c.at()
	floats := e.mapEach(at, x, func(v *graph.Node) *graph.Node { return e.inFloats(c, v, valueSpan(c)) })
	if floats == nil {
		return nil
	}
	n := e.elements(floats, at)
	mean := e.divide(e.sum(floats, at), n, at)
	off := e.mapEach(at, floats, func(v *graph.Node) *graph.Node { return e.each2(num.Sub, v, mean, at) })
	squares := e.sum(e.mapEach(at, off, func(v *graph.Node) *graph.Node { return e.each2(num.Mul, v, v, at) }), at)
	return e.spreadFrom(squares, e.sum(off, at), n, s, at)
}

// groupSpread is that of each group.
func (e *elab) groupSpread(c *methodUse, s spread) *graph.Node {
	value, n := e.groupValue(c), e.fixGroup(c.recv)
	if value == nil || n == nil {
		return nil
	}
	at := c.at()
	g, value, _ := e.presentIn(e.of(n).group, at, value)
	fold := func(of func(key, v *graph.Node) *graph.Node) *graph.Node {
		return e.keyed(graph.SumOf, g.groups, g.x, at, func(v *graph.Node) (*graph.Node, *graph.Node) {
			key, elem := g.split(v)
			if key == nil || elem == nil {
				return nil, nil
			}
			if v = e.inFloats(c, value(elem), valueSpan(c)); v == nil {
				return key, nil
			}
			return key, of(key, v)
		})
	}
	sums := fold(func(_, v *graph.Node) *graph.Node { return v })
	counts := e.ones(g, at)
	if sums == nil || counts == nil {
		return nil
	}
	means := e.mapOver(at, []*graph.Node{sums, counts}, func(_ *graph.Node, v []*graph.Node) *graph.Node { return e.divide(v[0], v[1], at) })
	off := func(key, v *graph.Node) *graph.Node { return e.each2(num.Sub, v, e.at(means, key, at), at) }
	squares := fold(func(key, v *graph.Node) *graph.Node {
		d := off(key, v)
		return e.each2(num.Mul, d, d, at)
	})
	return e.mapOver(at, []*graph.Node{squares, fold(off), counts}, func(_ *graph.Node, v []*graph.Node) *graph.Node { return e.spreadFrom(v[0], v[1], v[2], s, at) })
}

// valueSpan is where the number of an element stands.
func valueSpan(c *methodUse) diag.Span {
	if cl, ok := lastClosure(c.x); ok {
		return bodyValue(cl.Body)
	}
	return c.at()
}

// inFloats is a number as an f64, or an array of them.
func (e *elab) inFloats(c *methodUse, v *graph.Node, at diag.Span) *graph.Node {
	if v == nil || v.Type.Kind != graph.Array {
		return e.inF64(c, v, at)
	}
	return e.mapEach(at, v, func(v *graph.Node) *graph.Node { return e.inFloats(c, v, at) })
}

// each2 is an operation on two numbers, or on two arrays element by element.
func (e *elab) each2(op num.Op, a, b *graph.Node, at diag.Span) *graph.Node {
	if a.Type.Kind == graph.Array {
		return e.mapOver(at, []*graph.Node{a, b}, func(_ *graph.Node, v []*graph.Node) *graph.Node { return e.each2(op, v[0], v[1], at) })
	}
	return e.arith(op, at, a, b)
}

// spreadFrom makes what is asked for of the sum of the squares of n differences and the sum of these, or of arrays of such. Of nothing, and of
// a sample of one, it is 0/0.
func (e *elab) spreadFrom(squares, rest, n *graph.Node, s spread, at diag.Span) *graph.Node {
	if squares.Type.Kind == graph.Array {
		return e.mapOver(at, []*graph.Node{squares, rest}, func(_ *graph.Node, v []*graph.Node) *graph.Node { return e.spreadFrom(v[0], v[1], n, s, at) })
	}
	t := types.Scalars[num.F64]
	much := e.arith(num.Div, at, e.arith(num.Mul, at, rest, rest), e.cast(t, n, at))
	r := e.arith(num.Max, at, e.arith(num.Sub, at, squares, much), e.float(num.F64, 0, at))
	if s.sample {
		n = e.arith(num.Max, at, e.arith(num.Sub, at, n, e.int(num.I64, 1, at)), e.int(num.I64, 0, at))
	}
	if r = e.arith(num.Div, at, r, e.cast(t, n, at)); s.root {
		r = e.arith(num.Sqrt, at, r)
	}
	return r
}
