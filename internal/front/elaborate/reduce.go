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

// reduceMethods fold an array by a lawful operator.
func reduceMethods() map[string]method {
	extreme := func(m graph.Monoid) func(*elab, *methodUse) *graph.Node {
		return func(e *elab, c *methodUse) *graph.Node { return e.extremeOf(c, m) }
	}
	place := func(m graph.Monoid) func(*elab, *methodUse) *graph.Node {
		return func(e *elab, c *methodUse) *graph.Node { return e.placeOf(c, m) }
	}
	truth := func(m graph.Monoid) func(*elab, *methodUse) *graph.Node {
		return func(e *elab, c *methodUse) *graph.Node { return e.truthOf(c, m) }
	}
	return map[string]method{
		"sum":     {max: 1, masked: true, fast: true, run: (*elab).sumMethod},
		"product": {masked: true, run: (*elab).product},
		"min":     {max: 1, masked: true, run: extreme(graph.MinOf)},
		"max":     {max: 1, masked: true, run: extreme(graph.MaxOf)},
		"mean":    {max: 1, masked: true, run: (*elab).meanMethod},
		"count":   {max: 1, masked: true, run: (*elab).count},
		"any":     {max: 1, masked: true, run: truth(graph.AnyOf)},
		"all":     {max: 1, masked: true, run: truth(graph.AllOf)},
		"argmin":  {max: 1, run: place(graph.ArgMinOf)},
		"argmax":  {max: 1, run: place(graph.ArgMaxOf)},
	}
}

// monoidWords name what may be of nothing, or may overflow.
var monoidWords = map[graph.Monoid]string{
	graph.SumOf: "sum", graph.MinOf: "minimum", graph.MaxOf: "maximum", graph.ArgMinOf: "place of the minimum", graph.ArgMaxOf: "place of the maximum",
}

// reduce emits a Reduce of scalars.
func (e *elab) reduce(m graph.Monoid, x *graph.Node, at diag.Span) *graph.Node {
	elem := x.Type.Elem()
	n := e.add(graph.Reduce, m.Result(elem, x.Type.Size), at, x)
	n.Monoid = m
	switch {
	case m.NeedsElement() && (x.Type.Masked || !e.proves(x.Type.Size.AddConst(-1))):
		e.mayFault(n, graph.Empty, monoidWords[m]+" of nothing")
	case m == graph.SumOf && types.IsInt(elem.Plain()):
		e.sumBounds(n, elem, x.Type.Size)
	case m == graph.CountOf:
		_, hi := e.g.Facts.Bounds(x.Type.Size)
		e.of(n).bounds = &bounds{lo: 0, hi: hi, declared: true, his: plainSize(x.Type.Size)}
	}
	return n
}

func plainSize(p size.Poly) []size.Poly {
	if _, ok := p.Const(); ok {
		return nil
	}
	return []size.Poly{p}
}

// sumBounds bounds an exact sum by its longest case, and marks it as one
// that may overflow otherwise.
func (e *elab) sumBounds(n *graph.Node, elem *graph.Type, slots size.Poly) {
	each := e.typeBounds(elem)
	_, most := e.g.Facts.Bounds(slots)
	lo, ok := mul64(min(each.lo, 0), most)
	hi, ok2 := mul64(max(each.hi, 0), most)
	if ok && ok2 && elem.KindOf() != num.U64 {
		e.of(n).bounds = &bounds{lo: lo, hi: hi}
		return
	}
	e.mayFault(n, graph.Overflow, n.Type.String()+" sum")
}

// values applies an optional closure to the elements.
func (e *elab) values(c *methodUse) *graph.Node {
	if len(c.x.Args) == 0 {
		return c.recv
	}
	cl := e.closureArg(c, 0, 1)
	if cl == nil {
		return nil
	}
	return e.mapEach(c.at(), c.recv, func(v *graph.Node) *graph.Node {
		return e.element(e.applyClosure(cl, nil, v), bodyValue(cl.Body))
	})
}

// numbers checks that elements are numbers, or with nested set arrays of
// numbers.
func (e *elab) numbers(c *methodUse, t *graph.Type, nested bool) bool {
	in := t
	if nested {
		in = types.Innermost(t)
	}
	if types.IsNumber(in) {
		return true
	}
	m := e.errorf(c.x.Name.Span, "T29", "`%s` needs numbers", c.x.Name.Text).Note("the elements are %s", t)
	switch name := c.x.Name.Text; {
	case types.IsSort(in, meaning.Text) && e.of(c.recv).group == nil && (name == "min" || name == "max"):
		m.Help("%s", e.textExtreme(c))
	case name == "mean" && types.IsMeant(in) && !types.IsSort(in, meaning.Text):
		m.Help("%s", e.meanHelp(c, t))
	case types.IsMeant(in):
		m.Help("%s", meantFoldHelp(c.x.Name.Text, in))
	case in.Kind == graph.Option:
		m.Help("%s", e.knownFold(c, in.Elem()))
	case types.IsBool(in):
		m.Help("%s", e.truthFold(c))
	case t.Kind == graph.Tuple:
		m.Help("%s", e.foldOfParts(c, t))
	default:
		m.Help(".map(|e| …).%s()", c.x.Name.Text)
	}
	return false
}

// foldOfParts is what to write for a fold of tuples: of a group the row with the greatest or least, else a fold of the first part.
func (e *elab) foldOfParts(c *methodUse, t *graph.Type) string {
	name, inGroup := c.x.Name.Text, e.of(c.recv).group != nil
	cl, ok := lastClosure(c.x)
	switch {
	case !ok && inGroup:
		return name + "(|e| e." + t.FieldName(0) + ")"
	case !ok:
		return ".map(|e| e." + t.FieldName(0) + ")." + name + "()"
	case inGroup && name == "max":
		return "the row with the greatest is top_k::<1>(" + e.text(cl.Span) + "), after group_by and without agg"
	case inGroup && name == "min":
		p := e.text(cl.Params[0].Pattern.Where())
		return "the row with the least is top_k::<1>(|" + p + "| Reverse(" + e.text(cl.Body.Where()) + ")), after group_by and without agg"
	}
	part := castable(e.text(cl.Body.Where())) + "." + t.FieldName(0)
	if tuple, ok := unwrapped(cl.Body).(*syntax.TupleExpr); ok {
		part = e.text(tuple.Elems[0].Where())
	}
	return e.instead(diag.Span{Start: c.x.Name.Span.Start, End: c.x.Span.End}, name+"(|"+e.text(cl.Params[0].Pattern.Where())+"| "+part+")")
}

// meanHelp is a mean of values of a type as numbers; what is missing among them stays so, and is left out.
func (e *elab) meanHelp(c *methodUse, t *graph.Type) string {
	cl, ok := lastClosure(c.x)
	if !ok {
		if c.recv.Type.Kind == graph.Array {
			t = c.recv.Type.Elem()
		}
		return ".map(|e| " + madeNumber("e", t) + ").mean()"
	}
	elems, elem := c.recv, func(v *graph.Node) *graph.Node { return v }
	if g := e.of(c.recv).group; g != nil {
		elems, elem = g.x, func(v *graph.Node) *graph.Node { _, v = g.split(v); return v }
	}
	if of := e.typeWith(func(v *graph.Node) *graph.Node { return e.applyClosure(cl, nil, elem(v)) }, elems.Type.Elem()); of != nil {
		t = of
	}
	return "mean(|" + e.text(cl.Params[0].Pattern.Where()) + "| " + madeNumber(e.operand(cl.Body), t) + ")"
}

// textExtreme is an array with the text that comes first in the alphabet, or last; it has nothing where nothing is.
func (e *elab) textExtreme(c *methodUse) string {
	by := ""
	if arg := e.argText(c.x); arg != "" {
		by = ".map(" + arg + ")"
	}
	if c.x.Name.Text == "max" {
		return by + ".sort_desc().take(1)"
	}
	return by + ".sort().take(1)"
}

func (e *elab) sumMethod(c *methodUse) *graph.Node {
	x := e.presentValues(c)
	if x == nil {
		return nil
	}
	if t := x.Type.Elem(); canSum(t) {
		return e.retype(t, e.reduce(graph.SumOf, x, c.at()), c.at())
	}
	if !e.numbers(c, x.Type.Elem(), true) {
		return nil
	}
	if e.isFused() && c.givesProducts() && types.IsFloat(x.Type.Elem()) && pairUp(x) {
		return e.reduce(graph.FusedSum, x, c.at())
	}
	return e.sum(x, c.at())
}

// givesProducts reports that what is folded ends in a product.
func (c *methodUse) givesProducts() bool {
	if len(c.x.Args) == 1 {
		return endsInProduct(c.x.Args[0])
	}
	return givesProducts(c.x.Receiver)
}

// presentValues are values, of Options those that there are.
func (e *elab) presentValues(c *methodUse) *graph.Node {
	x := e.values(c)
	if x == nil || x.Type.Elem().Kind != graph.Option {
		return x
	}
	kept, value := e.present(x, c.at(), itself)
	return e.mapEach(c.at(), kept, value)
}

// sum adds scalars, or arrays element by element: those are one group.
func (e *elab) sum(x *graph.Node, at diag.Span) *graph.Node {
	if x.Type.Elem().IsScalar() {
		return e.reduce(graph.SumOf, x, at)
	}
	one := size.Const(1)
	first := e.bits(num.I64, 0, at)
	first.Type = graph.IndexOf(one)
	groups := e.keyed(graph.SumOf, one, x, at, func(v *graph.Node) (key, value *graph.Node) { return first, v })
	return e.at(groups, first, at)
}

// product of integers runs in order, since each step may fault.
func (e *elab) product(c *methodUse) *graph.Node {
	elem := c.recv.Type.Elem()
	if !e.numbers(c, elem, false) {
		return nil
	}
	if types.IsFloat(elem) {
		return e.reduce(graph.Product, c.recv, c.at())
	}
	k := num.I64
	if !elem.KindOf().IsSigned() {
		k = num.U64
	}
	start := e.int(k, 1, c.at())
	b := e.inBlock(func() {
		e.param(graph.IndexOf(c.recv.Type.Size), c.at())
		a, v := e.param(start.Type, c.at()), e.param(elem, c.at())
		r := e.scalarArith(operator{num.Mul, false, "product"}, c.at(), a, e.convertScalar(v, start.Type, c.at()))
		e.cur.b.Results = []*graph.Node{r}
	})
	n := e.add(graph.Fold, start.Type, c.at(), c.recv, start)
	n.Blocks, n.Reason = []*graph.Block{b}, "a checked product may overflow in one order and not in another"
	return n
}

func (e *elab) extremeOf(c *methodUse, m graph.Monoid) *graph.Node {
	x := e.values(c)
	if x == nil {
		return nil
	}
	if x.Type.Elem().Kind == graph.Option {
		return e.extremePresent(c, x, m)
	}
	elem := x.Type.Elem()
	if !types.IsMeant(elem) && !e.numbers(c, elem, false) {
		return nil
	}
	n := e.reduce(m, x, c.at())
	if elem.Kind == graph.Scalar && types.IsMeant(elem) {
		return e.retype(elem, n, c.at())
	}
	if elem.Kind != graph.Index {
		return n
	}
	if n.Site >= 0 { // a fault leaves 0 behind, which is an index
		n.Type = elem
		return n
	}
	return e.cast(elem, n, c.at())
}

// extremePresent is the least or greatest of the Options that have a value, if there is one: that of one group, which may be empty.
func (e *elab) extremePresent(c *methodUse, x *graph.Node, m graph.Monoid) *graph.Node {
	at := c.at()
	if t := x.Type.Elem().Elem(); !canFold(c.x.Name.Text, t) && !e.numbers(c, t, false) {
		return nil
	}
	one := size.Const(1)
	first := e.bits(num.I64, 0, at)
	first.Type = graph.IndexOf(one)
	kept, value := e.present(x, at, itself)
	of := func(m graph.Monoid, f func(v *graph.Node) *graph.Node) *graph.Node {
		return e.keyed(m, one, kept, at, func(v *graph.Node) (*graph.Node, *graph.Node) { return first, f(v) })
	}
	counts := of(graph.WrapSum, func(*graph.Node) *graph.Node { return e.int(num.I64, 1, at) })
	return e.at(e.extremeIfAny(of(m, value), counts, at), first, at)
}

func (e *elab) placeOf(c *methodUse, m graph.Monoid) *graph.Node {
	x := e.values(c)
	if x == nil || !types.IsMeant(x.Type.Elem()) && !e.numbers(c, x.Type.Elem(), false) {
		return nil
	}
	return e.reduce(m, x, c.at())
}

func (e *elab) truthOf(c *methodUse, m graph.Monoid) *graph.Node {
	x := e.truths(c)
	if x == nil {
		return nil
	}
	return e.reduce(m, x, c.at())
}

// truths are the elements, or a closure of them, as bools.
func (e *elab) truths(c *methodUse) *graph.Node {
	if len(c.x.Args) == 1 {
		cl := e.closureArg(c, 0, 1)
		if cl == nil {
			return nil
		}
		return e.mapEach(c.at(), c.recv, func(v *graph.Node) *graph.Node { return e.predicate(cl, v) })
	}
	if !types.IsBool(c.recv.Type.Elem()) {
		e.errorf(c.x.Name.Span, "T29", "`%s` needs a condition", c.x.Name.Text).Note("the elements are %s", c.recv.Type.Elem()).
			Help("%s(|e| …)", c.x.Name.Text)
		return nil
	}
	return c.recv
}

func (e *elab) count(c *methodUse) *graph.Node {
	if len(c.x.Args) == 0 {
		return e.countAll(c.recv, c)
	}
	x := e.truths(c)
	if x == nil {
		return nil
	}
	return e.reduce(graph.CountOf, x, c.at())
}

// countAll is the number of elements.
func (e *elab) countAll(x *graph.Node, c *methodUse) *graph.Node { return e.elements(x, c.at()) }

func (e *elab) elements(x *graph.Node, at diag.Span) *graph.Node {
	if !x.Type.Masked {
		return e.sizeVal(x.Type.Size, at)
	}
	all := e.mapEach(at, x, func(*graph.Node) *graph.Node { return e.bool(true, at) })
	return e.reduce(graph.CountOf, all, at)
}

func (e *elab) meanMethod(c *methodUse) *graph.Node {
	x := e.presentValues(c)
	if x == nil || !e.numbers(c, x.Type.Elem(), true) {
		return nil
	}
	at := c.at()
	if e.isFused() && c.givesProducts() && types.IsFloat(x.Type.Elem()) && pairUp(x) {
		return e.divide(e.reduce(graph.FusedSum, x, at), e.elements(x, at), at)
	}
	return e.divide(e.sum(x, at), e.elements(x, at), at)
}

// divide is a sum, or an array of sums, over a count: in f32 for f32 and in
// f64 otherwise.
func (e *elab) divide(sum, count *graph.Node, at diag.Span) *graph.Node {
	if sum.Type.Kind == graph.Array {
		return e.mapEach(at, sum, func(v *graph.Node) *graph.Node { return e.divide(v, count, at) })
	}
	t := types.Scalars[num.F64]
	if sum.Type.Num == num.F32 {
		t = sum.Type
	}
	return e.arith(num.Div, at, e.cast(t, sum, at), e.cast(t, count, at))
}

// keyed emits a KeyedReduce.
func (e *elab) keyed(m graph.Monoid, groups size.Poly, x *graph.Node, at diag.Span, f func(v *graph.Node) (key, value *graph.Node)) *graph.Node {
	if !e.oneLeaf(groups, x, at) {
		return nil
	}
	var key, value *graph.Node
	b := e.slotBlock(x, func(v *graph.Node) []*graph.Node {
		key, value = f(v)
		value = e.element(value, at)
		return []*graph.Node{key, value}
	})
	if key == nil || value == nil {
		return nil
	}
	scalar := types.Innermost(value.Type)
	t := types.MapInnermost(value.Type, meantResult(m, scalar))
	n := e.add(graph.KeyedReduce, graph.ArrayOf(t, groups), at, x)
	n.Blocks, n.Monoid, n.Poly, n.HasPoly = []*graph.Block{b}, m, groups, true
	if m == graph.SumOf && types.IsInt(scalar.Plain()) {
		each := e.typeBounds(scalar)
		_, most := e.g.Facts.Bounds(x.Type.Size)
		_, ok := mul64(min(each.lo, 0), most)
		_, ok2 := mul64(max(each.hi, 0), most)
		if !ok || !ok2 || scalar.KindOf() == num.U64 || each.hi == math.MaxInt64 {
			e.mayFault(n, graph.Overflow, m.Result(scalar, size.Poly{}).String()+" sum")
		}
	}
	return n
}
