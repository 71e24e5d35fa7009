// Package progen writes random well-typed programs, with arguments for them,
// for tests that hold engines against the interpreter. A program is made
// forwards: each statement applies an operation to values at hand, so that
// its type is known by construction.
package progen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// Program is a source text whose function f takes Params under Sizes.
type Program struct {
	Source string
	Sizes  map[string]int64
	Params []Param
	// Used counts the operations of the language that the text contains.
	Used map[string]int
}

// Param is an argument: its flat columns in the order of the type's leaves.
type Param struct {
	Name    string
	Columns []Column
}

// Column is one leaf of an argument in the bit form of package num.
type Column struct {
	Kind num.Kind
	Dims []int64
	Bits []uint64
}

// typ is the type of a generated value.
type typ struct {
	form  form
	kind  num.Kind // scalar
	bound string   // index: size text
	elems []*typ
	size  dim
	name  string // record
}

type form uint8

const (
	scalar form = iota
	index
	tuple
	record
	array
	option
)

// dim is a size: its text, its value when known before the run (-1
// otherwise), and for a run-time size the text of its bound.
type dim struct {
	text  string
	value int64
	most  string
}

func (d dim) dynamic() bool { return d.most != "" }

func (t *typ) String() string {
	switch t.form {
	case index:
		return "idx<" + t.bound + ">"
	case record:
		return t.name
	case tuple:
		parts := make([]string, len(t.elems))
		for i, e := range t.elems {
			parts[i] = e.String()
		}
		return "(" + strings.Join(parts, ", ") + ")"
	case array:
		if t.size.dynamic() {
			return "[" + t.elems[0].String() + "; ?" + t.size.text + " <= " + t.size.most + "]"
		}
		return "[" + t.elems[0].String() + "; " + t.size.text + "]"
	case option:
		return "Option<" + t.elems[0].String() + ">"
	}
	return t.kind.String()
}

func (t *typ) elem() *typ { return t.elems[0] }

func scalarOf(k num.Kind) *typ          { return &typ{form: scalar, kind: k} }
func arrayOf(e *typ, d dim) *typ        { return &typ{form: array, elems: []*typ{e}, size: d} }
func tupleOf(es ...*typ) *typ           { return &typ{form: tuple, elems: es} }
func indexOf(d dim) *typ                { return &typ{form: index, bound: d.text} }
func (t *typ) isScalar(k num.Kind) bool { return t.form == scalar && t.kind == k }
func (t *typ) isInt() bool              { return t.form == scalar && t.kind.IsInt() }
func (t *typ) isFloat() bool            { return t.form == scalar && t.kind.IsFloat() }
func (t *typ) isNumber() bool           { return t.isInt() || t.isFloat() }

// variable is a value at hand.
type variable struct {
	name string
	t    *typ
}

// writer is one program being written.
type writer struct {
	t       *rapid.T
	vars    []variable
	body    strings.Builder
	used    map[string]int
	names   int
	records []*typ
	inside  int   // closures around, where array work multiplies
	least   int64 // rows, if not 0
}

// Gen draws a program with about that many statements.
func Gen(statements int) *rapid.Generator[*Program] {
	return program(func(w *writer) {
		for range 1 + w.pick(statements) {
			w.statement()
		}
	}, 0)
}

// Updating draws a program that changes elements of arrays one by one.
func Updating() *rapid.Generator[*Program] {
	return program(func(w *writer) {
		for range w.pick(3) {
			w.statement()
		}
		for range 1 + w.pick(2) {
			if w.updates() {
				w.use("updates")
			}
		}
	}, 0)
}

// Long draws a program over arrays of several leaves, of which the results are arrays: of all
// elements, of those that are kept, and of running values.
func Long() *rapid.Generator[*Program] {
	return program(func(w *writer) {
		for range w.pick(3) {
			w.statement()
		}
		for range 1 + w.pick(3) {
			name := oneOf(w, "map", "elementwise", "filter", "filter", "filter", "scan", "take n", "window", "zip")
			if operations[name](w) {
				w.use(name)
			}
		}
	}, 20_000)
}

func program(statements func(*writer), least int64) *rapid.Generator[*Program] {
	return rapid.Custom(func(t *rapid.T) *Program {
		w := &writer{t: t, used: map[string]int{}, least: least}
		p := &Program{Sizes: map[string]int64{}, Used: w.used}
		head := w.params(p)
		statements(w)
		result, value := w.result()
		attribute := ""
		if w.chance(40) {
			w.use("fused")
			attribute = "#[fused]\n"
		}
		p.Source = w.declarations() + attribute + "fn f(" + strings.Join(head, ", ") + ") -> " + result + "\n" +
			"where N: Range<1, 100_000>, M: Range<1, 100_000>, steps: Range<0, 6>\n{\n" + w.body.String() + "    " + value + "\n}\n"
		return p
	})
}

func (w *writer) use(op string) { w.used[op]++ }

func (w *writer) fresh(prefix string) string {
	w.names++
	return fmt.Sprintf("%s%d", prefix, w.names)
}

func (w *writer) chance(percent int) bool { return w.pick(100) < percent }

// pick is uniform in 0..n. The draw is scrambled, because rapid prefers small
// numbers and would write the same few operations again and again.
func (w *writer) pick(n int) int {
	return int(splitmix(rapid.Uint64().Draw(w.t, "pick")).next() % uint64(n))
}

func oneOf[T any](w *writer, xs ...T) T { return xs[w.pick(len(xs))] }

// let binds an expression to a new variable.
func (w *writer) let(t *typ, format string, args ...any) variable {
	v := variable{w.fresh("v"), t}
	fmt.Fprintf(&w.body, "    let %s = %s;\n", v.name, fmt.Sprintf(format, args...))
	w.vars = append(w.vars, v)
	return v
}

// find draws a variable that satisfies want.
func (w *writer) find(want func(*typ) bool) (variable, bool) {
	var fit []variable
	for _, v := range w.vars {
		if want(v.t) {
			fit = append(fit, v)
		}
	}
	if len(fit) == 0 {
		return variable{}, false
	}
	return fit[w.pick(len(fit))], true
}

// array finds an array with elements that satisfy want.
func (w *writer) array(want func(elem *typ) bool) (variable, bool) {
	return w.find(func(t *typ) bool { return t.form == array && want(t.elem()) })
}

// static finds an array whose size is known before the run.
func (w *writer) static(want func(elem *typ) bool) (variable, bool) {
	return w.find(func(t *typ) bool { return t.form == array && !t.size.dynamic() && want(t.elem()) })
}

func anything(*typ) bool { return true }
func flat(t *typ) bool   { return t.form != array }

// statement appends one random operation; when its operands are not at hand
// another is tried.
func (w *writer) statement() {
	names := slices.Sorted(maps.Keys(operations))
	for range 20 {
		name := names[w.pick(len(names))]
		if operations[name](w) {
			w.use(name)
			return
		}
	}
}

// result is the type and the text of what the function returns.
func (w *writer) result() (string, string) {
	var fit []variable
	for _, v := range w.vars {
		if v.t.form != option {
			fit = append(fit, v)
		}
	}
	n := min(len(fit), 1+w.pick(6))
	fit = fit[len(fit)-n:]
	if n == 1 {
		return fit[0].t.String(), fit[0].name
	}
	var types, names []string
	for _, v := range fit {
		types, names = append(types, v.t.String()), append(names, v.name)
	}
	return "(" + strings.Join(types, ", ") + ")", "(" + strings.Join(names, ", ") + ")"
}

func (w *writer) declarations() string {
	var b strings.Builder
	for _, r := range w.records {
		fmt.Fprintf(&b, "record %s { a: %s, b: %s }\n", r.name, r.elems[0], r.elems[1])
	}
	b.WriteString("fn twice(x: f64) -> f64 { x + x }\n")
	b.WriteString("fn spread<T: Num>(x: &[T; S]) -> i64 { x.len() }\n")
	return b.String()
}

// GoString keeps a failing test's report short: the values follow from the
// seed.
func (p *Program) GoString() string { return fmt.Sprintf("%v\n%s", p.Sizes, p.Source) }
