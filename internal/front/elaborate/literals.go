package elaborate

import (
	"cmp"
	"maps"
	"slices"

	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// In: a `let` of literals without a type, `let mut c = [0; N];`. Its literals are i64 and f64
// at first. The first use that does not fit settles them: the function is elaborated once
// more from the start, with the kind that this use wants. So a program that is in order
// without keeps its meaning. Out: the type that such a let's value is elaborated for.

// soft says which literals a value has its type from.
type soft struct {
	let   *syntax.Let
	types string // what the generic types of the function stand for
	path  string // the fields of tuples that lead there, a byte each; arrays are passed through
}

func (s *soft) field(i int) *soft {
	if s == nil || i >= maxTuple {
		return nil
	}
	return &soft{s.let, s.types, s.path + string(byte('0'+i))}
}

// maxSettling is how often a function is elaborated to settle literals.
const maxSettling = 50

// isSoft reports a variable, or a part of one, that literals are behind.
func (e *elab) isSoft(x syntax.Expr) bool {
	name := rootOf(x)
	if name == nil {
		return false
	}
	v := e.lookup(name.Path[0].Text)
	return v != nil && v.soft != nil
}

// literalsAt finds the literals at a path in the value of a let; nil when there is
// anything else.
func literalsAt(x syntax.Expr, path string) syntax.Expr {
	switch y := x.(type) {
	case *syntax.ParenExpr:
		return literalsAt(y.X, path)
	case *syntax.RepeatExpr:
		return literalsAt(y.Value, path)
	case *syntax.ArrayExpr:
		other := func(e syntax.Expr) bool { return literalsAt(e, path) == nil }
		if len(y.Elems) > 0 && !slices.ContainsFunc(y.Elems, other) {
			return y.Elems[0]
		}
	case *syntax.TupleExpr:
		if i := len(path); i > 0 && int(path[0]-'0') < len(y.Elems) {
			return literalsAt(y.Elems[path[0]-'0'], path[1:])
		}
	default:
		if path == "" && flexible(x) {
			return x
		}
	}
	return nil
}

// softLet is the beginning of what the names of a let are made of.
func (e *elab) softLet(s *syntax.Let) *soft {
	l := &soft{let: s}
	for _, name := range slices.Sorted(maps.Keys(e.fr.types)) {
		l.types += name + " = " + e.fr.types[name].String() + ";"
	}
	return l
}

// settledType is what is known of the type of a let's literals; nil when nothing is.
func (e *elab) settledType(x syntax.Expr, s *soft) *graph.Type {
	switch y := x.(type) {
	case *syntax.ParenExpr:
		return e.settledType(y.X, s)
	case *syntax.RepeatExpr:
		t := e.settledType(y.Value, s)
		for range y.Dims {
			t = openArray(t)
		}
		return t
	case *syntax.ArrayExpr:
		if len(y.Elems) == 0 {
			return nil
		}
		return openArray(e.settledType(y.Elems[0], s))
	case *syntax.TupleExpr:
		t, known := &graph.Type{Kind: graph.Tuple}, false
		for i, part := range y.Elems {
			elem := e.settledType(part, s.field(i))
			known = known || elem != nil
			t.Elems = append(t.Elems, cmp.Or(elem, openType))
		}
		if known {
			return t
		}
		return nil
	}
	if k, ok := e.p.settled[*s]; ok {
		return types.Scalars[k]
	}
	return nil
}

func openArray(elem *graph.Type) *graph.Type {
	if elem == nil {
		return nil
	}
	return graph.ArrayOf(elem, types.Open)
}

// soften marks the value x of a let, and the parts of it that are made of literals.
func (e *elab) soften(x syntax.Expr, n *graph.Node, s *soft) {
	if n == nil || s == nil {
		return
	}
	switch y := x.(type) {
	case *syntax.ParenExpr:
		e.soften(y.X, n, s)
	case *syntax.TupleExpr:
		e.of(n).soft = s
		for i, part := range y.Elems {
			e.soften(part, n.Args[i], s.field(i))
		}
	default:
		if literalsAt(x, "") != nil {
			e.of(n).soft = s
		}
	}
}

// settles reports that n would be of type want if the literals that it is made of were. They
// will be, so that there is nothing to report.
func (e *elab) settles(n *graph.Node, want *graph.Type) bool {
	switch {
	case n == nil || want == nil || !e.settling || e.attempts > 0:
		return false
	case n.Op == graph.MakeTuple && want.Kind == graph.Tuple && len(want.Elems) == len(n.Args):
		found := false
		for i, part := range n.Args {
			found = e.settles(part, want.Elems[i]) || found
		}
		return found
	}
	return e.settle(e.of(n).soft, n.Type, want)
}

func (e *elab) settle(s *soft, is, want *graph.Type) bool {
	switch {
	case s == nil || !e.settling || e.attempts > 0:
		return false
	case is.Kind == graph.Array && want.Kind == graph.Array:
		return e.settle(s, is.Elem(), want.Elem())
	case is.Kind == graph.Tuple && want.Kind == graph.Tuple && len(is.Elems) == len(want.Elems):
		found := false
		for i := range is.Elems {
			found = e.settle(s.field(i), is.Elems[i], want.Elems[i]) || found
		}
		return found
	case is.Kind != graph.Scalar || !types.IsNumber(is) || !types.IsNumber(want):
		return false
	}
	k := want.KindOf()
	if _, already := e.p.settled[*s]; already || k == is.Num || k.IsFloat() != is.Num.IsFloat() || literalsAt(s.let.Value, s.path) == nil {
		return false
	}
	e.p.settled[*s] = k
	e.again = true
	return true
}

// softOf is what an operation has its type from: an operand that is soft, beside another
// that is so too or is made of literals.
func (e *elab) softOf(x, y syntax.Expr, a, b *graph.Node) *soft {
	switch s, t := e.of(a).soft, e.of(b).soft; {
	case s != nil && (t != nil || flexible(y)):
		return s
	case t != nil && flexible(x):
		return t
	}
	return nil
}
