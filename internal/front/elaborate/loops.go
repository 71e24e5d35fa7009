package elaborate

import (
	"math"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// loop is a for being elaborated. stop is the hidden variable that break
// sets; -1 when the loop has none.
type loop struct{ stop int }

// turns is what a loop runs over.
type turns struct {
	lo, hi  *graph.Node
	bound   size.Poly // of i, when it is an index
	isIndex bool
	span    *bounds // of i; nil: what its type says
	maxPoly size.Poly
	max     int64
	// elem gives the value that the pattern binds; nil: i itself.
	elem func(i *graph.Node) *graph.Node
}

func (e *elab) forStmt(s *syntax.For) {
	t, ok := e.turnsOf(s)
	if !ok {
		// The body is still worth checking, with the pattern unknown.
		e.trialBody(s)
		return
	}
	var all []carried
	ways := directions(s.Body)
	for i := e.fr.base; i < len(e.vars); i++ {
		v := &e.vars[i]
		if way, assigned := ways[v.name]; assigned && v.mut && v.lambda == e.lambda && v.n != nil {
			c := carried{v: i, way: way}
			if way > 0 {
				c.step, c.counts = e.growth(s.Body, v.name, s.Body)
			}
			all = append(all, c)
		}
	}
	e.emitLoop(s, t, all)
}

// carried is a variable that a loop assigns.
type carried struct {
	v     int         // of e.vars
	first *graph.Node // its value before
	way   int         // see directions
	// step is the most that a turn adds to it, if it counts.
	step   size.Poly
	counts bool
}

// trialBody checks a loop's body after an error in its head.
func (e *elab) trialBody(s *syntax.For) {
	before, saved := e.variables(), e.fr.loop
	e.inBlock(func() {
		mark := len(e.vars)
		e.vars = append(e.vars, variable{mut: true, typ: graph.BoolType, lambda: e.lambda})
		e.fr.loop = &loop{stop: mark}
		e.bindPattern(s.Pattern, false, nil)
		e.unitBlock(s.Body)
		e.vars = e.vars[:mark]
	})
	e.fr.loop = saved
	e.restore(before)
	for i := range e.vars {
		if assignedNames(s.Body)[e.vars[i].name] {
			e.vars[i].n = nil
		}
	}
}

func (e *elab) emitLoop(s *syntax.For, t turns, all []carried) {
	stops := breaks(s.Body)
	before := e.variables()
	args := []*graph.Node{t.lo, t.hi}
	elems := make([]*graph.Type, len(all))
	for j := range all {
		c := &all[j]
		elems[j] = e.vars[c.v].typ
		c.first = e.coerce(before[c.v], elems[j], s.Span)
		args = append(args, c.first)
	}
	b, kept, bad := e.provenBody(s, t, all, stops)
	e.restore(before)
	if bad {
		for _, c := range all {
			e.vars[c.v].n = nil
		}
		return
	}
	if len(all) == 0 && !b.AnyFault() {
		return
	}
	n := e.add(graph.Loop, graph.TupleOf(elems...), s.Span, args...)
	n.Blocks, n.Stop = []*graph.Block{b}, stops
	n.Poly, n.HasPoly, n.MaxPoly, n.Max = t.bound, t.isIndex, t.maxPoly, t.max
	for j, c := range all {
		v := &e.vars[c.v]
		v.n = e.get(n, j, s.Span)
		v.n.Name = v.name
		e.counted(c, t, 0, v.n)
	}
	e.keptAfter(kept, t, all)
	for _, c := range all {
		e.since(c, e.vars[c.v].n)
	}
}

// loopBody fills the body's block, knowing what turns keep; it reports whether the next values are
// not known because of an error.
func (e *elab) loopBody(s *syntax.For, t turns, all []carried, stops bool, known []guess) (bad bool) {
	saved, mark := e.fr.loop, len(e.vars)
	i := e.param(graph.I64Type, s.Pattern.Where())
	if t.isIndex {
		i.Type = graph.IndexOf(t.bound)
	}
	e.of(i).bounds = t.span // nil: what the type says
	e.of(i).turn = &[2]*graph.Node{t.lo, t.hi}
	e.assume(e.cur, []size.Poly{e.form(t.hi).Sub(e.form(t.lo)).AddConst(-1)})
	for _, c := range all {
		v := &e.vars[c.v]
		v.n = e.param(v.typ, s.Span)
		v.n.Name = v.name
		e.counted(c, t, 1, v.n)
	}
	for j, c := range all {
		e.keep(known, j, e.vars[c.v].n, e.form(i), func(of int) size.Poly { return e.form(e.vars[all[of].v].n) })
		e.since(c, e.vars[c.v].n)
	}
	e.fr.loop = &loop{stop: -1}
	if stops {
		e.fr.loop.stop = mark
		e.vars = append(e.vars, variable{mut: true, n: e.bool(false, s.Span), typ: graph.BoolType, lambda: e.lambda})
	}
	value := i
	if t.elem != nil {
		value = t.elem(i)
	}
	e.bindPattern(s.Pattern, false, value)
	e.unitBlock(s.Body)
	var results []*graph.Node
	for _, c := range all {
		results = append(results, e.vars[c.v].n)
		bad = bad || e.vars[c.v].n == nil
	}
	if stops {
		results = append(results, e.vars[mark].n)
		bad = bad || e.vars[mark].n == nil
	}
	e.cur.b.Results = results
	e.vars, e.fr.loop = e.vars[:mark], saved
	return bad
}

// stopped is whether the innermost loop has been left.
func (e *elab) stopped() *graph.Node { return e.vars[e.fr.loop.stop].n }

func (e *elab) breakStmt(s *syntax.Break) {
	l := e.fr.loop
	if l == nil {
		note, help := "not inside a for", "leave `break;` out; only a for is left early"
		if e.lambda > 0 {
			note = "a closure cannot end a loop around it"
		}
		e.errorf(s.Span, "T26", "there is no loop to leave here").Note("%s", note).Help("%s", help)
		return
	}
	if l.stop >= 0 {
		e.vars[l.stop].n = e.bool(true, s.Span)
	}
}

// turnsOf elaborates what a loop runs over.
func (e *elab) turnsOf(s *syntax.For) (turns, bool) {
	over := s.Over
	for {
		p, ok := over.(*syntax.ParenExpr)
		if !ok {
			break
		}
		over = p.X
	}
	if r, ok := over.(*syntax.RangeExpr); ok {
		return e.overRange(r)
	}
	if m, r, ok := strideOf(over); ok {
		return e.overStride(m, r)
	}
	length, elem, ok := e.overArray(over)
	if !ok {
		return turns{}, false
	}
	return turns{
		lo: e.int(num.I64, 0, s.Span), hi: e.sizeVal(length, s.Span),
		bound: length, isIndex: true, maxPoly: length, elem: elem,
	}, true
}

// overArray gives the number of elements of what a loop runs over, and each
// element. enumerate and zip need no array of their own here.
func (e *elab) overArray(x syntax.Expr) (size.Poly, func(i *graph.Node) *graph.Node, bool) {
	if m, ok := x.(*syntax.MethodCall); ok && m.TypeArgs == nil {
		switch {
		case m.Name.Text == "iter" && len(m.Args) == 0:
			return e.overArray(m.Receiver)
		case m.Name.Text == "enumerate" && len(m.Args) == 0:
			n, elem, ok := e.overArray(m.Receiver)
			return n, func(i *graph.Node) *graph.Node { return e.tuple(m.Span, i, elem(i)) }, ok
		case m.Name.Text == "zip" && len(m.Args) == 1:
			return e.overZip(m)
		}
	}
	v := e.dense(e.expr(x, nil))
	if v == nil {
		return size.Poly{}, nil, false
	}
	if v.Type.Kind != graph.Array {
		m := e.errorf(x.Where(), "T29", "a loop runs over a range or an array").Note("found %s", v.Type)
		if types.IsInt(v.Type) {
			m.Help("for i in 0..%s { … }", e.text(x.Where()))
		}
		return size.Poly{}, nil, false
	}
	return v.Type.Size, func(i *graph.Node) *graph.Node { return e.at(v, i, x.Where()) }, true
}

func (e *elab) overZip(m *syntax.MethodCall) (size.Poly, func(i *graph.Node) *graph.Node, bool) {
	n, a, ok := e.overArray(m.Receiver)
	k, b, ok2 := e.overArray(m.Args[0])
	if !ok || !ok2 {
		return n, nil, false
	}
	if !e.sameSize(n, k) {
		e.errorf(m.Span, "T06", "the sizes differ").Note("%s elements with %s", n, k).
			Help("%s", declare("if they are always equal, declare it", n.String()+" == "+k.String(), "zip before filtering: a.zip(b).filter(|(x, y)| …)", n, k))
		return n, nil, false
	}
	return n, func(i *graph.Node) *graph.Node { return e.tuple(m.Span, a(i), b(i)) }, true
}

// overRange is `a..b`: an index below b when both ends are sizes or constants
// and a is not negative, and otherwise an i64.
func (e *elab) overRange(r *syntax.RangeExpr) (turns, bool) {
	lo, hi := e.rangeEnds(r)
	if lo == nil || hi == nil {
		return turns{}, false
	}
	e.sizeOf(lo)
	e.sizeOf(hi)
	a, b := e.boundsOf(lo), e.boundsOf(hi)
	if !e.bounded(r.Lo, lo, a.declared || a.lo >= 0) || !e.bounded(r.Hi, hi, b.declared) {
		return turns{}, false
	}
	p, loExact := a.exact()
	q, hiExact := b.exact()
	if loExact && hiExact && e.proves(p) {
		t := turns{lo: e.sizeVal(p, r.Lo.Where()), hi: e.sizeVal(q, r.Hi.Where()), bound: q, isIndex: true, maxPoly: q.Sub(p), span: e.turnBounds(a, b)}
		t.span.lo = max(t.span.lo, 0)
		if least, _ := e.g.Facts.Bounds(q); !e.proves(t.maxPoly) {
			t.maxPoly = q.AddConst(max(-least, 0))
		}
		return t, true
	}
	t := turns{lo: e.toI64(lo), hi: e.toI64(hi), span: e.turnBounds(a, b)}
	t.maxPoly, t.max = e.mostTurns(a, b)
	return t, true
}

// turnBounds is what i lies between.
func (e *elab) turnBounds(a, b *bounds) *bounds {
	r := &bounds{lo: a.lo, hi: b.hi - 1, declared: a.declared && b.declared, los: a.los}
	if b.hi == math.MinInt64 {
		r.hi = b.hi
	}
	for _, h := range b.his {
		r.his = append(r.his, h.AddConst(-1))
	}
	if r.hi < r.lo { // no turn at all
		r.hi = r.lo
	}
	return r
}

// mostTurns bounds the number of turns: by a size where one is known, which
// says more to a reader, or else by a number.
func (e *elab) mostTurns(a, b *bounds) (size.Poly, int64) {
	for _, h := range b.his {
		if p := h.AddConst(-a.lo); e.proves(p) {
			return p, 0
		}
	}
	n, ok := sub64(b.hi, a.lo)
	if !ok {
		n = math.MaxInt64
	}
	return size.Const(max(n, 0)), max(n, 0)
}

func (e *elab) toI64(n *graph.Node) *graph.Node {
	r := e.cast(graph.I64Type, n, n.Pos)
	if r != n {
		e.of(r).bounds = e.boundsOf(n)
	}
	return r
}

// rangeEnds elaborates both ends to integers of one type.
func (e *elab) rangeEnds(r *syntax.RangeExpr) (lo, hi *graph.Node) {
	if flexible(r.Lo) {
		hi = e.expr(r.Hi, nil)
		var want *graph.Type
		if hi != nil && types.IsNumber(hi.Type) {
			want = operandWant(hi.Type)
		}
		if types.IsInt(orI64(want)) {
			lo = e.expr(r.Lo, want)
		} else {
			lo = e.expr(r.Lo, nil)
		}
	} else {
		lo = e.expr(r.Lo, nil)
		var want *graph.Type
		if lo != nil && types.IsInt(lo.Type) {
			want = operandWant(lo.Type)
		}
		hi = e.expr(r.Hi, want)
	}
	if lo == nil || hi == nil {
		return nil, nil
	}
	for _, end := range [2]*graph.Node{lo, hi} {
		if !types.IsInt(end.Type) {
			e.errorf(r.Span, "T05", "a range goes from integer to integer").Note("expected an integer, found %s", end.Type).
				Help("0..N")
			return nil, nil
		}
	}
	return lo, hi
}

func orI64(t *graph.Type) *graph.Type {
	if t == nil {
		return graph.I64Type
	}
	return t
}

// bounded checks that a loop's end is declared to be bounded.
func (e *elab) bounded(x syntax.Expr, n *graph.Node, ok bool) bool {
	if ok {
		return true
	}
	e.errorf(x.Where(), "T02", "this loop has no bound").Note("of `%s` only the type is known, %s", e.text(x.Where()), n.Type).
		Help("%s", e.askRange(x))
	return false
}
