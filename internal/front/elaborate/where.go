package elaborate

import (
	"strings"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// clauses checks that the callee's conditions hold for the arguments.
func (c *inlining) clauses() bool {
	ok := true
	for _, cl := range c.d.fn.Where {
		switch cl := cl.(type) {
		case *syntax.RangeClause:
			ok = c.rangeHolds(cl) && ok
		case *syntax.CompareClause:
			ok = c.compareHolds(cl) && ok
		}
	}
	return ok
}

func (c *inlining) compareHolds(cl *syntax.CompareClause) bool {
	var x, y size.Poly
	ok, ok2 := false, false
	c.inCallee(func() { x, ok = c.e.sizeExpr(cl.X); y, ok2 = c.e.sizeExpr(cl.Y) })
	if !ok || !ok2 {
		return false
	}
	holds := true
	for _, p := range differences(cl.Op, x, y) {
		holds = holds && c.holds(p)
	}
	if !holds {
		c.unproved(c.textOf(cl.Span.Start, cl.Span.End), x.String()+" "+cl.Op.String()+" "+y.String())
	}
	return holds
}

// maxLemmas bounds the facts that proofs at calls leave behind.
const maxLemmas = 40

// holds reports that p >= 0 is shown. What the callee relies on becomes a
// fact of its own, so that proofs in its body need not find it again.
func (c *inlining) holds(p size.Poly) bool {
	if !c.e.proves(p) {
		return false
	}
	if _, isConst := p.Const(); !isConst && len(p.Vars()) > 1 && len(c.e.g.Facts.NonNeg) < maxLemmas {
		c.e.fact(p)
	}
	return true
}

// differences gives the polynomials that must be ≥ 0 for `x op y`.
func differences(op syntax.Token, x, y size.Poly) []size.Poly {
	switch op {
	case syntax.Lt:
		return []size.Poly{y.Sub(x).AddConst(-1)}
	case syntax.Le:
		return []size.Poly{y.Sub(x)}
	case syntax.Gt:
		return []size.Poly{x.Sub(y).AddConst(-1)}
	case syntax.Ge:
		return []size.Poly{x.Sub(y)}
	}
	return []size.Poly{x.Sub(y), y.Sub(x)}
}

func (c *inlining) rangeHolds(cl *syntax.RangeClause) bool {
	var lo, hi size.Poly
	ok, ok2 := false, false
	c.inCallee(func() { lo, ok = c.e.sizeExpr(cl.Lo); hi, ok2 = c.e.sizeExpr(cl.Hi) })
	if !ok || !ok2 {
		return false
	}
	text := c.textOf(cl.Span.Start, cl.Span.End)
	if p, isSize := c.fr.sizes[cl.Name.Text]; isSize {
		if !c.holds(p.Sub(lo)) || !c.holds(hi.Sub(p)) {
			c.unproved(text, p.String()+": Range<"+lo.String()+", "+hi.String()+">")
			return false
		}
		return true
	}
	for i, p := range c.d.fn.Params {
		if p.Name.Text != cl.Name.Text || c.args[i] == nil || !types.IsInt(c.args[i].Type) {
			continue
		}
		b := c.e.boundsOf(c.args[i])
		l, isConst := lo.Const()
		h, isConst2 := hi.Const()
		if !isConst || !isConst2 || b.lo < l || b.hi > h {
			c.unproved(text, c.e.operand(c.x.Args[i])+".clamp("+lo.String()+", "+hi.String()+")")
			return false
		}
	}
	return true
}

func (c *inlining) textOf(start, end int) string {
	return strings.Join(strings.Fields(c.d.src.Text[start:end]), " ")
}

func (c *inlining) unproved(clause, help string) {
	head := "declare it here too:\nwhere " + help
	if strings.Contains(help, ".clamp(") {
		head = "limit the argument:\n" + help
	}
	c.e.errorf(c.x.Span, "T10", "a condition of `%s` is not known to hold", last(c.d.name)).
		Note("it needs %s", clause).Help("%s", head)
}

// ranges reads the conditions of a function that is run from outside, or
// checked alone: they become facts.
func (e *elab) ranges(fn *syntax.Func) {
	for _, cl := range fn.Where {
		switch cl := cl.(type) {
		case *syntax.RangeClause:
			e.rangeFact(cl)
		case *syntax.CompareClause:
			e.compareFact(cl)
		case *syntax.ExpectClause:
			e.expect(cl)
		}
	}
}

// rangeFact notes `N: Range<lo, hi>`.
func (e *elab) rangeFact(cl *syntax.RangeClause) {
	lo, ok := e.constSize(cl.Lo)
	hi, ok2 := e.constSize(cl.Hi)
	if !ok || !ok2 {
		return
	}
	if lo > hi {
		e.errorf(cl.Span, "T25", "this range is empty").Note("%d > %d", lo, hi).Help("%s: Range<%d, %d>", cl.Name.Text, hi, lo)
		return
	}
	for i := range e.g.Sizes {
		s := &e.g.Sizes[i]
		if s.Name != cl.Name.Text {
			continue
		}
		if s.Declared {
			e.errorf(cl.Span, "T25", "`%s` has two ranges", s.Name).Note("the first is %d to %d", s.Lo, s.Hi).Help("leave one out")
			return
		}
		if lo < 0 || hi > graph.MaxSize {
			e.errorf(cl.Span, "T25", "a size is between 0 and 2^40").Note("found %d to %d", lo, hi).Help("%s: Range<1, 1_000_000_000>", s.Name)
			return
		}
		s.Lo, s.Hi, s.Declared = lo, hi, true
		e.g.Facts.Lo[s.Name], e.g.Facts.Hi[s.Name] = lo, hi
		return
	}
	for i := range e.g.ParamInfo {
		if p := &e.g.ParamInfo[i]; p.Name == cl.Name.Text {
			e.paramRange(cl, p, i, lo, hi)
			return
		}
	}
	e.unknownSize(cl.Name)
}

// constSize is an end of a range: a constant, or one with a minus before it.
func (e *elab) constSize(x syntax.Expr) (int64, bool) {
	negative := false
	if u, ok := x.(*syntax.Unary); ok && u.Op == syntax.Minus {
		negative, x = true, u.X
	}
	p, ok := e.sizeExpr(x)
	if !ok {
		return 0, false
	}
	c, isConst := p.Const()
	if !isConst {
		e.errorf(x.Where(), "T25", "the ends of a range are numbers").Note("found %s", p).Help("compare sizes instead:\nwhere K <= %s", p)
		return 0, false
	}
	if negative {
		c = -c
	}
	return c, true
}

// paramRange notes the range of an integer parameter.
func (e *elab) paramRange(cl *syntax.RangeClause, p *graph.ParamInfo, i int, lo, hi int64) {
	n := e.g.Body.Params[i]
	if n == nil || n.Type == nil {
		return
	}
	if n.Type.Kind != graph.Scalar || !types.IsInt(n.Type) {
		e.errorf(cl.Span, "T25", "only sizes and integers have ranges").Note("`%s` is %s", p.Name, n.Type).
			Help("give the range to a size of it:\nwhere N: Range<%d, %d>", lo, hi)
		return
	}
	nat := natural(n.Type.Num)
	if lo < nat.lo || hi > nat.hi {
		e.errorf(cl.Span, "T25", "this range is wider than its type").Note("%s holds %d to %d", n.Type, nat.lo, nat.hi).
			Help("%s: Range<%d, %d>", p.Name, max(lo, nat.lo), min(hi, nat.hi))
		return
	}
	p.Lo, p.Hi, p.Ranged = lo, hi, true
	e.of(n).bounds = &bounds{lo: lo, hi: hi, declared: true}
}

func (e *elab) compareFact(cl *syntax.CompareClause) {
	x, ok := e.sizeExpr(cl.X)
	y, ok2 := e.sizeExpr(cl.Y)
	if !ok || !ok2 {
		return
	}
	for _, p := range differences(cl.Op, x, y) {
		if c, isConst := p.Const(); isConst {
			if c < 0 {
				e.errorf(cl.Span, "T25", "this condition never holds").Note("%s %s %s", x, cl.Op, y).Help("leave it out, or turn it round")
			}
			continue
		}
		e.fact(p)
		e.narrow(p)
	}
}

// narrow takes the bounds of single sizes from a condition such as N >= 4.
func (e *elab) narrow(p size.Poly) {
	vars := p.Vars()
	if len(vars) != 1 {
		return
	}
	for i := range e.g.Sizes {
		s := &e.g.Sizes[i]
		if s.Name != vars[0] {
			continue
		}
		rest := p.Sub(size.Var(s.Name))
		if c, ok := rest.Const(); ok { // N + c >= 0
			s.Lo = max(s.Lo, -c)
			e.g.Facts.Lo[s.Name] = s.Lo
		}
		rest = p.Add(size.Var(s.Name))
		if c, ok := rest.Const(); ok { // c - N >= 0
			s.Hi = min(s.Hi, c)
			e.g.Facts.Hi[s.Name] = s.Hi
		}
	}
}

func (e *elab) expect(cl *syntax.ExpectClause) {
	v, ok := e.constSize(cl.Value)
	if !ok {
		return
	}
	for i := range e.g.Sizes {
		if e.g.Sizes[i].Name == cl.Name.Text {
			e.g.Sizes[i].Expected = v
			return
		}
	}
	e.unknownSize(cl.Name)
}
