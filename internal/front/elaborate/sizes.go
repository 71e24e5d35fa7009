package elaborate

import (
	"slices"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// proves reports that p ≥ 0 is shown for every run.
func (e *elab) proves(p size.Poly) bool {
	if c, ok := p.Const(); ok {
		return c >= 0
	}
	if types.IsOpen(p) {
		return false
	}
	facts := size.Facts{Lo: e.g.Facts.Lo, Hi: e.g.Facts.Hi, NonNeg: e.relevant(p)}
	return facts.Proves(p)
}

// relevant picks the known facts that share a size with p, and those that
// share one with them, so that a proof does not take longer in a program
// with many run-time sizes.
func (e *elab) relevant(p size.Poly) []size.Poly {
	all := e.g.Facts.NonNeg
	if len(all) <= 4 {
		return all
	}
	var out []size.Poly
	names := p.Vars()
	taken := make([]bool, len(all))
	for range 2 {
		next := names
		for i, f := range all {
			if vars := f.Vars(); !taken[i] && len(out) < 24 && share(names, vars) {
				taken[i] = true
				out = append(out, f)
				next = append(next, vars...)
			}
		}
		names = next
	}
	return out
}

func share(a, b []string) bool {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				return true
			}
		}
	}
	return false
}

// sameSize reports that two sizes are equal in every run.
func (e *elab) sameSize(a, b size.Poly) bool {
	return a.Equal(b) || e.proves(a.Sub(b)) && e.proves(b.Sub(a))
}

// sizeExpr evaluates a size as written. It reports what is none.
func (e *elab) sizeExpr(x syntax.Expr) (size.Poly, bool) {
	p, ok := e.sizeTerm(x)
	if ok && !types.Small(p) {
		e.errorf(x.Where(), "T27", "this size is too large or too complicated").
			Note("found %s", p).Help("name it with a const, or give the array a size of its own")
		return p, false
	}
	return p, ok
}

func (e *elab) sizeTerm(x syntax.Expr) (size.Poly, bool) {
	switch x := x.(type) {
	case *syntax.IntLit:
		if int64(x.Value) < 0 || int64(x.Value) > 1<<62 {
			e.errorf(x.Span, "T27", "this size is too large or too complicated").Note("sizes go up to 2^62")
			return size.Poly{}, false
		}
		return size.Const(int64(x.Value)), true
	case *syntax.ParenExpr:
		return e.sizeExpr(x.X)
	case *syntax.NameExpr:
		return e.sizeName(x)
	case *syntax.Binary:
		return e.sizeBinary(x)
	case *syntax.BadExpr:
		return size.Poly{}, false
	}
	e.notASize(x.Where())
	return size.Poly{}, false
}

func (e *elab) notASize(at diag.Span) {
	e.errorf(at, "T27", "this is not a size").
		Note("expected sizes, constants and numbers with + - * and / by a number").
		Help("name a size in a parameter's type: x: &[f32; N]")
}

func (e *elab) sizeBinary(x *syntax.Binary) (size.Poly, bool) {
	a, ok := e.sizeExpr(x.X)
	b, ok2 := e.sizeExpr(x.Y)
	if !ok || !ok2 {
		return size.Poly{}, false
	}
	switch x.Op {
	case syntax.Plus:
		return a.Add(b), true
	case syntax.Minus:
		return a.Sub(b), true
	case syntax.Star:
		return a.Mul(b), true
	case syntax.Slash:
		if c, isConst := b.Const(); isConst && c >= 1 {
			return e.quotientOf(a, c), true
		}
		e.errorf(x.Y.Where(), "T27", "a size can be divided by a positive number only").Note("found %s", b)
		return size.Poly{}, false
	}
	e.notASize(x.Span)
	return size.Poly{}, false
}

// quotientOf is p/c rounded down. That it is not more than p/c, and by less
// than one less, are facts, because the quotient itself says nothing of p.
func (e *elab) quotientOf(p size.Poly, c int64) size.Poly {
	q := size.Div(p, c)
	rest := p.Sub(q.MulConst(c))
	if _, isConst := rest.Const(); isConst || rest.Overflowed() {
		return q
	}
	for _, f := range e.g.Facts.NonNeg {
		if f.Equal(rest) {
			return q
		}
	}
	e.fact(rest)
	e.fact(size.Const(c - 1).Sub(rest))
	return q
}

func (e *elab) sizeName(x *syntax.NameExpr) (size.Poly, bool) {
	name := x.Path[0]
	if len(x.Path) == 1 {
		if p, ok := e.fr.sizes[name.Text]; ok {
			return p, !p.Overflowed()
		}
		if v := e.lookup(name.Text); v != nil {
			return e.valueAsSize(v, x.Span)
		}
		if isTypeName(name.Text) || e.fr.types[name.Text] != nil {
			e.errorf(x.Span, "T09", "a size is expected here").Note("`%s` is a type", name.Text).Help("::<8>")
			return size.Poly{}, false
		}
		if e.resolver().first(name.Text) == nil {
			e.unknownSize(name)
			return size.Poly{}, false
		}
	}
	d := e.resolver().path(x.Path, "N10")
	if d == nil {
		return size.Poly{}, false
	}
	if d.kind != constDecl {
		e.errorf(x.Span, "T27", "this is not a size").Note("`%s` is %s", d.name, declWords[d.kind]).Help("give the size another name, such as Q")
		return size.Poly{}, false
	}
	if !e.p.constant(d) {
		return size.Poly{}, false
	}
	if !types.IsInt(d.typ) || d.typ.Num == num.U64 && int64(d.bits) < 0 {
		e.errorf(x.Span, "T27", "this is not a size").Note("`%s` is %s", d.name, d.typ)
		return size.Poly{}, false
	}
	return size.Const(int64(d.bits)), true
}

// valueAsSize explains that a value known only at run time is no size, unless
// the variable is just a size under another name.
func (e *elab) valueAsSize(v *variable, at diag.Span) (size.Poly, bool) {
	if v.n == nil {
		return size.Poly{}, false
	}
	if types.IsInt(v.typ) && !v.mut {
		if p, ok := e.sizeOf(v.n); ok {
			return p, true
		}
	}
	if v.late {
		e.tooLate(v, at)
		return size.Poly{}, false
	}
	e.errorf(at, "T04", "`%s` is a value, and cannot be a size", v.name).
		Note("%s, known only at run time", v.typ).
		Help("take that many elements of an array of a known size; the result is [T; ?M <= N]:\nx.take(%s)", v.name)
	return size.Poly{}, false
}

func (e *elab) unknownSize(name syntax.Name) {
	if name.Text == "" {
		return
	}
	if e.fr.d != nil && e.fr.d.kind == recordDecl {
		e.errorf(name.Span, "N10", "there is no size called `%s`", name.Text).Note("the sizes in a record are constants").
			Help("declare it before the record:\nconst %s: i64 = 3;", name.Text)
		return
	}
	m := e.errorf(name.Span, "N10", "there is no size called `%s`", name.Text).Note("no parameter's type declares it")
	names := make([]string, 0, len(e.fr.sizes))
	for n := range e.fr.sizes {
		names = append(names, n)
	}
	if best := nearest(name.Text, names); best != "" {
		m.Help("did you mean `%s`?", best)
	} else if len(names) == 1 {
		m.Help("did you mean `%s`?", names[0])
	} else {
		m.Help("name it in a parameter's type, x: &[f32; %s], or as a generic: <%s: Size>", name.Text, name.Text)
	}
}

// sizeArg is a size given by a turbofish.
func (e *elab) sizeArg(a syntax.TypeArg) (size.Poly, bool) {
	if a.Size == nil {
		e.errorf(a.Type.Where(), "T09", "a size is expected here").Note("found a type").Help("::<8>")
		return size.Poly{}, false
	}
	return e.sizeExpr(a.Size)
}

// fact adds that p ≥ 0 in every run.
func (e *elab) fact(p size.Poly) { e.g.Facts.NonNeg = append(e.g.Facts.NonNeg, p) }

// sizeOf is the size that a number is equal to. A product of sizes may be too large for an
// i64; as a size it is at most the largest, which is checked before the run, and so it and
// what is computed from it cannot overflow.
func (e *elab) sizeOf(n *graph.Node) (size.Poly, bool) {
	if p, ok := e.boundsOf(n).exact(); ok {
		return p, true
	}
	if n.Op != graph.Arith || n.Type.Kind != graph.Scalar || n.Type.Num != num.I64 || !n.Checked || len(n.Args) != 2 {
		return size.Poly{}, false
	}
	a, ok := e.sizeOf(n.Args[0])
	b, ok2 := e.sizeOf(n.Args[1])
	if !ok || !ok2 {
		return size.Poly{}, false
	}
	if p := a.Mul(b); n.Num == num.Mul && (!e.proves(a) || !e.proves(b) || !e.atMostLargest(p)) {
		return size.Poly{}, false
	}
	r, fits := e.arithBounds(n.Num, num.I64, e.boundsOf(n.Args[0]), e.boundsOf(n.Args[1]))
	if !fits {
		return size.Poly{}, false
	}
	n.Checked, n.Site = false, -1
	i := e.of(n)
	i.bounds, i.fits, i.form = &r, true, nil
	return r.exact()
}

// atMostLargest makes sure that a product of sizes is one. Where it is made of sizes known
// only at run time, this is asked of what bounds those.
func (e *elab) atMostLargest(p size.Poly) bool {
	if !types.Small(p) || types.IsOpen(p) {
		return false
	}
	if e.proves(size.Const(graph.MaxSize).Sub(p)) {
		return true
	}
	most, ok := e.declaredBound(p)
	if !ok {
		return false
	}
	e.fact(size.Const(graph.MaxSize).Sub(most))
	if !most.Equal(p) {
		e.fact(size.Const(graph.MaxSize).Sub(p)) // follows
	}
	return true
}

// declaredBound is at least p, and made of declared sizes only.
func (e *elab) declaredBound(p size.Poly) (size.Poly, bool) {
	for range p.Degree() + len(p.Vars()) {
		i := slices.IndexFunc(p.Vars(), isDynamic)
		if i < 0 {
			return p, true
		}
		if !nonNegativeTerms(p) {
			return p, false
		}
		name := p.Vars()[i]
		j := slices.IndexFunc(e.g.Facts.NonNeg, func(f size.Poly) bool {
			c, rest, ok := f.Linear(name)
			minus, isConst := c.Const()
			return ok && isConst && minus == -1 && nonNegativeTerms(rest)
		})
		if j < 0 {
			return p, false
		}
		bound := e.g.Facts.NonNeg[j].Add(size.Var(name))
		p = p.Subst(func(v string) (size.Poly, bool) { return bound, v == name })
	}
	return p, false
}

func nonNegativeTerms(p size.Poly) bool {
	ok := !p.Overflowed()
	p.Terms(func(coef int64, _ []string, plain bool) { ok = ok && coef >= 0 && plain })
	return ok
}

// boundSize notes that an array of this size exists, so that its size is no
// more than the largest.
func (e *elab) boundSize(p size.Poly) {
	if _, plain := p.IsVar(); plain {
		return
	}
	if _, isConst := p.Const(); !isConst {
		e.fact(p)
		e.fact(size.Const(graph.MaxSize).Sub(p))
	}
}
