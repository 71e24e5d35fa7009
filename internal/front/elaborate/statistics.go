package elaborate

import (
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a call of a statistic that the language has no word for, on numbers, on rows with a closure that says which number of
// them is meant, or on groups. Out: what to write for it. What it is of is known by type: integers become floats before
// anything is taken off them, and what is missing is left out.

// spreads are the words for how far values are from their mean; the bool says that the root is taken.
var spreads = map[string]bool{
	"std": true, "stddev": true, "stdev": true, "stddev_pop": true, "sd": true, "std_dev": true, "standard_deviation": true,
	"var": false, "variance": false, "var_pop": false,
}

const asOfAll = "of a whole population, divided by how many there are:\n"

// spreadHelp is the help for such a word; "" where there are no numbers.
func (e *elab) spreadHelp(x *syntax.MethodCall, recv *graph.Node) string {
	root, is := spreads[x.Name.Text]
	switch g := e.of(recv).group; {
	case !is || g != nil && g.lookup != nil:
		return ""
	case g != nil:
		return e.groupSpread(x, g, root)
	case recv.Type.Kind != graph.Array:
		return ""
	}
	p, b, t := e.statisticOf(x, recv.Type.Elem())
	if t == nil {
		return ""
	}
	if !types.IsFloat(known(t)) {
		b = asFloats(b, t)
	}
	of, name := e.text(x.Receiver.Where()), isName(x.Receiver)
	if b != p {
		of, name = e.oneLine(x.Receiver)+".map(|"+p+"| "+b+")", false
	}
	help := "let m = $v.mean(); $v.map(|e| (e - m) * (e - m)).mean()"
	if t.Kind == graph.Option {
		help = "let m = $v.mean(); $v.map(|e| e.map(|d| (d - m) * (d - m))).mean()"
	}
	if root {
		help += ".sqrt()"
	}
	return asOfAll + named(help, of, name)
}

// groupSpread is the same of each group. No fold of a group may use another, so that the mean is taken off afterwards.
func (e *elab) groupSpread(x *syntax.MethodCall, g *grouping, root bool) string {
	p, b, t := "e", "e", (*graph.Type)(nil)
	if c, ok := lastClosure(x); ok {
		p, b = e.text(c.Params[0].Pattern.Where()), e.operand(c.Body)
		t = e.typeWith(func(v *graph.Node) *graph.Node {
			if _, elem := g.split(v); elem != nil {
				return e.applyClosure(c, nil, elem)
			}
			return nil
		}, g.x.Type.Elem())
	} else {
		t = e.typeWith(func(v *graph.Node) *graph.Node { _, elem := g.split(v); return elem }, g.x.Type.Elem())
		if t != nil && t.Kind == graph.Tuple {
			b, t = numberOf(t, "e")
		}
	}
	if t == nil || !isNumeric(known(t)) {
		return ""
	}
	agg := x
	if g.one != nil {
		agg = g.one.agg
	}
	rows, of, group := "…", "g", agg.Receiver
	by, direct := group.(*syntax.MethodCall)
	if direct = direct && by.Name.Text == "group_by"; direct {
		rows = e.oneLine(by.Receiver)
	}
	if g.one != nil {
		of = e.text(x.Receiver.Where())
	}
	less := castable(b) + " - " + ofAll
	if !types.IsFloat(known(t)) {
		less = castable(asFloats(b, t)) + " - " + ofAll
	}
	square := "(" + less + ") * (" + less + ")"
	if t.Kind == graph.Option {
		v := converted("v", t.Elem(), graph.ScalarOf(num.F64))
		less = castable(b) + ".map(|v| " + castable(v) + " - " + ofAll + ")"
		square = castable(b) + ".map(|v| (" + castable(v) + " - " + ofAll + ") * (" + castable(v) + " - " + ofAll + "))"
	}
	mean := of + ".mean(|" + p + "| " + less + ")"
	help := "(" + of + ".mean(|" + p + "| " + square + ") - " + mean + " * " + mean + ").max(0.0)"
	says := "the mean square less the square of the mean"
	if root {
		help, says = help+".sqrt()", "the root of "+says
	}
	says += ", where the mean of all is taken off first, so that little is lost:\n"
	value := b
	if types.IsSort(known(t), meaning.Decimal) {
		value = asFloats(b, t)
	}
	all := "let " + ofAll + " = " + rows + ".mean(|" + p + "| " + value + ")"
	whole := e.text(agg.Where())
	switch {
	case g.one == nil && !direct:
		return says + all + ";\n" + e.text(group.Where()) + ".agg(|g| " + help + ")"
	case g.one == nil:
		return says + "{ " + all + "; " + e.oneLine(group) + ".agg(|g| " + help + ") }"
	}
	at := x.Where()
	if now := whole[:at.Start-agg.Where().Start] + help + whole[at.End-agg.Where().Start:]; direct && !strings.ContainsAny(whole+now, "\n`") {
		return says + "write `{ " + all + "; " + now + " }` for `" + whole + "`"
	}
	return says + "before `agg`: " + all + "\n" + help
}

// ofAll is the name of the mean of all elements, of which those of a group are taken off.
const ofAll = "of_all"

// statisticOf is the parameter, body and type of the value of an element that a statistic is asked of: what the closure gives,
// the element itself, or its first number; without a type where there is none.
func (e *elab) statisticOf(x *syntax.MethodCall, elem *graph.Type) (p, b string, t *graph.Type) {
	p, b, t = "e", "e", elem
	if c, ok := lastClosure(x); ok {
		p, b = e.text(c.Params[0].Pattern.Where()), e.operand(c.Body)
		t = e.typeWith(func(v *graph.Node) *graph.Node { return e.applyClosure(c, nil, v) }, elem)
	} else if elem.Kind == graph.Tuple {
		b, t = numberOf(elem, "e")
	}
	if t == nil || !isNumeric(known(t)) {
		return "", "", nil
	}
	return p, b, t
}

// typeWith is the type of what f makes of a value of type t; nil where that has errors. Nothing is left of the attempt.
func (e *elab) typeWith(f func(v *graph.Node) *graph.Node, t *graph.Type) (found *graph.Type) {
	if !e.forHelp(func() {
		if n := f(e.param(t, e.fr.callPos)); n != nil {
			found = n.Type
		}
	}) {
		return nil
	}
	return found
}

// forHelp elaborates what a help has to know of, and forgets it; false where that has errors. What is elaborated for a help has
// none itself: else expressions in expressions would take twice as long for each.
func (e *elab) forHelp(f func()) bool {
	if e.helping {
		return false
	}
	e.helping = true
	defer func() { e.helping = false }()
	return e.trial(f)
}

// numberOf is the first field of a tuple or record that is a number, of a value that is called name.
func numberOf(t *graph.Type, name string) (string, *graph.Type) {
	for i, f := range t.Elems {
		if isNumeric(known(f)) {
			return name + "." + t.FieldName(i), f
		}
	}
	return "", nil
}

// known is the type of what an Option has, where there is something.
func known(t *graph.Type) *graph.Type {
	if t.Kind == graph.Option {
		return t.Elem()
	}
	return t
}

// asFloats is a value as an f64, what is missing left out.
func asFloats(text string, t *graph.Type) string {
	if t.Kind == graph.Option {
		return converted(text, t, graph.OptionOf(graph.ScalarOf(num.F64)))
	}
	return converted(text, t, graph.ScalarOf(num.F64))
}

// mappedBy puts what a closure takes of each element before a help for a word that takes none: f.diff(|r| r.x) is
// f.map(|r| r.x).diff(). It gives the call of map and the type of its elements; "" where the word has a use for the closure.
func (e *elab) mappedBy(help string, x *syntax.MethodCall, recv *graph.Node) (call string, t *graph.Type) {
	c, ok := lastClosure(x)
	if !ok || len(x.Args) != 1 || recv.Type.Kind != graph.Array || usesArguments(help) || !strings.Contains(help, ".") || strings.Contains(help, "…") {
		return "", nil
	}
	t = e.typeWith(func(v *graph.Node) *graph.Node { return e.applyClosure(c, nil, v) }, recv.Type.Elem())
	if t == nil {
		return "", nil
	}
	return ".map(" + e.text(c.Span) + ")", t
}

// usesArguments reports a help with parts of the call other than the receiver.
func usesArguments(help string) bool {
	for _, part := range []string{"$*", "$1", "$2", "$p", "$b", "$c", "$k", "$u", "$f"} {
		if strings.Contains(help, part) {
			return true
		}
	}
	return false
}
