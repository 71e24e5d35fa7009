package elaborate

import (
	"regexp"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// In: what stands where a closure of one element is expected, as other languages have it: the name of a column, with quotes or
// without, a condition on names of columns, r.x with an r that nobody declared, x.column of the array itself. Out: the closure.

// closureMeant is that closure; "" where the argument says nothing of an element.
func (e *elab) closureMeant(arg syntax.Expr, receiver syntax.Expr, elem *graph.Type) string {
	if t, ok := arg.(*syntax.TextLit); ok {
		if types.FieldIndex(elem, t.Value) >= 0 {
			return "|e| e." + syntax.FieldText(t.Value)
		}
		return ""
	}
	var unknown, columns, own []diag.Span
	param, plain := "", true
	visit(arg, func(x any) bool {
		switch x := x.(type) {
		case *syntax.Closure, *syntax.Block, *syntax.Match:
			plain = false
		case *syntax.Field:
			if n, ok := x.X.(*syntax.NameExpr); ok && len(n.Path) == 1 && isName(receiver) && e.text(n.Span) == e.text(receiver.Where()) && types.FieldIndex(elem, x.Name.Text) >= 0 {
				own = append(own, n.Span)
				return false
			}
		case *syntax.NameExpr:
			switch {
			case len(x.Path) != 1 || !e.isUnknown(x.Path[0].Text):
			case types.FieldIndex(elem, x.Path[0].Text) >= 0:
				columns = append(columns, x.Span)
			case param == "" || param == x.Path[0].Text:
				param, unknown = x.Path[0].Text, append(unknown, x.Span)
			default:
				plain = false
			}
		}
		return plain
	})
	at := arg.Where()
	switch {
	case !plain || len(unknown)+len(columns)+len(own) == 0 || strings.Contains(e.text(at), "\n"):
		return ""
	case len(unknown) > 0 && len(columns)+len(own) > 0:
		return ""
	case len(unknown) > 0:
		return "|" + param + "| " + e.text(at)
	}
	text := e.text(at)
	type edit struct {
		at  diag.Span
		new string
	}
	var edits []edit
	for _, c := range columns {
		edits = append(edits, edit{c, "e." + e.text(c)})
	}
	for _, o := range own {
		edits = append(edits, edit{o, "e"})
	}
	slices.SortFunc(edits, func(a, b edit) int { return b.at.Start - a.at.Start })
	for _, c := range edits {
		text = text[:c.at.Start-at.Start] + c.new + text[c.at.End-at.Start:]
	}
	return "|e| " + text
}

// isUnknown reports a name that stands for nothing here.
func (e *elab) isUnknown(name string) bool {
	_, isSize := e.fr.sizes[name]
	return e.lookup(name) == nil && !isSize && !nothings[name] && e.resolver().first(name) == nil
}

// wantsClosure reports an argument of an operation that takes a closure or an array, if it is neither.
func (e *elab) wantsClosure(c *methodUse, i int) bool {
	if i >= len(c.x.Args) || c.recv.Type.Kind != graph.Array {
		return false
	}
	arg := c.x.Args[i]
	if f, ok := arg.(*syntax.Field); ok && isName(f.X) && e.lookup(e.text(f.X.Where())) != nil && e.text(f.X.Where()) != e.text(c.x.Receiver.Where()) {
		return false // an array in a record
	}
	help := e.closureMeant(arg, c.x.Receiver, c.recv.Type.Elem())
	if help == "" {
		return false
	}
	e.errorf(arg.Where(), "O06", "`%s` takes a closure here", c.x.Name.Text).Note("expected |e| …, or an array of keys").Help("%s", help)
	return true
}

// rowType is the type of what the closure of an operation takes: of an array's elements, of the rows of a group, or of the numbers of a
// range, which has no node.
func (e *elab) rowType(recv *graph.Node) *graph.Type {
	if recv == nil {
		return graph.I64Type
	}
	switch g := e.of(recv).group; {
	case g != nil && g.lookup != nil:
		return g.x.Type.Elem()
	case g != nil:
		if t := e.typeWith(func(v *graph.Node) *graph.Node { _, elem := g.split(v); return elem }, g.x.Type.Elem()); t != nil {
			return t
		}
	case recv.Type.Kind == graph.Array:
		return recv.Type.Elem()
	}
	return recv.Type
}

// endOf is first or last of a group with a closure of its row: the closure's value of that row.
func (e *elab) endOf(c *methodUse) string {
	cl, ok := lastClosure(c.x)
	g := e.of(c.recv).group
	if !ok || g == nil || g.lookup != nil {
		return ""
	}
	p, call := e.text(cl.Params[0].Pattern.Where()), c.x.Name.Text+"()"
	switch body := e.text(cl.Body.Where()); {
	case !g.full && g.one == nil:
		return call + ".map(|e| e.map(|" + p + "| " + body + "))"
	case !g.full || g.one == nil:
		return call + ".map(|" + p + "| " + body + ")"
	default:
		own := regexp.MustCompile(`\b`+regexp.QuoteMeta(p)+`\b`).ReplaceAllString(body, e.text(c.x.Receiver.Where())+"."+call)
		return e.instead(c.x.Span, own)
	}
}
