package elaborate

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/pattern"
)

// In: an operator between values of two kinds that do not meet: text and numbers, text and dates, what
// may be missing and what is there, codes of two dictionaries. Out: what to write for it, or what has
// to be declared otherwise.

// declaredAs is what to do with text that was to be a number.
func declaredAs(t *graph.Type) string {
	name := "i64"
	if types.IsNumber(t) && t.Kind == graph.Scalar {
		name = t.String()
	}
	return fmt.Sprintf("text becomes a number where it is read: declare the field as %s, or Option<%s> if some are missing", name, name)
}

// unlikeHelp is the help for an operator with text, a time or an Option on one side and something else on the other; "" if it has none.
func (e *elab) unlikeHelp(x *syntax.Binary, a, b *graph.Type) string {
	l, r := e.text(x.X.Where()), e.text(x.Y.Where())
	s, t := a.Means.Sort, b.Means.Sort
	switch {
	case a.Kind == graph.Option || b.Kind == graph.Option:
		return e.optionOpHelp(x, a, b)
	case s == meaning.Text && t == meaning.Text && !isCompare(x.Op):
		return "texts are not put together; they are compared, and have starts_with, ends_with, contains, len, lower, upper and trim"
	case s == meaning.Text && !isCompare(x.Op), t == meaning.Text && !isCompare(x.Op):
		return declaredAs(graph.I64Type)
	case s == meaning.Text:
		if left := e.likeOther(x.X, l, b, r); left != "" {
			return left + " " + x.Op.String() + " " + withoutCode(r)
		}
	case t == meaning.Text:
		if right := e.likeOther(x.Y, r, a, l); right != "" {
			return withoutCode(l) + " " + x.Op.String() + " " + right
		}
	case s.IsTime() && types.IsInt(b):
		return timeAndNumber(x, l, r, a, e.text(x.Span))
	case t == meaning.Duration && types.IsInt(a) && isCompare(x.Op):
		return "say of which unit, as 30day, 30h, 30min or 30s:\n" + inDays(l) + " " + x.Op.String() + " " + r
	case t.IsTime() && types.IsInt(a) && isCompare(x.Op):
		if day := paddedDay(l); day != "" {
			return day + " " + x.Op.String() + " " + r
		}
	}
	if isCompare(x.Op) && (s == meaning.Text || t == meaning.Text) {
		if number := e.numberSide(x, a, b); number != "" {
			return number
		}
		if a.Means.Sort.IsTime() || b.Means.Sort.IsTime() {
			return "dates and times are written without quotes, as 2001-03-14, 2001-03-14T08:30:00 and 08:30:00"
		}
		return "a text is compared with a text"
	}
	return ""
}

// likeOther is text as a literal of the other side's type; "" if it is none.
func (e *elab) likeOther(x syntax.Expr, text string, other *graph.Type, otherText string) string {
	lit, ok := x.(*syntax.TextLit)
	if !ok {
		if other.Kind == graph.Index && strings.HasSuffix(otherText, ".code()") {
			return text
		}
		return ""
	}
	value := strings.TrimSpace(lit.Value)
	switch {
	case other.Kind == graph.Index && strings.HasSuffix(otherText, ".code()"):
		return text
	case other.Means.Sort == meaning.Date || other.Means.Sort == meaning.Timestamp:
		if day := paddedDay(value); day != "" {
			return day
		}
		moment := strings.Replace(value, " ", "T", 1)
		m := meaning.Meaning{Sort: other.Means.Sort, Unit: meaning.Micro}
		if _, why := m.Parse([]byte(moment)); why == "" && len(moment) >= len("2001-03-14T08:30") {
			return moment
		}
	case types.IsNumber(other):
		if n := namedNumber(value, otherText); n >= 0 {
			return strconv.Itoa(n)
		}
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && types.IsInt(other) {
			return strconv.FormatInt(n, 10)
		}
		if f, err := strconv.ParseFloat(value, 64); err == nil && types.IsFloat(other) && !math.IsInf(f, 0) && !math.IsNaN(f) {
			text := strconv.FormatFloat(f, 'f', -1, 64)
			if !strings.Contains(text, ".") {
				text += ".0"
			}
			return text
		}
	}
	return ""
}

func withoutCode(text string) string { return strings.TrimSuffix(text, ".code()") }

// numberSide is the help for a comparison of text with a number: the number as text where it is a literal and the order does not matter.
func (e *elab) numberSide(x *syntax.Binary, a, b *graph.Type) string {
	equal := x.Op == syntax.Eq || x.Op == syntax.Ne
	if n, ok := x.Y.(*syntax.IntLit); ok && equal && types.IsSort(a, meaning.Text) {
		return e.text(x.X.Where()) + " " + x.Op.String() + " " + syntax.QuoteText(n.Text)
	}
	if n, ok := x.X.(*syntax.IntLit); ok && equal && types.IsSort(b, meaning.Text) {
		return syntax.QuoteText(n.Text) + " " + x.Op.String() + " " + e.text(x.Y.Where())
	}
	if _, lit := x.X.(*syntax.TextLit); lit || isTextLit(x.Y) {
		return ""
	}
	if types.IsNumber(a) || types.IsNumber(b) {
		return declaredAs(graph.I64Type)
	}
	return ""
}

func isTextLit(x syntax.Expr) bool {
	_, ok := x.(*syntax.TextLit)
	return ok
}

var (
	months   = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}
	weekdays = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
)

// namedNumber is the number of a month or weekday that an expression ending in .month() or .weekday() is compared with; -1 if it is none.
func namedNumber(name, other string) int {
	names, first := months, 1
	switch {
	case strings.HasSuffix(other, ".weekday()"):
		names, first = weekdays, 0
	case !strings.HasSuffix(other, ".month()"):
		return -1
	}
	name = strings.ToLower(name)
	for i, full := range names {
		if len(name) >= 3 && strings.HasPrefix(full, name) {
			return i + first
		}
	}
	return -1
}

var looseDay = pattern.Of(`^(\d{4})\s*[-/.]\s*(\d{1,2})\s*[-/.]\s*(\d{1,2})$`)

// paddedDay is a day with a single digit, or other signs between the digits, as a literal; "" if it is none.
func paddedDay(text string) string {
	p := looseDay().FindStringSubmatch(strings.TrimSpace(text))
	if p == nil {
		return ""
	}
	day := fmt.Sprintf("%s-%02s-%02s", p[1], p[2], p[3])
	if _, why := (meaning.Meaning{Sort: meaning.Date}).Parse([]byte(day)); why != "" {
		return ""
	}
	return day
}

// timeAndNumber is the help for a time and an integer: which may be a day with a sign too few, or a number of days.
func timeAndNumber(x *syntax.Binary, l, r string, a *graph.Type, whole string) string {
	s := a.Means.Sort
	switch {
	case isCompare(x.Op) && s == meaning.Duration:
		return "say of which unit, as 30day, 30h, 30min or 30s:\n" + l + " " + x.Op.String() + " " + inDays(r)
	case isCompare(x.Op):
		if day := paddedDay(r); day != "" && (s == meaning.Date || s == meaning.Timestamp) {
			return l + " " + x.Op.String() + " " + day
		}
	case s == meaning.Timestamp && (x.Op == syntax.Plus || x.Op == syntax.Minus):
		return "say of which unit, as 1day, 1h, 1min or 1s:\n" + l + " " + x.Op.String() + " " + inDays(r)
	}
	return ""
}

// inDays is a number as that many days.
func inDays(n string) string {
	if !unicode.IsDigit(rune(n[0])) || strings.Trim(n, "0123456789_") != "" {
		return n + " * 1day"
	}
	return n + "day"
}

// optionOpHelp is the help for an operator on an Option. What is missing satisfies no comparison; in arithmetic the reader says what it counts as.
func (e *elab) optionOpHelp(x *syntax.Binary, a, b *graph.Type) string {
	l, r := e.operand(x.X), e.operand(x.Y)
	op := " " + x.Op.String() + " "
	some := func(x syntax.Expr) string {
		if v := someValue(x); v != nil {
			return e.text(v.Where())
		}
		return ""
	}
	name := "v"
	if regexp.MustCompile(`\bv\b`).MatchString(l + r) {
		name = "known"
	}
	mapped := func(option, condition string) string {
		otherwise := "false"
		if x.Op == syntax.Ne && (some(x.X) != "" || some(x.Y) != "") {
			otherwise = "true"
		}
		return "what is missing satisfies no condition:\n" + option + ".map(|" + name + "| " + condition + ").or(" + otherwise + ")"
	}
	zero := func(t *graph.Type) string {
		if z := zeroText(t.Elem()); z != "…" && (x.Op == syntax.Plus || x.Op == syntax.Minus) {
			return z
		}
		return "…"
	}
	switch {
	case isCompare(x.Op) && a.Kind == graph.Option && some(x.Y) != "" && a.Elem().IsScalar():
		return strings.TrimPrefix(mapped(l, name+op+some(x.Y)), "what is missing satisfies no condition:\n")
	case isCompare(x.Op) && b.Kind == graph.Option && some(x.X) != "" && b.Elem().IsScalar():
		return strings.TrimPrefix(mapped(r, some(x.X)+op+name), "what is missing satisfies no condition:\n")
	case isCompare(x.Op) && a.Kind == graph.Option && b.Kind == graph.Option && a.Elem().IsScalar() && b.Elem().IsScalar():
		return e.bothThere(x, a.Elem(), b.Elem())
	case isCompare(x.Op) && a.Kind == graph.Option && a.Elem().IsScalar():
		return mapped(l, comparedTimes(name, op, r, a.Elem(), b))
	case isCompare(x.Op) && b.Kind == graph.Option && b.Elem().IsScalar():
		return mapped(r, comparedTimes(l, op, name, a, b.Elem()))
	case a.Kind == graph.Option && b.Kind == graph.Option && l == r:
		return "what is missing stays so:\n" + l + ".map(|" + name + "| " + e.knownOp(x, name, name, a.Elem(), b.Elem()) + ")"
	case a.Kind == graph.Option && b.Kind == graph.Option:
		return "say what a missing value counts as:\n" + e.knownOp(x, l+".or("+zero(a)+")", r+".or("+zero(b)+")", a.Elem(), b.Elem())
	case a.Kind == graph.Option:
		return "say what a missing value counts as:\n" + e.knownOp(x, l+".or("+zero(a)+")", r, a.Elem(), b) + "\nor let it be missing:\n" + l + ".map(|" + name + "| " + e.knownOp(x, name, r, a.Elem(), b) + ")"
	}
	return "say what a missing value counts as:\n" + e.knownOp(x, l, r+".or("+zero(b)+")", a, b.Elem()) + "\nor let it be missing:\n" + r + ".map(|" + name + "| " + e.knownOp(x, l, name, a, b.Elem()) + ")"
}

// knownOp is an operator on values of which none is missing, converted where it is not defined on their types.
func (e *elab) knownOp(x *syntax.Binary, l, r string, a, b *graph.Type) string {
	op := " " + x.Op.String() + " "
	decimals := types.IsSort(a, meaning.Decimal) || types.IsSort(b, meaning.Decimal)
	switch {
	case x.Op == syntax.Slash && decimals && isNumeric(a) && isNumeric(b):
		return castable(l) + " as f64" + op + castable(r) + " as f64"
	case types.IsSort(a, meaning.Date) && types.IsInt(b) && x.Op == syntax.Plus:
		return castable(l) + ".add_days(" + r + ")"
	case types.IsSort(a, meaning.Date) && types.IsInt(b) && x.Op == syntax.Minus:
		return castable(l) + ".add_days(-" + castable(r) + ")"
	}
	return comparedTimes(l, op, r, a, b)
}

// bothThere is a comparison of two Options that is false where either is missing: names stand for what they have, that are in neither.
func (e *elab) bothThere(x *syntax.Binary, a, b *graph.Type) string {
	l, r := e.operand(x.X), e.operand(x.Y)
	var names []string
	for _, name := range []string{"x", "y", "v", "w", "left", "right"} {
		if !regexp.MustCompile(`\b` + name + `\b`).MatchString(l + r) {
			names = append(names, name)
		}
	}
	if len(names) < 2 {
		names = []string{"known", "other"}
	}
	both := comparedTimes(names[0], " "+x.Op.String()+" ", names[1], a, b)
	return "what is missing satisfies no condition:\n" + l + ".map(|" + names[0] + "| " + r + ".map(|" + names[1] + "| " + both + ").or(false)).or(false)"
}

// comparedTimes is l op r, where a Date beside a Timestamp is its first moment: by the days of both, what is later on a day would be equal to it.
func comparedTimes(l, op, r string, a, b *graph.Type) string {
	switch {
	case types.IsSort(a, meaning.Timestamp) && types.IsSort(b, meaning.Date):
		r = "(" + r + " as " + a.String() + ")"
	case types.IsSort(a, meaning.Date) && types.IsSort(b, meaning.Timestamp):
		l = "(" + l + " as " + b.String() + ")"
	}
	return l + op + r
}

// boolOpHelp is the help for a bool beside a number.
func (e *elab) boolOpHelp(x *syntax.Binary, a, b *graph.Type) string {
	l, r := e.operand(x.X), e.operand(x.Y)
	as := func(t *graph.Type) string {
		if types.IsFloat(t) {
			return " as i64 as " + t.String()
		}
		return " as i64"
	}
	if types.IsBool(a) {
		l += as(b)
	} else {
		r += as(a)
	}
	return l + " " + x.Op.String() + " " + r
}

// nothings are what other languages call None.
var nothings = map[string]bool{"None": true, "null": true, "NULL": true, "nil": true, "Null": true, "NA": true, "none": true}

// againstNone reports a comparison with None, in whatever words.
func (e *elab) againstNone(x *syntax.Binary) (*graph.Node, bool) {
	if x.Op != syntax.Eq && x.Op != syntax.Ne {
		return nil, false
	}
	side, none := x.X, x.Y
	if !e.isNothing(none) {
		if side, none = x.Y, x.X; !e.isNothing(none) {
			return nil, false
		}
	}
	v := e.expr(side, nil)
	if v == nil {
		return nil, true
	}
	test := ".is_none()"
	if x.Op == syntax.Ne {
		test = ".is_some()"
	}
	m := e.errorf(x.Span, "F03", "`%s` is not defined on these values", x.Op).Note("%s %s %s", v.Type, x.Op, e.text(none.Where()))
	if v.Type.Kind == graph.Option {
		m.Help("%s%s", e.operand(side), test)
	} else {
		m.Help("nothing is missing here: what may be missing has the type Option<%s>", e.show(v.Type))
	}
	return nil, true
}

func (e *elab) isNothing(x syntax.Expr) bool {
	n, ok := x.(*syntax.NameExpr)
	return ok && len(n.Path) == 1 && nothings[n.Path[0].Text] && e.lookup(n.Path[0].Text) == nil && e.resolver().first(n.Path[0].Text) == nil
}

// foreignCodes reports a comparison of codes that belong to two dictionaries, where it would say nothing about the texts.
func (e *elab) foreignCodes(x *syntax.Binary, a, b *graph.Type) bool {
	if a.Kind != graph.Index || b.Kind != graph.Index || !isDict(a.Bound) || !isDict(b.Bound) || a.Bound.Equal(b.Bound) {
		return false
	}
	m := e.errorf(x.Span, "F04", "these codes belong to different columns").Note("%s %s %s: each is a place among other texts", a, x.Op, b)
	if l, r := e.text(x.X.Where()), e.text(x.Y.Where()); strings.HasSuffix(l, ".code()") && strings.HasSuffix(r, ".code()") {
		m.Help("compare the texts:\n%s %s %s", withoutCode(l), x.Op, withoutCode(r))
	} else {
		m.Help("compare the texts themselves")
	}
	return true
}

// isDict reports the size of a column's dictionary.
func isDict(p size.Poly) bool {
	v, ok := p.IsVar()
	return ok && strings.HasPrefix(v, "dict(")
}

// operandHelp mends the help of what has just been reported of one operand, where both together say more.
func (e *elab) operandHelp(reported int, x *syntax.Binary, want *graph.Type, a, b *graph.Node) {
	all := e.msgs.Messages
	if len(all) != reported+1 || x.OpSpan == x.Span {
		return
	}
	m := message{all[reported], e.g}
	op := " " + x.Op.String() + " "
	switch u, denied := x.X.(*syntax.Unary); {
	case m.m.Code == "F03" && denied && u.Op == syntax.Bang && m.m.Span == u.Span && isCompare(x.Op):
		m.Help("!(%s%s%s)", e.text(u.X.Where()), op, e.text(x.Y.Where()))
	case m.m.Code == "F04":
		e.wholeResult(m, x, want, a, b)
	case m.m.Code == "F01":
		if text := cmp.Or(e.widened(x, a, b), e.decimalBeside(x, a, b)); text != "" {
			m.Help("%s", text)
		}
	case m.m.Code != "F02" || want != nil && types.IsInt(want) || isCompare(x.Op) && wholeLiteral(x.X, x.Y):
	case isFloatLit(x.X) && b != nil && types.IsInt(b.Type):
		m.Help("%s%s%s", e.text(x.X.Where()), op, e.asKind(x.Y, num.F64))
	case isFloatLit(x.Y) && a != nil && types.IsInt(a.Type):
		m.Help("%s%s%s", e.asKind(x.X, num.F64), op, e.text(x.Y.Where()))
	}
}

// widened is an operator with a literal that does not fit the type of the other side, an integer, in the narrowest type that it fits.
func (e *elab) widened(x *syntax.Binary, a, b *graph.Node) string {
	l, r := e.operand(x.X), e.operand(x.Y)
	lit, isLit := x.Y.(*syntax.IntLit)
	other, text := a, &l
	if !isLit {
		lit, isLit = x.X.(*syntax.IntLit)
		other, text = b, &r
	}
	switch {
	case !isLit || other == nil || !types.IsInt(other.Type) || lit.Suffix != "" || !isDecimal(lit.Text):
		return ""
	case lit.Value <= math.MaxInt64:
		*text += " as i64"
	default:
		*text += " as f64"
		as := e.text(lit.Span) + ".0"
		if text == &l {
			r = as
		} else {
			l = as
		}
	}
	return l + " " + x.Op.String() + " " + r
}

func isFloatLit(x syntax.Expr) bool {
	_, ok := x.(*syntax.FloatLit)
	return ok
}

// wholeLiteral reports that the float among two operands is a whole number, which an integer can be compared with.
func wholeLiteral(list ...syntax.Expr) bool {
	for _, x := range list {
		if f, ok := x.(*syntax.FloatLit); ok {
			return f.Value == math.Trunc(f.Value)
		}
	}
	return false
}
