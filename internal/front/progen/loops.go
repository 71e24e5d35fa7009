package progen

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/ir/num"
)

func (w *writer) forScalars() bool {
	t, u := scalarOf(w.numberKind()), scalarOf(w.numberKind())
	x, y := variable{w.fresh("m"), t}, variable{w.fresh("m"), u}
	fmt.Fprintf(&w.body, "    let mut %s: %s = %s;\n    let mut %s: %s = %s;\n", x.name, t, w.leaf(t.kind), y.name, u, w.leaf(u.kind))
	w.vars = append(w.vars, x, y)
	end := oneOf(w, "steps", "3", "5")
	fmt.Fprintf(&w.body, "    for _ in 0..%s {\n        %s = %s;\n", end, x.name, w.expr(t, 2))
	if w.chance(50) {
		w.use("break")
		fmt.Fprintf(&w.body, "        if %s { break; }\n", w.expr(scalarOf(num.Bool), 2))
	}
	fmt.Fprintf(&w.body, "        if %s { %s = %s; }\n    }\n", w.expr(scalarOf(num.Bool), 2), y.name, w.expr(u, 2))
	return true
}

func (w *writer) forArray() bool {
	a, ok := w.static(func(e *typ) bool { return e.isNumber() })
	if !ok {
		return false
	}
	m := variable{w.fresh("m"), a.t}
	fmt.Fprintf(&w.body, "    let mut %s = %s;\n", m.name, a.name)
	w.vars = append(w.vars, m)
	e := variable{w.fresh("e"), a.t.elem()}
	body := w.with([]variable{e}, func() string { return w.expr(a.t.elem(), 2) })
	fmt.Fprintf(&w.body, "    for _ in 0..%s {\n        %s = %s.map(|%s| %s);\n", oneOf(w, "steps", "2"), m.name, m.name, e.name, body)
	if w.chance(30) {
		w.use("break from array work")
		fmt.Fprintf(&w.body, "        if %s.count(|q| q > 3 as %s) > 5 { break; }\n", m.name, a.t.elem())
	}
	fmt.Fprintf(&w.body, "    }\n")
	return true
}

func (w *writer) forOver() bool {
	a, ok := w.static(flat)
	if !ok {
		return false
	}
	t := scalarOf(w.numberKind())
	x, e := variable{w.fresh("m"), t}, variable{w.fresh("e"), a.t.elem()}
	fmt.Fprintf(&w.body, "    let mut %s: %s = %s;\n", x.name, t, w.leaf(t.kind))
	w.vars = append(w.vars, x)
	body := w.with([]variable{e}, func() string { return w.expr(t, 2) })
	fmt.Fprintf(&w.body, "    for %s in %s { %s = %s; }\n", e.name, a.name, x.name, body)
	return true
}

func (w *writer) scalarLet() bool {
	t := w.target()
	v := variable{w.fresh("v"), t}
	fmt.Fprintf(&w.body, "    let %s: %s = %s;\n", v.name, t, w.expr(t, 4))
	w.vars = append(w.vars, v)
	return true
}

func (w *writer) ifArray() bool {
	a, ok := w.static(anything)
	if !ok {
		return false
	}
	b, _ := w.find(func(t *typ) bool { return t.String() == a.t.String() })
	w.let(a.t, "if %s { %s } else { %s }", w.expr(scalarOf(num.Bool), 2), a.name, b.name)
	return true
}
