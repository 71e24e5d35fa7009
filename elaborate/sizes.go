package elaborate

import (
	"github.com/godwit-run/godwit/diag"
	"github.com/godwit-run/godwit/graph"
	"github.com/godwit-run/godwit/num"
	"github.com/godwit-run/godwit/size"
	"github.com/godwit-run/godwit/syntax"
	"github.com/godwit-run/godwit/types"
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
		e.errorf(x.Span, "T27", "this is not a size").Note("`%s` is %s", d.name, declWords[d.kind])
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
		if p, ok := e.boundsOf(v.n).exact(); ok {
			return p, true
		}
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
