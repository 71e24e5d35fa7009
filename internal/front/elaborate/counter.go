package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// A counter is a variable that a loop changes only by adding literals. In: the loop's body,
// and the most turns that it has. Out: bounds of the counter in a turn, and after the loop.
// They hold of the values that there really are, also after a fault: where the sum might not
// fit the type, nothing is said.

// growth is the most that one run of x, a part of a loop's body, adds to a counter.
func (e *elab) growth(x any, name string, body *syntax.Block) (size.Poly, bool) {
	switch x := x.(type) {
	case *syntax.Assign:
		if root := rootOf(x.Target); root != nil && root.Path[0].Text == name {
			by, op := added(x)
			return size.Const(int64(by)), op == syntax.Plus && by <= 1<<32
		}
	case *syntax.For:
		head, ok := e.growth(x.Over, name, body)
		g, ok2 := e.growth(x.Body, name, body)
		if c, plain := g.Const(); !ok || !ok2 || plain && c == 0 {
			return head, ok && ok2
		}
		n, ok := e.turnsWritten(x.Over, body)
		return head.Add(g.Mul(n)), ok
	case *syntax.If:
		return e.either(x.Cond, name, body, x.Then, x.Else)
	case *syntax.Match:
		arms := make([]any, len(x.Arms))
		for i, a := range x.Arms {
			arms[i] = a.Body
		}
		return e.either(x.X, name, body, arms...)
	}
	sum, ok := size.Const(0), true
	visit(x, func(part any) bool {
		if part == x {
			return true
		}
		g, known := e.growth(part, name, body)
		sum, ok = sum.Add(g), ok && known
		return false
	})
	return sum, ok && !sum.Overflowed()
}

// either is the growth of a condition and the greatest one of what it chooses from.
func (e *elab) either(cond syntax.Expr, name string, body *syntax.Block, sides ...any) (size.Poly, bool) {
	first, ok := e.growth(cond, name, body)
	most := size.Const(0)
	for _, s := range sides {
		if s == nil {
			continue
		}
		g, known := e.growth(s, name, body)
		switch ok = ok && known; {
		case e.proves(most.Sub(g)):
		case e.proves(g.Sub(most)):
			most = g
		default:
			most = most.Add(g)
		}
	}
	return first.Add(most), ok
}

// turnsWritten is how many turns a loop inside of body has at most, where its range says so by
// literals and sizes that mean the same there.
func (e *elab) turnsWritten(over syntax.Expr, body *syntax.Block) (size.Poly, bool) {
	r, ok := over.(*syntax.RangeExpr)
	if !ok {
		return size.Poly{}, false
	}
	if _, ok := r.Lo.(*syntax.IntLit); !ok {
		return size.Poly{}, false
	}
	switch hi := r.Hi.(type) {
	case *syntax.IntLit:
		return size.Const(int64(hi.Value)), hi.Value <= graph.MaxSize
	case *syntax.NameExpr:
		name := hi.Path[0].Text
		p, ok := e.fr.sizes[name]
		return p, ok && len(hi.Path) == 1 && e.lookup(name) == nil && !binds(body, name)
	}
	return size.Poly{}, false
}

// binds reports that a name may mean a variable somewhere in a block.
func binds(b *syntax.Block, name string) bool {
	found := false
	visit(b, func(x any) bool {
		switch x := x.(type) {
		case *syntax.Let:
			found = found || names(x.Pattern, name)
		case *syntax.For:
			found = found || names(x.Pattern, name)
		case *syntax.Const:
			found = found || x.Name.Text == name
		case *syntax.Match:
			for _, a := range x.Arms {
				found = found || a.Bind != nil && names(a.Bind, name)
			}
		}
		return !found
	})
	return found
}

func names(p syntax.Pattern, name string) bool {
	switch p := p.(type) {
	case *syntax.NamePattern:
		return p.Name.Text == name
	case *syntax.TuplePattern:
		for _, part := range p.Elems {
			if names(part, name) {
				return true
			}
		}
	}
	return false
}

// counted bounds a counter, now, when all turns but so many have ended.
func (e *elab) counted(c carried, t turns, but int64, now *graph.Node) {
	if !c.counts || c.first == nil || now.Type.Kind != graph.Scalar || !types.IsInt(now.Type) {
		return
	}
	n := t.maxPoly
	if t.max > 0 {
		n = size.Const(t.max)
	}
	most := n.AddConst(-but).Mul(c.step)
	if most.Overflowed() || !types.Small(most) {
		return
	}
	first := e.boundsOf(c.first)
	_, hi := e.g.Facts.Bounds(most)
	hi, ok := add64(first.hi, max(hi, 0))
	if !ok || uint64(max(hi, 0)) > now.Type.KindOf().MaxInt() {
		return
	}
	r := &bounds{lo: first.lo, hi: hi, declared: first.declared, los: first.los}
	r.his = cross(first.uppers(), []size.Poly{most}, size.Poly.Add)
	e.tighten(r)
	e.of(now).bounds = r
}
