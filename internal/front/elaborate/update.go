package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// targetRoot is what the indices and fields of an assignment's target stand
// behind.
func targetRoot(x syntax.Expr) syntax.Expr {
	for {
		switch t := x.(type) {
		case *syntax.Index:
			x = t.X
		case *syntax.Field:
			x = t.X
		case *syntax.ParenExpr:
			x = t.X
		default:
			return x
		}
	}
}

// rootOf is the variable that an assignment changes, nil when there is none.
func rootOf(target syntax.Expr) *syntax.NameExpr {
	name, ok := targetRoot(target).(*syntax.NameExpr)
	if !ok || len(name.Path) != 1 {
		return nil
	}
	return name
}

// place is the way from a variable's value to the part that changes; see
// graph.Update.
type place struct {
	path    []int
	indices []*graph.Node
}

// updated is the value of a variable with one part of it changed. Whatever
// the statement reads is of the value now.
func (e *elab) updated(s *syntax.Assign, v *variable) *graph.Node {
	var p place
	now := e.read(v, s.Span)
	old := e.partAt(s.Target, now, &p)
	if old == nil {
		e.expr(s.Value, nil)
		return nil
	}
	part := e.newPart(s, old)
	if part == nil || e.settle(e.of(old).soft, old.Type, part.Type) {
		return nil
	}
	part = e.coerce(e.dense(part), old.Type, s.Value.Where())
	if part == nil {
		return nil
	}
	return e.change(now, part, p, s)
}

// newPart is what the part becomes.
func (e *elab) newPart(s *syntax.Assign, old *graph.Node) *graph.Node {
	if s.Op == syntax.SetTo {
		return e.expr(s.Value, old.Type)
	}
	want := numberWant(old.Type)
	if flexible(s.Value) || want == nil {
		want = operandWant(old.Type)
	}
	v := e.expr(s.Value, want)
	if v == nil {
		return nil
	}
	return e.combined(compound(s), old, v)
}

// partAt is the present value of a target, of which p becomes the place. now
// is the variable's value, nil when it is not known because of an error.
func (e *elab) partAt(x syntax.Expr, now *graph.Node, p *place) *graph.Node {
	switch x := x.(type) {
	case *syntax.Index:
		v := e.partAt(x.X, now, p)
		if v == nil {
			e.expr(x.I, nil)
			return nil
		}
		e.target = true
		i := e.indexInto(x, v)
		e.target = false
		if i == nil {
			return nil
		}
		p.path, p.indices = append(p.path, graph.ByIndex), append(p.indices, i)
		return e.at(v, i, x.Span)
	case *syntax.ParenExpr:
		return e.partAt(x.X, now, p)
	case *syntax.Field:
		v := e.partAt(x.X, now, p)
		if v == nil || x.Name.Text == "" {
			return nil
		}
		f := e.fieldOf(x, v)
		if f < 0 {
			return nil
		}
		p.path = append(p.path, f)
		return e.get(v, f, x.Span)
	}
	return now
}

// change is v with the part at p changed. Fields before the first index make
// the tuple anew; from there on it is one Update.
func (e *elab) change(v, part *graph.Node, p place, s *syntax.Assign) *graph.Node {
	switch {
	case len(p.path) == 0:
		return part
	case p.path[0] == graph.ByIndex:
		n := e.add(graph.Update, v.Type, s.Span, append([]*graph.Node{v, part}, p.indices...)...)
		n.Path = p.path
		return n
	}
	fields := make([]*graph.Node, len(v.Type.Elems))
	for i := range fields {
		fields[i] = e.get(v, i, s.Span)
	}
	first := p.path[0]
	p.path = p.path[1:]
	fields[first] = e.change(fields[first], part, p, s)
	return e.add(graph.MakeTuple, v.Type, s.Span, fields...)
}
