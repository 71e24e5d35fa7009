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
	switch {
	case wide != "" && passes(src, at, wider):
		return "compute in i64: " + wider
	case passes(src, at, offer):
		return leastStays(kind) + offer
	case passes(src, at, "("+offer+")"):
		return leastStays(kind) + "(" + offer + ")"
	}
	return leastHelp
}

const leastHelp = "the least integer has no positive one: test for it before"

func leastStays(kind string) string {
	return "the least " + kind + " has no positive one; write what leaves it as it is: "
}
