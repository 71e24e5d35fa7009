package progen

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// Dates, times and text inside of expressions: numbers become them, and they become numbers.

// moment is a time of a type, from some integer.
func (w *writer) moment(typ string, depth int) string {
	x := w.expr(scalarOf(num.I64), depth-1) + ".clamp(-1000000, 1000000)"
	if w.chance(10) {
		x = w.expr(scalarOf(num.I64), depth-1) // which may be a fault, or far away
	}
	m := fmt.Sprintf("(%s as %s)", x, typ)
	switch w.pick(5) {
	case 0:
		return fmt.Sprintf("%s.truncate(%s)", m, oneOf(w, "day", "week", "month", "quarter", "year"))
	case 1:
		return fmt.Sprintf("(%s %s %s)", m, oneOf(w, "+", "-"), oneOf(w, "3day", "48h", "1day"))
	}
	return m
}

var momentTypes = []string{"Date", "Timestamp<s>", "Timestamp<ms>", "Timestamp"}

// momentPart is a small number: a part of a time.
func (w *writer) momentPart(t *typ, depth int) string {
	typ := momentTypes[w.pick(len(momentTypes))]
	part := oneOf(w, "month()", "day()", "weekday()", "quarter()", "hour()", "minute()", "second()", "date().day()")
	if typ == "Date" {
		part = oneOf(w, "month()", "day()", "weekday()", "quarter()")
	}
	w.use("part of a time")
	return fmt.Sprintf("(%s.%s as %s)", w.moment(typ, depth), part, t.kind)
}

// momentTest compares two times.
func (w *writer) momentTest(depth int) string {
	typ := momentTypes[w.pick(len(momentTypes))]
	w.use("comparison of times")
	if w.chance(30) {
		return fmt.Sprintf("(%s - %s > %s)", w.moment(typ, depth), w.moment(typ, depth), oneOf(w, "2day", "90min", "-1h"))
	}
	return fmt.Sprintf("(%s %s %s)", w.moment(typ, depth), oneOf(w, "<", "<=", ">", ">=", "==", "!="), w.moment(typ, depth))
}

// decimalTest adds and compares decimals.
func (w *writer) decimalTest(depth int) string {
	w.use("decimals")
	d := func() string {
		x := fmt.Sprintf("(%s.clamp(-1000, 1000) as Decimal<9, 2>)", w.expr(scalarOf(num.I64), depth-1))
		return oneOf(w, x, x+" + 0.25", x+" - 12", x+" * 3")
	}
	if w.chance(30) {
		return fmt.Sprintf("((%s) * (%s) > 1.5)", d(), d())
	}
	return fmt.Sprintf("((%s) %s (%s))", d(), oneOf(w, "<", ">=", "=="), d())
}

// text is text of the program.
func (w *writer) text(depth int) string {
	if depth <= 0 || w.chance(40) {
		return oneOf(w, `"a"`, `"b"`, `"Ab"`, `"été"`, `" a"`, `"b\t"`, `""`)
	}
	s := fmt.Sprintf("(if %s { %s } else { %s })", w.expr(scalarOf(num.Bool), depth-1), w.text(depth-1), w.text(depth-1))
	if w.chance(30) {
		s += oneOf(w, ".upper()", ".lower()", ".trim()", ".trim_start()", ".trim_end()")
	}
	return s
}

// textTest asks something of text.
func (w *writer) textTest(depth int) string {
	w.use("text")
	switch w.pick(3) {
	case 0:
		return fmt.Sprintf("(%s.len() < %s)", w.text(depth), w.expr(scalarOf(num.I64), depth-1))
	case 1:
		return fmt.Sprintf("%s.%s(%s)", w.text(depth), oneOf(w, "starts_with", "ends_with", "contains"), oneOf(w, `"a"`, `"B"`, `"t"`, `""`))
	}
	return fmt.Sprintf("(%s %s %s)", w.text(depth), oneOf(w, "<", "<=", ">", ">=", "==", "!="), w.text(depth))
}
