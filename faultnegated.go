package godwit

import (
	"reflect"
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// In: an operation on the least integer that there is no positive one for: -a, a.abs(), a / -1. Out: what to write for it, which
// passes. Nothing is wider than i64, so that its help wraps around.

// negated is that help; "" for other operations.
func negated(src *diag.Source, s graph.Site, marked string) string {
	kind, word, _ := strings.Cut(s.Text, " ")
	wide := ""
	if kind != "i64" {
		wide = " as i64"
	}
	at, offer, wider := s.Pos, "", ""
	switch word {
	case "negation":
		of := strings.TrimSpace(strings.TrimPrefix(marked, "-"))
		offer, wider = "0 -% "+bracketed(of), "-("+of+wide+")"
	case "absolute value":
		of, ok := strings.CutSuffix(marked, ".abs()")
		if !ok {
			return leastHelp
		}
		offer, wider = of+".max(0 -% "+bracketed(of)+")", "("+of+wide+").abs()"
	case "division":
		x := binaryAt(reflect.ValueOf(syntax.Parse(src, new(diag.List))), s.Pos)
		if x == nil {
			return leastHelp
		}
		a, b := src.Text[x.X.Where().Start:x.X.Where().End], src.Text[x.Y.Where().Start:x.Y.Where().End]
		at, offer = x.Span, "if "+b+" == -1 { 0 -% "+bracketed(a)+" } else { "+a+" / "+b+" }"
		if strings.Trim(b, "()") == "-1" {
			offer = "0 -% " + bracketed(a)
		}
		wider = bracketed(a) + wide + " / " + bracketed(b) + wide
	default:
		return ""
	}
	offer, wider = alone(src, at, offer), alone(src, at, wider)
	switch {
	case wide != "" && passes(src, at, wider):
		return "compute in i64: " + wider
	case passes(src, at, offer):
		return leastStays(kind) + offer
	}
	return leastHelp
}

// alone is text in place of what stands at a span: in parentheses where that is an operand of something.
func alone(src *diag.Source, at diag.Span, text string) string {
	if isOperand(reflect.ValueOf(syntax.Parse(src, new(diag.List))), at) {
		return bracketed(text)
	}
	return text
}

// isOperand finds, in a syntax tree, an operation of which the expression at a span is an operand.
func isOperand(v reflect.Value, at diag.Span) bool {
	if !v.IsValid() || (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil() {
		return false
	}
	if v.Kind() == reflect.Pointer && v.CanInterface() {
		for _, x := range operands(v.Interface()) {
			if x != nil && x.Where() == at {
				return true
			}
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return isOperand(v.Elem(), at)
	case reflect.Slice:
		for i := range v.Len() {
			if isOperand(v.Index(i), at) {
				return true
			}
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[diag.Source]() {
			return false
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && isOperand(v.Field(i), at) {
				return true
			}
		}
	}
	return false
}

// operands are the parts of an operation that bind by precedence.
func operands(x any) []syntax.Expr {
	switch x := x.(type) {
	case *syntax.Binary:
		return []syntax.Expr{x.X, x.Y}
	case *syntax.Unary:
		return []syntax.Expr{x.X}
	case *syntax.Cast:
		return []syntax.Expr{x.X}
	case *syntax.MethodCall:
		return []syntax.Expr{x.Receiver}
	case *syntax.Field:
		return []syntax.Expr{x.X}
	case *syntax.Index:
		return []syntax.Expr{x.X}
	case *syntax.RangeExpr:
		return []syntax.Expr{x.Lo, x.Hi}
	}
	return nil
}

const leastHelp = "the least integer has no positive one: test for it before"

func leastStays(kind string) string {
	return "the least " + kind + " has no positive one; write what leaves it as it is: "
}
