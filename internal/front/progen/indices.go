package progen

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// Operations whose indices and sizes the checker has to prove: under conditions, from both
// ends, in loops whose ends are computed, in rows of a size less one.

// guardedIndex reads neighbours where there are some.
func (w *writer) guardedIndex() bool {
	a, ok := w.static(flat)
	if !ok {
		return false
	}
	i, n := w.fresh("i"), "("+a.t.size.text+")"
	form := oneOf(w,
		"if %[1]s > 0 { %[2]s[%[1]s - 1] } else { %[2]s[%[1]s] }",
		"if %[1]s != 0 { %[2]s[%[1]s - 1] } else { %[2]s[%[1]s] }",
		"if !(%[1]s == %[3]s - 1) { %[2]s[%[1]s + 1] } else { %[2]s[%[1]s] }",
		"if %[1]s > 1 && %[1]s < %[3]s - 1 { %[2]s[if %[1]s %% 2 == 0 { %[1]s + 1 } else { %[1]s - 2 }] } else { %[2]s[%[1]s] }",
		"match %[1]s { 0 => %[2]s[%[1]s], _ => %[2]s[%[1]s - 1] }",
		"{ let j = %[1]s - 2; if %[1]s < 2 { %[2]s[%[1]s] } else { %[2]s[j] } }",
		"%[2]s[%[3]s - 1 - %[1]s]",
		"%[2]s[(%[1]s + 1) / 2]",
	)
	w.let(arrayOf(a.t.elem(), a.t.size), "(0..%s).map(|%s| %s)", n, i, fmt.Sprintf(form, i, a.name, n))
	return true
}

// innerLoop walks over a part of an array around each element.
func (w *writer) innerLoop() bool {
	a, ok := w.static(func(e *typ) bool { return e.isNumber() })
	if !ok {
		return false
	}
	k := a.t.elem()
	i, n, op := w.fresh("i"), "("+a.t.size.text+")", "+"
	if k.isInt() {
		op = "+%"
	}
	ends := oneOf(w, "%[1]s..(%[1]s + 3).min(%[2]s)", "(%[1]s - 2).max(0)..%[1]s + 1", "(%[1]s - 2).max(0)..(%[1]s + 3).min(%[2]s)", "%[1]s + 1..(%[1]s + 2).min(%[2]s)")
	over := fmt.Sprintf(ends, i, n)
	w.let(a.t, "(0..%s).map(|%s| { let mut s = %s; for j in %s { s = s %s %s[j]; } s })", n, i, w.leaf(k.kind), over, op, a.name)
	return true
}

// filteredInside filters an array for each element of another.
func (w *writer) filteredInside() bool {
	a, ok := w.find(func(t *typ) bool {
		return t.form == array && !t.size.dynamic() && t.size.value >= 0 && t.size.value <= 80 && t.elem().isNumber()
	})
	if !ok {
		return false
	}
	k := a.t.elem()
	e, zero := w.fresh("e"), fmt.Sprintf("0 as %s", k)
	use := oneOf(w, ".sort().get(0).or(%[1]s)", ".enumerate().map(|(_, o)| o).sort().get(0).or(%[1]s)", ".get(1).or(%[1]s)", ".reverse().get(0).or(%[1]s)")
	w.let(a.t, "%s.map(|%s| %s.filter(|o| o < %s)%s)", a.name, e, a.name, e, fmt.Sprintf(use, "("+zero+")"))
	return true
}

// shorterRows stores rows of one element less than there are.
func (w *writer) shorterRows() bool {
	a, ok := w.find(func(t *typ) bool {
		return t.form == array && (t.size.text == "N" || t.size.text == "M") && t.elem().isNumber() && t.size.value <= 10_000
	})
	if !ok {
		return false
	}
	rows := w.fresh("rows")
	fmt.Fprintf(&w.body, "    let %s = (0..3).map(|i| (0..%s - 1).map(|j| if i == 0 { %s[j] } else { %s[j + 1] }));\n", rows, a.t.size.text, a.name, a.name)
	w.let(arrayOf(scalarOf(num.I64), dim{text: "3", value: 3}), "(0..3).map(|i| %s[2 - i].count(|q| q > %s))", rows, w.leaf(a.t.elem().kind))
	return true
}
