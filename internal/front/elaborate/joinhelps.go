package elaborate

import (
	"regexp"
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// In: a join with an array where its index belongs, a closure where a key belongs, or keys of two types. Out: what to write.

// indexFirst makes an index of the array that a join was given, by the field that the rows' key is probably equal to.
func (e *elab) indexFirst(c *methodUse, by *graph.Node) string {
	if by.Type.Kind != graph.Array || e.of(by).group != nil {
		return "let by = others.index_by(|d| …);"
	}
	others, cl := e.operand(c.x.Args[0]), (*syntax.Closure)(nil)
	if len(c.x.Args) > 1 {
		cl, _ = c.x.Args[1].(*syntax.Closure)
	}
	if cl == nil || len(cl.Params) == 0 {
		return "let by = " + others + ".index_by(|d| …);"
	}
	given, own := cl, ""
	if len(cl.Params) == 2 {
		own = e.equalFields(cl)
	}
	key := e.text(given.Span)
	var t *graph.Type
	name := ""
	switch {
	case len(cl.Params) == 1:
		t = e.typeWith(func(v *graph.Node) *graph.Node { return e.applyClosure(cl, nil, v) }, c.recv.Type.Elem())
		if f, ok := valueExpr(cl.Body).(*syntax.Field); ok {
			name = f.Name.Text
		}
	case own != "":
		key, name, _ = strings.Cut(own, "\n")
	}
	field := "d"
	if elem := by.Type.Elem(); elem.Kind == graph.Tuple {
		field = "…"
		if f := keyField(elem, t, name); f != "" {
			field = "d." + syntax.FieldText(f)
		}
	}
	size := ""
	if len(c.x.TypeArgs) > 0 && c.x.TypeArgs[0].Size != nil {
		size = "::<" + e.text(c.x.TypeArgs[0].Size.Where()) + ">"
	}
	return e.instead(c.x.Span, "{ let by = "+others+".index_by(|d| "+field+"); "+e.operand(c.x.Receiver)+"."+c.x.Name.Text+size+"(by, "+key+") }")
}

// equalFields takes |a, b| a.x == b.y apart: the key of the rows as a closure, and the field of the others, on two lines.
func (e *elab) equalFields(cl *syntax.Closure) string {
	b, ok := valueExpr(cl.Body).(*syntax.Binary)
	if !ok || b.Op != syntax.Eq {
		return ""
	}
	rows, others := e.text(cl.Params[0].Pattern.Where()), e.text(cl.Params[1].Pattern.Where())
	x, y := b.X, b.Y
	if strings.HasPrefix(e.text(x.Where()), others+".") {
		x, y = y, x
	}
	f, ok := y.(*syntax.Field)
	if !ok || !strings.HasPrefix(e.text(x.Where()), rows+".") || e.text(f.X.Where()) != others {
		return ""
	}
	return "|" + rows + "| " + e.text(x.Where()) + "\n" + f.Name.Text
}

// keyField is the field of a record that a key of type t, from a field of that name, is probably equal to: the one of the same
// name, or else the first of the type.
func keyField(elem, t *graph.Type, name string) string {
	if name != "" && types.FieldIndex(elem, name) >= 0 {
		return name
	}
	for i, f := range elem.Elems {
		if t != nil && (f.Equal(t) || sameKeys(f, t)) {
			return elem.FieldName(i)
		}
	}
	return ""
}

// keyNotClosure reports a closure where an index is asked for one key.
func (e *elab) keyNotClosure(c *methodUse) bool {
	cl, ok := c.x.Args[0].(*syntax.Closure)
	if !ok {
		return false
	}
	m := e.errorf(cl.Span, "O01", "`%s` takes one key, and no closure", c.x.Name.Text).Note("expected %s", e.of(c.recv).group.lookup.t)
	body := e.text(cl.Body.Where())
	if len(cl.Params) == 1 {
		for i := len(e.vars) - 1; i >= e.fr.base; i-- {
			named := regexp.MustCompile(`\b`+regexp.QuoteMeta(e.text(cl.Params[0].Pattern.Where()))+`\b`).ReplaceAllString(body, e.vars[i].name)
			if n := e.vars[i].n; n != nil && e.vars[i].lambda == e.lambda && e.typeWith(func(v *graph.Node) *graph.Node { return e.applyClosure(cl, nil, v) }, n.Type) != nil {
				m.Help("%s", named)
				return true
			}
		}
	}
	m.Help("ask for the key of each row:\nrows.map(|r| by.%s(r.key))", c.x.Name.Text)
	return true
}

// sameKeyHelp is what to do about a key of another type than those of the index. What may be missing is equal to nothing that is
// there, so that it is the other side that becomes an Option.
func (e *elab) sameKeyHelp(l *lookup, found *graph.Type, at diag.Span) string {
	switch {
	case l.t.Kind == graph.Option && found.Kind != graph.Option && sameKeys(l.t.Elem(), found):
		return "Some(" + e.text(at) + ")"
	case found.Kind == graph.Option && sameKeys(found.Elem(), l.t):
		if of, key := e.indexSource(l); of != "" {
			return "what is missing finds nothing if all keys of the index are there, as Options:\nwrite `" + of + "Some(" + key + ")` for `" + of + key + "`"
		}
	case found.Kind == graph.Tuple && l.t.Kind == graph.Tuple && len(found.Elems) == len(l.t.Elems) && found.Name == "" && l.t.Name == "":
		if text := convertedKeys(e.text(at), found, l.t); text != "" {
			return text
		}
	}
	return "make keys of one type on both sides: " + l.t.String() + " in the index, " + found.String() + " here"
}

// convertedKeys makes a tuple of keys one of the index's.
func convertedKeys(text string, found, want *graph.Type) string {
	pattern, parts := convertedParts(found, want)
	if parts == "" {
		return ""
	}
	return "{ let " + pattern + " = " + text + "; " + parts + " }"
}

// indexSource is the text of an index's closure, up to its body, and the body; "" where it is not in this text.
func (e *elab) indexSource(l *lookup) (head, body string) {
	if l.by == nil || l.in != e.fr.src || strings.ContainsAny(e.text(l.by.Span), "\n`") {
		return "", ""
	}
	return e.text(diag.Span{Start: l.by.Span.Start, End: l.by.Body.Where().Start}), e.text(l.by.Body.Where())
}
