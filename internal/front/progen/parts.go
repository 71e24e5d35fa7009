package progen

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// Operations on elements, rows and parts of arrays.

// stride takes every s-th element, for a constant s and for one known at run time.
func (w *writer) stride() bool {
	a, ok := w.static(flat)
	if !ok || a.t.size.value < 0 {
		return false
	}
	i, n := w.fresh("i"), "("+a.t.size.text+")"
	if s := int64(1 + w.pick(5)); w.chance(50) {
		d := dim{text: fmt.Sprintf("(%s + %d) / %d", n, s-1, s), value: (a.t.size.value + s - 1) / s}
		w.let(arrayOf(a.t.elem(), d), "(0..%s).step(%d).map(|%s| %s[%s])", n, s, i, a.name, i)
		return true
	}
	d := dim{text: w.fresh("R"), value: -1, most: a.t.size.text}
	w.let(arrayOf(a.t.elem(), d), "(0..%s).step(%s.max(1)).map(|%s| %s[%s])", n, w.expr(scalarOf(num.I64), 2), i, a.name, i)
	return true
}

// strideLoop adds every s-th element up in a loop.
func (w *writer) strideLoop() bool {
	a, ok := w.static(func(e *typ) bool { return e.isInt() })
	if !ok || a.t.size.value > 3000 {
		return false
	}
	s := oneOf(w, "1", "2", "7", w.expr(scalarOf(num.I64), 1)+".max(1)")
	lo := oneOf(w, "0", "1", "steps")
	w.let(a.t.elem(), "{ let mut s = %s; for i in (%s..(%s)).step(%s) { s = s *%% 3 +%% %s[i]; } s }", w.leaf(a.t.elem().kind), lo, a.t.size.text, s, a.name)
	return true
}

// eachElement calls a scalar's method on an array, or on a matrix.
func (w *writer) eachElement() bool {
	a, ok := w.array(func(e *typ) bool { return e.isNumber() || e.form == array && e.elem().isNumber() })
	if !ok {
		return false
	}
	k, t := a.t.elem(), a.t
	if k.form == array {
		k = k.elem()
	}
	m := oneOf(w, "abs()", "sign()", "clamp(1, 100)")
	if k.isFloat() {
		m = floatMethods[w.pick(len(floatMethods))] + "()"
		if w.chance(20) {
			m = oneOf(w, "atan2", "hypot", "powf") + "(" + w.leaf(k.kind) + ")"
		}
	}
	w.let(t, "%s.%s", a.name, m)
	return true
}

// table finds a matrix of moderate size, and its number of elements.
func (w *writer) table() (a variable, all dim, ok bool) {
	a, ok = w.find(func(t *typ) bool {
		return t.form == array && !t.size.dynamic() && t.elem().form == array && t.size.value*t.elem().size.value <= 200_000
	})
	if ok {
		n, m := a.t.size, a.t.elem().size
		all = dim{text: "(" + n.text + ") * (" + m.text + ")", value: n.value * m.value}
	}
	return a, all, ok
}

func (w *writer) flatten() bool {
	a, all, ok := w.table()
	if ok {
		w.let(arrayOf(a.t.elem().elem(), all), "%s.flatten()", a.name)
	}
	return ok
}

func (w *writer) reshape() bool {
	a, _, ok := w.table()
	if !ok || a.t.elem().elem().form == array {
		return false
	}
	n, m := a.t.elem().size, a.t.size
	w.let(arrayOf(arrayOf(a.t.elem().elem(), m), n), "%s.reshape::<%s, %s>()", a.name, n.text, m.text)
	return true
}

// flatWalk reads a matrix by the number of each element.
func (w *writer) flatWalk() bool {
	a, all, ok := w.table()
	if !ok || a.t.elem().elem().form == array {
		return false
	}
	t, m := w.fresh("t"), a.t.elem().size.text
	w.let(arrayOf(a.t.elem().elem(), all), "(0..%s).map(|%s| %s[%s / (%s)][%s %% (%s)])", all.text, t, a.name, t, m, t, m)
	return true
}

// bound is the text of a size that is known before the run and at least d.
func (d dim) bound() string {
	if d.dynamic() {
		return d.most
	}
	return d.text
}

// zipShort pairs arrays of which it is not said which is longer.
func (w *writer) zipShort() bool {
	a, ok := w.array(flat)
	if !ok {
		return false
	}
	b, _ := w.array(flat)
	d := dim{text: w.fresh("R"), value: -1, most: a.t.size.bound()}
	w.let(arrayOf(tupleOf(a.t.elem(), b.t.elem()), d), "%s.zip_short(%s)", a.name, b.name)
	return true
}

// fewWindows takes windows of what a filter leaves.
func (w *writer) fewWindows() bool {
	a, ok := w.static((*typ).isNumber)
	if !ok || a.t.size.value > 20_000 {
		return false
	}
	d := dim{text: w.fresh("R"), value: -1, most: a.t.size.text}
	w.let(arrayOf(a.t.elem(), d), "%s.filter(%s).window::<%d>().map(|w| w.max())", a.name, w.closure(a.t.elem(), scalarOf(num.Bool)), 1+w.pick(4))
	return true
}

func (w *writer) mapOption() bool {
	t := scalarOf(w.numberKind())
	o := &typ{form: option, elems: []*typ{t}}
	if v, ok := w.find(func(t *typ) bool { return t.form == option }); ok {
		w.let(o, "%s.map(%s)", v.name, w.closure(v.t.elem(), t))
		return true
	}
	a, ok := w.static((*typ).isNumber)
	if ok {
		w.let(o, "%s.get(%s).map(%s)", a.name, w.expr(scalarOf(num.I64), 1), w.closure(a.t.elem(), t))
	}
	return ok
}
