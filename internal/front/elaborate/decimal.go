package elaborate

import (
	"fmt"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Decimal<P, S> is an i64 that counts units of the last of S places. Sums, differences and products
// are exact, and a fault where they do not fit; P says how many digits are read and written.

// decimalLit is a number where a decimal is expected: its digits, and not the nearest float.
func (e *elab) decimalLit(text string, negative bool, at diag.Span, want *graph.Type) *graph.Node {
	v, why := want.Means.Parse([]byte(strings.ReplaceAll(text, "_", "")))
	if why != "" {
		if why == meaning.Malformed {
			why = "not digits with a point"
		}
		e.errorf(at, "F01", "this number does not fit its type").Note("%s: %s", want, why).Help("convert the other side: … as f64")
		return nil
	}
	if negative {
		v = -v
	}
	return e.constOf(want, uint64(v), at)
}

// widestDecimal is the type of a result with so many places: all digits that there are.
func widestDecimal(places uint8) *graph.Type {
	return graph.Meant(meaning.Meaning{Sort: meaning.Decimal, Digits: meaning.MaxDigits, Places: places})
}

// decimalOp is an operator on decimals; false if it is not defined.
func (e *elab) decimalOp(x *syntax.Binary, a, b *graph.Node) (*graph.Node, bool) {
	at, o := x.OpSpan, operators[x.Op]
	s, t := a.Type.Means, b.Type.Means
	both := s.Sort == meaning.Decimal && t.Sort == meaning.Decimal
	apply := func(result *graph.Type) (*graph.Node, bool) {
		return e.retype(result, e.scalarArith(o, at, e.raw64(a, at), e.raw64(b, at)), at), true
	}
	wider := a.Type
	if both && t.Digits > s.Digits {
		wider = b.Type
	}
	switch {
	case both && s.Places == t.Places && isCompare(x.Op):
		return e.arith(o.op, at, e.raw(a, at), e.raw(b, at)), true
	case both && s.Places == t.Places && (x.Op == syntax.Plus || x.Op == syntax.Minus):
		return apply(wider)
	case both && x.Op == syntax.Star && int(s.Places)+int(t.Places) <= meaning.MaxDigits:
		return apply(widestDecimal(s.Places + t.Places))
	case x.Op == syntax.Star && s.Sort == meaning.Decimal && types.IsInt(b.Type):
		return apply(a.Type)
	case x.Op == syntax.Star && t.Sort == meaning.Decimal && types.IsInt(a.Type):
		return apply(b.Type)
	}
	return nil, false
}

// convertDecimal is `v as t` where one of them is a decimal: to more places exactly, to an integer
// without the fraction, to a float by one division.
func (e *elab) convertDecimal(x *syntax.Cast, v *graph.Node, t *graph.Type) (*graph.Node, bool) {
	at, s, to := x.Span, v.Type.Means, t.Means
	star := operators[syntax.Star]
	switch {
	case s.Sort == meaning.Decimal && to.Sort == meaning.Decimal:
		scale, _ := s.To(to)
		if scale.Div > 1 {
			return nil, false
		}
		return e.retype(t, e.scalarArith(star, at, e.raw(v, at), e.int(num.I64, scale.Mul, at)), at), true
	case s.Sort == meaning.Decimal && types.IsFloat(t):
		f := e.arith(num.Div, at, e.cast(types.Scalars[num.F64], e.raw(v, at), at), e.float(num.F64, float64(s.Power()), at))
		return e.convertScalar(f, t, at), true
	case s.Sort == meaning.Decimal && types.IsInt(t) && t.Kind == graph.Scalar:
		n := e.scalarArith(operators[syntax.Slash], at, e.raw(v, at), e.int(num.I64, s.Power(), at))
		return e.convertScalar(n, t, at), true
	case to.Sort == meaning.Decimal && types.IsInt(v.Type):
		n := e.convertScalar(e.cast(types.Computed(v.Type), v, at), graph.I64Type, at)
		return e.retype(t, e.scalarArith(star, at, n, e.int(num.I64, to.Power(), at)), at), true
	}
	return nil, false
}

// decimalMethods are those of decimals alone.
func decimalMethods() map[string]method {
	return map[string]method{
		"abs":   {run: (*elab).meantAbs},
		"round": {sizes: 1, need: true, run: (*elab).roundDecimal},
	}
}

// roundDecimal is d.round::<S>(): the nearest decimal of S places, and of two that are equally near the one further from
// zero, as SQL has it. The units are cut off and one is added or taken off where what was cut is half or more; nothing of it
// can overflow.
func (e *elab) roundDecimal(c *methodUse) *graph.Node {
	at, from := c.at(), c.recv.Type.Means
	places, ok := c.sizes[0].Const()
	if !ok || places < 0 || places > int64(from.Places) {
		m := e.errorf(c.x.Name.Span, "T09", "`round` takes how many places remain").Note("expected 0 to %d, found %s", from.Places, c.sizes[0])
		if ok && places <= meaning.MaxDigits {
			m.Help("it has fewer; more are added by:\n%s as %s", e.operand(c.x.Receiver), widestDecimal(uint8(places)))
		}
		return nil
	}
	to := from
	to.Places = uint8(places)
	power := from.Power() / to.Power()
	if power == 1 {
		return c.recv
	}
	n := e.raw64(c.recv, at)
	cut := e.scalarArith(operators[syntax.Slash], at, n, e.int(num.I64, power, at))
	rest := e.scalarArith(operators[syntax.Percent], at, n, e.int(num.I64, power, at))
	up := e.convertScalar(e.arith(num.Ge, at, rest, e.int(num.I64, power/2, at)), graph.I64Type, at)
	down := e.convertScalar(e.arith(num.Le, at, rest, e.int(num.I64, -power/2, at)), graph.I64Type, at)
	nearest := e.scalarArith(operators[syntax.Minus], at, e.scalarArith(operators[syntax.Plus], at, cut, up), down)
	return e.retype(graph.Meant(to), nearest, at)
}

// roundedDecimal is what to write for a decimal where one of another type with fewer places is wanted.
func roundedDecimal(text string, found, want *graph.Type) string {
	rounded := fmt.Sprintf("%s.round::<%d>()", castable(text), want.Means.Places)
	if found.Means.Digits != want.Means.Digits {
		rounded += " as " + want.String()
	}
	return rounded
}

// decimalOfFloat is what to write for a float where a decimal is wanted: the nearest whole number of units, and the unit.
func decimalOfFloat(text string, found, want *graph.Type) string {
	power, places := want.Means.Power(), int(want.Means.Places)
	if places == 0 {
		return fmt.Sprintf("%s.round() as i64 as %s", castable(text), want)
	}
	return fmt.Sprintf("{ let unit: Decimal<%d, %d> = 0.%s1; ((%s * %d.0).round() as i64 as Decimal<%d, 0> * unit) as %s }",
		places, places, strings.Repeat("0", places-1), text, power, meaning.MaxDigits, want)
}

// decimalBeside is an operator with a literal that has more places than the decimal beside it: with the places added to that.
func (e *elab) decimalBeside(x *syntax.Binary, a, b *graph.Node) string {
	lit, isRight := unwrapped(x.Y).(*syntax.FloatLit)
	other, of := a, x.X
	if !isRight {
		var ok bool
		if lit, ok = unwrapped(x.X).(*syntax.FloatLit); !ok {
			return ""
		}
		other, of = b, x.Y
	}
	if other == nil || !types.IsSort(other.Type, meaning.Decimal) {
		return ""
	}
	_, fraction, _ := strings.Cut(e.text(lit.Span), ".")
	fraction = strings.ReplaceAll(fraction, "_", "")
	k, s := len(fraction), int(other.Type.Means.Places)
	if strings.Trim(fraction, "0123456789") != "" || k <= s || k > meaning.MaxDigits || x.Op == syntax.Star && 2*k > meaning.MaxDigits {
		return ""
	}
	wide := fmt.Sprintf("%s as Decimal<%d, %d>", e.operand(of), meaning.MaxDigits, k)
	text := wide + " " + x.Op.String() + " " + e.text(lit.Span)
	if !isRight {
		text = e.text(lit.Span) + " " + x.Op.String() + " " + wide
	}
	switch {
	case x.Op == syntax.Slash || x.Op == syntax.Percent:
		return ""
	case x.Op == syntax.Star && s == 0: // the product has no more places than the literal
		text = fmt.Sprintf("(%s).round::<%d>()", text, k)
	}
	return e.instead(x.Span, text)
}

// decimalHelp is what to write for an operator on decimals.
func decimalHelp(x *syntax.Binary, l, r string, a, b *graph.Type) string {
	s, t := a.Means, b.Means
	wide := func(p uint8) string { return fmt.Sprintf("Decimal<%d, %d>", meaning.MaxDigits, p) }
	switch {
	case s.Sort == t.Sort && x.Op != syntax.Star && x.Op != syntax.Slash && x.Op != syntax.Percent && s.Places < t.Places:
		return fmt.Sprintf("%s as %s %s %s", l, wide(t.Places), x.Op, r)
	case s.Sort == t.Sort && x.Op != syntax.Star && x.Op != syntax.Slash && x.Op != syntax.Percent && s.Places > t.Places:
		return fmt.Sprintf("%s %s %s as %s", l, x.Op, r, wide(s.Places))
	case s.Sort == meaning.Decimal && types.IsInt(b) && x.Op != syntax.Slash && x.Op != syntax.Percent:
		return fmt.Sprintf("%s %s %s as %s", l, x.Op, r, a)
	case t.Sort == meaning.Decimal && types.IsInt(a) && x.Op != syntax.Slash && x.Op != syntax.Percent:
		return fmt.Sprintf("%s as %s %s %s", l, b, x.Op, r)
	}
	side := func(text string, t *graph.Type) string {
		if types.IsSort(t, meaning.Decimal) || types.IsInt(t) {
			return text + " as f64"
		}
		return text
	}
	return fmt.Sprintf("%s %s %s", side(l, a), x.Op, side(r, b))
}
