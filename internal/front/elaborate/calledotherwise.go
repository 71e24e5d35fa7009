package elaborate

import (
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// In: an operation of the language, called with arguments as other languages have them. Out: the call
// as it is written here, with the same arguments.

// countOf is the variable that says how many elements a call takes, as an argument or in ::<…>, where it is no size; nil if there is none.
func (e *elab) countOf(x *syntax.MethodCall) syntax.Expr {
	given := slices.Clone(x.Args)
	for _, a := range x.TypeArgs {
		given = append(given, a.Size)
	}
	for _, a := range given {
		name, ok := a.(*syntax.NameExpr)
		if !ok || len(name.Path) != 1 {
			continue
		}
		if v := e.lookup(name.Path[0].Text); v != nil && v.n != nil && !v.late && types.IsInt(v.typ) {
			if _, known := e.sizeOf(v.n); v.mut || !known {
				return a
			}
		}
	}
	return nil
}

// calledOtherwise reports such a call.
func (e *elab) calledOtherwise(c *methodUse, m method) bool {
	x, name, args := c.x, c.x.Name.Text, c.x.Args
	_, closureFirst := at0(args).(*syntax.Closure)
	switch {
	case name == "window" && e.ofLastTime(x, c.recv) != "":
		e.errorf(x.Name.Span, "T09", "`window` takes a number of rows").Note("found a duration").Help("%s", e.ofLastTime(x, c.recv))
	case orders[name] && len(args) == 2 && closureFirst && sortBy(args[1]) != "":
		e.errorf(x.Name.Span, "T08", "`%s` takes 1 argument", name).Note("found %d", len(args)).Help("%s.%s(%s)", e.operand(x.Receiver), sortBy(args[1]), e.text(args[0].Where()))
	case name == "join_all" && len(x.TypeArgs) == 0 && len(args) > 0 && !isNumber(args[0]):
		e.errorf(x.Name.Span, "T09", "`join_all` takes in ::<…> how many partners a row may have").Note("found no number").
			Help("as many as you know that there are at most:\njoin_all::<100>(%s)", e.argsOffer(args, max(2, len(args))))
	case name == "top_k" && c.recv.Type.Kind == graph.Array && e.countOf(x) != nil:
		n := e.countOf(x)
		key := slices.DeleteFunc(slices.Clone(args), func(a syntax.Expr) bool { return a == n })
		by := ""
		if len(key) > 0 {
			by = e.text(key[0].Where())
		}
		e.errorf(x.Name.Span, "T09", "`top_k` takes a number that is known before the program runs").Note("found `%s`", e.text(n.Where())).
			Help("%s", e.instead(x.Span, e.operand(x.Receiver)+".sort_desc("+by+").take("+e.text(n.Where())+")"))
	case m.sizes == 1 && e.countOf(x) != nil && (m.need || len(x.TypeArgs) > 0):
		n := e.text(e.countOf(x).Where())
		e.errorf(x.Name.Span, "T09", "`%s` takes a number that is known before the program runs", name).Note("found `%s`", n).
			Help("%s", e.sizeInstead(x, n))
	case m.need && len(x.TypeArgs) == 0 && len(args) > 0 && (len(args) > m.max || !closureFirst):
		rest := ""
		if len(args) > 1 {
			rest = e.text(spanOf(args[1:]))
		}
		e.errorf(x.Name.Span, "T09", "`%s` takes its number in ::<…>", name).Note("found an argument").
			Help("%s::<%s>(%s)", name, e.text(args[0].Where()), rest)
	case m.max >= 2 && len(args) >= 2 && closureFirst && !isClosure(args[len(args)-1]):
		e.errorf(args[0].Where(), "O01", "the closure of `%s` is its last argument", name).Note("found first").
			Help("%s(%s)", name, e.argsOffer(args, len(args)))
	case len(args) <= m.max && !(name == "group_by" && len(args) == 1 && isList(args[0])):
		return false
	case (name == "join" || name == "join_all") && e.indexFirst(c) != "":
		e.errorf(x.Name.Span, "T08", "`%s` takes an index and a closure that gives a key", name).Note("found %d arguments", len(args)).Help("%s", e.indexFirst(c))
	case (name == "join" || name == "join_all") && len(args) > 2 && e.together(args[1:]) != "":
		e.errorf(x.Name.Span, "T08", "`%s` takes an index and a closure that gives a key", name).Note("found %d arguments", len(args)).
			Help("%s(%s, %s)", e.text(e.called(x)), e.text(args[0].Where()), e.together(args[1:]))
	case m.max == 1 && len(args) > 1 && e.isIndexOfRows(c.recv):
		e.errorf(x.Name.Span, "T08", "`%s` takes 1 argument", name).Note("the parts of a key are a tuple").Help("%s((%s))", name, e.argText(x))
	case takesTuple[name] && len(x.TypeArgs) == 0 && c.recv.Type.Kind == graph.Array && e.togetherMeant(c) != "":
		e.errorf(x.Name.Span, "T08", "`%s` takes 1 argument", name).Note("a closure that gives all parts of a key").Help("%s(%s)", name, e.togetherMeant(c))
	case len(args) <= m.max:
		return false
	case m.max == 0 && len(args) == 1 && c.recv.Type.Kind == graph.Array && e.of(c.recv).group == nil && arrayMethods[name].run != nil && e.perElement(args[0], c.recv.Type.Elem()) != "":
		e.errorf(x.Name.Span, "T08", "`%s` takes no arguments", name).Note("found a value for each element").
			Help(".map(%s).%s()", e.perElement(args[0], c.recv.Type.Elem()), name)
	case m.max == 0 && len(args) == 1 && (name == "first" || name == "last") && e.endOf(c) != "":
		e.errorf(x.Name.Span, "T08", "`%s` takes no arguments", name).Note("it gives a whole row").Help("%s", e.endOf(c))
	case m.max == 1 && len(x.TypeArgs) == 0 && closureFirst && (takesTuple[name] || orders[name]) && e.together(args) != "":
		help := name + "(" + e.together(args) + ")"
		if orders[name] {
			help = e.operand(x.Receiver)
			for i := range slices.Backward(args) {
				help += "." + name + "(" + e.keyBeside(args, i) + ")"
			}
		}
		e.errorf(x.Name.Span, "T08", "`%s` takes 1 argument", name).Note("found %d", len(args)).Help("%s", help)
	case m.max == 0 && roundings[name] && len(args) == 1:
		e.errorf(x.Name.Span, "T08", "`%s` takes no arguments", name).Note("it rounds to a whole number").Help("%s", e.roundedTo(x, c.recv.Type, args[0]))
	default:
		return false
	}
	return true
}

// sizeInstead is how a number becomes a size, which a call gives: in place of a parameter.
func (e *elab) sizeInstead(x *syntax.MethodCall, n string) string {
	name := strings.ToUpper(n)
	for _, free := range []string{strings.ToUpper(n[:1]), name, "K", "L", "W"} {
		if _, taken := e.fr.sizes[free]; !taken && e.resolver().first(free) == nil {
			name = free
			break
		}
	}
	fn := "f"
	if e.fr.d != nil && e.fr.d.fn != nil {
		fn = e.fr.d.fn.Name.Text
	}
	with := ""
	if c, ok := lastClosure(x); ok {
		with = e.text(c.Span)
	}
	return "a size is given at the call, as " + name + "=8: declare it in place of the parameter, as in\nfn " + fn + "<" + name + ": Size>(…)\nand write " +
		"`." + x.Name.Text + "::<" + name + ">(" + with + ")` for `." + e.text(diag.Span{Start: x.Name.Span.Start, End: x.Span.End}) + "`"
}

func isNumber(x syntax.Expr) bool {
	_, ok := x.(*syntax.IntLit)
	return ok
}

// sortBy is the operation that a word beside a key asks for; "" if it is no such word.
func sortBy(x syntax.Expr) string {
	n, ok := x.(*syntax.NameExpr)
	if !ok || len(n.Path) != 1 {
		return ""
	}
	switch strings.ToLower(n.Path[0].Text) {
	case "desc", "descending", "reverse":
		return "sort_desc"
	case "asc", "ascending":
		return "sort"
	}
	return ""
}

// takesTuple are the operations whose closure may give a tuple.
var takesTuple = map[string]bool{"map": true, "group_by": true, "distinct": true, "count_distinct": true, "index_by": true, "as_of": true, "agg": true}

func at0(args []syntax.Expr) syntax.Expr {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

func isClosure(x syntax.Expr) bool {
	_, ok := x.(*syntax.Closure)
	return ok
}

// perElement is the closure that an argument of a fold is, or that takes the field which it names; "" if neither.
func (e *elab) perElement(arg syntax.Expr, elem *graph.Type) string {
	switch arg := arg.(type) {
	case *syntax.Closure:
		if len(arg.Params) == 1 {
			return e.text(arg.Span)
		}
	case *syntax.NameExpr:
		if len(arg.Path) == 1 && types.FieldIndex(elem, arg.Path[0].Text) >= 0 {
			return "|e| e." + arg.Path[0].Text
		}
	}
	return ""
}

// together is one closure that gives a tuple of what several arguments give; the later ones may leave the parameter out.
func (e *elab) together(args []syntax.Expr) string {
	first, ok := args[0].(*syntax.Closure)
	if !ok || len(first.Params) != 1 {
		return ""
	}
	param := e.text(first.Params[0].Pattern.Where())
	parts := make([]string, len(args))
	for i, a := range args {
		body := a
		if c, ok := a.(*syntax.Closure); ok {
			if len(c.Params) != 1 || e.text(c.Params[0].Pattern.Where()) != param {
				return ""
			}
			body = c.Body
		}
		parts[i] = e.text(body.Where())
	}
	return "|" + param + "| (" + strings.Join(parts, ", ") + ")"
}

// keyBeside is the closure that an argument is, or that it means behind the first one, of which it takes the parameter.
func (e *elab) keyBeside(args []syntax.Expr, i int) string {
	if isClosure(args[i]) {
		return e.text(args[i].Where())
	}
	return "|" + e.text(args[0].(*syntax.Closure).Params[0].Pattern.Where()) + "| " + e.text(args[i].Where())
}

// isIndexOfRows reports what index_by and as_of make.
func (e *elab) isIndexOfRows(n *graph.Node) bool {
	return e.of(n).group != nil && e.of(n).group.lookup != nil
}

// isList reports an array written out.
func isList(x syntax.Expr) bool {
	_, ok := x.(*syntax.ArrayExpr)
	return ok
}

// togetherMeant is together for arguments that are columns, or closures in an array.
func (e *elab) togetherMeant(c *methodUse) string {
	args := c.x.Args
	if list, ok := at0(args).(*syntax.ArrayExpr); ok && len(args) == 1 {
		args = list.Elems
	}
	param, parts := "", make([]string, len(args))
	for i, a := range args {
		p, body, ok := strings.Cut(strings.TrimPrefix(e.keyMeant(a, c.x.Receiver, c.recv.Type.Elem()), "|"), "| ")
		if !ok || param != "" && p != param {
			return ""
		}
		param, parts[i] = p, body
	}
	if len(parts) < 2 {
		return ""
	}
	return "|" + param + "| (" + strings.Join(parts, ", ") + ")"
}

// roundings round a float to a whole number.
var roundings = map[string]bool{"round": true, "round_ties_even": true, "floor": true, "ceil": true, "trunc": true}

// roundedTo is what to write for a rounding to places behind the point, or before it; it says what to do where the number of places is not written out.
func (e *elab) roundedTo(x *syntax.MethodCall, recv *graph.Type, places syntax.Expr) string {
	of, up, down := e.operand(x.Receiver), "*", "/"
	if u, ok := places.(*syntax.Unary); ok && u.Op == syntax.Minus {
		places, up, down = u.X, "/", "*"
	}
	n, ok := places.(*syntax.IntLit)
	if !ok || n.Value > 15 {
		return "multiply by a power of ten, round, and divide by it"
	}
	if n.Value == 0 && recv.Kind != graph.Option {
		return e.instead(x.Span, of+"."+x.Name.Text+"()")
	}
	power := "1" + strings.Repeat("0", int(n.Value)) + ".0"
	if recv.Kind == graph.Option {
		return e.instead(x.Span, of+".map(|v| (v "+up+" "+power+")."+x.Name.Text+"() "+down+" "+power+")")
	}
	return e.instead(x.Span, e.alone("("+of+" "+up+" "+power+")."+x.Name.Text+"() "+down+" "+power, x.Span))
}

// placesOf is the argument that says how many places a rounding of floats leaves; nil if there is none.
func placesOf(x *syntax.MethodCall, t *graph.Type) syntax.Expr {
	if t.Kind == graph.Option {
		t = t.Elem()
	}
	switch {
	case !roundings[x.Name.Text] || !types.IsFloat(types.Innermost(t)):
		return nil
	case len(x.TypeArgs) == 1 && len(x.Args) == 0:
		return x.TypeArgs[0].Size
	case len(x.TypeArgs) == 0 && len(x.Args) == 1:
		return x.Args[0]
	}
	return nil
}

// comparedSort is a word for sort with a closure that compares two elements; "" for other calls.
func (e *elab) comparedSort(x *syntax.MethodCall, recv *graph.Node) string {
	if recv.Type.Kind != graph.Array || arrayWords[x.Name.Text] != arrayWords["sort_by"] || len(x.Args) != 1 {
		return ""
	}
	cl, ok := x.Args[0].(*syntax.Closure)
	if !ok {
		return ""
	}
	key, desc, ok := e.comparator(cl)
	switch {
	case !ok:
		return ""
	case desc:
		return e.wholeCall(".sort_desc("+key+")", x)
	}
	return e.wholeCall(".sort("+key+")", x)
}

// comparator is the key of a closure that compares two elements, as |a, b| a.x - b.x, and whether the greatest come first.
func (e *elab) comparator(c *syntax.Closure) (key string, desc, ok bool) {
	var left, right syntax.Expr
	switch x := unwrapped(c.Body).(type) {
	case *syntax.Binary:
		switch x.Op {
		case syntax.Minus, syntax.Lt, syntax.Le:
			left, right = x.X, x.Y
		case syntax.Gt, syntax.Ge:
			left, right = x.Y, x.X
		}
	case *syntax.MethodCall:
		if len(x.Args) == 1 && strings.HasSuffix(strings.ToLower(x.Name.Text), "cmp") {
			left, right = x.Receiver, x.Args[0]
		}
	}
	if left == nil || len(c.Params) != 2 {
		return "", false, false
	}
	a, b := e.text(c.Params[0].Pattern.Where()), e.text(c.Params[1].Pattern.Where())
	l, r := e.text(left.Where()), strings.TrimPrefix(e.text(right.Where()), "&")
	switch {
	case l == a && r == b, strings.HasPrefix(l, a+".") && r == b+strings.TrimPrefix(l, a):
		return "|" + a + "| " + l, false, true
	case l == b && r == a, strings.HasPrefix(l, b+".") && r == a+strings.TrimPrefix(l, b):
		return "|" + b + "| " + l, true, true
	}
	return "", false, false
}
