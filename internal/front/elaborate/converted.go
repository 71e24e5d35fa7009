package elaborate

import (
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: the text of an expression, its type, and another type that is wanted. Out: the expression with the conversion written
// into it, which has that type: of numbers, of what may be missing, of the parts of tuples and of the elements of arrays.

// converted is that expression; "" where nothing short says what is meant.
func converted(text string, found, want *graph.Type) string {
	switch {
	case convertible(found) && want.Kind == graph.Scalar && types.IsNumber(want):
		if found.Kind == want.Kind && found.Num == want.Num && !types.IsMeant(found) {
			return text
		}
		if types.IsBool(found) && types.IsFloat(want) {
			return castable(text) + " as i64 as " + want.Num.String()
		}
		return castable(text) + " as " + want.Num.String()
	case found.Equal(want) || types.IsSort(found, meaning.Text) && types.IsSort(want, meaning.Text):
		return text
	case found.Means.Sort == meaning.Duration && types.IsFloat(want) && want.Num == num.F64:
		return castable(text) + ".days()"
	case found.Means.Sort == meaning.Duration && want.Kind == graph.Scalar && types.IsNumber(want):
		return castable(text) + ".days() as " + want.Num.String()
	case found.Means.Sort == meaning.Timestamp && want.Means.Sort == meaning.Date:
		return castable(text) + ".date()"
	case found.Means.Sort == meaning.Date && want.Means.Sort == meaning.Timestamp, found.IsScalar() && found.Means.Sort.IsTime() && found.Means.Sort == want.Means.Sort:
		return castable(text) + " as " + want.String()
	case found.Kind == graph.Option && want.Kind == graph.Option && found.Elem().Kind == graph.Option && want.Elem().Kind != graph.Option: // what is missing stays so
		return converted(castable(text)+".or(None)", found.Elem(), want)
	case found.Kind == graph.Option && want.Kind == graph.Option:
		if v := converted("v", found.Elem(), want.Elem()); v == "v" {
			return text
		} else if v != "" {
			return castable(text) + ".map(|v| " + v + ")"
		}
	case found.Kind == graph.Option && found.Elem().IsScalar():
		return converted(castable(text)+".or("+zeroText(found.Elem())+")", found.Elem(), want)
	case want.Kind == graph.Option:
		if v := converted(text, found, want.Elem()); v != "" {
			return "Some(" + v + ")"
		}
	case found.Kind == graph.Array && want.Kind == graph.Array:
		return convertedEach(text, found.Elem(), want.Elem())
	case found.Kind == graph.Tuple && want.Kind == graph.Tuple && found.Name == "" && want.Name == "" && len(found.Elems) == len(want.Elems):
		if pattern, parts := convertedParts(found, want); parts != "" {
			return "{ let " + pattern + " = " + text + "; " + parts + " }"
		}
	}
	return ""
}

// convertedEach is an array with its elements converted.
func convertedEach(text string, found, want *graph.Type) string {
	pattern, value := "e", ""
	if found.Kind == graph.Tuple && want.Kind == graph.Tuple && found.Name == "" && want.Name == "" && len(found.Elems) == len(want.Elems) {
		pattern, value = convertedParts(found, want)
	} else {
		value = converted("e", found, want)
	}
	if value == "" {
		return ""
	}
	return castable(text) + ".map(|" + pattern + "| " + value + ")"
}

// convertedParts is a pattern for a tuple, and the tuple of its parts converted.
func convertedParts(found, want *graph.Type) (pattern, parts string) {
	names, values := make([]string, len(found.Elems)), make([]string, len(found.Elems))
	for i, f := range found.Elems {
		names[i] = string(rune('a' + i))
		if values[i] = converted(names[i], f, want.Elems[i]); values[i] == "" {
			return "", ""
		}
	}
	return "(" + strings.Join(names, ", ") + ")", "(" + strings.Join(values, ", ") + ")"
}

// convertible reports what `as` makes a number of.
func convertible(t *graph.Type) bool {
	return types.IsNumber(t) || types.IsBool(t) || types.IsSort(t, meaning.Decimal)
}

// isNumeric reports numbers, decimals among them.
func isNumeric(t *graph.Type) bool { return types.IsNumber(t) || types.IsSort(t, meaning.Decimal) }

// castable is an expression that a method or `as` may follow.
func castable(text string) string {
	if !isPlain(text) {
		return "(" + text + ")"
	}
	return text
}

// withMissing introduces a help that says what a missing value counts as.
func withMissing(help, part string) string {
	if strings.Contains(strings.ReplaceAll(help, ".or(None)", ""), part) {
		return "say what a missing value counts as:\n" + help
	}
	return help
}

// convertSide mends the help of the two sides of an if or match that has just been reported to give different types: one is
// converted to the other's, the integer to the float, what is there to what may be missing.
func (e *elab) convertSide(reported int, sides ...syntax.Expr) {
	all := e.msgs.Messages
	if len(all) != reported+1 || all[reported].Code != "T13" || e.sides[0] == nil || len(sides) != 2 || types.IsBool(e.sides[0]) || types.IsBool(e.sides[1]) {
		return
	}
	i := 0
	t, u := e.sides[0], e.sides[1]
	for t.Kind == graph.Array && u.Kind == graph.Array {
		t, u = t.Elem(), u.Elem()
	}
	if types.IsFloat(t) && !types.IsFloat(u) || t.Kind == graph.Option && u.Kind != graph.Option {
		i = 1
	}
	block, ok := sides[i].(*syntax.Block)
	if !ok || block.Value == nil {
		return
	}
	at := block.Value.Where()
	text, whole := e.likeOtherSide(at, e.sides[i], e.sides[1-i]), e.text(block.Span)
	if text != "" && !strings.ContainsAny(whole+text, "\n`") {
		message{all[reported], e.g}.Help("write `%s` for `%s`", whole[:at.Start-block.Span.Start]+text+whole[at.End-block.Span.Start:], whole)
	}
}

// likeOtherSide is the value of a side with the type that the other has, or one that goes with it; "" where nothing short makes it so.
func (e *elab) likeOtherSide(at diag.Span, t, u *graph.Type) string {
	if text := e.dividedAsFloats(at, t, u); text != "" {
		return text
	}
	text := e.parenthesized(at)
	if !sameElements(t, u) {
		text = converted(e.text(at), t, u)
	}
	switch {
	case text == "" || t.Kind != graph.Array || u.Kind != graph.Array:
		return text
	case !e.sameSize(t.Size, u.Size) && !hasDynamicSize(t.Size) && !hasDynamicSize(u.Size):
		return someLength(text, t.Size)
	case sameElements(t, u):
		return ""
	}
	return text
}
