package elaborate

import (
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// elementMethods work on arrays element by element.
func elementMethods() map[string]method {
	return map[string]method{
		"iter":      {masked: true, run: func(_ *elab, c *methodUse) *graph.Node { return c.recv }},
		"len":       {masked: true, run: (*elab).length},
		"texts":     {masked: true, run: (*elab).texts},
		"map":       {min: 1, max: 1, masked: true, run: (*elab).mapMethod},
		"enumerate": {run: (*elab).enumerate},
		"zip":       {min: 1, max: 1, run: (*elab).zip},
		"zip_short": {min: 1, max: 1, run: (*elab).zipShort},
		"filter":    {min: 1, max: 1, masked: true, run: (*elab).filter},
		"fold":      {min: 2, max: 2, masked: true, run: (*elab).fold},
		"scan":      {min: 2, max: 2, run: (*elab).scan},
		"get":       {min: 1, max: 1, run: (*elab).getMethod},
		"gather":    {min: 1, max: 1, run: (*elab).gather},
	}
}

// length of a filtered array that is not used otherwise is counted without
// moving its elements together.
func (e *elab) length(c *methodUse) *graph.Node {
	if _, temporary := c.x.Receiver.(*syntax.MethodCall); temporary && c.recv.Type.Masked && e.of(c.recv).dense == nil {
		return e.countAll(c.recv, c)
	}
	return e.sizeVal(e.dense(c.recv).Type.Size, c.at())
}

func (e *elab) mapMethod(c *methodUse) *graph.Node {
	cl := e.closureArg(c, 0, 1)
	if cl == nil {
		return nil
	}
	return e.mapEach(c.at(), c.recv, func(v *graph.Node) *graph.Node {
		return e.element(e.applyClosure(cl, elemWant(c.want), v), bodyValue(cl.Body))
	})
}

// mapRange is (a..b).map(closure) without an array of the numbers.
func (e *elab) mapRange(x *syntax.MethodCall, r *syntax.RangeExpr) *graph.Node {
	n, lo, hi, ok := e.rangeSizes(r, "")
	if !ok {
		e.argsAfterError(x)
		return nil
	}
	cl := e.closureArg(&methodUse{x: x}, 0, 1)
	if cl == nil {
		return nil
	}
	return e.tabulate(x.Span, n, func(i *graph.Node) *graph.Node {
		return e.element(e.applyClosure(cl, nil, e.offset(i, lo, hi, r)), bodyValue(cl.Body))
	})
}

// rangeArray is a..b as an array.
func (e *elab) rangeArray(r *syntax.RangeExpr) *graph.Node {
	n, lo, hi, ok := e.rangeSizes(r, "")
	if !ok {
		return nil
	}
	var elem *bounds
	all := e.tabulate(r.Span, n, func(i *graph.Node) *graph.Node {
		v := e.offset(i, lo, hi, r)
		elem = e.boundsOf(v)
		return v
	})
	if all != nil {
		e.of(all).elem = elem
	}
	return all
}

// offset is i + lo as an index below hi.
func (e *elab) offset(i *graph.Node, lo, hi size.Poly, r *syntax.RangeExpr) *graph.Node {
	if c, ok := lo.Const(); ok && c == 0 {
		return i
	}
	n := e.indexArith(num.Add, hi, r.Span, i, e.sizeVal(lo, r.Lo.Where()))
	b := e.typeBounds(n.Type)
	least, _ := e.g.Facts.Bounds(lo)
	b.lo, b.los = max(least, 0), plainSize(lo)
	e.of(n).bounds = &b
	return n
}

// rangeSizes gives the length and ends of a range used as an array, of which every step-th number is taken if there is a step.
func (e *elab) rangeSizes(r *syntax.RangeExpr, step string) (n, lo, hi size.Poly, ok bool) {
	a, b := e.rangeEnds(r)
	if a == nil || b == nil {
		return n, lo, hi, false
	}
	lo, ok = e.sizeOf(a)
	if !ok {
		e.notExact(r.Lo, a, e.rangeMeant(r, a, b, step))
		return n, lo, hi, false
	}
	hi, ok = e.sizeOf(b)
	if !ok {
		e.notExact(r.Hi, b, e.rangeMeant(r, a, b, step))
		return n, lo, hi, false
	}
	n = hi.Sub(lo)
	if !e.proves(lo) {
		if first, known := lo.Const(); known && e.proves(n) && writable(n) {
			e.errorf(r.Lo.Where(), "B01", "a range of numbers begins at 0 or above").Note("found %d", first).
				Help("%s", e.instead(r.Span, e.alone("(0.."+n.String()+").map(|i| i - "+itoa(-first)+")", r.Span)))
			return n, lo, hi, false
		}
		e.negativeSize(r.Lo.Where(), lo)
		return n, lo, hi, false
	}
	if !e.proves(n) {
		e.negativeSize(r.Span, n)
		return n, lo, hi, false
	}
	return n, lo, hi, true
}

// notExact reports an end that is not a size, with what is meant.
func (e *elab) notExact(x syntax.Expr, n *graph.Node, meant string) {
	if help := e.factorsHelp(x); help != "" {
		e.errorf(x.Where(), "T04", "`%s` may be too large for a size", e.text(x.Where())).Note("a size is at most 2^40").Help("%s", help)
		return
	}
	e.errorf(x.Where(), "T04", "`%s` is a value, and cannot be a size", e.text(x.Where())).
		Note("%s, known only at run time", n.Type).Help("%s", meant)
}

func (e *elab) enumerate(c *methodUse) *graph.Node {
	return e.mapOver(c.at(), []*graph.Node{c.recv}, func(i *graph.Node, v []*graph.Node) *graph.Node {
		return e.tuple(c.at(), i, v[0])
	})
}

func (e *elab) zip(c *methodUse) *graph.Node {
	y := e.arrayArg(c, 0)
	if y == nil || !e.equalSizes(c, c.recv, y) {
		return nil
	}
	return e.zipped(c, c.recv, y)
}

func (e *elab) zipped(c *methodUse, x, y *graph.Node) *graph.Node {
	return e.mapOver(c.at(), []*graph.Node{x, y}, func(_ *graph.Node, v []*graph.Node) *graph.Node {
		return e.tuple(c.at(), v[0], v[1])
	})
}

// zipShort pairs as many elements as the shorter array has. Where it is not known which one
// that is, their number is known only at run time.
func (e *elab) zipShort(c *methodUse) *graph.Node {
	y := e.arrayArg(c, 0)
	if y == nil {
		return nil
	}
	x, at := c.recv, c.at()
	n, m := x.Type.Size, y.Type.Size
	if e.proves(n.Sub(m)) {
		return e.mapOver(at, []*graph.Node{y}, func(i *graph.Node, v []*graph.Node) *graph.Node {
			return e.tuple(at, e.at(x, i, at), v[0])
		})
	}
	if !e.proves(m.Sub(n)) {
		x = e.limit(c, e.sizeVal(m, at), n, m)
	}
	return e.mapOver(at, []*graph.Node{x}, func(i *graph.Node, v []*graph.Node) *graph.Node {
		return e.tuple(at, v[0], e.at(y, i, at))
	})
}

// arrayArg is an argument that must be an array, compacted.
func (e *elab) arrayArg(c *methodUse, i int) *graph.Node {
	n := e.dense(e.expr(c.x.Args[i], c.recv.Type))
	if n != nil && n.Type.Kind != graph.Array {
		e.errorf(c.x.Args[i].Where(), "T29", "`%s` takes an array here", c.x.Name.Text).Note("found %s", n.Type).
			Help("[%s; N]", e.text(c.x.Args[i].Where()))
		return nil
	}
	return n
}

func (e *elab) equalSizes(c *methodUse, x, y *graph.Node) bool {
	if e.sameSize(x.Type.Size, y.Type.Size) {
		return true
	}
	e.differ(c.at(), x, y)
	return false
}

func (e *elab) filter(c *methodUse) *graph.Node {
	cl := e.closureArg(c, 0, 1)
	if cl == nil {
		return nil
	}
	return e.filtered(c.recv, c.at(), func(v *graph.Node) *graph.Node { return e.predicate(cl, v) })
}

// filtered has those elements of x for which a bool holds.
func (e *elab) filtered(x *graph.Node, at diag.Span, holds func(v *graph.Node) *graph.Node) *graph.Node {
	var keep *graph.Node
	b := e.slotBlock(x, func(v *graph.Node) []*graph.Node {
		keep = holds(v)
		return []*graph.Node{keep}
	})
	if keep == nil {
		return nil
	}
	n := e.add(graph.Filter, graph.MaskedOf(x.Type), at, x)
	n.Blocks = []*graph.Block{b}
	bound := []size.Poly{x.Type.Size}
	if x.Type.Masked {
		bound = append(bound, e.lengthOf(x))
	}
	m := &mask{length: e.newSize(bound...)}
	e.of(n).mask, e.of(n).elem = m, e.of(x).elem
	return n
}

// slotBlock is a block over the slots of one array.
func (e *elab) slotBlock(x *graph.Node, f func(v *graph.Node) []*graph.Node) *graph.Block {
	return e.inBlock(func() {
		e.param(graph.IndexOf(x.Type.Size), x.Pos)
		v := e.elementOf(x, x.Pos)
		e.cur.b.Results = f(v)
	})
}

func (e *elab) fold(c *methodUse) *graph.Node {
	n := e.sequential(c, graph.Fold)
	if n != nil {
		n.Reason = "its operator is not known to be lawful"
	}
	return n
}

func (e *elab) scan(c *methodUse) *graph.Node { return e.sequential(c, graph.Scan) }

// sequential is fold or scan. A literal as the start takes the type that the
// closure keeps: the default, if it can, and that of the elements otherwise.
func (e *elab) sequential(c *methodUse, op graph.Op) *graph.Node {
	cl := e.closureArg(c, 1, 2)
	if cl == nil {
		return nil
	}
	want := c.want
	if op == graph.Scan {
		want = elemWant(want)
	}
	hints, likely := e.foldHints(c, want)
	var n *graph.Node
	for _, h := range hints[:len(hints)-1] {
		if e.attempt(func() { n = e.foldWith(c, cl, op, h) }) {
			return n
		}
	}
	if len(hints) == 1 {
		likely = 0
	}
	reported := len(e.msgs.Messages)
	n = e.foldWith(c, cl, op, hints[likely]) // report what is wrong with the likeliest
	e.decimalStart(c, cl, reported)
	return n
}

// decimalStart mends the help of a fold that has just been reported to add decimals to a float: that is a literal, which is a decimal where its
// type is said.
func (e *elab) decimalStart(c *methodUse, cl *syntax.Closure, reported int) {
	all := e.msgs.Messages
	lit, ok := c.x.Args[0].(*syntax.FloatLit)
	if !ok || len(all) != reported+1 || all[reported].Code != "F03" || e.sides[0] == nil {
		return
	}
	for i, t := range e.sides {
		if types.IsSort(t, meaning.Decimal) && types.IsFloat(e.sides[1-i]) {
			message{all[reported], e.g}.Help("let it begin with a decimal:\n%s", e.instead(c.x.Span, "{ let start: "+t.String()+" = "+e.text(lit.Span)+"; "+
				e.operand(c.x.Receiver)+"."+c.x.Name.Text+"(start, "+e.text(cl.Span)+") }"))
		}
	}
}

// foldHints lists the types that the start of a fold may take, and says which
// of them is the likeliest to be meant where none will do.
func (e *elab) foldHints(c *methodUse, want *graph.Type) (hints []*graph.Type, likely int) {
	start := c.x.Args[0]
	switch {
	case hasNone(start) && want != nil:
		return []*graph.Type{want}, 0
	case hasNone(start):
		hints = noneHints(start, c.recv.Type.Elem())
		if e.attempts > 0 {
			hints = hints[:min(len(hints), 3)]
		}
		return append(hints, want), len(hints)
	case !hasLiteral(start):
		return []*graph.Type{want}, 0
	}
	elem := types.Innermost(c.recv.Type)
	ints, floats := []num.Kind{num.I64}, []num.Kind{num.F64}
	if types.IsInt(elem) && elem.KindOf() != num.I64 {
		ints, likely = append(ints, elem.KindOf()), 1
	} else if types.IsFloat(elem) && elem.Num != num.F64 {
		floats, likely = append(floats, elem.Num), 1
	}
	ints = append(ints, num.I32, num.U64, num.U32, num.I16, num.U8, num.U16, num.I8)
	floats = append(floats, num.F32)
	if want != nil && !types.HasOpen(want) {
		hints, likely = append(hints, want), 0
	}
	for i := range max(len(ints), len(floats)) {
		hints = append(hints, literalType(start, ints[min(i, len(ints)-1)], floats[min(i, len(floats)-1)]))
	}
	if e.attempts > 0 { // trials inside of trials would multiply
		hints = hints[:min(len(hints), 3)]
	}
	return append(hints, want), likely
}

// hasLiteral reports that a start's type depends on its context.
func hasLiteral(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.ParenExpr:
		return hasLiteral(x.X)
	case *syntax.TupleExpr:
		for _, p := range x.Elems {
			if hasLiteral(p) {
				return true
			}
		}
		return false
	case *syntax.RepeatExpr:
		return hasLiteral(x.Value)
	}
	return flexible(x)
}

// literalType is the type of a start whose literals have these kinds; parts
// that are not literals are nil.
func literalType(x syntax.Expr, ints, floats num.Kind) *graph.Type {
	switch x := x.(type) {
	case *syntax.ParenExpr:
		return literalType(x.X, ints, floats)
	case *syntax.TupleExpr:
		t := &graph.Type{Kind: graph.Tuple}
		for _, p := range x.Elems {
			part := literalType(p, ints, floats)
			if part == nil {
				part = openType
			}
			t.Elems = append(t.Elems, part)
		}
		return t
	case *syntax.RepeatExpr:
		if elem := literalType(x.Value, ints, floats); elem != nil {
			t := elem
			for range x.Dims {
				t = graph.ArrayOf(t, types.Open)
			}
			return t
		}
		return nil
	}
	switch {
	case !flexible(x):
		return nil
	case isFloatLiteral(x):
		return types.Scalars[floats]
	}
	return types.Scalars[ints]
}

// openType says nothing about what is expected.
var openType = &graph.Type{Kind: graph.Tuple, Elems: []*graph.Type{graph.ArrayOf(graph.BoolType, types.Open)}}

func (e *elab) foldWith(c *methodUse, cl *syntax.Closure, op graph.Op, hint *graph.Type) *graph.Node {
	start := e.element(e.expr(c.x.Args[0], hint), c.x.Args[0].Where())
	if start == nil {
		e.inBlock(func() { e.applyClosure(cl, nil, nil, e.param(c.recv.Type.Elem(), c.at())) })
		return nil
	}
	acc := e.accumulator(c, cl, start)
	start = e.begun(start, acc)
	var next *graph.Node
	b := e.inBlock(func() {
		e.param(graph.IndexOf(c.recv.Type.Size), c.at())
		a, v := e.param(acc, c.at()), e.elementOf(c.recv, c.at())
		next = e.element(e.applyClosure(cl, openTexts(acc), a, v), bodyValue(cl.Body))
		next = e.coerce(e.carriedOn(next, acc), acc, bodyValue(cl.Body))
		e.cur.b.Results = []*graph.Node{next}
	})
	if next == nil {
		return nil
	}
	t := acc
	if op == graph.Scan {
		t = graph.ArrayOf(acc, c.recv.Type.Size)
	}
	n := e.add(op, t, c.at(), c.recv, start)
	n.Blocks = []*graph.Block{b}
	return n
}
