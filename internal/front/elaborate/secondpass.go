package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
)

// In: a fold of a group, in the closure of agg, that needs what another fold of the group gave. Out: the two passes that
// make it: the first one's answers are found by the keys of the rows in the second.

// secondPass is the text of those passes for a name that a fold at a span uses; "" where the call has another form.
func (e *elab) secondPass(name string, at diag.Span) string {
	agg, fold := e.foldWithin(at)
	if agg == nil || fold == nil {
		return ""
	}
	by, ok := agg.Receiver.(*syntax.MethodCall)
	if !ok || by.Name.Text != "group_by" || len(by.TypeArgs) > 0 || len(by.Args) != 1 {
		return ""
	}
	key, isKey := by.Args[0].(*syntax.Closure)
	each, isEach := at0(fold.Args).(*syntax.Closure)
	first := e.valueOf(&syntax.NameExpr{Path: []syntax.Name{{Text: name}}})
	group, isName := fold.Receiver.(*syntax.NameExpr)
	if !isKey || !isEach || !isName || len(key.Params) != 1 || len(each.Params) != 1 || first == nil || len(fold.Args) != 1 {
		return ""
	}
	if b, ok := unwrapped(each.Body).(*syntax.Binary); ok && fold.Name.Text == "sum" && b.Op == syntax.Star && (e.text(b.X.Where()) == name || e.text(b.Y.Where()) == name) {
		return "" // a factor of all: it is multiplied with behind the sum
	}
	if of := e.lookup(e.text(group.Where())); of != nil && of.typ == groupType {
		if keys := e.of(of.n).group.keys; keys != nil && unfitKey(keys.Type.Elem(), false) != "" {
			return "in two passes, of which the second finds what the first gave by its key; that goes by whole numbers, text, dates and times, and not by floats: group by such a key"
		}
	}
	row, g, x := e.text(key.Params[0].Pattern.Where()), e.text(group.Where()), e.operand(by.Receiver)
	index := unusedName(e.text(agg.Span), "by", "means", "found")
	return "in two passes, of which the second finds what the first gave:\nlet " + index + " = " + x + "." + e.text(diag.Span{Start: by.Name.Span.Start, End: by.Span.End}) +
		".agg(|" + g + "| (" + g + ".key(), " + e.text(first.Where()) + ")).index_by(|(key, _)| key);\n" +
		x + ".join(" + index + ", " + e.text(key.Span) + ").group_by(|(" + row + ", _)| " + e.text(key.Body.Where()) + ").agg(|" + g + "| " +
		g + "." + fold.Name.Text + "(|(" + e.text(each.Params[0].Pattern.Where()) + ", (_, " + name + "))| " + e.text(each.Body.Where()) + "))"
}

// foldWithin is the call of agg around a span, and the call in its closure of which an argument has the span.
func (e *elab) foldWithin(at diag.Span) (agg, fold *syntax.MethodCall) {
	if e.fr.d == nil || e.fr.d.fn == nil {
		return nil, nil
	}
	visit(e.fr.d.fn.Body, func(x any) bool {
		c, ok := x.(*syntax.MethodCall)
		switch {
		case !ok || c.Span.Start > at.Start || c.Span.End < at.End:
		case agg == nil && c.Name.Text == "agg":
			agg = c
		case agg != nil && isName(c.Receiver) && fold == nil && c.Name.Span.End <= at.Start:
			fold = c
		}
		return true
	})
	return agg, fold
}
