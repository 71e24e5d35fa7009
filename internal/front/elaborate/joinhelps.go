package elaborate

import (
	"regexp"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// In: a join with an array where its index belongs, a closure where a key belongs, or keys of two types. Out: what to write.

const (
	placeOfPartner = "each row with the place of its partner, an Option, which `.map(|i| ROWS[i])` makes the partner; match it with Some and None"
	withPartner    = placeOfPartner + ":\n"
	leftJoinWord   = placeOfPartner + ". $1 is an index of the others, as index_by makes one:\n$x.map(|$p| ($p, $1.get($b)))"
)

// otherJoins are joins that are written with an index, and what is said of each before.
var otherJoins = map[string]string{
	"left_join": withPartner, "join_left": withPartner,
	"anti_join": "", "semi_join": "",
}

// indexFirst makes an index of the array that a join was given, by the field that is given for it, or that the rows' key is
// probably equal to; "" where no array was given, or no key of the rows.
func (e *elab) indexFirst(c *methodUse) string {
	x, args := c.x, c.x.Args
	if len(args) < 2 || len(args) > 3 || c.recv.Type.Kind != graph.Array {
		return ""
	}
	var elem *graph.Type
	e.forHelp(func() {
		if by := e.exprOrGroup(args[0], nil); by != nil && e.of(by).group == nil && by.Type.Kind == graph.Array {
			elem = by.Type.Elem()
		}
	})
	if elem == nil {
		return ""
	}
	key, others := "", ""
	if cl, ok := args[1].(*syntax.Closure); ok && len(cl.Params) == 2 {
		key, others = e.equalFields(cl)
	} else {
		key = e.keyMeant(args[1], x.Receiver, c.recv.Type.Elem())
	}
	if len(args) == 3 {
		others = e.keyMeant(args[2], args[0], elem)
	} else if others == "" && elem.Kind == graph.Tuple {
		others = "|d| …"
		if f := e.partner(args[1], c.recv.Type.Elem(), elem); f != "" {
			others = "|d| d." + syntax.FieldText(f)
		}
	} else if others == "" {
		others = "|d| d"
	}
	if key == "" || others == "" {
		return ""
	}
	index, of, name := "let by = "+e.operand(args[0])+".index_by("+others+"); ", e.operand(x.Receiver), e.text(e.called(x))
	if p, body, ok := strings.Cut(strings.TrimPrefix(key, "|"), "| "); ok {
		switch name {
		case "left_join", "join_left":
			return e.instead(x.Span, "{ "+index+of+".map(|"+p+"| ("+p+", by.get("+body+"))) }")
		case "anti_join":
			return e.instead(x.Span, "{ "+index+of+".filter(|"+p+"| !by.has("+body+")) }")
		case "semi_join":
			return e.instead(x.Span, "{ "+index+of+".filter(|"+p+"| by.has("+body+")) }")
		}
	}
	return e.instead(x.Span, "{ "+index+of+"."+name+"(by, "+key+") }")
}

// keyMeant is the closure that an argument of a join is or means.
func (e *elab) keyMeant(arg, receiver syntax.Expr, elem *graph.Type) string {
	if cl, ok := arg.(*syntax.Closure); ok {
		if len(cl.Params) != 1 {
			return ""
		}
		return e.text(cl.Span)
	}
	return e.closureMeant(arg, receiver, elem)
}

// partner is the field of the others that a key of the rows is probably equal to: the one of the same name, or else the first
// of the same type.
func (e *elab) partner(arg syntax.Expr, rows, others *graph.Type) string {
	var t *graph.Type
	name := ""
	switch x := arg.(type) {
	case *syntax.Closure:
		if f, ok := valueExpr(x.Body).(*syntax.Field); ok {
			name = f.Name.Text
		}
		if len(x.Params) == 1 {
			t = e.typeWith(func(v *graph.Node) *graph.Node { return e.applyClosure(x, nil, v) }, rows)
		}
	case *syntax.TextLit:
		name = x.Value
	case *syntax.NameExpr:
		name = e.text(x.Span)
	case *syntax.Field:
		name = x.Name.Text
	}
	if i := types.FieldIndex(rows, name); t == nil && i >= 0 && rows.Kind == graph.Tuple {
		t = rows.Elems[i]
	}
	if i := types.FieldIndex(others, name); name != "" && i >= 0 {
		return name
	}
	for i, f := range others.Elems {
		if t != nil && sameKeys(f, t) {
			return others.FieldName(i)
		}
	}
	return ""
}

// equalFields takes |a, b| a.x == b.y apart: the key of the rows and that of the others, as closures.
func (e *elab) equalFields(cl *syntax.Closure) (key, other string) {
	b, ok := valueExpr(cl.Body).(*syntax.Binary)
	if !ok || b.Op != syntax.Eq {
		return "", ""
	}
	rows, others := e.text(cl.Params[0].Pattern.Where()), e.text(cl.Params[1].Pattern.Where())
	x, y := e.text(b.X.Where()), e.text(b.Y.Where())
	if strings.HasPrefix(x, others+".") {
		x, y = y, x
	}
	if !strings.HasPrefix(x, rows+".") || !strings.HasPrefix(y, others+".") {
		return "", ""
	}
	return "|" + rows + "| " + x, "|" + others + "| " + y
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
	case found.Kind == graph.Option && sameKeys(found.Elem(), l.t):
		if of, key := e.indexSource(l); of != "" {
			return "what is missing finds nothing if all keys of the index are there, as Options:\nwrite `" + of + "Some(" + key + "))` for `" + of + key + ")`"
		}
	case holds(l.t, found):
		if text := converted(e.text(at), found, l.t); text != "" {
			return text
		}
	case holds(found, l.t):
		of, key := e.indexSource(l)
		if text := converted(key, l.t, found); of != "" && text != "" {
			return "write `" + of + text + ")` for `" + of + key + ")`"
		}
	}
	if l.t.Kind == graph.Tuple && found.Kind == graph.Tuple && len(l.t.Elems) == len(found.Elems) && sameParts(l.t, found) {
		return "give its parts in the order of the index: " + l.t.String()
	}
	return "make keys of one type on both sides: " + l.t.String() + " in the index, " + found.String() + " here"
}

// sameParts reports keys whose parts differ in their order alone.
func sameParts(a, b *graph.Type) bool {
	rest := slices.Clone(b.Elems)
	for _, t := range a.Elems {
		i := slices.IndexFunc(rest, func(o *graph.Type) bool { return sameKeys(t, o) })
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return true
}

// holds reports that each key of type b is one of type a too, and is that when it is converted: a key that fits its new type only
// sometimes would be a fault, or, made to fit, be equal to keys that it is not.
func holds(a, b *graph.Type) bool {
	switch {
	case sameKeys(a, b):
		return true
	case a.Kind == graph.Option:
		if b.Kind == graph.Option {
			b = b.Elem()
		}
		return holds(a.Elem(), b)
	case a.Kind == graph.Tuple && b.Kind == graph.Tuple && a.Name == "" && b.Name == "":
		return slices.EqualFunc(a.Elems, b.Elems, holds)
	case a.IsScalar() && b.IsScalar() && a.Means.Sort == meaning.Timestamp:
		return b.Means.Sort == meaning.Date || b.Means.Sort == meaning.Timestamp && a.Means.Unit.Nanos() <= b.Means.Unit.Nanos()
	}
	a, b = types.Computed(a), types.Computed(b)
	if !a.IsScalar() || !b.IsScalar() || !types.IsInt(a) || !types.IsInt(b) || types.IsMeant(a) || types.IsMeant(b) {
		return false
	}
	return a.Num.MinInt() <= b.Num.MinInt() && a.Num.MaxInt() >= b.Num.MaxInt()
}

// indexSource is the text of what makes an index, up to the body of its closure, and the body, after which a parenthesis closes; "" where
// it is not in this text.
func (e *elab) indexSource(l *lookup) (head, body string) {
	name := "index_by("
	if l.asOf {
		name = "as_of("
	}
	if l.by == nil || l.in != e.fr.src || strings.ContainsAny(e.text(l.by.Span), "\n`") || !strings.HasSuffix(e.fr.src.Text[:l.by.Span.Start], name) {
		return "", ""
	}
	return name + e.text(diag.Span{Start: l.by.Span.Start, End: l.by.Body.Where().Start}), e.text(l.by.Body.Where())
}

// rowHelp is the field of the row whose place was taken for it.
func (e *elab) rowHelp(x *syntax.Field, v *graph.Node) string {
	rows, at := e.rowsAt(v.Type.Bound, x.Name.Text), e.operand(x.X)
	if rows == at { // which hides them
		return "it is the place of a row, which another name leaves at hand: |i| " + rows + "[i]." + x.Name.Text
	}
	return "it is the place of a row:\n" + rows + "[" + at + "]." + x.Name.Text
}

// rowsAt is an array of so many rows that have the field; "" where none is at hand.
func (e *elab) rowsAt(n size.Poly, field string) string {
	for i := len(e.vars) - 1; i >= e.fr.base; i-- {
		if v := e.vars[i]; v.typ != nil && v.typ.Kind == graph.Array && v.typ.Size.Equal(n) && types.FieldIndex(v.typ.Elem(), field) >= 0 {
			return v.name
		}
	}
	return ""
}
