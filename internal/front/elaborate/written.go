package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// In: words of other languages that need more than their text to be put into ours. Out: what to write, with the operands
// as they stand.

// firstSuch is the first element that satisfies a condition or equals a value, or its place; "" of other words.
func (e *elab) firstSuch(x *syntax.MethodCall, recv *graph.Node) string {
	place, is := firstWords[x.Name.Text]
	if !is || recv.Type.Kind != graph.Array || len(x.Args) != 1 {
		return ""
	}
	p, cond := unusedName(e.text(x.Args[0].Where()), "e", "x"), ""
	if c, ok := lastClosure(x); ok {
		p, cond = e.text(c.Params[0].Pattern.Where()), e.text(c.Body.Where())
	} else {
		cond = p + " == " + e.operand(x.Args[0])
	}
	text := e.operand(x.Receiver)
	if place != "" {
		text += ".enumerate().filter(|(_, " + p + ")| " + cond + ").get(0)" + place
	} else {
		text += ".filter(|" + p + "| " + cond + ").get(0)"
	}
	return "the first, None if there is none:\n" + e.instead(x.Span, text)
}

// floorDivision is a division of integers of which the remainder is never negative, or its remainder; "" of other words.
func (e *elab) floorDivision(x *syntax.MethodCall, recv *graph.Node) string {
	if len(x.Args) != 1 || !recv.Type.IsScalar() || !types.IsInt(recv.Type) {
		return ""
	}
	a, b := e.operand(x.Receiver), e.operand(x.Args[0])
	unsigned := !recv.Type.KindOf().IsSigned()
	one, size := b+".sign()", b+".abs()"
	if isNumber(x.Args[0]) {
		one, size = "1", b
	}
	text := ""
	name := x.Name.Text
	switch floors := isNumber(x.Args[0]); { // by what is above 0 the two are the same
	case name == "modulo", floors && (name == "mod_floor" || name == "floor_mod"):
		name = "rem_euclid"
	case floors && (name == "div_floor" || name == "floor_div"):
		name = "div_euclid"
	}
	switch {
	case name == "rem_euclid" && unsigned:
		text = e.alone(a+" % "+b, x.Span)
	case name == "rem_euclid":
		rest := unusedName(e.text(x.Span), "rest", "r")
		text = "{ let " + rest + " = " + a + " % " + b + "; if " + rest + " < 0 { " + rest + " + " + size + " } else { " + rest + " } }"
		text = e.alone(text, x.Span)
	case name == "div_euclid" && unsigned:
		text = e.alone(a+" / "+b, x.Span)
	case name == "div_euclid":
		text = e.alone("if "+a+" % "+b+" < 0 { "+a+" / "+b+" - "+one+" } else { "+a+" / "+b+" }", x.Span)
	default:
		return ""
	}
	return e.instead(x.Span, text)
}

// linearHelp is what to write for an operation of linear algebra on integers of type t: products and sums, which are exact,
// where both sides are integers, or else the integers as floats.
func (e *elab) linearHelp(c *methodUse, t *graph.Type) string {
	if !types.IsInt(t) {
		return ""
	}
	name, x := c.x.Name.Text, e.operand(c.x.Receiver)
	if name == "softmax" || len(c.x.Args) != 1 {
		return x + ".map(|e| e as f64)." + name + "(" + e.argText(c.x) + ")"
	}
	y, left := e.operand(c.x.Args[0]), c.recv.Type
	var right *graph.Type
	e.trial(func() {
		if n := e.expr(c.x.Args[0], nil); n != nil {
			right = n.Type
		}
	})
	if right == nil || right.Kind != graph.Array {
		return ""
	}
	rank := func(t *graph.Type) (n int) {
		for ; t.Kind == graph.Array; t = t.Elem() {
			n++
		}
		return n
	}
	p, q := rank(left), rank(right)
	whole := types.IsInt(types.Innermost(left)) && types.IsInt(types.Innermost(right))
	row, columns, column := unusedName(y, "row", "r"), unusedName(y, "columns", "cs"), unusedName(y, "column", "c")
	switch {
	case whole && p == 1:
		return e.instead(c.x.Span, "("+x+" * "+y+").sum()")
	case whole && p == 2 && q == 1:
		return e.instead(c.x.Span, x+".map(|"+row+"| ("+row+" * "+y+").sum())")
	case whole && p == 2 && q == 2:
		return e.instead(c.x.Span, e.alone("{ let "+columns+" = "+y+".transpose(); "+x+".map(|"+row+"| "+columns+".map(|"+column+"| ("+row+" * "+column+").sum())) }", c.x.Span))
	}
	return e.instead(c.x.Span, floatElements(x, left, p)+"."+name+"("+floatElements(y, right, q)+")")
}

// floatElements is an array of so many dimensions with its integers converted to floats.
func floatElements(text string, t *graph.Type, rank int) string {
	if types.IsFloat(types.Innermost(t)) {
		return text
	}
	each := "e as f64"
	for ; rank > 1; rank-- {
		each = "e.map(|e| " + each + ")"
	}
	return text + ".map(|e| " + each + ")"
}
