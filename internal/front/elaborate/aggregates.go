package elaborate

import (
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a group. Out: what is asked of each group beyond the keyed folds: its key, its first and last row, how many different values
// it has, quantiles; and agg, which asks several things at once.

// oneGroup is a group in the closure of agg: what is folded there is folded for all groups, outside of the closure, and the
// closure has the element of its own.
type oneGroup struct {
	scope *scope
	vars  int // so many variables can be seen from outside
	j     *graph.Node
	agg   *syntax.MethodCall
}

// agg is g.agg(|g| …): the closure's value for each group.
func (e *elab) agg(c *methodUse) *graph.Node {
	cl := e.closureArg(c, 0, 1)
	if cl == nil {
		return nil
	}
	n := e.fixGroup(c.recv)
	if n == nil {
		return nil
	}
	g, scope, vars := e.of(n).group, e.cur, len(e.vars)
	of := func(j *graph.Node) *graph.Node {
		one := *g
		one.one = &oneGroup{scope, vars, j, c.x}
		return e.element(e.applyClosure(cl, elemWant(c.want), e.newGroup(&one, c.at())), bodyValue(cl.Body))
	}
	if g.there != nil {
		return e.mapEach(c.at(), g.there, of)
	}
	return e.tabulate(c.at(), g.groups, of)
}

// ofOneGroup is an operation on the group of agg's closure. Its own closures do not see what the closure of agg has computed, which
// there is only once all groups are folded.
func (e *elab) ofOneGroup(m method, c *methodUse) *graph.Node {
	g := e.of(c.recv).group
	if c.x.Name.Text == "top_k" {
		e.errorf(c.x.Name.Span, "N06", "`top_k` gives rows, and has no value for one group").Note("`agg` takes one value for each").Help("write it after group_by, without agg")
		return nil
	}
	all, vars := *g, e.vars
	all.one, all.there = nil, nil
	e.vars = slices.Clone(vars)
	for i := g.one.vars; i < len(e.vars); i++ {
		e.vars[i].late = true
	}
	var n *graph.Node
	e.inScope(g.one.scope, func() {
		inner := *c
		inner.recv, inner.want = e.newGroup(&all, c.at()), nil
		if c.x.Name.Text == "key" {
			n = e.groupKeys(&inner)
		} else {
			n = e.dense(m.run(e, &inner))
		}
	})
	e.vars = vars
	if n == nil {
		return nil
	}
	return e.at(n, g.one.j, c.at())
}

// tooLate explains that what the closure of agg computes is not there yet where groups are folded.
func (e *elab) tooLate(v *variable, at diag.Span) {
	own := v.name
	if v.typ == groupType {
		own += ".count()"
	}
	if t := e.givenInTurns(v.span); t != nil && v.typ != groupType {
		e.errorf(at, "N13", "`%s` is not there yet", v.name).Note("what `agg` asks of groups is computed once for each group, before `%s` has a value", v.name).
			Help("%s", e.writtenOut(t, v.name))
		return
	}
	m := e.errorf(at, "N13", "`%s` is not there yet", v.name).Note("it belongs to one group; what `agg` asks of groups is computed for all of them before")
	if help := e.secondPass(v.name, at); help != "" {
		m.Help("%s", help)
		return
	}
	m.Help("ask first, and compute with the answers:\nlet total = g.sum(…);\ntotal * %s", own)
}

// groupKeys are the keys of all groups.
func (e *elab) groupKeys(c *methodUse) *graph.Node {
	g := e.of(c.recv).group
	if g.keys != nil {
		return g.keys
	}
	return e.tabulate(c.at(), g.groups, func(i *graph.Node) *graph.Node {
		if g.keyed == nil {
			return i
		}
		return e.retype(g.keyed, i, c.at())
	})
}

// groupKey has no meaning but in agg.
func (e *elab) groupKey(c *methodUse) *graph.Node {
	e.errorf(c.x.Name.Span, "N06", "`key` is that of one group, in the closure of `agg`").Note("here are all groups").
		Help("%s.keys()", e.operand(c.x.Receiver))
	return nil
}

// groupEnd is the first row of each group, by MinOf, or the last, by MaxOf. A group that may be empty has an Option.
func (e *elab) groupEnd(c *methodUse, m graph.Monoid) *graph.Node {
	n := e.fixGroup(c.recv)
	if n == nil {
		return nil
	}
	g, at := e.of(n).group, c.at()
	x := e.dense(g.x)
	row := func(i *graph.Node) *graph.Node {
		_, elem := g.split(e.at(x, i, at))
		return elem
	}
	if g.firsts != nil && m == graph.MinOf {
		return e.mapEach(at, g.firsts, row)
	}
	rows := e.mapOver(at, []*graph.Node{x}, func(i *graph.Node, v []*graph.Node) *graph.Node { return e.tuple(at, v[0], i) })
	ends := e.keyed(m, g.groups, rows, at, func(v *graph.Node) (*graph.Node, *graph.Node) {
		key, _ := g.split(e.get(v, 0, at))
		return key, e.toI64(e.get(v, 1, at))
	})
	if ends == nil {
		return nil
	}
	return e.mapEach(at, ends, func(i *graph.Node) *graph.Node {
		there := func() *graph.Node { return row(e.toRange(graph.Clamp, i, x.Type.Size, at)) }
		if g.firsts != nil {
			return there()
		}
		var elem *graph.Type
		e.inBlock(func() { elem = there().Type })
		none := e.int(num.I64, 0, at)
		some := e.arith(num.Ge, at, i, none)
		if m == graph.MinOf {
			some = e.arith(num.Lt, at, i, e.sizeVal(x.Type.Size, at))
		}
		end := e.choose(at, some, func() *graph.Node { return e.add(graph.Some, graph.OptionOf(elem), at, there()) },
			func() *graph.Node { return e.add(graph.Nothing, graph.OptionOf(elem), at) })
		if g.full { // those without rows are not seen, but are among all groups: what they have is no fault
			return e.add(graph.Unwrap, elem, at, end)
		}
		return end
	})
}

// groupDistinct counts the different values of each group.
func (e *elab) groupDistinct(c *methodUse) *graph.Node {
	value := e.groupValue(c)
	n := e.fixGroup(c.recv)
	if value == nil || n == nil {
		return nil
	}
	g, at := e.of(n).group, c.at()
	x := e.dense(g.x)
	p := e.keyPieces(x, at, nil, func(v *graph.Node) *graph.Node {
		key, elem := g.split(v)
		of := value(elem)
		if key == nil || of == nil {
			return nil
		}
		return e.tuple(at, key, of)
	})
	if p == nil || !e.oneLeaf(g.groups, x, at) {
		return nil
	}
	k := e.numberPieces(p, at)
	if k == nil {
		return nil
	}
	keys := e.mapEach(at, k.firsts, func(i *graph.Node) *graph.Node {
		key, _ := g.split(e.at(x, i, at))
		return key
	})
	return e.keyed(graph.WrapSum, g.groups, keys, at, func(key *graph.Node) (*graph.Node, *graph.Node) { return key, e.int(num.I64, 1, at) })
}

// quantileOf reads the arguments of quantile and median: where between the least and the greatest value, the closure that gives values, and
// where that stands.
func (e *elab) quantileOf(c *methodUse) (q *graph.Node, value func(v *graph.Node) *graph.Node, at diag.Span) {
	at = c.at()
	rest := 0
	if q = nil; c.x.Name.Text == "quantile" {
		if q, rest = e.value(c.x.Args[0], types.Scalars[num.F64]), 1; q == nil {
			return nil, nil, at
		}
		if q.Type.Kind != graph.Scalar || q.Type.Num != num.F64 {
			e.errorf(c.x.Args[0].Where(), "T29", "`quantile` takes a number from 0.0 to 1.0").Note("found %s", q.Type).Help("0.5")
			return nil, nil, at
		}
	} else {
		q = e.float(num.F64, 0.5, at)
	}
	var cl *syntax.Closure
	if len(c.x.Args) > rest {
		if cl = e.closureArg(c, rest, 1); cl == nil {
			return nil, nil, at
		}
		at = bodyValue(cl.Body)
	}
	return q, func(v *graph.Node) *graph.Node {
		if cl != nil {
			v = e.applyClosure(cl, nil, v)
		}
		return v
	}, at
}

// inF64 is a number as an f64.
func (e *elab) inF64(c *methodUse, v *graph.Node, at diag.Span) *graph.Node {
	if v == nil {
		return nil
	}
	if !types.IsInt(v.Type) && !types.IsFloat(v.Type) || types.IsMeant(v.Type) {
		e.errorf(at, "T29", "`%s` needs numbers", c.x.Name.Text).Note("found %s", v.Type).Help("%s", e.numbersHelp(c, v))
		return nil
	}
	if v.Type.Kind == graph.Index {
		v = e.toI64(v)
	}
	return e.cast(types.Scalars[num.F64], v, at)
}

// numbersHelp is the call with its values made numbers; v is one of them, which is none.
func (e *elab) numbersHelp(c *methodUse, v *graph.Node) string {
	t := v.Type
	if v.Op == graph.Unwrap { // present took out what is there
		t = graph.OptionOf(t)
	}
	p, b, call := "e", "e", c.x.Name.Text
	if cl, ok := lastClosure(c.x); ok {
		p, b = e.text(cl.Params[0].Pattern.Where()), e.operand(cl.Body)
	} else {
		call = e.operand(c.x.Receiver) + "." + call // all of it is marked
		b, t = numberIn(t)
	}
	if types.IsSort(known(t), meaning.Text) {
		return declaredAs(types.Scalars[num.F64])
	}
	number := madeNumber(b, t)
	if number == "" {
		return c.x.Name.Text + "(|e| …)"
	}
	q := ""
	if c.x.Name.Text == "quantile" {
		q = e.text(c.x.Args[0].Where()) + ", "
	}
	return call + "(" + q + "|" + p + "| " + number + ")"
}

// groupQuantile is a quantile of each group.
func (e *elab) groupQuantile(c *methodUse) *graph.Node {
	q, value, where := e.quantileOf(c)
	n := e.fixGroup(c.recv)
	if q == nil || n == nil {
		return nil
	}
	at := c.at()
	g, value, _ := e.presentIn(e.of(n).group, at, value)
	x := e.dense(g.x)
	code := e.mapEach(at, x, func(v *graph.Node) *graph.Node {
		key, _ := g.split(v)
		return e.toI64(key)
	})
	values := e.mapEach(at, x, func(v *graph.Node) *graph.Node {
		_, elem := g.split(v)
		return e.inF64(c, value(elem), where)
	})
	if code == nil || values == nil {
		return nil
	}
	return e.preludeCall(at, preludeItem("group_quantiles"), []*graph.Node{code, e.ones(g, at), values, q})
}

// quantile is that of an array.
func (e *elab) quantile(c *methodUse) *graph.Node {
	q, value, where := e.quantileOf(c)
	if q == nil {
		return nil
	}
	x := c.recv
	if e.givesOption(x, c.at(), value) {
		x, value = e.present(x, c.at(), value)
		x = e.dense(x)
	}
	values := e.mapEach(c.at(), x, func(v *graph.Node) *graph.Node { return e.inF64(c, value(v), where) })
	if values == nil {
		return nil
	}
	return e.preludeCall(c.at(), preludeItem("quantile"), []*graph.Node{values, q})
}

// groupTop is g.top_k::<K>(|e| key): of each group the K elements with the greatest keys, group by group, the greatest first; equals in the
// order of rows. Elements are sorted by their keys, and then by their groups, so that each has a place in its own.
func (e *elab) groupTop(c *methodUse) *graph.Node {
	n := e.fixGroup(c.recv)
	if n == nil {
		return nil
	}
	g, at := e.of(n).group, c.at()
	x := e.dense(g.x)
	rows := e.mapEach(at, x, func(v *graph.Node) *graph.Node {
		key, elem := g.split(v)
		return e.tuple(at, e.toI64(key), elem)
	})
	inner := *c
	inner.recv = e.mapEach(at, rows, func(v *graph.Node) *graph.Node { return e.get(v, 1, at) })
	k := e.sortKey(&inner, true)
	if k == nil {
		return nil
	}
	if most, known := c.sizes[0].Const(); known && 0 < most && most <= mostPlaced && k.plain() && k.parts[0].desc {
		return e.placedTop(g, x, most, at, k.of)
	}
	byKey := e.sortedBy(rows, k, at, func(v *graph.Node) *graph.Node { return k.of(e.get(v, 1, at)) })
	byGroup := e.sorted(byKey, false, at, func(v *graph.Node) *graph.Node { return e.get(v, 0, at) })
	counts := e.ones(g, at)
	starts := e.preludeCall(at, preludeItem("group_starts"), []*graph.Node{counts})
	if starts == nil {
		return nil
	}
	placed := e.mapOver(at, []*graph.Node{byGroup}, func(i *graph.Node, v []*graph.Node) *graph.Node {
		group := e.toRange(graph.Clamp, e.get(v[0], 0, at), g.groups, at)
		return e.tuple(at, e.arith(num.Sub, at, e.toI64(i), e.at(starts, group, at)), e.get(v[0], 1, at))
	})
	kept := e.filtered(placed, at, func(v *graph.Node) *graph.Node {
		return e.arith(num.Lt, at, e.get(v, 0, at), e.sizeVal(c.sizes[0], at))
	})
	return e.mapEach(at, kept, func(v *graph.Node) *graph.Node { return e.get(v, 1, at) })
}

// mostPlaced is how many elements of a group are found by putting each in its place among those before it, which takes no time for what is less
// than them all.
const mostPlaced = 64

// placedTop is groupTop for a few elements of each group, in one walk over the rows.
func (e *elab) placedTop(g *grouping, x *graph.Node, most int64, at diag.Span, value func(v *graph.Node) *graph.Node) *graph.Node {
	codes := e.mapEach(at, x, func(v *graph.Node) *graph.Node {
		key, _ := g.split(v)
		return e.toI64(key)
	})
	rows, elem := g.rows, g.elem
	if rows == nil || rows.Type.Masked {
		rows, elem = x, func(v *graph.Node) *graph.Node {
			_, elem := g.split(v)
			return elem
		}
	}
	keys := e.mapEach(at, rows, func(v *graph.Node) *graph.Node { return e.orderWord(value(elem(v)), at) })
	counts := e.keyed(graph.WrapSum, g.groups, codes, at, func(v *graph.Node) (*graph.Node, *graph.Node) {
		return e.toRange(graph.Clamp, v, g.groups, at), e.int(num.I64, 1, at)
	})
	best := e.preludeCall(at, preludeItem("group_top"), []*graph.Node{codes, keys, counts, e.int(num.I64, most, at)})
	if best == nil {
		return nil
	}
	return e.mapEach(at, best, func(v *graph.Node) *graph.Node {
		i := e.toRange(graph.Clamp, e.arith(num.Sub, at, v, e.int(num.I64, 1, at)), rows.Type.Size, at)
		return elem(e.at(rows, i, at))
	})
}

// orderWord is an i64 that compares as a key of sort does: NaN above all, -0 below +0.
func (e *elab) orderWord(k *graph.Node, at diag.Span) *graph.Node {
	k = e.raw(k, at)
	if !types.IsFloat(k.Type) {
		word := e.cast(graph.I64Type, k, at)
		if k.Type.Num == num.U64 {
			word = e.arith(num.Xor, at, word, e.int(num.I64, math.MinInt64, at))
		}
		return word
	}
	low := int64(1)<<(k.Type.Num.Bits()-1) - 1 // all but the sign, which order turns where it is set
	bits := e.cast(graph.I64Type, e.floatBits(at, k), at)
	negative := e.arith(num.Lt, at, bits, e.int(num.I64, 0, at))
	return e.choose(at, negative, func() *graph.Node { return e.arith(num.Xor, at, bits, e.int(num.I64, low, at)) }, func() *graph.Node { return bits })
}

// sorted is x in the order of its keys, or the other way round; equals keep their order.
func (e *elab) sorted(x *graph.Node, desc bool, at diag.Span, key func(v *graph.Node) *graph.Node) *graph.Node {
	n := e.add(graph.Sort, x.Type, at, x)
	n.Desc = desc
	n.Blocks = []*graph.Block{e.slotBlock(x, func(v *graph.Node) []*graph.Node { return []*graph.Node{key(v)} })}
	return n
}
