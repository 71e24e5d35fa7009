package progen

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// Groups whose keys nobody knows beforehand, and rows that are looked up by keys.

// most is what an array's size is at most, as a size.
func (w *writer) most(a variable) string {
	if a.t.size.dynamic() {
		return a.t.size.most
	}
	return a.t.size.text
}

// keyType draws the type of a key: often one with few values, so that keys meet.
func (w *writer) keyType() *typ {
	switch w.pick(6) {
	case 0:
		return tupleOf(scalarOf(w.numberKind()), scalarOf(num.Bool))
	case 1:
		return scalarOf(num.Bool)
	case 2:
		return &typ{form: option, elems: []*typ{scalarOf(w.numberKind())}}
	case 3:
		return tupleOf(scalarOf(num.I64), scalarOf(num.I64))
	}
	return scalarOf(w.numberKind())
}

// key is a closure for a key of an element.
func (w *writer) key(elem, t *typ) string {
	if t.form == scalar && t.kind == num.I64 || w.chance(30) {
		return paren(w.closure(elem, scalarOf(num.I64))) + fmt.Sprintf(".clamp(%d, %d)", -w.pick(3), 1+w.pick(5))
	}
	return w.closure(elem, t)
}

// textKey is a closure for a key that is text, or has it.
func (w *writer) textKey(elem *typ) string {
	p := variable{w.fresh("e"), elem}
	return w.with([]variable{p}, func() string {
		return fmt.Sprintf("|%s| "+oneOf(w, "%s", "(%s, 1)", "Some(%s)"), p.name, w.text(2))
	})
}

func (w *writer) distinct() bool {
	a, ok := w.array(flat)
	if !ok {
		return false
	}
	key := w.key(a.t.elem(), w.keyType())
	if w.chance(15) {
		key = w.textKey(a.t.elem())
	}
	d := dim{text: w.fresh("R"), value: -1, most: w.most(a)}
	w.let(arrayOf(a.t.elem(), d), "%s.distinct(%s)", a.name, key)
	return true
}

// unknownGroups folds groups by any key.
func (w *writer) unknownGroups() bool {
	a, ok := w.array(flat)
	if !ok {
		return false
	}
	if w.chance(15) { // of keys of text alone there are as many as its dictionary has, which nobody here counts
		w.use("groups by text")
		w.let(scalarOf(num.I64), "%s.group_by(%s).count().sum()", a.name, w.textKey(a.t.elem()))
		return true
	}
	group := fmt.Sprintf("%s.group_by(%s)", a.name, w.key(a.t.elem(), tupleOf(scalarOf(w.numberKind()), scalarOf(num.Bool))))
	w.use("unknown groups")
	k := w.numberKind()
	value := w.closure(a.t.elem(), scalarOf(k))
	d := dim{text: w.fresh("R"), value: -1, most: w.most(a)}
	switch w.pick(10) {
	case 9:
		w.use("spread of groups")
		w.let(arrayOf(scalarOf(num.F64), d), "%s.%s(%s)", group, w.spread(), value)
	case 8:
		w.use("top_k of groups")
		w.let(arrayOf(a.t.elem(), d), "%s.top_k::<%d>(%s)", group, w.pick(4), value)
	case 0:
		w.let(arrayOf(scalarOf(num.I64), d), "%s.count()", group)
	case 1:
		w.let(arrayOf(scalarOf(sumKind(k)), d), "%s.sum(%s)", group, value)
	case 2:
		w.let(arrayOf(scalarOf(k), d), "%s.%s(%s)", group, oneOf(w, "min", "max"), value)
	case 3:
		w.use("count_distinct")
		w.let(arrayOf(scalarOf(num.I64), d), "%s.count_distinct(%s)", group, w.key(a.t.elem(), w.keyType()))
	case 4:
		w.use("first last")
		w.let(arrayOf(a.t.elem(), d), "%s.%s()", group, oneOf(w, "first", "last"))
	case 5:
		w.use("quantile")
		w.let(arrayOf(scalarOf(num.F64), d), "%s.%s", group, oneOf(w, "median("+value+")", "quantile(0.3, "+value+")", "quantile("+w.leaf(num.F64)+", "+value+")"))
	case 6:
		w.use("agg")
		w.let(arrayOf(tupleOf(scalarOf(num.I64), scalarOf(sumKind(k))), d), "%s.agg(|g| (g.count(), g.sum(%s)))", group, value)
	default:
		w.use("keys")
		key := w.key(a.t.elem(), scalarOf(num.I64))
		w.let(arrayOf(scalarOf(num.I64), d), "%s.group_by(%s).keys()", a.name, key)
	}
	return true
}

// knownEnds are first and last rows, medians, and deviations, of groups of which some may be empty.
func (w *writer) knownEnds() bool {
	a, ok := w.array(flat)
	if !ok {
		return false
	}
	n := 1 + w.pick(6)
	group := fmt.Sprintf("%s.group_by::<%d>(%s.clamp(0, %d))", a.name, n, paren(w.closure(a.t.elem(), scalarOf(num.I64))), n-1)
	d := dim{text: fmt.Sprint(n), value: int64(n)}
	if w.chance(50) {
		w.let(arrayOf(scalarOf(num.F64), d), "%s.%s(%s)", group, oneOf(w, "median", w.spread()), w.closure(a.t.elem(), scalarOf(w.numberKind())))
		return true
	}
	k := w.numberKind()
	p := variable{w.fresh("e"), a.t.elem()}
	part := w.with([]variable{p}, func() string { return w.expr(scalarOf(k), 2) })
	w.let(arrayOf(scalarOf(k), d), "%s.%s().map(|o| o.map(|%s| %s).or(%s))", group, oneOf(w, "first", "last"), p.name, part, w.leaf(k))
	return true
}

func (w *writer) wholeQuantile() bool {
	a, ok := w.array(flat)
	if !ok {
		return false
	}
	w.let(scalarOf(num.F64), "%s.quantile(%s, %s)", a.name, oneOf(w, "0.5", "0.0", "1.0", w.leaf(num.F64)), w.closure(a.t.elem(), scalarOf(w.numberKind())))
	return true
}

// spread draws how far values are from their mean.
func (w *writer) spread() string {
	return oneOf(w, "var_pop", "var_samp", "stddev_pop", "stddev_samp")
}

// wholeSpread is that of all elements, or of what there is of Options.
func (w *writer) wholeSpread() bool {
	a, ok := w.array(flat)
	if !ok {
		return false
	}
	t := scalarOf(w.numberKind())
	if w.chance(25) {
		t = &typ{form: option, elems: []*typ{t}}
	}
	w.let(scalarOf(num.F64), "%s.%s(%s)", a.name, w.spread(), w.closure(a.t.elem(), t))
	return true
}

// lookup makes an index over one array and asks it from another.
func (w *writer) lookup() bool {
	x, ok := w.array(flat)
	if !ok {
		return false
	}
	a, ok := w.array(flat)
	if !ok {
		return false
	}
	how, t := "index_by", oneOf(w, scalarOf(num.I64), scalarOf(num.I64), tupleOf(scalarOf(num.I64), scalarOf(num.Bool)), tupleOf(tupleOf(scalarOf(num.I64), scalarOf(num.I32)), scalarOf(num.I64)),
		&typ{form: option, elems: []*typ{scalarOf(num.U8)}})
	if t.form == scalar && w.chance(40) {
		how = "as_of"
	}
	w.use(how)
	key := func(of variable) string {
		text := w.with([]variable{of}, func() string { return w.expr(t, 3) })
		if t.form == scalar {
			text = "(" + text + ").clamp(-1, 9)"
		}
		return text
	}
	p, q, by := variable{w.fresh("e"), x.t.elem()}, variable{w.fresh("e"), a.t.elem()}, w.fresh("by")
	fmt.Fprintf(&w.body, "    let %s = %s.%s(|%s| %s);\n", by, a.name, how, q.name, key(q))
	d := dim{text: w.fresh("R"), value: -1, most: w.most(x)}
	both := func() (text string, k num.Kind) {
		k = w.numberKind()
		return w.with([]variable{p, q}, func() string { return w.expr(scalarOf(k), 3) }), k
	}
	choices := 3
	if how == "index_by" {
		choices = 5
	}
	switch w.pick(choices) {
	case 4:
		w.use("count of keys")
		w.let(arrayOf(scalarOf(num.I64), x.t.size), "%s.map(|%s| %s.count(%s))", x.name, p.name, by, key(p))
	case 3:
		w.use("join_all")
		most := int64(1 + w.pick(12)) // of rows with one key: there may be more, which is a fault
		if n := a.t.size.value; n >= 0 && n <= 100 && w.chance(70) {
			most = max(1, n)
		}
		text, k := both()
		d.most = fmt.Sprintf("(%s) * %d", d.most, most)
		w.let(arrayOf(scalarOf(k), d), "%s.join_all::<%d>(%s, |%s| %s).map(|(%s, %s)| %s)", x.name, most, by, p.name, key(p), p.name, q.name, text)
	case 0:
		w.let(arrayOf(x.t.elem(), d), "%s.filter(|%s| %s.has(%s))", x.name, p.name, by, key(p))
	case 1:
		w.let(arrayOf(scalarOf(num.I64), x.t.size), "%s.map(|%s| %s.get(%s).map(|i| i as i64).or(-1))", x.name, p.name, by, key(p))
	default:
		w.use("join")
		text, k := both()
		w.let(arrayOf(scalarOf(k), d), "%s.join(%s, |%s| %s).map(|(%s, %s)| %s)", x.name, by, p.name, key(p), p.name, q.name, text)
	}
	return true
}
