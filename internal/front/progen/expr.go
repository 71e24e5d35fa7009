package progen

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// with makes closure parameters visible while f draws a body.
func (w *writer) with(params []variable, f func() string) string {
	old := len(w.vars)
	w.vars = append(w.vars, params...)
	w.inside++
	out := f()
	w.inside--
	w.vars = w.vars[:old]
	return out
}

// closure is |e| body for an element type.
func (w *writer) closure(elem, result *typ) string {
	p := variable{w.fresh("e"), elem}
	return w.with([]variable{p}, func() string { return "|" + p.name + "| " + w.expr(result, 3) })
}

// expr draws an expression of a type without arrays of its own.
func (w *writer) expr(t *typ, depth int) string {
	switch t.form {
	case tuple:
		return "(" + w.expr(t.elems[0], depth-1) + ", " + w.expr(t.elems[1], depth-1) + ")"
	case record:
		if v, ok := w.find(func(u *typ) bool { return u.form == record && u.name == t.name }); ok && w.chance(50) {
			return v.name
		}
		w.use("record literal")
		return fmt.Sprintf("%s { a: %s, b: %s }", t.name, w.expr(t.elems[0], depth-1), w.expr(t.elems[1], depth-1))
	case option:
		w.use("Some and None")
		return fmt.Sprintf("if %s { Some(%s) } else { None }", w.expr(scalarOf(num.Bool), 1), w.expr(t.elem(), depth-1))
	case index:
		return w.indexExpr(t, depth)
	}
	if depth <= 0 || w.chance(15) {
		return w.leaf(t.kind)
	}
	switch {
	case t.kind == num.Bool:
		return w.boolExpr(depth)
	case w.chance(12):
		w.use("if")
		return fmt.Sprintf("(if %s { %s } else { %s })", w.expr(scalarOf(num.Bool), depth-1), w.expr(t, depth-1), w.expr(t, depth-1))
	case w.chance(12):
		if s, ok := w.fromOther(t, depth); ok {
			return s
		}
	}
	if t.kind.IsFloat() {
		return w.floatExpr(t, depth)
	}
	return w.intExpr(t, depth)
}

// leaf is a variable or a literal.
func (w *writer) leaf(k num.Kind) string {
	if v, ok := w.find(func(u *typ) bool { return u.isScalar(k) }); ok && w.chance(75) {
		return v.name
	}
	if s, ok := w.part(k); ok && w.chance(60) {
		return s
	}
	switch {
	case k == num.Bool:
		return oneOf(w, "true", "false")
	case k.IsFloat():
		return fmt.Sprintf("%g%s", float64(rapid.IntRange(1, 200).Draw(w.t, "literal"))/8+0.0625, k)
	}
	return fmt.Sprintf("%d%s", rapid.IntRange(0, 12).Draw(w.t, "literal"), k)
}

// part is a field of a record or tuple at hand.
func (w *writer) part(k num.Kind) (string, bool) {
	v, ok := w.find(func(u *typ) bool {
		return (u.form == record || u.form == tuple) && (u.elems[0].isScalar(k) || u.elems[1].isScalar(k))
	})
	if !ok {
		return "", false
	}
	first := v.t.elems[0].isScalar(k)
	switch {
	case v.t.form == record && first:
		return v.name + ".a", true
	case v.t.form == record:
		return v.name + ".b", true
	case first:
		return v.name + ".0", true
	}
	return v.name + ".1", true
}

func (w *writer) binary(t *typ, op string, depth int) string {
	w.use(op)
	return "(" + w.expr(t, depth-1) + " " + op + " " + w.expr(t, depth-1) + ")"
}

func (w *writer) intExpr(t *typ, depth int) string {
	switch w.pick(13) {
	case 12:
		return w.momentPart(t, depth)
	case 0, 1:
		return w.binary(t, oneOf(w, "+%", "-%", "*%"), depth)
	case 2:
		return w.binary(t, "+|", depth)
	case 3:
		return w.binary(t, oneOf(w, "+", "-", "*"), depth)
	case 4:
		op := oneOf(w, "/", "%")
		w.use(op)
		return fmt.Sprintf("(%s %s %d%s)", w.expr(t, depth-1), op, 1+w.pick(9), t.kind)
	case 5:
		return w.binary(t, oneOf(w, "&", "|", "^"), depth)
	case 6:
		op := oneOf(w, "<<", ">>")
		w.use(op)
		return fmt.Sprintf("(%s %s %d%s)", w.expr(t, depth-1), op, w.pick(t.kind.Bits()), t.kind)
	case 7:
		if t.kind.IsSigned() {
			w.use("negation")
			return "(-" + w.expr(t, depth-1) + ")"
		}
		w.use("bitwise not")
		return "(!" + w.expr(t, depth-1) + ")"
	case 8:
		m := oneOf(w, "min", "max")
		w.use("scalar " + m)
		return fmt.Sprintf("%s.%s(%s)", w.expr(t, depth-1), m, w.expr(t, depth-1))
	case 9:
		w.use("scalar clamp")
		lo := w.pick(5)
		return fmt.Sprintf("%s.clamp(%d, %d)", w.expr(t, depth-1), lo, lo+w.pick(20))
	case 10:
		return w.castTo(t, depth)
	}
	w.use("scalar abs")
	return w.expr(t, depth-1) + ".abs()"
}

// castTo converts from another kind; most values fit, some fault.
func (w *writer) castTo(t *typ, depth int) string {
	w.use("as")
	from := oneOf(w, num.I8, num.I16, num.I32, num.I64, num.U8, num.U16, num.U32, num.U64, num.F32, num.F64)
	x := w.expr(scalarOf(from), depth-1)
	if !from.IsFloat() && !t.kind.IsFloat() || from.IsFloat() && t.kind.IsInt() {
		x += ".clamp(" + map[bool]string{true: "0.0, 100.0", false: "0, 100"}[from.IsFloat()] + ")"
	}
	return fmt.Sprintf("(%s as %s)", x, t.kind)
}

var floatMethods = []string{"abs", "sqrt", "exp", "ln", "log2", "sin", "cos", "tanh", "sigmoid", "floor", "ceil", "round", "trunc",
	"tan", "asin", "acos", "atan", "exp2", "exp_m1", "ln_1p", "log10", "sinh", "cosh", "asinh", "acosh", "atanh", "cbrt", "round_ties_even", "fract", "sign"}

func (w *writer) floatExpr(t *typ, depth int) string {
	switch w.pick(9) {
	case 0, 1, 2:
		return w.binary(t, oneOf(w, "+", "-", "*", "/"), depth)
	case 8:
		return w.productAndTerm(t, depth)
	case 3:
		w.use("negation")
		return "(-" + w.expr(t, depth-1) + ")"
	case 4:
		m := oneOf(w, "min", "max")
		w.use("scalar " + m)
		return fmt.Sprintf("%s.%s(%s)", w.expr(t, depth-1), m, w.expr(t, depth-1))
	case 5:
		return w.castTo(t, depth)
	case 6:
		if w.chance(20) {
			w.use("powi")
			return fmt.Sprintf("%s.powi::<%d>()", w.expr(t, depth-1), w.pick(6))
		}
		if w.chance(20) {
			m := oneOf(w, "powf", "atan2", "hypot", "copysign")
			w.use(m)
			return fmt.Sprintf("%s.%s(%s)", w.expr(t, depth-1), m, w.expr(t, depth-1))
		}
	}
	m := floatMethods[w.pick(len(floatMethods))]
	w.use("scalar " + m)
	return w.expr(t, depth-1) + "." + m + "()"
}

// productAndTerm is what a fused function adds in one rounding.
func (w *writer) productAndTerm(t *typ, depth int) string {
	w.use("product and term")
	product, term := w.binary(t, "*", depth), w.expr(t, depth-1)
	if w.chance(30) {
		term, product = product, term
	}
	return "(" + product + " " + oneOf(w, "+", "-") + " " + term + ")"
}

func (w *writer) boolExpr(depth int) string {
	switch w.pick(9) {
	case 8:
		return w.decimalTest(depth)
	case 6:
		return w.momentTest(depth)
	case 7:
		return w.textTest(depth)
	case 0:
		return w.binary(scalarOf(num.Bool), oneOf(w, "&&", "||"), depth)
	case 1:
		return w.binary(scalarOf(num.Bool), oneOf(w, "&", "|", "^", "==", "!="), depth)
	case 2:
		w.use("logical not")
		return "(!" + w.expr(scalarOf(num.Bool), depth-1) + ")"
	case 3:
		m := oneOf(w, "is_nan", "is_finite", "is_infinite")
		w.use(m)
		return w.expr(scalarOf(w.floatKind()), depth-1) + "." + m + "()"
	}
	return w.binary(scalarOf(w.numberKind()), oneOf(w, "<", "<=", ">", ">=", "==", "!="), depth)
}

// fromOther computes a scalar from an option or an array at hand.
func (w *writer) fromOther(t *typ, depth int) (string, bool) {
	if v, ok := w.find(func(u *typ) bool { return u.form == option && u.elem().isScalar(t.kind) }); ok && w.chance(60) {
		if w.chance(50) {
			w.use("or")
			return fmt.Sprintf("%s.or(%s)", v.name, w.leaf(t.kind)), true
		}
		w.use("match")
		x := w.fresh("x")
		some := w.with([]variable{{x, t}}, func() string { return w.expr(t, depth-1) })
		return fmt.Sprintf("(match %s { Some(%s) => %s, None => %s })", v.name, x, some, w.leaf(t.kind)), true
	}
	v, ok := w.static(func(e *typ) bool { return e.isScalar(t.kind) })
	if !ok {
		return "", false
	}
	if w.inside > 0 && w.chance(30) && v.t.size.value < 100 {
		w.use("reduce in a closure")
		if t.kind.IsFloat() {
			return v.name + oneOf(w, ".sum()", ".max()"), true
		}
		return v.name + ".max()", true
	}
	if w.chance(50) {
		w.use("index")
		return fmt.Sprintf("%s[%s]", v.name, w.indexExpr(indexOf(v.t.size), depth-1)), true
	}
	w.use("get")
	return fmt.Sprintf("%s.get(%s).or(%s)", v.name, w.expr(scalarOf(num.I64), depth-1), w.leaf(t.kind)), true
}

// indexExpr is an index below t's bound, which every size at hand exceeds.
func (w *writer) indexExpr(t *typ, depth int) string {
	if v, ok := w.find(func(u *typ) bool { return u.form == index && u.bound == t.bound }); ok && w.chance(60) {
		return v.name
	}
	m := oneOf(w, "clamp_idx", "wrap_idx")
	w.use(m)
	return fmt.Sprintf("%s.%s::<%s>()", w.expr(scalarOf(num.I64), depth-1), m, t.bound)
}
