package elaborate

import (
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/pattern"
)

// In: a call of a word that other languages have, on a value of ours. Out: what to write for it here,
// with the operands as they stand, or what the language has none of, and what comes next to it. The
// words are in foreignwords.go.
//
// In a word's help these stand for parts of the call: $x the receiver, $* all arguments, $1 and $2
// the first two, $t what stands in ::<…>, $k a key by which elements can be ordered, $0 a value of
// the element's type that adds nothing, $f the call without arguments that follows, or mean, $p
// and $b or $c the parameter and body of a closure, $u an argument without its quotes. What begins with `let:`
// needs the receiver several times, as $v; what begins with `op:` is an operator.

// foreignWord is the help for a word on a value; "" if there is none.
func (e *elab) foreignWord(x *syntax.MethodCall, recv *graph.Node) string {
	name, t := x.Name.Text, recv.Type
	if t == groupType && name == "map" && groupMethods[e.following(x)].run != nil && e.follows(x) {
		return e.fillWord(".$f($*)", x, recv)
	}
	if help := e.spreadHelp(x, recv); help != "" {
		return help
	}
	if help := e.powerOrLogarithm(x, recv); help != "" {
		return help
	}
	if intro, is := otherJoins[name]; is && t.Kind == graph.Array {
		if help := e.indexFirst(&methodUse{x: x, recv: recv}); help != "" {
			return intro + help
		}
	}
	if help := e.foldInstead(x, recv); help != "" {
		return help
	}
	if help := e.comparedSort(x, recv); help != "" {
		return help
	}
	if help := e.ofLastTime(x, recv); help != "" {
		return help
	}
	if help := e.filteredFold(x, recv); help != "" {
		return help
	}
	if help := e.firstSuch(x, recv); help != "" {
		return help
	}
	if help := e.floorDivision(x, recv); help != "" {
		return help
	}
	if t.Kind == graph.Option && t.Elem().Kind == graph.Index && strings.HasPrefix(optionWords[name], standsForNone) {
		return "it is the place of a row, if there is one: match it with Some(i) and None, or take what you need of the row, as in .map(|i| ROWS[i].FIELD).or(…)"
	}
	for _, table := range e.wordsFor(recv) {
		if help := table[name]; help != "" {
			return e.fillWord(help, x, recv)
		}
	}
	elem := types.Innermost(t)
	switch {
	case t == groupType:
		return ""
	case types.IsSort(elem, meaning.Date) && (name == "date" || name == "to_date"):
		return "leave it out: it is a Date already"
	case types.IsSort(elem, meaning.Date) && (name == "hour" || name == "minute" || name == "second" || name == "time"):
		return "a Date has no time of day: declare the field as Timestamp, if the column has one"
	case (name == "like" || name == "ilike") && types.IsSort(elem, meaning.Text) && len(x.Args) == 1:
		return e.likeHelp(x)
	case oneOf[name] && t.Kind == graph.Array && len(x.Args) == 1 && elem.Kind == graph.Tuple && e.partner(x.Args[0], elem, elem) != "":
		return e.operand(x.Receiver) + ".any(|e| e." + e.partner(x.Args[0], elem, elem) + " == " + e.text(x.Args[0].Where()) + ")"
	case oneOf[name] && t.Kind == graph.Array && len(x.Args) == 1:
		return syntax.WithinMeant(e.fr.src.Text, x.Args[0], x.Receiver, false)
	case oneOf[name] && elem.IsScalar() && len(x.Args) == 1:
		return syntax.WithinMeant(e.fr.src.Text, x.Receiver, x.Args[0], false)
	case noneGone[name] && t.Kind == graph.Array:
		return e.withoutNone(t.Elem())
	case name == "filter_map" && len(x.Args) == 1:
		return e.instead(x.Span, e.operand(x.Receiver)+e.someOf(x.Args[0]))
	case t.Kind == graph.Option && placesOf(x, t) != nil:
		return e.roundedTo(x, t, placesOf(x, t))
	case t.Kind == graph.Option && t.Elem().IsScalar() && scalarTable(t.Elem())[name].run != nil:
		help := e.oneLine(x.Receiver) + ".map(|v| v." + name + "(" + e.argText(x) + "))"
		if strings.HasSuffix(name, "_with") || name == "contains" {
			help += ".or(false)"
		}
		return help
	}
	return e.fillWord(foreignMethods[name], x, recv)
}

// wordsFor are the tables of words for a value, the special ones first.
func (e *elab) wordsFor(recv *graph.Node) []map[string]string {
	t := recv.Type
	if g := e.of(recv).group; g != nil {
		switch {
		case g.lookup != nil:
			return []map[string]string{lookupWords}
		case g.one != nil:
			return []map[string]string{oneGroupWords, groupWords}
		}
		return []map[string]string{groupsWords, groupWords}
	}
	switch t.Kind {
	case graph.Array:
		return append([]map[string]string{arrayWords}, scalarWords(types.Innermost(t))...)
	case graph.Option:
		return []map[string]string{optionWords}
	}
	return scalarWords(t)
}

func scalarWords(t *graph.Type) []map[string]string {
	switch {
	case types.IsSort(t, meaning.Text):
		return []map[string]string{textWords, valueWords}
	case types.IsTime(t):
		return []map[string]string{timeWords, valueWords}
	case t.IsScalar():
		return []map[string]string{valueWords}
	}
	return nil
}

// fillWord puts the parts of a call into a word's help.
func (e *elab) fillWord(help string, x *syntax.MethodCall, recv *graph.Node) string {
	if !strings.Contains(help, "$") && len(x.Args) == 0 {
		return help
	}
	help = e.settled(help, x)
	arg := func(i int) string {
		if i < len(x.Args) {
			return e.oneLine(x.Args[i])
		}
		return "…"
	}
	p, b, cond := "e", "e", "…"
	if c, ok := lastClosure(x); ok {
		p, b, cond = e.text(c.Params[0].Pattern.Where()), e.operand(c.Body), e.text(c.Body.Where())
	}
	sizes := "…"
	if len(x.TypeArgs) > 0 {
		if s := x.TypeArgs[0].Size; s != nil {
			sizes = e.text(s.Where())
		}
	} else if len(x.Args) > 0 {
		sizes = arg(0)
	}
	zero := "0"
	if recv.Type.Kind == graph.Array || recv.Type.Kind == graph.Option {
		zero = zeroText(recv.Type.Elem())
	}
	of, name := e.text(x.Receiver.Where()), isName(x.Receiver)
	self := e.oneLine(x.Receiver)
	if mapped, t := e.mappedBy(help, x, recv); mapped != "" {
		of, name, self, zero = self+mapped, false, self+mapped, zeroText(t)
		if strings.HasPrefix(help, ".") {
			help = mapped + help
		} else {
			help = strings.Replace(help, "\n.", "\n"+mapped+".", 1)
		}
	}
	intro, text := "", help
	if i := strings.Index(help, "let:"); i >= 0 {
		intro, text = help[:i], named(help[i+len("let:"):], of, name)
	}
	text, operator := strings.CutPrefix(text, "op:")
	text = strings.NewReplacer("$x", self, "$*", e.argText(x), "$1", arg(0), "$2", arg(1), "$u", strings.Trim(arg(0), `"`), "$p", p, "$b", b, "$c", cond, "$t", sizes, "$k", e.keyText(x, recv.Type), "$0", zero, "$f", e.following(x)).Replace(text)
	if operator {
		text = e.alone(text, x.Span)
	}
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		intro, text = intro+text[:i+1], text[i+1:]
	}
	if strings.Contains(help, "$f") && e.follows(x) {
		with := *x // the operation that follows is in the help
		with.Span.End += len(nextCall().FindString(e.fr.src.Text[x.Span.End:]))
		x = &with
	}
	return intro + e.wholeCall(text, x)
}

// named is a help that needs the receiver, $v, several times: under a name, which is its own or one that a block gives it.
func named(help, receiver string, isName bool) string {
	own := "x"
	if isName {
		own = receiver
	} else {
		help = "let x = " + receiver + "; " + help
	}
	help = strings.ReplaceAll(help, "$v", own)
	if strings.HasPrefix(help, "let ") {
		return "{ " + help + " }"
	}
	return help
}

func isName(x syntax.Expr) bool {
	_, ok := x.(*syntax.NameExpr)
	return ok
}

// lastClosure is the closure of one parameter that a call ends with.
func lastClosure(x *syntax.MethodCall) (*syntax.Closure, bool) {
	if len(x.Args) == 0 {
		return nil, false
	}
	c, ok := x.Args[len(x.Args)-1].(*syntax.Closure)
	return c, ok && len(c.Params) == 1
}

// oneLine is an operand's text, or x if it is more than a line.
func (e *elab) oneLine(x syntax.Expr) string {
	text := e.operand(x)
	if strings.Contains(text, "\n") {
		return "x"
	}
	return text
}

// keyText is what elements are ordered by: the closure that is given, nothing for scalars, or the first field that has an order.
func (e *elab) keyText(x *syntax.MethodCall, t *graph.Type) string {
	for _, a := range x.Args {
		if c, ok := a.(*syntax.Closure); ok {
			return e.text(c.Span)
		}
	}
	if t.Kind != graph.Array || t.Elem().IsScalar() {
		return ""
	}
	for i, f := range t.Elem().Elems {
		if f.IsScalar() && t.Elem().Kind == graph.Tuple {
			return "|e| e." + t.Elem().FieldName(i)
		}
	}
	return "|e| …"
}

var nextCall = pattern.Of(`^\s*\.\s*(\w+)\(\)`)

// following is the operation without arguments that a call's result is given to.
func (e *elab) following(x *syntax.MethodCall) string {
	if next := nextCall().FindStringSubmatch(e.fr.src.Text[min(x.Span.End, len(e.fr.src.Text)):]); next != nil {
		return next[1]
	}
	return "mean"
}

// follows reports that there is such an operation.
func (e *elab) follows(x *syntax.MethodCall) bool {
	return nextCall().MatchString(e.fr.src.Text[min(x.Span.End, len(e.fr.src.Text)):])
}

// zeroText is a literal of a type that adds nothing, to stand for what is missing; … where there is none.
func zeroText(t *graph.Type) string {
	switch {
	case types.IsSort(t, meaning.Text):
		return `""`
	case types.IsSort(t, meaning.Date):
		return "1970-01-01"
	case types.IsSort(t, meaning.Timestamp):
		return "1970-01-01T00:00:00Z"
	case types.IsSort(t, meaning.Time):
		return "00:00:00"
	case types.IsSort(t, meaning.Duration):
		return "0s"
	case types.IsSort(t, meaning.Decimal), types.IsFloat(t):
		return "0.0"
	case types.IsBool(t):
		return "false"
	case t.Kind == graph.Scalar:
		return "0"
	}
	return "…"
}

// likeHelp is the test for a pattern of SQL.
func (e *elab) likeHelp(x *syntax.MethodCall) string {
	lit, ok := x.Args[0].(*syntax.TextLit)
	if !ok {
		return "there are no patterns; a literal is looked for by starts_with, ends_with and contains"
	}
	of, pattern := e.operand(x.Receiver), lit.Value
	if x.Name.Text == "ilike" {
		of, pattern = of+".lower()", strings.ToLower(pattern)
	}
	return syntax.LikeMeant(of, pattern)
}

// withoutNone keeps the elements that have no None, as dropna does.
func (e *elab) withoutNone(elem *graph.Type) string {
	if elem.Kind == graph.Option {
		return ".filter(|e| e.is_some()).map(|e| e.or(" + zeroText(elem.Elem()) + "))"
	}
	var tests []string
	for i, f := range elem.Elems {
		if elem.Kind == graph.Tuple && f.Kind == graph.Option {
			tests = append(tests, "e."+elem.FieldName(i)+".is_some()")
		}
	}
	if len(tests) == 0 {
		return "nothing is missing here: what may be missing has the type Option<T>"
	}
	return ".filter(|e| " + strings.Join(tests, " && ") + ")"
}

// someOf is filter and map for a closure that gives Options.
func (e *elab) someOf(arg syntax.Expr) string {
	c, ok := arg.(*syntax.Closure)
	if !ok || len(c.Params) != 1 {
		return ".filter(|e| …).map(|e| …)"
	}
	p, v := e.text(c.Params[0].Pattern.Where()), e.operand(c.Body)
	if i, ok := c.Body.(*syntax.If); ok && i.Then.Value != nil && len(i.Then.Stmts) == 0 {
		if some := someValue(i.Then.Value); some != nil {
			return ".filter(|" + p + "| " + e.text(i.Cond.Where()) + ").map(|" + p + "| " + e.text(some.Where()) + ")"
		}
	}
	if some := someValue(c.Body); some != nil {
		return ".map(|" + p + "| " + e.text(some.Where()) + ")"
	}
	return ".filter(|" + p + "| " + v + ".is_some()).map(|" + p + "| " + v + ".or(…))"
}

// someValue is the v of Some(v); nil for other expressions.
func someValue(x syntax.Expr) syntax.Expr {
	if c, ok := x.(*syntax.Call); ok && len(c.Func.Path) == 1 && c.Func.Path[0].Text == "Some" && len(c.Args) == 1 {
		return c.Args[0]
	}
	return nil
}

// instead is the help that puts text in the place of what stands at a span.
func (e *elab) instead(at diag.Span, text string) string {
	if of := e.text(at); !strings.ContainsAny(of+text, "\n`") {
		return "write `" + text + "` for `" + of + "`"
	}
	return text
}

// alone is an expression that takes the place of the one at a span: in parentheses, unless there is nothing beside it that could bind tighter.
func (e *elab) alone(text string, at diag.Span) string {
	src := e.fr.src.Text
	if at.Start < 0 || at.End > len(src) {
		return text
	}
	before, after := strings.TrimRight(src[:at.Start], " \n\t"), strings.TrimLeft(src[at.End:], " \n\t")
	if before != "" && strings.ContainsRune("(,{|;=>", rune(before[len(before)-1])) && after != "" && strings.ContainsRune("),};", rune(after[0])) {
		return text
	}
	return "(" + text + ")"
}

// knownFold is a fold that does not leave out what is missing by itself: what a missing value counts as is said, or it is left out before.
func (e *elab) knownFold(c *methodUse, elem *graph.Type) string {
	name, zero := c.x.Name.Text, zeroText(elem)
	if (name == "argmax" || name == "argmin") && elem.Kind == graph.Scalar && types.IsNumber(elem) {
		zero = elem.String() + "::" + leastOf(name == "argmin", types.IsFloat(elem)) // what is missing is chosen where nothing else is
	}
	if cl, ok := lastClosure(c.x); ok {
		return name + "(|" + e.text(cl.Params[0].Pattern.Where()) + "| " + e.operand(cl.Body) + ".or(" + zero + "))"
	}
	return ".filter(|e| e.is_some()).map(|e| e.or(" + zero + "))." + name + "()"
}

// leastOf is the name of the least value of a type of numbers, or of the greatest.
func leastOf(greatest, float bool) string {
	switch {
	case float && greatest:
		return "INFINITY"
	case float:
		return "NEG_INFINITY"
	case greatest:
		return "MAX"
	}
	return "MIN"
}

// truthFold is a fold of bools: how many are true, or which part of them.
func (e *elab) truthFold(c *methodUse) string {
	arg := e.argText(c.x)
	if arg == "" {
		arg = "|e| e"
	}
	switch x := e.oneLine(c.x.Receiver); c.x.Name.Text {
	case "sum":
		return ".count(" + arg + ")"
	case "mean":
		size := "len"
		if e.of(c.recv).group != nil {
			size = "count"
		}
		return e.alone(x+".count("+arg+") as f64 / "+x+"."+size+"() as f64", c.x.Span)
	case "min", "product":
		return ".all(" + arg + ")"
	case "max":
		return ".any(" + arg + ")"
	}
	return ".map(|e| e as i64)." + c.x.Name.Text + "()"
}
