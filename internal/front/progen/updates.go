package progen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// mostUpdated is how long an array is whose elements are changed one by one:
// the interpreter copies it each time.
const mostUpdated = 2000

// updater writes statements that change elements: of two arrays of one type,
// in loops and choices, with reads of old and new values between them.
type updater struct {
	*writer
	m     []variable // the arrays
	s     variable   // a number that is computed from what was read
	loops int        // around
}

// updates begins with one array under two names, so that one value is often
// still needed where it changes.
func (w *writer) updates() bool {
	a, ok := w.static(updatable)
	if !ok || a.t.size.value < 1 || a.t.size.value > mostUpdated {
		return false
	}
	u := &updater{writer: w}
	u.s = variable{w.fresh("m"), scalarOf(w.numberKind())}
	u.line(1, "let mut %s: %s = %s;", u.s.name, u.s.t, w.leaf(u.s.t.kind))
	w.vars = append(w.vars, u.s)
	for range 1 + w.pick(2) {
		from, _ := w.find(func(t *typ) bool { return t.String() == a.t.String() })
		u.m = append(u.m, variable{w.fresh("m"), a.t})
		u.line(1, "let mut %s = %s;", u.m[len(u.m)-1].name, from.name)
	}
	w.vars = append(w.vars, u.m...)
	if w.chance(30) {
		w.let(a.t, "%s", u.m[0].name)
	}
	u.block(1, 3)
	return true
}

// updatable is an element that expr can draw, or a row of numbers.
func updatable(e *typ) bool {
	return e.form == array && !e.size.dynamic() && e.size.value > 0 && e.elem().isNumber() || whole(e)
}

func whole(t *typ) bool {
	return t.form != array && !slices.ContainsFunc(t.elems, func(e *typ) bool { return !whole(e) })
}

func (u *updater) line(indent int, format string, args ...any) {
	fmt.Fprintf(&u.body, "%s%s\n", strings.Repeat("    ", indent), fmt.Sprintf(format, args...))
}

// block writes some statements; what they declare ends with them.
func (u *updater) block(indent, depth int) {
	mark := len(u.vars)
	for range 1 + u.pick(4) {
		u.step(indent, depth)
	}
	u.vars = u.vars[:mark]
}

func (u *updater) step(indent, depth int) {
	m := u.m[u.pick(len(u.m))]
	switch c := u.pick(16); {
	case c < 4 && depth > 0:
		u.nested(indent, depth-1)
	case c == 4 && u.loops > 0:
		u.use("break from updates")
		u.line(indent, "if %s { break; }", u.expr(scalarOf(num.Bool), 2))
	case c == 5:
		u.use("array into array")
		u.line(indent, "%s = %s;", m.name, u.m[u.pick(len(u.m))].name)
	case c == 6:
		u.use("arrays change places")
		t := u.fresh("t")
		u.line(indent, "let %s = %s;", t, m.name)
		u.line(indent, "%s = %s;", m.name, u.m[0].name)
		u.line(indent, "%s = %s;", u.m[0].name, t)
	case c == 7:
		u.keep(indent, m)
	case c == 8:
		u.line(indent, "%s = %s;", u.s.name, u.expr(u.s.t, 2))
	case c == 9 && m.t.elem().isNumber():
		u.use("scatter_with in a loop")
		o, n := variable{u.fresh("o"), m.t.elem()}, variable{u.fresh("n"), m.t.elem()}
		body := u.with([]variable{o, n}, func() string { return u.expr(m.t.elem(), 2) })
		u.line(indent, "%s = %s.scatter_with([%s], [%s], |%s, %s| %s);", m.name, m.name, u.at(m), u.expr(m.t.elem(), 2), o.name, n.name, body)
	case c == 10 && whole(m.t.elem()):
		e := variable{u.fresh("e"), m.t.elem()}
		body := u.with([]variable{e}, func() string { return u.expr(m.t.elem(), 2) })
		u.line(indent, "%s = %s.map(|%s| %s);", m.name, m.name, e.name, body)
	default:
		u.change(indent, m)
	}
}

// nested is a loop or a choice around more statements.
func (u *updater) nested(indent, depth int) {
	if u.chance(40) {
		u.line(indent, "if %s {", u.expr(scalarOf(num.Bool), 2))
		u.block(indent+1, depth)
		if u.chance(60) {
			u.line(indent, "} else {")
			u.block(indent+1, depth)
		}
		u.line(indent, "}")
		return
	}
	i, d := u.fresh("i"), u.m[0].t.size
	if u.loops++; u.chance(30) && d.value < 40 {
		u.line(indent, "for %s in 0..%s {", i, d.text)
		u.vars = append(u.vars, variable{i, indexOf(d)})
	} else {
		u.line(indent, "for %s in 0..%s {", i, oneOf(u.writer, "steps", "3"))
		u.vars = append(u.vars, variable{"(" + i + " as i64)", scalarOf(num.I64)})
	}
	u.block(indent+1, depth)
	u.line(indent, "}")
	u.vars = u.vars[:len(u.vars)-1]
	u.loops--
}

// keep gives a name to something that is read from an array now.
func (u *updater) keep(indent int, m variable) {
	v, text := variable{u.fresh("v"), m.t}, m.name
	switch e := m.t.elem(); {
	case u.chance(40):
		v.t, text = e, fmt.Sprintf("%s[%s]", m.name, u.at(m))
	case whole(e) && u.chance(60):
		t := scalarOf(u.numberKind())
		v.t, text = arrayOf(t, m.t.size), fmt.Sprintf("%s.map(%s)", m.name, u.closure(e, t))
	}
	u.line(indent, "let %s = %s;", v.name, text)
	u.vars = append(u.vars, v)
}

// at is an index into an array.
func (u *updater) at(m variable) string { return u.indexExpr(indexOf(m.t.size), 1) }

// change is one assignment to an element or a part of it.
func (u *updater) change(indent int, m variable) {
	target, t := fmt.Sprintf("%s[%s]", m.name, u.at(m)), m.t.elem()
	if t.form == array {
		if u.chance(40) {
			u.use("row update")
			from := u.m[u.pick(len(u.m))]
			value := fmt.Sprintf("%s[%s]", from.name, u.at(from))
			if u.chance(50) {
				value += fmt.Sprintf(".map(%s)", u.closure(t.elem(), t.elem()))
			}
			u.line(indent, "%s = %s;", target, value)
			return
		}
		target, t = fmt.Sprintf("%s[%s]", target, u.indexExpr(indexOf(t.size), 1)), t.elem()
	}
	switch {
	case t.form == record && u.chance(60):
		u.use("field update")
		f := u.pick(2)
		target, t = target+"."+string(rune('a'+f)), t.elems[f]
	case t.form == tuple && u.chance(60):
		u.use("field update")
		f := u.pick(2)
		target, t = fmt.Sprintf("%s.%d", target, f), t.elems[f]
	}
	op := ""
	if t.isInt() && u.chance(50) {
		op = oneOf(u.writer, "+", "-", "*", "+%", "-%", "*%", "+|", "&", "|", "^", "/", "%")
	} else if t.isFloat() && u.chance(50) {
		op = oneOf(u.writer, "+", "-", "*", "/")
	}
	u.line(indent, "%s %s= %s;", target, op, u.expr(t, 2))
}
