package elaborate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// grouping is what group_by gives: not a value, but something to fold.
type grouping struct {
	x      *graph.Node // dense or masked
	groups size.Poly
	// split gives the key, an index below groups, and the element for what
	// stands in a slot of x.
	split func(v *graph.Node) (key, elem *graph.Node)
	// fixed says that x holds the keys, so that the group can be used away
	// from where its closure stands.
	fixed bool
	// rows has, in its slots, what elem makes the elements of; nil where x alone has them. Who wants few of them takes them from there, since
	// an array that is read at random is held.
	rows *graph.Node
	elem func(v *graph.Node) *graph.Node
	// keyed is the type of a key that is text or an index; nil for other integers below groups.
	keyed *graph.Type
	// Of groups that nobody knew beforehand: the key of each and its first row; nil for others.
	keys, firsts *graph.Node
	// there has the numbers of the groups that have rows, where others of all groups may have none that nobody wants to see: those of
	// texts that a dictionary has and no row; nil for all groups. Folds are over all groups, and what they give is taken from there.
	there  *graph.Node
	full   bool      // each group that is seen has a row
	one    *oneGroup // inside of agg; nil elsewhere
	lookup *lookup   // it is no group but an index
}

// groupType is the type of nodes that stand for groupings. It belongs to no
// value: such a node is in no block.
var groupType = &graph.Type{Kind: graph.Tuple, Name: "group"}

// keyedMethods sort elements into groups.
func keyedMethods() map[string]method {
	return map[string]method{
		"group_by":     {min: 1, max: 1, sizes: 1, masked: true, run: (*elab).groupBy},
		"distinct":     {max: 1, run: (*elab).distinct},
		"median":       {max: 1, run: (*elab).quantile},
		"quantile":     {min: 1, max: 2, run: (*elab).quantile},
		"histogram":    {max: 1, sizes: 1, masked: true, run: (*elab).histogram},
		"scatter_with": {min: 3, max: 3, run: (*elab).scatter},
	}
}

// groupTable has what a grouping can be folded to.
func groupTable() map[string]method {
	extreme := func(m graph.Monoid) func(*elab, *methodUse) *graph.Node {
		return func(e *elab, c *methodUse) *graph.Node {
			return e.groupFold(c, m, true)
		}
	}
	return merge(spreadTable((*elab).groupSpread), map[string]method{
		"sum":   {max: 1, masked: true, fast: true, run: func(e *elab, c *methodUse) *graph.Node { return e.groupFold(c, graph.SumOf, true) }},
		"mean":  {max: 1, masked: true, run: (*elab).groupMean},
		"count": {max: 1, masked: true, run: (*elab).groupCount},
		"min":   {max: 1, masked: true, run: extreme(graph.MinOf)},
		"max":   {max: 1, masked: true, run: extreme(graph.MaxOf)},

		"keys":           {masked: true, run: (*elab).groupKeys},
		"key":            {masked: true, run: (*elab).groupKey},
		"first":          {masked: true, run: func(e *elab, c *methodUse) *graph.Node { return e.groupEnd(c, graph.MinOf) }},
		"last":           {masked: true, run: func(e *elab, c *methodUse) *graph.Node { return e.groupEnd(c, graph.MaxOf) }},
		"count_distinct": {max: 1, masked: true, run: (*elab).groupDistinct},
		"median":         {max: 1, masked: true, run: (*elab).groupQuantile},
		"quantile":       {min: 1, max: 2, masked: true, run: (*elab).groupQuantile},
		"top_k":          {max: 1, sizes: 1, need: true, masked: true, seen: true, run: (*elab).groupTop},
		"agg":            {min: 1, max: 1, masked: true, seen: true, run: (*elab).agg},
	})
}

func (e *elab) newGroup(g *grouping, at diag.Span) *graph.Node {
	n := e.make(graph.BadOp, groupType, at, nil)
	e.of(n).group = g
	return n
}

func (e *elab) groupBy(c *methodUse) *graph.Node {
	if !isClosure(c.x.Args[0]) && e.wantsClosure(c, 0) {
		return nil
	}
	k, keyed, ok := e.groupSize(c)
	switch {
	case !ok:
		return nil
	case keyed != nil && keyed.Kind != graph.Index:
		return e.unknownGroups(c)
	}
	if _, isClosure := c.x.Args[0].(*syntax.Closure); !isClosure {
		return e.groupByKeys(c, k, keyed)
	}
	cl := e.closureArg(c, 0, 1)
	if cl == nil {
		return nil
	}
	return e.seenGroups(&grouping{x: c.recv, groups: k, keyed: keyed, rows: c.recv, elem: itself, split: func(v *graph.Node) (*graph.Node, *graph.Node) {
		return e.key(e.applyClosure(cl, indexWanted(cl.Body, k), v), k, bodyValue(cl.Body)), v
	}}, c.at())
}

// seenGroups is a grouping of which those by text are seen only if they have rows.
func (e *elab) seenGroups(g *grouping, at diag.Span) *graph.Node {
	n := e.newGroup(g, at)
	if g.keyed == nil || !types.IsSort(g.keyed, meaning.Text) {
		return n
	}
	n = e.fixGroup(n)
	if n == nil {
		return nil
	}
	g = e.of(n).group
	counts := e.ones(g, at)
	if counts == nil {
		return nil
	}
	some := e.mapEach(at, counts, func(v *graph.Node) *graph.Node { return e.arith(num.Gt, at, v, e.int(num.I64, 0, at)) })
	g.there, g.full = e.keptRows(some, at), true
	return n
}

// seen takes of what there is for all groups that of those which have rows.
func (e *elab) seen(g *grouping, n *graph.Node, at diag.Span) *graph.Node {
	if n = e.dense(n); n == nil || g.there == nil {
		return n
	}
	return e.mapEach(at, g.there, func(i *graph.Node) *graph.Node { return e.at(n, i, at) })
}

func itself(v *graph.Node) *graph.Node { return v }

// groupByKeys takes the keys from an array.
func (e *elab) groupByKeys(c *methodUse, k size.Poly, keyed *graph.Type) *graph.Node {
	keys := e.indices(c.x.Args[0], k)
	if keys == nil {
		return nil
	}
	at := c.x.Args[0].Where()
	if keys.Type.Kind != graph.Array || !types.IsInt(keys.Type.Elem()) && !types.IsSort(keys.Type.Elem(), meaning.Text) {
		e.errorf(at, "B07", "groups need integer keys").Note("expected [idx<%s>; N] or a closure, found %s", k, keys.Type).
			Help("%s::<%s>(|e| …)", c.x.Name.Text, k)
		return nil
	}
	x, keys := e.dense(c.recv), e.dense(keys)
	if !e.equalSizes(c, x, keys) {
		return nil
	}
	pairs := e.zipped(c, keys, x)
	return e.seenGroups(&grouping{x: pairs, groups: k, keyed: keyed, rows: x, elem: itself, fixed: true, split: func(v *graph.Node) (*graph.Node, *graph.Node) {
		key := e.key(e.get(v, 0, at), k, at)
		if key != nil && key.Op == graph.Check {
			e.of(key).text = "key of the array outside 0.." + k.String()
		}
		return key, e.get(v, 1, at)
	}}, c.at())
}

// indexWanted is the type idx<n> for an expression that asks for one by
// clamp_idx or wrap_idx, and nil for others: any integer may be a key.
func indexWanted(x syntax.Expr, n size.Poly) *graph.Type {
	if !asksForIndex(x) {
		return nil
	}
	return graph.IndexOf(n)
}

// asksForIndex looks at what gives an expression's value, or the elements of it.
func asksForIndex(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.Block:
		return x.Value != nil && asksForIndex(x.Value)
	case *syntax.ParenExpr:
		return asksForIndex(x.X)
	case *syntax.BorrowExpr:
		return asksForIndex(x.X)
	case *syntax.Closure:
		return asksForIndex(x.Body)
	case *syntax.If:
		return asksForIndex(x.Then) || x.Else != nil && asksForIndex(x.Else)
	case *syntax.Match:
		return slices.ContainsFunc(x.Arms, func(a syntax.Arm) bool { return asksForIndex(a.Body) })
	case *syntax.MethodCall:
		if len(x.Args) > 0 {
			c, ok := x.Args[len(x.Args)-1].(*syntax.Closure)
			return ok && asksForIndex(c)
		}
		return x.Name.Text == "clamp_idx" || x.Name.Text == "wrap_idx"
	}
	return false
}

// indices elaborates an array of indices into n elements.
func (e *elab) indices(x syntax.Expr, n size.Poly) *graph.Node {
	var want *graph.Type
	if t := indexWanted(x, n); t != nil {
		want = graph.ArrayOf(t, types.Open)
	}
	return e.expr(x, want)
}

// fixGroup gives a grouping that is bound to a name an array with its keys.
func (e *elab) fixGroup(n *graph.Node) *graph.Node {
	if n == nil || e.of(n).group == nil || e.of(n).group.fixed {
		return n
	}
	g := e.of(n).group
	pairs := e.mapEach(n.Pos, g.x, func(v *graph.Node) *graph.Node {
		key, elem := g.split(v)
		if key == nil || elem == nil {
			return nil
		}
		return e.tuple(n.Pos, key, elem)
	})
	if pairs == nil {
		return nil
	}
	own := *g
	own.x, own.fixed, own.split = pairs, true, func(v *graph.Node) (*graph.Node, *graph.Node) {
		return e.get(v, 0, n.Pos), e.get(v, 1, n.Pos)
	}
	return e.newGroup(&own, n.Pos)
}

// key makes an integer the number of a group.
func (e *elab) key(n *graph.Node, k size.Poly, at diag.Span) *graph.Node {
	if n == nil {
		return nil
	}
	if types.IsSort(n.Type, meaning.Text) {
		n = e.raw(n, at)
	}
	if !types.IsInt(n.Type) {
		m := e.errorf(at, "B07", "groups need integer keys").Note("expected idx<%s> or an integer, found %s", k, n.Type)
		switch {
		case types.IsBool(n.Type), types.IsFloat(n.Type):
			m.Help("%s as i64", e.parenthesized(at))
		case n.Type.Kind == graph.Option && types.IsInt(n.Type.Elem()):
			m.Help("say to which group a missing value counts:\n%s.or(0)", e.parenthesized(at))
		}
		return nil
	}
	if n.Type.Kind == graph.Index && e.proves(k.Sub(n.Type.Bound)) {
		return n
	}
	if e.inRange(n, k) {
		return e.toIndex(n, k, at)
	}
	return e.toRange(graph.Check, n, k, at)
}

// withKeys is the help for a fold of groups where pairs of a key and its fold are wanted; "" elsewhere.
func (e *elab) withKeys(found, want *graph.Type, at diag.Span) string {
	if found.Kind != graph.Array || want.Kind != graph.Array || want.Elem().Kind != graph.Tuple || want.Elem().Name != "" || len(want.Elem().Elems) != 2 {
		return ""
	}
	groups, fold := lastCall(e.text(at))
	if by, _ := lastCall(groups); by == "" || !strings.HasPrefix(groups[len(by):], ".group_by") || strings.Contains(fold, "\n") {
		return ""
	}
	value := converted("g"+fold, found.Elem(), want.Elem().Elems[1])
	if value == "" {
		return ""
	}
	return groups + ".agg(|g| (g.key(), " + value + "))"
}

// lastCall cuts the call of a method off that an expression's text ends with, with its point; "" where it ends with none.
func lastCall(text string) (receiver, call string) {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth < 0 {
				return "", ""
			}
		case '.':
			if depth == 0 && strings.HasSuffix(text, ")") {
				return text[:i], text[i:]
			}
		}
	}
	return "", ""
}

// groupFold folds each group's elements, or a closure of them.
func (e *elab) groupFold(c *methodUse, m graph.Monoid, nested bool) *graph.Node {
	g := e.of(c.recv).group
	value := e.groupValue(c)
	if value == nil {
		return nil
	}
	g, value, option := e.presentIn(g, c.at(), value)
	n := e.foldValues(c, g, m, nested, value)
	if option && (m == graph.MinOf || m == graph.MaxOf) {
		return e.extremeIfAny(n, e.ones(g, c.at()), c.at())
	}
	return n
}

// foldValues folds the values of each group's elements.
func (e *elab) foldValues(c *methodUse, g *grouping, m graph.Monoid, nested bool, value func(v *graph.Node) *graph.Node) *graph.Node {
	bad := false
	n := e.keyed(m, g.groups, g.x, c.at(), func(v *graph.Node) (*graph.Node, *graph.Node) {
		key, elem := g.split(v)
		if key == nil || elem == nil {
			return nil, nil
		}
		r := value(elem)
		if r != nil && !canFold(c.x.Name.Text, types.Innermost(r.Type)) && !e.numbers(c, r.Type, nested) {
			bad = true
			return key, nil
		}
		return key, r
	})
	if bad {
		return nil
	}
	return n
}

// groupValue is the closure's value for an element, or the element itself.
func (e *elab) groupValue(c *methodUse) func(v *graph.Node) *graph.Node {
	if len(c.x.Args) == 0 {
		return func(v *graph.Node) *graph.Node { return v }
	}
	cl := e.closureArg(c, 0, 1)
	if cl == nil {
		return nil
	}
	return func(v *graph.Node) *graph.Node {
		return e.element(e.applyClosure(cl, nil, v), bodyValue(cl.Body))
	}
}

// ones counts the elements of each group.
func (e *elab) ones(g *grouping, at diag.Span) *graph.Node {
	return e.keyed(graph.WrapSum, g.groups, g.x, at, func(v *graph.Node) (*graph.Node, *graph.Node) {
		key, _ := g.split(v)
		return key, e.int(num.I64, 1, at)
	})
}

func (e *elab) groupCount(c *methodUse) *graph.Node {
	g := e.of(c.recv).group
	if len(c.x.Args) == 0 {
		return e.ones(g, c.at())
	}
	cl := e.closureArg(c, 0, 1)
	if cl == nil {
		return nil
	}
	return e.keyed(graph.CountOf, g.groups, g.x, c.at(), func(v *graph.Node) (*graph.Node, *graph.Node) {
		key, elem := g.split(v)
		if key == nil {
			return nil, nil
		}
		return key, e.predicate(cl, elem)
	})
}

func (e *elab) groupMean(c *methodUse) *graph.Node {
	value := e.groupValue(c)
	if value == nil {
		return nil
	}
	g, value, _ := e.presentIn(e.of(c.recv).group, c.at(), value)
	sums := e.foldValues(c, g, graph.SumOf, true, value)
	if sums == nil {
		return nil
	}
	counts := e.ones(g, c.at())
	if counts == nil {
		return nil
	}
	return e.mapOver(c.at(), []*graph.Node{sums, counts}, func(_ *graph.Node, v []*graph.Node) *graph.Node {
		return e.divide(v[0], v[1], c.at())
	})
}

// histogram counts how often each key occurs.
func (e *elab) histogram(c *methodUse) *graph.Node {
	k, keyed, known := e.groupSize(c)
	if known && keyed != nil && keyed.Kind != graph.Index {
		known = false
		m := e.errorf(c.x.Name.Span, "T09", "`%s` needs a size", c.x.Name.Text).Note("expected ::<…>; only keys of text, and indices, say how many there are")
		if types.IsInt(keyed) {
			m.Help("%s::<8>(%s)", c.x.Name.Text, e.argText(c.x))
		} else {
			m.Help("these keys are no numbers of groups; count each that occurs:\ngroup_by(%s).count()", cmp.Or(e.argText(c.x), "|e| e"))
		}
	}
	if !known {
		return nil
	}
	var cl *syntax.Closure
	if len(c.x.Args) == 1 {
		if cl = e.closureArg(c, 0, 1); cl == nil {
			return nil
		}
	}
	at := c.at()
	return e.ones(&grouping{x: c.recv, groups: k, split: func(v *graph.Node) (*graph.Node, *graph.Node) {
		if cl != nil {
			at = bodyValue(cl.Body)
			v = e.applyClosure(cl, indexWanted(cl.Body, k), v)
		}
		return e.key(v, k, at), v
	}}, c.at())
}

// scatter is d.scatter_with(indices, values, |old, new| …).
func (e *elab) scatter(c *methodUse) *graph.Node {
	i, v := e.dense(e.indices(c.x.Args[0], c.recv.Type.Size)), e.arrayArg(c, 1)
	cl := e.closureArg(c, 2, 2)
	if i == nil || v == nil || cl == nil || !e.indicesFor(c, i, c.recv.Type.Size) || !e.equalSizes(c, i, v) {
		return nil
	}
	at, elem := c.at(), c.recv.Type.Elem()
	pairs := e.zipped(c, i, v)
	first := e.slotBlock(pairs, func(p *graph.Node) []*graph.Node {
		return []*graph.Node{e.get(p, 0, at), e.get(p, 1, at)}
	})
	var next *graph.Node
	second := e.inBlock(func() {
		old, fresh := e.param(elem, at), e.param(v.Type.Elem(), at)
		next = e.coerce(e.element(e.applyClosure(cl, elem, old, fresh), bodyValue(cl.Body)), elem, bodyValue(cl.Body))
		e.cur.b.Results = []*graph.Node{next}
	})
	if next == nil {
		return nil
	}
	n := e.add(graph.Scatter, c.recv.Type, at, c.recv, pairs)
	n.Blocks, n.Reason = []*graph.Block{first, second}, "elements may be written more than once"
	return n
}
