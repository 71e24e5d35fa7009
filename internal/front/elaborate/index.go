package elaborate

import (
	"math"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// index is x[i].
func (e *elab) index(x *syntax.Index) *graph.Node {
	v := e.dense(e.expr(x.X, nil))
	if v == nil {
		e.expr(x.I, nil)
		return nil
	}
	i := e.indexInto(x, v)
	if i == nil {
		return nil
	}
	return e.at(v, i, x.Span)
}

// indexInto is the index i of x[i], shown to be in bounds of v, the value of x.
func (e *elab) indexInto(x *syntax.Index, v *graph.Node) *graph.Node {
	if v.Type.Kind != graph.Array {
		m := e.errorf(x.Span, "T29", "only an array can be indexed").Note("found %s", v.Type)
		if types.IsSort(v.Type, meaning.Text) {
			m.Help("%s", noCut)
			return nil
		}
		if v.Type.Kind == graph.Tuple && v.Type.Name == "" {
			m.Help("%s.0", e.operand(x.X))
		}
		return nil
	}
	e.indexing = ""
	if _, isLit := x.I.(*syntax.IntLit); isLit && !e.target {
		e.indexing = e.operand(x.X)
	}
	i := e.expr(x.I, graph.IndexOf(v.Type.Size))
	e.indexing = ""
	if i == nil {
		return nil
	}
	if i.Type.Kind == graph.Array {
		e.errorf(x.I.Where(), "B05", "an index is one number").Note("found %s", i.Type).Help("%s.gather(%s)", e.operand(x.X), e.text(x.I.Where()))
		return nil
	}
	if !types.IsInt(i.Type) {
		m := e.errorf(x.I.Where(), "B05", "an index is an integer").Note("found %s", i.Type)
		if types.IsFloat(i.Type) {
			m.Help("%s[(%s as i64).clamp_idx()]", e.operand(x.X), e.text(x.I.Where()))
		}
		if i.Type.Kind == graph.Tuple && i.Type.Name == "" {
			m.Help("%s", e.eachField(x, v.Type, i.Type))
		}
		if i.Type.Kind == graph.Option && types.IsInt(i.Type.Elem()) {
			m.Help("%s.map(|i| %s[i])", e.operand(x.I), e.operand(x.X))
		}
		return nil
	}
	return e.below0(i, v.Type.Size, x)
}

// eachField is x[t.0][t.1] for an index t that is a tuple, as deep as x goes.
func (e *elab) eachField(x *syntax.Index, t, tuple *graph.Type) string {
	text := e.operand(x.X)
	for k := 0; k < len(tuple.Elems) && t.Kind == graph.Array; k++ {
		text += "[" + e.parenthesized(x.I.Where()) + "." + itoa(k) + "]"
		t = t.Elem()
	}
	return text
}

// below0 makes i an index that At takes, or says what to write instead.
func (e *elab) below0(i *graph.Node, n size.Poly, x *syntax.Index) *graph.Node {
	if i.Type.Kind == graph.Index && e.proves(n.Sub(i.Type.Bound)) {
		return i
	}
	if e.inRange(i, n) {
		return e.toIndex(i, n, x.I.Where())
	}
	e.beyondSize(n)
	array, at := e.operand(x.X), e.text(x.I.Where())
	if b := e.boundsOf(i); b.lo == b.hi && b.declared {
		m := e.errorf(x.I.Where(), "B04", "the index %d may be out of bounds", b.lo).Note("%s has %s elements, from 0 on", array, n)
		if b.lo < 0 {
			m.Help("the last element is %s[%s]", array, n.AddConst(-1))
		} else {
			m.Help("%s", largerHelp(n, itoa(b.lo), array+".get("+at+").or(…)"))
		}
		return nil
	}
	if i.Type.Kind == graph.Index {
		write := array + "[" + e.parenthesized(x.I.Where()) + ".clamp_idx()]"
		if !e.target {
			write = array + ".get(" + at + ").or(…)\n" + write
		}
		e.foreignIndex(i.Type, n, x.I.Where()).Help("%s", orderHelp(i.Type.Bound, n, write))
		return nil
	}
	if name, ok := n.IsVar(); ok && e.groups[name] {
		e.errorf(x.I.Where(), "B02", "this index is not shown to be in bounds").
			Note("%s has an element for each group, in the order in which their keys appear", array).
			Help("find a group by its key: `let g = ROWS.group_by(|r| KEY); let by = g.keys().index_by(|k| k);`, and then `by.get(KEY).map(|i| %s[i]).or(…)`; or have a group for each number, as in `ROWS.group_by::<12>(|r| r.date.month() - 1)`", array)
		return nil
	}
	help := ""
	if writable(n) {
		help = "test it, as in `if " + e.test(i, n, at) + " { … }`, give it the type idx<" + n.String() + "> where it comes from, or "
	}
	help += "choose one of\n"
	if !e.target {
		help += array + ".get(" + at + ").or(…)\n"
	}
	in := array + "[" + e.parenthesized(x.I.Where())
	e.errorf(x.I.Where(), "B02", "this index is not shown to be in bounds").
		Note("expected %s, found %s", indexText(n, array), e.describe(i)).
		Help("%s", help+in+".clamp_idx()]\n"+in+".wrap_idx()]")
	return nil
}

// describe says what is known of an integer.
func (e *elab) describe(n *graph.Node) string {
	b := e.boundsOf(n)
	nat := natural(n.Type.KindOf())
	text := e.g.Declared(n.Type)
	if len(b.his) > 0 {
		text += ", at most " + e.g.Declarer().Size(b.his[0])
	} else if b.hi < nat.hi && b.hi < tooLargeToSay {
		text += ", at most " + itoa(b.hi)
	}
	if !e.notNegativeHere(n) {
		text += ", maybe negative"
	}
	return text
}

// tooLargeToSay is a bound that nobody wrote: it comes from the limit of all sizes.
const tooLargeToSay = graph.MaxSize / 8

// notNegativeHere reports that an integer is at least 0 by its bounds or by the conditions around.
func (e *elab) notNegativeHere(n *graph.Node) bool {
	e.prover.Known = e.cur.known
	return e.notNegative(e.boundsOf(n)) || e.shows(e.form(n))
}

// test is the condition under which i is shown to be in bounds, as far as it is not known.
func (e *elab) test(i *graph.Node, n size.Poly, text string) string {
	low, high := e.notNegativeHere(i), e.below(e.boundsOf(i), n) || e.shows(n.AddConst(-1).Sub(e.form(i)))
	switch {
	case low:
		return text + " < " + n.String()
	case high:
		return text + " >= 0"
	}
	return text + " >= 0 && " + text + " < " + n.String()
}

// toRange brings an integer into 0..bound by Clamp, Wrap or Check. A check
// faults outside of the range; all three fault when the range is empty. What is
// shown to be in range stays as it is.
func (e *elab) toRange(op graph.Op, n *graph.Node, bound size.Poly, at diag.Span) *graph.Node {
	if e.inRange(n, bound) {
		return e.toIndex(n, bound, at)
	}
	n = e.as64(op, n, bound, at)
	r := e.add(op, graph.IndexOf(bound), at, n)
	r.Poly, r.HasPoly = bound, true
	switch {
	case op == graph.Check:
		e.mayFault(r, graph.OutOfRange, "key outside 0.."+bound.String())
	case !e.proves(bound.AddConst(-1)):
		e.mayFault(r, graph.OutOfRange, "index into nothing")
	}
	return r
}

// as64 converts an integer to i64 for toRange. A u64 that does not fit must
// stay large for a clamp, keep its remainder for a wrap, and fail a check.
func (e *elab) as64(op graph.Op, n *graph.Node, bound size.Poly, at diag.Span) *graph.Node {
	if n.Type.KindOf() != num.U64 || e.boundsOf(n).hi < math.MaxInt64 {
		return e.toI64(n)
	}
	switch op {
	case graph.Clamp:
		n = e.arith(num.Min, at, n, e.bits(num.U64, math.MaxInt64, at))
	case graph.Wrap:
		n = e.arith(num.Rem, at, n, e.cast(types.Scalars[num.U64], e.sizeVal(bound, at), at))
	}
	return e.cast(graph.I64Type, n, at)
}

// indexMethods turn integers into indices.
func indexMethods() map[string]method {
	return map[string]method{
		"clamp_idx": {sizes: 1, run: func(e *elab, c *methodUse) *graph.Node { return e.intoIndex(c, graph.Clamp) }},
		"wrap_idx":  {sizes: 1, run: func(e *elab, c *methodUse) *graph.Node { return e.intoIndex(c, graph.Wrap) }},
	}
}

func (e *elab) intoIndex(c *methodUse, op graph.Op) *graph.Node {
	if !types.IsInt(c.recv.Type) {
		e.errorf(c.at(), "B05", "an index is an integer").Note("found %s", c.recv.Type).Help("(%s as i64).%s()", e.operand(c.x.Receiver), c.x.Name.Text)
		return nil
	}
	switch {
	case len(c.sizes) == 1:
		return e.toRange(op, c.recv, c.sizes[0], c.at())
	case c.want != nil && c.want.Kind == graph.Index && !types.IsOpen(c.want.Bound):
		return e.toRange(op, c.recv, c.want.Bound, c.at())
	}
	e.errorf(c.x.Name.Span, "T11", "which size this index is for is not known").Note("expected ::<N>").
		Help("%s.%s::<%s>()", e.operand(c.x.Receiver), c.x.Name.Text, e.someSize())
	return nil
}

// getMethod is x.get(i): an Option.
func (e *elab) getMethod(c *methodUse) *graph.Node {
	i := e.expr(c.x.Args[0], nil)
	if i == nil {
		return nil
	}
	if !types.IsInt(i.Type) {
		e.errorf(c.x.Args[0].Where(), "B05", "an index is an integer").Note("found %s", i.Type).Help("%s as i64", e.operand(c.x.Args[0]))
		return nil
	}
	x, n := c.recv, c.recv.Type.Size
	if hasDynamicArray(x.Type.Elem()) {
		e.runtimeElement(x.Type.Elem(), c.at())
		return nil
	}
	if e.inRange(i, n) {
		return e.add(graph.Some, graph.OptionOf(x.Type.Elem()), c.at(), e.at(x, e.toIndex(i, n, c.at()), c.at()))
	}
	i = e.cast(graph.I64Type, i, c.at()) // a u64 that does not fit turns negative
	low := e.arith(num.Ge, c.at(), i, e.int(num.I64, 0, c.at()))
	inside := e.arith(num.And, c.at(), low, e.arith(num.Lt, c.at(), i, e.sizeVal(n, c.at())))
	return e.choose(c.at(), inside,
		func() *graph.Node {
			return e.add(graph.Some, graph.OptionOf(x.Type.Elem()), c.at(), e.at(x, e.clamped(i, n, c.at()), c.at()))
		},
		func() *graph.Node { return e.add(graph.Nothing, graph.OptionOf(x.Type.Elem()), c.at()) })
}

// clamped is an index that a condition around it shows to be in range.
func (e *elab) clamped(i *graph.Node, n size.Poly, at diag.Span) *graph.Node {
	r := e.add(graph.Clamp, graph.IndexOf(n), at, i)
	r.Poly, r.HasPoly = n, true
	return r
}

// gather is x.gather(indices).
func (e *elab) gather(c *methodUse) *graph.Node {
	i := e.indices(c.x.Args[0], c.recv.Type.Size)
	if i == nil || !e.indicesFor(c, i, c.recv.Type.Size) {
		return nil
	}
	return e.mapEach(c.at(), i, func(v *graph.Node) *graph.Node { return e.at(c.recv, v, c.at()) })
}

// indicesFor checks an array of indices into n elements.
func (e *elab) indicesFor(c *methodUse, i *graph.Node, n size.Poly) bool {
	at := c.x.Args[0].Where()
	switch {
	case i.Type.Kind != graph.Array || !types.IsInt(i.Type.Elem()):
		e.errorf(at, "B05", "`%s` takes an array of indices", c.x.Name.Text).Note("expected [idx<%s>; M], found %s", n, i.Type).
			Help("%s.map(|i| (i as i64).clamp_idx::<%s>())", e.operand(c.x.Args[0]), n)
	case i.Type.Elem().Kind != graph.Index:
		e.errorf(at, "B02", "these indices are not shown to be in bounds").Note("expected [idx<%s>; M], found %s", n, i.Type).
			Help("give them the type idx<%s> where they come from, or choose one of\n%s.map(|i| i.clamp_idx::<%s>())\n%s.map(|i| i.wrap_idx::<%s>())", n, e.operand(c.x.Args[0]), n, e.operand(c.x.Args[0]), n)
	case !e.proves(n.Sub(i.Type.Elem().Bound)):
		e.errorf(at, "B06", "these indices belong to another size").Note("expected idx<%s>, found %s", n, i.Type.Elem()).
			Help("%s", declare("declare it", i.Type.Elem().Bound.String()+" <= "+n.String(), e.operand(c.x.Args[0])+".map(|i| (i as i64).clamp_idx())", i.Type.Elem().Bound, n))
	default:
		return true
	}
	return false
}
