package elaborate

import (
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: an expression of integers where floats are wanted. Out: the expression with its operands converted, so that what
// was meant is divided: a quotient of integers that is converted behind the division has lost its fraction.

// exprAt is the expression of the function at hand that stands at a span; nil if none does.
func (e *elab) exprAt(at diag.Span) syntax.Expr {
	if e.fr.d == nil || e.fr.d.fn == nil {
		return nil
	}
	var found syntax.Expr
	visit(e.fr.d.fn.Body, func(x any) bool {
		if x, ok := x.(syntax.Expr); ok && found == nil && x.Where() == at {
			found = x
		}
		return found == nil
	})
	return found
}

// dividedAsFloats is what to write for an expression of integers with a quotient in it, at a span, where a type of floats
// is wanted, or an array of them; "" of other expressions.
func (e *elab) dividedAsFloats(at diag.Span, found, want *graph.Type) string {
	depth := 0
	for found.Kind == want.Kind && (found.Kind == graph.Array || found.Kind == graph.Option) {
		found, want = found.Elem(), want.Elem()
		depth++
	}
	if !types.IsFloat(want) || !types.IsInt(found) && found.Kind != graph.Index {
		return ""
	}
	x := e.exprAt(at)
	q := e.quotientIn(x, depth)
	if q == nil || strings.ContainsAny(e.text(at), "\n`") {
		return ""
	}
	in, divided := q.Where(), e.convertedAll(q, want.Num)
	if in.Start < at.Start || in.End > at.End {
		return e.instead(in, divided)
	}
	whole := e.text(at)
	return whole[:in.Start-at.Start] + divided + whole[in.End-at.Start:]
}

// quotientIn is the arithmetic with a quotient in it that gives an expression's value, or what it maps to, so many arrays
// or Options deep; nil if there is none.
func (e *elab) quotientIn(x syntax.Expr, depth int) syntax.Expr {
	switch x := x.(type) {
	case *syntax.Binary:
		if divides(x) {
			return x
		}
	case *syntax.ParenExpr:
		return e.quotientIn(x.X, depth)
	case *syntax.Block:
		return e.quotientIn(x.Value, depth)
	case *syntax.MethodCall:
		if c, ok := lastClosure(x); ok && depth > 0 && (x.Name.Text == "map" || x.Name.Text == "agg") {
			return e.quotientIn(c.Body, depth-1)
		}
	case *syntax.NameExpr:
		return e.quotientIn(e.valueOf(x), depth)
	}
	return nil
}

// valueOf is what a name stands for that a single `let` gives it; nil if it is another.
func (e *elab) valueOf(x *syntax.NameExpr) syntax.Expr {
	v := e.lookup(x.Path[0].Text)
	if len(x.Path) != 1 || e.fr.d == nil || e.fr.d.fn == nil {
		return nil
	}
	var value syntax.Expr
	named := 0
	visit(e.fr.d.fn.Body, func(y any) bool {
		if l, ok := y.(*syntax.Let); ok {
			if p, ok := l.Pattern.(*syntax.NamePattern); ok && p.Name.Text == x.Path[0].Text {
				if named++; l.Type == nil && !l.Mut && !p.Mut && (v == nil || v.span == p.Name.Span) {
					value = l.Value
				}
			}
		}
		return true
	})
	if named != 1 {
		return nil
	}
	return value
}

// isArithmetic reports operators that give of floats what they give of integers, but for the fraction of a quotient.
func isArithmetic(x syntax.Expr) (*syntax.Binary, bool) {
	b, ok := x.(*syntax.Binary)
	return b, ok && (b.Op == syntax.Plus || b.Op == syntax.Minus || b.Op == syntax.Star || b.Op == syntax.Slash)
}

// divides reports arithmetic with a quotient in it.
func divides(x syntax.Expr) bool {
	b, ok := isArithmetic(unwrapped(x))
	return ok && (b.Op == syntax.Slash || divides(b.X) || divides(b.Y))
}

// convertedAll is arithmetic on integers with all operands converted.
func (e *elab) convertedAll(x syntax.Expr, to num.Kind) string {
	switch y := x.(type) {
	case *syntax.ParenExpr:
		return "(" + e.convertedAll(y.X, to) + ")"
	case *syntax.Binary:
		if _, ok := isArithmetic(y); ok {
			return e.convertedAll(y.X, to) + " " + y.Op.String() + " " + e.convertedAll(y.Y, to)
		}
	case *syntax.IntLit:
		if y.Suffix == "" && isDecimal(y.Text) {
			return e.text(y.Span) + ".0"
		}
	case *syntax.Cast:
		return e.text(y.Span) + " as " + to.String()
	}
	if e.isArray(x) {
		return e.operand(x) + ".map(|e| e as " + to.String() + ")"
	}
	return e.operand(x) + " as " + to.String()
}

// isArray reports an expression that gives an array where the checker is; one of names that are not there now does not.
func (e *elab) isArray(x syntax.Expr) bool {
	is := false
	e.trial(func() {
		n := e.expr(x, nil)
		is = n != nil && n.Type.Kind == graph.Array
	})
	return is
}

// asKind is an operand converted to a number of another kind.
func (e *elab) asKind(x syntax.Expr, to num.Kind) string {
	if to.IsFloat() && divides(x) {
		return e.convertedAll(x, to)
	}
	return e.operand(x) + " as " + to.String()
}
