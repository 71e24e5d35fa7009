package elaborate

import (
	"strings"

	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
)

// In: a power of an integer as other languages write it, which has no operation here. Out: the product, which is exact: by
// way of floats it would be rounded above 2^53.

// fewFactors is up to how many factors a power is written out.
const fewFactors = 4

// wholePower is a power of an integer, or of each element of an array.
func (e *elab) wholePower(x *syntax.MethodCall, n syntax.Expr, each bool) string {
	of, intro := e.operand(x.Receiver), ""
	base := of
	switch {
	case each:
		base = unusedName(e.text(n.Where()), "e", "x")
	case !isName(x.Receiver):
		base = unusedName(e.text(n.Where()), "x", "base")
		intro = "let " + base + " = " + e.text(x.Receiver.Where()) + "; "
	}
	product := ""
	if lit, ok := n.(*syntax.IntLit); ok && lit.Value >= 1 && lit.Value <= fewFactors {
		product = strings.Join(repeated(base, int(lit.Value)), " * ")
	} else {
		p := unusedName(base+e.text(n.Where()), "p", "power")
		intro += "let mut " + p + " = 1; for _ in 0.." + e.operand(n) + " { " + p + " *= " + base + "; } "
		product = p
	}
	if intro != "" {
		product = "{ " + intro + product + " }"
	}
	if each {
		return e.instead(x.Span, of+".map(|"+base+"| "+product+")")
	}
	return e.instead(x.Span, e.alone(product, x.Span))
}

func repeated(text string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = text
	}
	return list
}

// isWhole reports an exponent that is an integer and does not begin with a minus.
func (e *elab) isWhole(n syntax.Expr) bool {
	if u, ok := unwrapped(n).(*syntax.Unary); ok && u.Op == syntax.Minus {
		return false
	}
	is := false
	e.trial(func() {
		v := e.expr(n, nil)
		is = v != nil && types.IsInt(v.Type)
	})
	return is
}
