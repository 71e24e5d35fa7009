package godwit

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/pattern"
)

// faultHelp says what can be done about a fault: where the source shows it,
// what to write in place of the marked text and its neighbours.
func faultHelp(g *graph.Graph, s graph.Site) string {
	code := faultCodes[s.Kind]
	general := faults[code].help
	if g.Source == nil || s.Pos.End > len(g.Source.Text) || s.Pos.Start >= s.Pos.End {
		return general
	}
	marked := g.Source.Text[s.Pos.Start:s.Pos.End]
	offer := begunBefore(g.Source, s.Pos, marked)
	if offer != "" && !strings.Contains(offer, "\n") {
		return offer
	}
	switch code {
	case "R01":
		if offer = wrapping(g, s, marked); offer == "" {
			offer = negated(g.Source, s, marked)
		}
		if offer == "" {
			offer = widenedPresent(g.Source, s.Pos, widened(marked, s.Text))
		}
	case "R02", "R03":
		if !isElementwise(g, s.Pos) {
			offer = guarded(g.Source, s, code)
		}
	case "R04":
		offer = limitedCast(marked, s.Text)
	case "R05":
		offer = limitedKey(marked, s.Text)
		if strings.HasPrefix(s.Text, "Duration ") {
			offer = movedTime(g.Source, s.Pos)
		}
	case "R06":
		if m := keyedExtremes().FindStringSubmatch(marked); m != nil {
			offer = "say what it is of nothing: " + m[1] + "." + m[2] + "(" + m[3] + " Some(" + m[4] + ")).or(…)"
		} else if m := extremes().FindStringSubmatch(marked); m != nil {
			offer = "begin with a value of your own: " + m[1] + ".fold(…, |a, e| a." + m[2] + "(e))"
		}
	}
	if offer == "" || strings.Contains(offer, "\n") {
		return general
	}
	return offer
}

var (
	extremes = pattern.Of(`^(.+)\.(min|max)\(\)$`)
	// keyedExtremes have a closure of one expression.
	keyedExtremes = pattern.Of(`^(.+)\.(min|max)\((\|\w+\|) ([^{}]+)\)$`)

	histogram = pattern.Of(`^(.+\.histogram::<[^()]*>)\(\)$`)
	casts     = pattern.Of(`^(.+) as (\w+)$`)
	castTypes = pattern.Of(`^conversion of (\w+) to (\w+)$`)
	simple    = pattern.Of(`^[\w.]+$`)
	whole     = pattern.Of(`^\([^()]*\)$`) // in parentheses already
)

func wrapping(g *graph.Graph, s graph.Site, op string) string {
	switch op {
	case "+":
		return "write `+%`, which wraps around, or `+|`, which stops at the nearest value; or " + wider(g, s)
	case "-", "*":
		return "write `" + op + "%`, which wraps around, or " + wider(g, s)
	}
	return ""
}

// wider offers to compute in a type that holds more: with the operands converted, if the program still passes then.
func wider(g *graph.Graph, s graph.Site) string {
	kind, _, _ := strings.Cut(s.Text, " ")
	as, general := "i64", "use a wider type"
	if kind == "i64" || kind == "u64" {
		as, general = "f64", "compute in f64, which rounds"
	}
	x := binaryAt(reflect.ValueOf(syntax.Parse(g.Source, new(diag.List))), s.Pos)
	if x == nil {
		return general
	}
	of := func(y syntax.Expr) string {
		text := g.Source.Text[y.Where().Start:y.Where().End]
		if _, ok := y.(*syntax.IntLit); ok && as == "i64" {
			return text
		} else if ok {
			return strings.ReplaceAll(text, "_", "") + ".0"
		}
		return bracketed(text) + " as " + as
	}
	offer := of(x.X) + " " + x.Op.String() + " " + of(x.Y)
	src := g.Source.Text[:x.Span.Start] + offer + g.Source.Text[x.Span.End:]
	if _, err := compile.Check(diag.NewSource(g.Source.Path, src)); err != nil {
		return general
	}
	if as == "f64" {
		return general + ": " + offer
	}
	return "compute in " + as + ": " + offer
}

// foldedBy is a fold of what a closure gives.
var foldedBy = pattern.Of(`^(.+\.(?:sum|mean|product))\((\|[^|]*\|) ([^{}\n]+)\)$`)

var folded = pattern.Of(`^[iu]64 (sum|product)\b`)

// widened is for folds of integers, for which there is no wider kind.
func widened(call, text string) string {
	if !folded().MatchString(text) {
		return ""
	}
	if m := foldedBy().FindStringSubmatch(call); m != nil {
		value := m[3]
		if !simple().MatchString(value) {
			value = "(" + value + ")"
		}
		return fmt.Sprintf("convert the elements, which rounds: %s(%s %s as f64)", m[1], m[2], value)
	}
	x, method, ok := cutCall(call)
	if !ok {
		return ""
	}
	help := fmt.Sprintf("convert the elements, which rounds: %s.map(|e| e as f64).%s()", x, method)
	if method == "sum" || method == "product" {
		op := map[string]string{"sum": "a +% e", "product": "a *% e"}[method]
		first := map[string]string{"sum": "0", "product": "1"}[method]
		help += fmt.Sprintf("; or wrap around: %s.fold(%s, |a, e| %s)", x, first, op)
	}
	return help
}

// widenedPresent is that help with what may be missing left so, where the elements are Options, which are not converted.
func widenedPresent(src *diag.Source, at diag.Span, help string) string {
	m := convertedBy().FindStringSubmatch(help)
	if m == nil {
		return help
	}
	_, err := compile.Check(diag.NewSource(src.Path, src.Text[:at.Start]+m[2]+m[3]+" as f64)"+m[4]+src.Text[at.End:]))
	if err == nil || !strings.Contains(err.Error(), "F06") {
		return help
	}
	return m[1] + m[2] + m[3] + ".map(|v| v as f64))" + m[4]
}

var convertedBy = pattern.Of(`^(convert the elements, which rounds: )(.+\(\|[^|]*\| )(.+) as f64\)([^;]*)$`)

// movedTime moves a date by part of a day, as a time.
func movedTime(src *diag.Source, at diag.Span) string {
	x := binaryAt(reflect.ValueOf(syntax.Parse(src, new(diag.List))), at)
	if x == nil {
		return ""
	}
	of := func(x syntax.Expr) string {
		text := src.Text[x.Where().Start:x.Where().End]
		if _, ok := x.(*syntax.Binary); ok {
			return "(" + text + ")"
		}
		return text
	}
	for _, unit := range []string{"us", "ns", "ms", "s"} { // the one that the Duration has
		offer := fmt.Sprintf("(%s as Timestamp<%s>) %s %s", of(x.X), unit, x.Op, of(x.Y))
		if _, err := compile.Check(diag.NewSource(src.Path, src.Text[:x.Span.Start]+offer+src.Text[x.Span.End:])); err == nil || !strings.Contains(err.Error(), "F03") {
			return "a Date moves by whole days; as a time it moves by any Duration: " + offer
		}
	}
	return ""
}

// cutCall takes a call without arguments apart: x.method().
func cutCall(call string) (x, method string, ok bool) {
	x, ok = strings.CutSuffix(call, "()")
	at := strings.LastIndexByte(x, '.')
	if !ok || at <= 0 {
		return "", "", false
	}
	return x[:at], x[at+1:], true
}

// isElementwise reports an operator on arrays.
func isElementwise(g *graph.Graph, at diag.Span) bool {
	found := false
	g.Body.Walk(func(n *graph.Node) bool {
		found = found || n.Op == graph.Map && n.Pos == at
		return !found
	})
	return found
}

// guarded tests a divisor, or limits the amount of a shift.
func guarded(src *diag.Source, s graph.Site, code string) string {
	x := binaryAt(reflect.ValueOf(syntax.Parse(src, new(diag.List))), s.Pos)
	if x == nil {
		return ""
	}
	of := func(x syntax.Expr) string { return src.Text[x.Where().Start:x.Where().End] }
	a, b := of(x.X), of(x.Y)
	if code == "R02" {
		if isZero(x.Y) {
			return "the divisor is 0: write another"
		}
		offer := func(zero string) string {
			return alone(src, x.Span, fmt.Sprintf("if %s == 0 { %s } else { %s %s %s }", b, zero, a, x.Op, b))
		}
		if passes(src, x.Span, offer("0s")) { // of a Duration
			return "test the divisor: " + offer("0s")
		}
		return "test the divisor: " + offer("0")
	}
	kind, _, _ := strings.Cut(s.Text, " ")
	k, ok := num.ParseKind(kind)
	if !ok {
		return ""
	}
	return fmt.Sprintf("limit the amount: %s %s %s.clamp(0, %d)", a, x.Op, bracketed(b), k.Bits()-1)
}

// isZero reports a literal 0.
func isZero(x syntax.Expr) bool {
	if p, ok := x.(*syntax.ParenExpr); ok {
		return isZero(p.X)
	}
	n, ok := x.(*syntax.IntLit)
	return ok && n.Value == 0
}

// passes reports that a program passes with other text at a span.
func passes(src *diag.Source, at diag.Span, text string) bool {
	_, err := compile.Check(diag.NewSource(src.Path, src.Text[:at.Start]+text+src.Text[at.End:]))
	return err == nil
}

func bracketed(text string) string {
	if simple().MatchString(text) || whole().MatchString(text) {
		return text
	}
	return "(" + text + ")"
}

// binaryAt finds the operation in a syntax tree whose operator stands there.
func binaryAt(v reflect.Value, at diag.Span) *syntax.Binary {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		if b, ok := v.Interface().(*syntax.Binary); ok && b.OpSpan == at {
			return b
		}
		return binaryAt(v.Elem(), at)
	case reflect.Slice:
		for i := range v.Len() {
			if b := binaryAt(v.Index(i), at); b != nil {
				return b
			}
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[diag.Source]() {
			return nil
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				if b := binaryAt(v.Field(i), at); b != nil {
					return b
				}
			}
		}
	}
	return nil
}

// limitedCast clamps a value to what fits before it is converted.
func limitedCast(marked, text string) string {
	x, kinds := casts().FindStringSubmatch(marked), castTypes().FindStringSubmatch(text)
	if x == nil || kinds == nil {
		return ""
	}
	from, _ := num.ParseKind(kinds[1])
	to, ok := num.ParseKind(kinds[2])
	if !ok || !to.IsInt() {
		return ""
	}
	lo, hi := fmt.Sprint(max(from.MinInt(), to.MinInt())), fmt.Sprint(min(from.MaxInt(), to.MaxInt()))
	if from.IsFloat() {
		lo, hi = fmt.Sprintf("%d.0", to.MinInt()), fmt.Sprintf("%d.0", to.MaxInt())
		switch { // the largest value is no float: this is the next below
		case to.Bits() == 64 && from == num.F64:
			hi = map[num.Kind]string{num.I64: "9223372036854774784.0", num.U64: "18446744073709549568.0"}[to]
		case to.Bits() == 64 || from == num.F32 && to.Bits() == 32:
			hi = map[num.Kind]string{num.I32: "2147483520.0", num.U32: "4294967040.0", num.I64: "9223371487098961920.0", num.U64: "18446742974197923840.0"}[to]
		}
	}
	limited := fmt.Sprintf("%s.clamp(%s, %s) as %s", bracketed(x[1]), lo, hi, x[2])
	if from.IsFloat() { // the limits of NaN are NaN
		return "limit the value, after a test with is_nan where it may be NaN: " + limited
	}
	return "limit the value: " + limited
}

// limitedKey takes the nearest group for a key outside.
func limitedKey(marked, text string) string {
	switch m := histogram().FindStringSubmatch(marked); {
	case text == "index into nothing":
		return "the array is empty: test its size before, or look with .get(i).or(…)"
	case strings.HasPrefix(text, "a key with more than "):
		return morePartners(marked)
	case !strings.HasPrefix(text, "key "):
		return ""
	case m != nil:
		return "take the nearest: " + m[1] + "(|e| e.clamp_idx())"
	case strings.HasPrefix(text, "key of the array"):
		return "take the nearest: " + bracketed(marked) + ".map(|k| k.clamp_idx())"
	}
	return "take the nearest: " + bracketed(marked) + ".clamp_idx()"
}

// morePartners says how to count the rows that a key of join_all has: a fault knows the place of its row alone.
func morePartners(marked string) string {
	const help = "say how many rows a key may have at most: join_all::<…>(by, …); "
	src := diag.NewSource("", "fn f() { "+marked+" }")
	call, _ := valueOf(syntax.Parse(src, new(diag.List))).(*syntax.MethodCall)
	if call == nil || len(call.Args) != 2 || strings.Contains(marked, "\n") {
		return help + "by.count(key) counts them"
	}
	key, ok := call.Args[1].(*syntax.Closure)
	if !ok {
		return help + "by.count(key) counts them"
	}
	text := func(from, to int) string { return src.Text[from:to] }
	rows, by, body := call.Receiver.Where(), call.Args[0].Where(), key.Body.Where()
	return help + "as many as `" + text(rows.Start, rows.End) + ".map(" + text(key.Span.Start, body.Start) + bracketed(text(by.Start, by.End)) +
		".count(" + text(body.Start, key.Span.End) + ")).fold(0, |a, n| a.max(n))` gives"
}

// valueOf is the value of the only function of a program; nil if there is none.
func valueOf(file *syntax.File) syntax.Expr {
	if len(file.Items) != 1 {
		return nil
	}
	if f, ok := file.Items[0].(*syntax.Func); ok && f.Body != nil {
		return f.Body.Value
	}
	return nil
}
