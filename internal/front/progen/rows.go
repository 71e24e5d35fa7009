package progen

import "github.com/godwit-run/godwit/internal/ir/num"

// rows finds a matrix of numbers.
func (w *writer) rows() (variable, bool) {
	return w.static(func(e *typ) bool { return e.form == array && e.elem().isNumber() })
}

func (w *writer) rowReduce() bool {
	a, ok := w.rows()
	if !ok {
		return false
	}
	k := a.t.elem().elem().kind
	m := oneOf(w, "sum", "max", "min", "mean", "argmax")
	out := scalarOf(k)
	switch {
	case m == "sum":
		out = scalarOf(sumKind(k))
	case m == "mean" && k != num.F32:
		out = scalarOf(num.F64)
	case m == "argmax":
		out = indexOf(a.t.elem().size)
	}
	w.let(arrayOf(out, a.t.size), "%s.map(|r| r.%s())", a.name, m)
	return true
}

func (w *writer) nestedMap() bool {
	a, ok := w.rows()
	if !ok {
		return false
	}
	t := scalarOf(w.numberKind())
	w.let(arrayOf(arrayOf(t, a.t.elem().size), a.t.size), "%s.map(|r| r.map(%s))", a.name, w.closure(a.t.elem().elem(), t))
	return true
}

func (w *writer) sumRows() bool {
	a, ok := w.rows()
	if ok {
		w.let(arrayOf(scalarOf(sumKind(a.t.elem().elem().kind)), a.t.elem().size), "%s.sum()", a.name)
	}
	return ok
}
