package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// In: a part of an expression that a group has not, and the fold behind it, as in g.filter(|r| …).count() or g.v.sum(). Out: the fold as
// it is asked of the group.

// callOn is the call whose receiver an expression is; nil if there is none.
func (e *elab) callOn(x syntax.Expr) (on *syntax.MethodCall) {
	if e.fr.d == nil || e.fr.d.fn == nil {
		return nil
	}
	visit(e.fr.d.fn.Body, func(n any) bool {
		if c, ok := n.(*syntax.MethodCall); ok && c.Receiver == x {
			on = c
		}
		return on == nil
	})
	return on
}

// fieldOn is the field that is taken of an expression; nil if there is none.
func (e *elab) fieldOn(x syntax.Expr) (on *syntax.Field) {
	if e.fr.d == nil || e.fr.d.fn == nil {
		return nil
	}
	visit(e.fr.d.fn.Body, func(n any) bool {
		if f, ok := n.(*syntax.Field); ok && f.X == x {
			on = f
		}
		return on == nil
	})
	return on
}

// oneValued are the folds that give one value of a closure for each group.
var oneValued = map[string]bool{"sum": true, "mean": true, "min": true, "max": true, "median": true, "count_distinct": true, "stddev_samp": true, "stddev_pop": true, "var_samp": true, "var_pop": true}

// filteredFold is the fold of some rows of a group, of which a condition is given before; "" for other calls.
func (e *elab) filteredFold(x *syntax.MethodCall, recv *graph.Node) string {
	g, fold := e.of(recv).group, e.callOn(x)
	which, ok := lastClosure(x)
	if x.Name.Text != "filter" || g == nil || g.one == nil || fold == nil || !ok {
		return ""
	}
	of, p, cond := e.operand(x.Receiver), e.text(which.Params[0].Pattern.Where()), e.text(which.Body.Where())
	if name := fold.Name.Text; len(fold.Args) == 0 && (name == "count" || name == "len") {
		return e.instead(fold.Span, of+".count(|"+p+"| "+cond+")")
	}
	value, ok := lastClosure(fold)
	if !ok || len(fold.Args) != 1 || !oneValued[fold.Name.Text] || e.text(value.Params[0].Pattern.Where()) != p {
		return ""
	}
	return "a group is not filtered; a fold leaves out what is None:\n" +
		e.instead(fold.Span, of+"."+fold.Name.Text+"(|"+p+"| if "+cond+" { Some("+e.text(value.Body.Where())+") } else { None })")
}

// foldOfField is the fold of a field of a group's rows, of type t; "" if none follows.
func (e *elab) foldOfField(x *syntax.Field, t *graph.Type) string {
	fold := e.callOn(x)
	if fold != nil && fold.Name.Text == "count" && len(fold.Args) == 0 {
		there := ""
		if t.Kind == graph.Option {
			there = "|r| r." + syntax.FieldText(x.Name.Text) + ".is_some()"
		}
		return e.instead(fold.Span, e.operand(x.X)+".count("+there+")")
	}
	if fold == nil || len(fold.Args) > 0 || !oneValued[fold.Name.Text] {
		return ""
	}
	return e.instead(fold.Span, e.operand(x.X)+"."+fold.Name.Text+"(|r| r."+syntax.FieldText(x.Name.Text)+")")
}

// foldBehind is the fold of the rows r of type t that follows an expression, as it is asked of a group g, and where it ends; a count of
// the rows, and the end of the expression, if there is none.
func (e *elab) foldBehind(x syntax.Expr, t *graph.Type) (text string, end int) {
	part := ""
	if f := e.fieldOn(x); f != nil && types.FieldIndex(t, f.Name.Text) >= 0 {
		x, part = f, "r."+syntax.FieldText(f.Name.Text)
	}
	fold := e.callOn(x)
	switch {
	case fold == nil:
	case fold.Name.Text == "count":
		return "g.count(" + e.argText(fold) + ")", fold.Span.End
	case len(fold.Args) > 0 && oneValued[fold.Name.Text]:
		return "g." + fold.Name.Text + "(" + e.argText(fold) + ")", fold.Span.End
	case len(fold.Args) == 0 && oneValued[fold.Name.Text]:
		if part == "" {
			part, _ = summedField(t, "r")
		}
		if part != "1" {
			return "g." + fold.Name.Text + "(|r| " + part + ")", fold.Span.End
		}
	}
	return "g.count()", x.Where().End
}
