package elaborate

import (
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a call of a statistic by a name that other languages have for it, on numbers, on rows with a closure that says which number of
// them is meant, or on groups. Out: the two statistics that it may be, with what makes the values numbers.

// spreadWords are the words for how far values are from their mean; the bool says that the root is taken.
var spreadWords = map[string]bool{
	"std": true, "stddev": true, "stdev": true, "sd": true, "std_dev": true, "stdevp": true, "stdevs": true, "stdev_p": true, "stdev_s": true, "stdev_pop": true, "stdev_samp": true,
	"std_pop": true, "std_samp": true, "stddev_sample": true, "stddev_population": true, "nanstd": true, "deviation": true, "standard_deviation": true,
	"var": false, "variance": false, "varp": false, "vars": false, "var_p": false, "var_s": false, "var_sample": false, "var_population": false,
	"variance_pop": false, "variance_samp": false, "varpop": false, "varsamp": false, "nanvar": false,
}

// spreadHelp is the help for such a word.
func (e *elab) spreadHelp(x *syntax.MethodCall, recv *graph.Node) string {
	root, is := spreadWords[strings.ToLower(x.Name.Text)]
	name := "var"
	if root {
		name = "stddev"
	}
	g, elem := e.of(recv).group, recv.Type
	switch {
	case !is || g != nil && g.lookup != nil:
		return ""
	case g != nil:
		elem = e.typeWith(func(v *graph.Node) *graph.Node { _, elem := g.split(v); return elem }, g.x.Type.Elem())
	case elem.Kind == graph.Array:
		elem = elem.Elem()
	default:
		return "one value has none; ask for that of all rows, of a whole population or of a sample: rows." + name + "_pop(|r| …) or rows." + name + "_samp(|r| …)"
	}
	args, help := e.numberArg(withoutSettings(x), elem)
	if help != "" {
		return help
	}
	pop, samp := e.wholeCall("."+name+"_pop("+args+")", x), e.wholeCall("."+name+"_samp("+args+")", x)
	switch degrees(x) {
	case "0":
		return "of a whole population, divided by how many there are:\n" + pop
	case "1":
		return "of a sample, divided by one less than there are:\n" + samp
	}
	return "of a whole population, divided by how many there are, or of a sample, by one less:\n" + pop + "\nor " + samp
}

// numberArg is the argument by which a statistic has a number of each element: the closure of the call, with a conversion if its value is
// none; the column that is named; or, without either, nothing if elements are numbers. Where there can be no number, it gives a help.
func (e *elab) numberArg(x *syntax.MethodCall, elem *graph.Type) (arg, help string) {
	p, b, t := "e", "e", elem
	if c, ok := lastClosure(x); ok {
		p, b = e.text(c.Params[0].Pattern.Where()), e.operand(c.Body)
		arg, t = e.text(c.Span), nil
		if elem != nil {
			t = e.typeWith(func(v *graph.Node) *graph.Node { return e.applyClosure(c, nil, v) }, elem)
		}
	} else if len(x.Args) == 1 && elem != nil && e.closureMeant(x.Args[0], x.Receiver, elem) != "" {
		return e.closureMeant(x.Args[0], x.Receiver, elem), ""
	} else if elem != nil {
		if b, t = numberIn(elem); b != "e" {
			arg = "|e| " + b
		}
	}
	if t == nil {
		return arg, ""
	}
	if types.IsSort(known(t), meaning.Text) {
		return "", declaredAs(types.Scalars[num.F64])
	}
	if number := madeNumber(b, t); number != b && number != "" {
		arg = "|" + p + "| " + number
	}
	return arg, ""
}

// numberIn is what of an element, which is called e, is a number or can be made one: itself, or the first field that is, or else that can be. Where
// there is nothing but text, it is text.
func numberIn(t *graph.Type) (string, *graph.Type) {
	if t.Kind != graph.Tuple {
		return "e", t
	}
	if field, of := numberOf(t, "e"); of != nil {
		return field, of
	}
	for i, f := range t.Elems {
		if field := "e." + t.FieldName(i); madeNumber(field, f) != "" {
			return field, f
		}
	}
	for i, f := range t.Elems {
		if types.IsSort(known(f), meaning.Text) {
			return "e." + t.FieldName(i), f
		}
	}
	return "e", t
}

// madeNumber is a value made a number where it is none: what is missing stays so; "" where there is no way.
func madeNumber(text string, t *graph.Type) string {
	of := known(t)
	switch {
	case types.IsNumber(types.Innermost(of)):
		return text
	case asFloats(text, t) != "":
		return asFloats(text, t)
	case !of.IsScalar() || !of.Means.Sort.IsTime():
		return ""
	case t.Kind == graph.Option:
		return castable(text) + ".map(|v| v as i64)"
	}
	return castable(text) + " as i64"
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
