package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: (a..b).step(s), every s-th number from a on, for an s that is shown to be at least 1.
// Out: an array, or the turns of a loop. For a constant s the number of elements is a size,
// ⌈(b - a)/s⌉; for another it is known only at run time.

// strideOf is the range and the step of (a..b).step(s).
func strideOf(x syntax.Expr) (m *syntax.MethodCall, r *syntax.RangeExpr, ok bool) {
	m, ok = x.(*syntax.MethodCall)
	if !ok || m.Name.Text != "step" || len(m.TypeArgs) > 0 || len(m.Args) != 1 {
		return nil, nil, false
	}
	r, ok = rangeOf(m.Receiver)
	return m, r, ok
}

// stepOf elaborates the step and shows that it is at least 1; every is the constant that it
// is, or 0.
func (e *elab) stepOf(m *syntax.MethodCall) (s *graph.Node, every int64, ok bool) {
	arg := m.Args[0]
	if s = e.value(arg, graph.I64Type); s == nil {
		return nil, 0, false
	}
	if e.divisor(s, e.boundsOf(s)).lo < 1 {
		text := e.text(arg.Where())
		e.errorf(arg.Where(), "B08", "the step may be less than 1").Note("1 <= %s is not known", text).
			Help("declare it:\nwhere %s: Range<1, 4096>\nor limit it: %s.max(1)", text, e.parenthesized(arg.Where()))
		return nil, 0, false
	}
	if p, exact := e.boundsOf(s).exact(); exact {
		every, _ = p.Const()
	}
	return s, every, true
}

// mapStride is (a..b).step(s).map(closure): the closure knows where its number comes from.
func (e *elab) mapStride(x *syntax.MethodCall, m *syntax.MethodCall, r *syntax.RangeExpr) *graph.Node {
	cl := e.closureArg(&methodUse{x: x}, 0, 1)
	if cl == nil {
		return nil
	}
	return e.strideArray(m, r, func(i *graph.Node) *graph.Node {
		return e.element(e.applyClosure(cl, nil, i), bodyValue(cl.Body))
	})
}

// strideArray is f of each number of (a..b).step(s).
func (e *elab) strideArray(m *syntax.MethodCall, r *syntax.RangeExpr, f func(i *graph.Node) *graph.Node) *graph.Node {
	n, lo, hi, ok := e.rangeSizes(r, e.text(m.Args[0].Where()))
	s, every, ok2 := e.stepOf(m)
	if !ok || !ok2 {
		return nil
	}
	at := m.Span
	if every > 0 {
		count := e.strides(n, every)
		return e.tabulate(at, count, func(k *graph.Node) *graph.Node { return f(e.strided(k, e.sizeVal(lo, at), s, &hi, at)) })
	}
	s, turns := e.strideTurns(e.sizeVal(n, at), s, at)
	all := e.tabulate(at, n, func(k *graph.Node) *graph.Node { return k })
	name := e.newSize(n)
	some := e.add(graph.Limit, graph.ArrayOf(all.Type.Elem(), size.Var(name)), at, all, turns)
	some.Defines = name
	return e.mapEach(at, some, func(k *graph.Node) *graph.Node {
		i := e.indexArith(num.Add, hi, at, e.arith(num.Mul, at, k, s), e.sizeVal(lo, at))
		b := e.typeBounds(i.Type)
		least, _ := e.g.Facts.Bounds(lo)
		b.lo, b.los = max(least, 0), plainSize(lo)
		e.of(i).bounds = &b
		return f(i)
	})
}

// strides is ⌈n/every⌉, without a quotient where every divides all of n but a number.
func (e *elab) strides(n size.Poly, every int64) size.Poly {
	every = min(every, graph.MaxSize) // n is no more: a larger step makes as many strides, and n + every would overflow
	plain := n.Subst(func(string) (size.Poly, bool) { return size.Poly{}, true })
	if c, ok := plain.Const(); ok && c >= 0 {
		if rest := n.AddConst(-c); size.Div(rest, every).MulConst(every).Equal(rest) {
			return size.Div(rest, every).AddConst((c + every - 1) / every)
		}
	}
	return e.quotientOf(n.AddConst(every-1), every)
}

// strideTurns is ⌈n/s⌉ for n ≥ 0, which is ⌊(n - 1)/s⌋ + 1, and a step that is no more than n
// and makes as many: with it nothing overflows, and nothing gives 0.
func (e *elab) strideTurns(n, s *graph.Node, at diag.Span) (step, turns *graph.Node) {
	one := e.int(num.I64, 1, at)
	step = e.limitTo(num.Min, at, s, e.limitTo(num.Max, at, n, one))
	turns = e.arith(num.Add, at, e.arith(num.Div, at, e.arith(num.Sub, at, n, one), step), one)
	b := e.boundsOf(n)
	e.of(turns).bounds = &bounds{lo: 0, hi: max(b.hi, 0), declared: b.declared, his: b.his}
	return step, turns
}

// strided is lo + k·s, an index below hi if that is given.
func (e *elab) strided(k, lo, s *graph.Node, hi *size.Poly, at diag.Span) *graph.Node {
	part := e.scalarArith(operator{op: num.Mul, wrap: true}, at, e.toI64(k), s)
	i := e.scalarArith(operator{op: num.Add, wrap: true}, at, part, lo)
	if hi != nil {
		i.Type = graph.IndexOf(*hi)
		e.of(i).bounds = e.typed(i.Type, e.of(i).bounds)
	}
	return i
}

// overStride is the turns of a loop over (a..b).step(s).
func (e *elab) overStride(m *syntax.MethodCall, r *syntax.RangeExpr) (turns, bool) {
	t, ok := e.overRange(r)
	s, every, ok2 := e.stepOf(m)
	if !ok || !ok2 {
		return turns{}, false
	}
	at := m.Span
	lo, hi := t.lo, t.hi
	var bound *size.Poly
	if t.isIndex {
		bound = &t.bound
	}
	span := t.span
	element := func(k *graph.Node) *graph.Node {
		e.assume(e.cur, []size.Poly{e.form(hi).Sub(e.form(lo)).AddConst(-1)})
		i := e.strided(k, lo, s, bound, at)
		if every == 0 {
			e.of(i).bounds, e.of(i).turn, e.of(i).fits = e.typed(i.Type, span), &[2]*graph.Node{lo, hi}, false
		}
		return i
	}
	p, fromSize := e.boundsOf(lo).exact()
	q, toSize := e.boundsOf(hi).exact()
	if every > 0 && fromSize && toSize && e.proves(q.Sub(p)) {
		count := e.strides(q.Sub(p), every)
		return turns{lo: e.int(num.I64, 0, at), hi: e.sizeVal(count, at), bound: count, isIndex: true, maxPoly: count, elem: element}, true
	}
	every = 0
	n := e.limitTo(num.Max, at, e.scalarArith(operators[syntax.Minus], at, hi, lo), e.int(num.I64, 0, at))
	var count *graph.Node
	s, count = e.strideTurns(n, s, at)
	return turns{
		lo: e.int(num.I64, 0, at), hi: count, span: e.turnBounds(constBounds(num.I64, 0), e.boundsOf(count)),
		maxPoly: t.maxPoly, max: t.max, elem: element,
	}, true
}
