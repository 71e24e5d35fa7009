package elaborate

import (
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/pattern"
)

// In: a call with arguments that operations of other languages have and ours have not: how many degrees of freedom, which axis, whether
// to sort downwards. Out: helps that replace the whole call, so that nothing of these stays behind when a help is followed.

// isSetting reports a number or a truth as it is written: no operation is told by one what to take of each element.
func isSetting(x syntax.Expr) bool {
	switch x.(type) {
	case *syntax.IntLit, *syntax.FloatLit, *syntax.BoolLit:
		return true
	}
	return false
}

// withoutSettings is a call without them.
func withoutSettings(x *syntax.MethodCall) *syntax.MethodCall {
	short := *x
	short.Args = nil
	for _, a := range x.Args {
		if !isSetting(a) {
			short.Args = append(short.Args, a)
		}
	}
	return &short
}

// plainArgs is the text of arguments without settings.
func (e *elab) plainArgs(x *syntax.MethodCall) string {
	var texts []string
	for _, a := range withoutSettings(x).Args {
		texts = append(texts, e.text(a.Where()))
	}
	return strings.Join(texts, ", ")
}

// noSettings are the operations that take a closure at most.
var noSettings = map[string]bool{"mean": true, "sum": true, "sort": true, "distinct": true, "count_distinct": true, "argmax": true, "argmin": true}

var passesAll = pattern.Of(`^\.(\w+)\(\$\*\)`)

// settled is a word's help for a call with settings: they are left out where the operation has none, and a share of a hundred is one of one.
func (e *elab) settled(help string, x *syntax.MethodCall) string {
	m := passesAll().FindStringSubmatch(help)
	switch {
	case m == nil:
		return help
	case noSettings[m[1]] && len(withoutSettings(x).Args) < len(x.Args):
		return strings.Replace(help, "$*", e.plainArgs(x), 1)
	case m[1] == "quantile" && len(x.Args) > 0:
		share, err := 0.0, strconv.ErrSyntax
		for _, a := range x.Args {
			if isSetting(a) {
				share, err = strconv.ParseFloat(e.text(a.Where()), 64)
			}
		}
		if err == nil && share >= 0 && share <= 100 {
			if share > 1 {
				share /= 100
			}
			return strings.Replace(help, "$*", strings.TrimSuffix(floatText(share)+", "+e.plainArgs(x), ", "), 1)
		}
	}
	return help
}

// floatText is a number as a float is written.
func floatText(f float64) string {
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// wholeCall is an offer that begins with a point for the whole of a call, where its arguments would otherwise stay behind.
func (e *elab) wholeCall(text string, x *syntax.MethodCall) string {
	if !strings.HasPrefix(text, ".") || strings.Contains(text, "\n") || len(x.Args) == 0 || strings.Contains(text, "("+e.argText(x)+")") {
		return text
	}
	of := e.operand(x.Receiver)
	if strings.ContainsAny(of, "\n`") {
		return text
	}
	return e.instead(x.Span, of+text)
}

// degrees is how many degrees of freedom a call says that a statistic loses; "" if it does not say.
func degrees(x *syntax.MethodCall) string {
	for _, a := range x.Args {
		if n, ok := a.(*syntax.IntLit); ok && n.Value <= 1 {
			return strconv.FormatUint(n.Value, 10)
		}
	}
	return ""
}

// withoutSetting offers the call of an operation without an argument that it has no use for; "" if it needs one there.
func (e *elab) withoutSetting(c *methodUse, i int) string {
	if c.recv == nil || !isSetting(c.x.Args[i]) || e.tableFor(c.recv)[c.x.Name.Text].min > len(withoutSettings(c.x).Args) {
		return ""
	}
	return e.instead(c.x.Span, e.operand(c.x.Receiver)+"."+c.x.Name.Text+"("+e.plainArgs(c.x)+")")
}

// powerOrLogarithm is the help for a power or a logarithm whose exponent or base is an argument elsewhere.
func (e *elab) powerOrLogarithm(x *syntax.MethodCall, recv *graph.Node) string {
	if len(x.Args) != 1 || !types.IsNumber(types.Innermost(recv.Type)) {
		return ""
	}
	n, isInt := x.Args[0].(*syntax.IntLit)
	switch name := x.Name.Text; {
	case name == "log" && isInt && (n.Value == 2 || n.Value == 10):
		return e.wholeCall(".log"+strconv.FormatUint(n.Value, 10)+"()", x)
	case (name == "pow" || name == "power" || name == "powi") && types.IsInt(types.Innermost(recv.Type)):
		if e.isWhole(x.Args[0]) {
			return e.wholePower(x, x.Args[0], recv.Type.Kind == graph.Array)
		}
		if recv.Type.Kind != graph.Array {
			return e.instead(x.Span, "("+e.operand(x.Receiver)+" as f64).powf("+e.argText(x)+")")
		}
		return e.instead(x.Span, e.operand(x.Receiver)+".map(|e| (e as f64).powf("+e.argText(x)+"))")
	case (name == "pow" || name == "power") && isInt:
		return e.wholeCall(".powi::<"+strconv.FormatUint(n.Value, 10)+">()", x)
	case name == "pow" || name == "power":
		return e.wholeCall(".powf("+e.argText(x)+")", x)
	}
	return ""
}
