package elaborate

import (
	"regexp"
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
)

// In: a name that a map or a loop gives one value after the other, over a few literals. Out: the text of its turns one by one, each
// with its literal: what is computed once, before, can use literals alone.

// mostTurns is how many turns are written out.
const mostTurns = 8

// inTurns is a map or a loop over a name.
type inTurns struct {
	of, body diag.Span
	over     syntax.Expr
	isLoop   bool
}

// givenInTurns finds the map or loop whose name stands at a span; nil if it is that of something else.
func (e *elab) givenInTurns(name diag.Span) (t *inTurns) {
	if e.fr.d == nil || e.fr.d.fn == nil {
		return nil
	}
	isIt := func(p syntax.Pattern) bool {
		n, ok := p.(*syntax.NamePattern)
		return ok && n.Name.Span == name
	}
	visit(e.fr.d.fn.Body, func(x any) bool {
		switch x := x.(type) {
		case *syntax.For:
			if isIt(x.Pattern) {
				body := x.Body.Span
				t = &inTurns{x.Span, diag.Span{Start: body.Start + 1, End: body.End - 1}, x.Over, true}
			}
		case *syntax.MethodCall:
			if cl, ok := lastClosure(x); ok && isIt(cl.Params[0].Pattern) {
				t = &inTurns{of: x.Span}
				if x.Name.Text == "map" {
					t.body, t.over = cl.Body.Where(), x.Receiver
				}
			}
		}
		return true
	})
	return t
}

// literalTurns are the literals that a few turns are over; none if there are others.
func (e *elab) literalTurns(over syntax.Expr) (list []string) {
	switch x := unwrapped(over).(type) {
	case *syntax.ArrayExpr:
		for _, elem := range x.Elems {
			if !flexible(elem) {
				return nil
			}
			list = append(list, castable(e.text(elem.Where())))
		}
	case *syntax.RangeExpr:
		lo, ok1 := x.Lo.(*syntax.IntLit)
		hi, ok2 := x.Hi.(*syntax.IntLit)
		for i := uint64(0); ok1 && ok2 && lo.Value+i < hi.Value && i <= mostTurns; i++ {
			list = append(list, itoa(int(lo.Value+i)))
		}
	}
	if len(list) > mostTurns {
		return nil
	}
	return list
}

// writtenOut is what to write for turns over a name.
func (e *elab) writtenOut(t *inTurns, name string) string {
	body := strings.TrimSpace(e.text(t.body))
	list := e.literalTurns(t.over)
	if len(list) == 0 || strings.ContainsAny(e.text(t.of), "\n`") || strings.Contains(body, "|"+name+"|") {
		return "write the calls out, each with a literal in place of `" + name + "`"
	}
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
	for i, literal := range list {
		list[i] = word.ReplaceAllLiteralString(body, literal)
	}
	if t.isLoop {
		return e.instead(t.of, strings.Join(list, " "))
	}
	return e.instead(t.of, "["+strings.Join(list, ", ")+"]")
}
