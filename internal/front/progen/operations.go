package progen

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// operations are the statements a program is made of, by the name under
// which coverage counts them. Each reports whether it found its operands.
var operations map[string]func(*writer) bool

// The table refers to functions that draw expressions, which count into it;
// filling it here breaks the cycle of initialisation.
func init() {
	operations = map[string]func(*writer) bool{
		"map": (*writer).mapOp, "elementwise": (*writer).elementwise, "zip": (*writer).zip, "enumerate": (*writer).enumerate,
		"filter": (*writer).filter, "lawful fold": (*writer).lawfulFold, "fold": (*writer).fold, "scan": (*writer).scan,
		"sum": (*writer).sum, "product": (*writer).product, "min max": (*writer).extreme, "mean": (*writer).mean,
		"count": (*writer).count, "any all": (*writer).anyAll, "argmin argmax": (*writer).arg, "dot": (*writer).dot,
		"matmul": (*writer).matmul, "transpose": (*writer).transpose, "updates": (*writer).updates, "softmax": (*writer).softmax,
		"histogram": (*writer).histogram, "group_by": (*writer).groupBy, "top_k": (*writer).topK, "sort": (*writer).sort,
		"distinct": (*writer).distinct, "unknown groups": (*writer).unknownGroups, "ends of groups": (*writer).knownEnds, "quantile": (*writer).wholeQuantile, "spread": (*writer).wholeSpread, "lookup": (*writer).lookup,
		"window": (*writer).window, "chunk": (*writer).chunk, "scatter_with": (*writer).scatter, "take": (*writer).take,
		"take n": (*writer).takeN, "reverse": (*writer).reverse, "concat": (*writer).concat, "array literal": (*writer).literal, "long literal": (*writer).longLiteral,
		"repeat": (*writer).repeat, "gather": (*writer).gather, "len": (*writer).length, "iter": (*writer).iter,
		"range map": (*writer).rangeMap, "stride": (*writer).stride, "stride loop": (*writer).strideLoop, "for scalars": (*writer).forScalars, "for array": (*writer).forArray,
		"for over": (*writer).forOver, "scalar": (*writer).scalarLet, "if array": (*writer).ifArray, "call": (*writer).call,
		"guarded index": (*writer).guardedIndex, "inner loop": (*writer).innerLoop,
		"filtered inside": (*writer).filteredInside, "shorter rows": (*writer).shorterRows,
		"zip_short": (*writer).zipShort, "few for a window": (*writer).fewWindows, "map of an option": (*writer).mapOption, "each element": (*writer).eachElement, "flatten": (*writer).flatten, "reshape": (*writer).reshape, "flat walk": (*writer).flatWalk, "row reduce": (*writer).rowReduce, "nested map": (*writer).nestedMap, "sum rows": (*writer).sumRows, "sum of products": (*writer).sumOfProducts,
	}
}

// target draws the type of a closure's result.
func (w *writer) target() *typ {
	switch w.pick(8) {
	case 0:
		return tupleOf(scalarOf(w.numberKind()), scalarOf(w.numberKind()))
	case 1:
		return w.records[0]
	case 2:
		return scalarOf(num.Bool)
	case 3:
		return &typ{form: option, elems: []*typ{scalarOf(w.numberKind())}}
	}
	return scalarOf(w.numberKind())
}

func (w *writer) mapOp() bool {
	a, ok := w.array(anything)
	if !ok {
		return false
	}
	t := w.target()
	w.let(arrayOf(t, a.t.size), "%s.map(%s)", a.name, w.closure(a.t.elem(), t))
	return true
}

func (w *writer) elementwise() bool {
	a, ok := w.static(func(e *typ) bool { return e.isFloat() })
	if !ok {
		return false
	}
	k := a.t.elem()
	b, _ := w.find(func(t *typ) bool { return t.form == array && t.size == a.t.size && t.elem().isScalar(k.kind) })
	w.let(a.t, "%s %s %s %s %s", a.name, oneOf(w, "+", "-", "*", "/"), b.name, oneOf(w, "*", "+"), w.leaf(k.kind))
	return true
}

func (w *writer) zip() bool {
	a, ok := w.array(flat)
	if !ok {
		return false
	}
	b, _ := w.find(func(t *typ) bool { return t.form == array && t.size == a.t.size && flat(t.elem()) })
	w.let(arrayOf(tupleOf(a.t.elem(), b.t.elem()), a.t.size), "%s.zip(%s)", a.name, b.name)
	return true
}

func (w *writer) enumerate() bool {
	a, ok := w.static(flat)
	if ok {
		w.let(arrayOf(tupleOf(indexOf(a.t.size), a.t.elem()), a.t.size), "%s.enumerate()", a.name)
	}
	return ok
}

func (w *writer) filter() bool {
	a, ok := w.array(flat)
	if !ok {
		return false
	}
	most := a.t.size.text
	if a.t.size.dynamic() {
		most = a.t.size.most
	}
	d := dim{text: w.fresh("R"), value: -1, most: most}
	w.let(arrayOf(a.t.elem(), d), "%s.filter(%s)", a.name, w.closure(a.t.elem(), scalarOf(num.Bool)))
	return true
}

func (w *writer) lawfulFold() bool {
	a, ok := w.array(func(e *typ) bool { return e.form != array })
	if !ok {
		return false
	}
	t := scalarOf(w.numberKind())
	e := variable{w.fresh("e"), a.t.elem()}
	x := w.with([]variable{e}, func() string { return w.expr(t, 2) })
	combine := oneOf(w, "a.min(%s)", "a.max(%s)")
	switch {
	case t.kind.IsFloat() && w.chance(60):
		combine = oneOf(w, "a + %s", "a * %s")
	case t.kind.IsInt() && w.chance(60):
		combine = oneOf(w, "a +%% %s", "a *%% %s", "a & %s", "a | %s", "a ^ %s")
	}
	w.let(t, "%s.fold(%s, |a, %s| %s)", a.name, w.leaf(t.kind), e.name, fmt.Sprintf(combine, "("+x+")"))
	return true
}

func (w *writer) fold() bool {
	a, ok := w.array(flat)
	if !ok {
		return false
	}
	t := scalarOf(w.numberKind())
	acc, e := variable{w.fresh("a"), t}, variable{w.fresh("e"), a.t.elem()}
	body := w.with([]variable{acc, e}, func() string { return w.expr(t, 3) })
	w.let(t, "%s.fold(%s, |%s, %s| %s)", a.name, w.leaf(t.kind), acc.name, e.name, body)
	return true
}

func (w *writer) scan() bool {
	a, ok := w.static(flat)
	if !ok {
		return false
	}
	t := scalarOf(w.numberKind())
	acc, e := variable{w.fresh("a"), t}, variable{w.fresh("e"), a.t.elem()}
	body := w.with([]variable{acc, e}, func() string { return w.expr(t, 2) })
	w.let(arrayOf(t, a.t.size), "%s.scan(%s, |%s, %s| %s)", a.name, w.leaf(t.kind), acc.name, e.name, body)
	return true
}

// sumKind is the kind that a sum over elements of a kind has.
func sumKind(k num.Kind) num.Kind {
	switch {
	case k.IsFloat():
		return k
	case k.IsSigned():
		return num.I64
	}
	return num.U64
}

func (w *writer) sum() bool {
	a, ok := w.array((*typ).isNumber)
	if ok {
		w.let(scalarOf(sumKind(a.t.elem().kind)), "%s.%s()", a.name, oneOf(w, "sum", "sum::<fast>"))
	}
	return ok
}

// sumOfProducts is a fold that a fused function rounds once for each slot.
func (w *writer) sumOfProducts() bool {
	a, ok := w.array((*typ).isFloat)
	if !ok {
		return false
	}
	t := a.t.elem()
	closure := "|e| e * " + w.leaf(t.kind)
	if w.chance(50) {
		closure = "|e| { let p = e " + oneOf(w, "+", "-") + " " + w.leaf(t.kind) + "; p * e }"
	}
	from := a.name
	if w.chance(40) {
		from += ".filter(" + w.closure(t, scalarOf(num.Bool)) + ")"
	}
	switch w.pick(4) {
	case 0:
		w.let(t, "%s.mean(%s)", from, closure)
	case 1:
		w.let(t, "%s.fold(%s, |a, e| a %s e * %s)", from, w.leaf(t.kind), oneOf(w, "+", "-"), w.leaf(t.kind))
	case 2:
		w.let(t, "(%s * %s).sum()", a.name, w.leaf(t.kind))
	default:
		w.let(t, "%s.map(%s).sum()", from, closure)
	}
	return true
}

func (w *writer) product() bool {
	a, ok := w.array((*typ).isFloat)
	if ok {
		w.let(a.t.elem(), "%s.product()", a.name)
	}
	return ok
}

func (w *writer) extreme() bool {
	a, ok := w.array((*typ).isNumber)
	if ok {
		w.let(a.t.elem(), "%s.%s()", a.name, oneOf(w, "min", "max"))
	}
	return ok
}

func (w *writer) mean() bool {
	a, ok := w.array((*typ).isNumber)
	if !ok {
		return false
	}
	k := num.F64
	if a.t.elem().kind == num.F32 {
		k = num.F32
	}
	w.let(scalarOf(k), "%s.mean()", a.name)
	return true
}

func (w *writer) count() bool {
	a, ok := w.array(flat)
	if ok {
		w.let(scalarOf(num.I64), "%s.count(%s)", a.name, w.closure(a.t.elem(), scalarOf(num.Bool)))
	}
	return ok
}

func (w *writer) anyAll() bool {
	a, ok := w.array(flat)
	if ok {
		w.let(scalarOf(num.Bool), "%s.%s(%s)", a.name, oneOf(w, "any", "all"), w.closure(a.t.elem(), scalarOf(num.Bool)))
	}
	return ok
}

func (w *writer) arg() bool {
	a, ok := w.static(flat)
	if !ok {
		return false
	}
	m := oneOf(w, "argmin", "argmax")
	if a.t.elem().isNumber() && w.chance(50) {
		w.let(indexOf(a.t.size), "%s.%s()", a.name, m)
	} else {
		w.let(indexOf(a.t.size), "%s.%s(%s)", a.name, m, w.closure(a.t.elem(), scalarOf(w.numberKind())))
	}
	return true
}

func (w *writer) dot() bool {
	a, ok := w.static((*typ).isFloat)
	if !ok {
		return false
	}
	b, _ := w.find(func(t *typ) bool {
		return t.form == array && t.size == a.t.size && t.elem().isScalar(a.t.elem().kind)
	})
	w.let(a.t.elem(), "%s.dot(%s)", a.name, b.name)
	return true
}

// matrix finds a matrix of floats of moderate size.
func (w *writer) matrix() (variable, bool) {
	return w.find(func(t *typ) bool {
		return t.form == array && !t.size.dynamic() && t.elem().form == array && t.elem().elem().isFloat() &&
			t.size.value*t.elem().size.value < 50_000
	})
}

func (w *writer) matmul() bool {
	a, ok := w.matrix()
	if !ok {
		return false
	}
	inner := a.t.elem().size
	k := a.t.elem().elem().kind
	b, ok := w.find(func(t *typ) bool {
		return t.form == array && t.size == inner && (t.elem().isScalar(k) || t.elem().form == array && t.elem().elem().isScalar(k) && t.elem().size.value*a.t.size.value < 20_000)
	})
	if !ok {
		w.let(arrayOf(scalarOf(k), a.t.size), "%s.matmul([%s; %s])", a.name, w.leaf(k), inner.text)
		return true
	}
	t := arrayOf(b.t.elem(), a.t.size)
	w.let(t, "%s.matmul(%s)", a.name, b.name)
	return true
}

func (w *writer) transpose() bool {
	a, ok := w.find(func(t *typ) bool {
		return t.form == array && !t.size.dynamic() && t.elem().form == array && t.size.value < 20_000
	})
	if ok {
		w.let(arrayOf(arrayOf(a.t.elem().elem(), a.t.size), a.t.elem().size), "%s.transpose()", a.name)
	}
	return ok
}

func (w *writer) softmax() bool {
	a, ok := w.static((*typ).isFloat)
	if ok {
		w.let(a.t, "%s.softmax()", a.name)
	}
	return ok
}

func (w *writer) histogram() bool {
	a, ok := w.array(flat)
	if ok {
		n := 1 + w.pick(9)
		key := w.closure(a.t.elem(), scalarOf(num.I64))
		w.let(arrayOf(scalarOf(num.I64), dim{text: fmt.Sprint(n), value: int64(n)}), "%s.histogram::<%d>(%s.clamp(0, %d))", a.name, n, paren(key), n-1)
	}
	return ok
}

// paren puts a closure's body in parentheses so that a method applies to it.
func paren(closure string) string {
	for i := 1; i < len(closure); i++ {
		if closure[i] == '|' {
			return closure[:i+2] + "(" + closure[i+2:] + ")"
		}
	}
	return closure
}

func (w *writer) groupBy() bool {
	a, ok := w.array(flat)
	if !ok {
		return false
	}
	n := 1 + w.pick(6)
	key := fmt.Sprintf("%s.clamp(0, %d)", paren(w.closure(a.t.elem(), scalarOf(num.I64))), n-1)
	k := w.numberKind()
	value := w.closure(a.t.elem(), scalarOf(k))
	m := oneOf(w, "sum", "mean", "count", "min", "max")
	w.use("group " + m)
	out := scalarOf(k)
	switch m {
	case "sum":
		out = scalarOf(sumKind(k))
	case "mean":
		out = scalarOf(num.F64)
		if k == num.F32 {
			out = scalarOf(num.F32)
		}
	case "count":
		out, value = scalarOf(num.I64), ""
	}
	w.let(arrayOf(out, dim{text: fmt.Sprint(n), value: int64(n)}), "%s.group_by::<%d>(%s).%s(%s)", a.name, n, key, m, value)
	return true
}

func (w *writer) topK() bool {
	a, ok := w.static(flat)
	if !ok {
		return false
	}
	n := int64(1 + w.pick(6))
	if w.pick(6) == 0 {
		n += 256 // so many are found in order, or by threads that share
	}
	d := dim{text: fmt.Sprint(n), value: n}
	if min := minimum(a.t.size); min < n {
		d = dim{text: w.fresh("R"), value: -1, most: fmt.Sprint(n)}
	}
	w.let(arrayOf(a.t.elem(), d), "%s.top_k::<%d>(%s)", a.name, n, w.closure(a.t.elem(), scalarOf(w.numberKind())))
	return true
}

// minimum is what the program says of a size: N and M are at least 1.
func minimum(d dim) int64 {
	n, err := strconv.ParseInt(d.text, 10, 64)
	switch {
	case err == nil:
		return n
	case strings.HasPrefix(d.text, "2*"):
		return 2
	case strings.Contains(d.text, "/"):
		return 0
	}
	return 1
}

func (w *writer) sort() bool {
	a, ok := w.array(flat)
	if ok {
		w.let(a.t, "%s.%s(%s)", a.name, oneOf(w, "sort", "sort_desc"), w.closure(a.t.elem(), scalarOf(w.numberKind())))
	}
	return ok
}

func (w *writer) window() bool {
	a, ok := w.static(func(e *typ) bool { return e.isNumber() })
	if !ok || a.t.size.text == "N" && a.t.size.value > 20_000 {
		return false
	}
	if a.t.size.text != "N" && a.t.size.text != "M" {
		return false
	}
	d := dim{text: a.t.size.text, value: a.t.size.value}
	one := dim{text: "1", value: 1}
	w.let(arrayOf(arrayOf(a.t.elem(), one), d), "%s.window::<1>()", a.name)
	return true
}

func (w *writer) chunk() bool {
	a, ok := w.static(flat)
	if !ok || a.t.size.text != "N" && a.t.size.text != "M" {
		return false
	}
	n := int64(1 + w.pick(5))
	d := dim{text: fmt.Sprintf("%s / %d", a.t.size.text, n), value: a.t.size.value / n}
	if n == 1 {
		d = a.t.size
	}
	w.let(arrayOf(arrayOf(a.t.elem(), dim{text: fmt.Sprint(n), value: n}), d), "%s.chunk::<%d>()", a.name, n)
	return true
}

func (w *writer) scatter() bool {
	d, ok := w.static((*typ).isNumber)
	if !ok {
		return false
	}
	i, ok := w.static(func(e *typ) bool { return e.form == index && e.bound == d.t.size.text })
	if !ok {
		return false
	}
	v, ok := w.find(func(t *typ) bool { return t.form == array && t.size == i.t.size && flat(t.elem()) })
	if !ok {
		return false
	}
	old, val := variable{w.fresh("o"), d.t.elem()}, variable{w.fresh("n"), v.t.elem()}
	body := w.with([]variable{old, val}, func() string { return w.expr(d.t.elem(), 2) })
	w.let(d.t, "%s.scatter_with(%s, %s, |%s, %s| %s)", d.name, i.name, v.name, old.name, val.name, body)
	return true
}

func (w *writer) take() bool {
	a, ok := w.static(flat)
	if ok {
		w.let(arrayOf(a.t.elem(), dim{text: "1", value: 1}), "%s.take::<1>()", a.name)
	}
	return ok
}

func (w *writer) takeN() bool {
	a, ok := w.static(flat)
	if ok {
		d := dim{text: w.fresh("R"), value: -1, most: a.t.size.text}
		w.let(arrayOf(a.t.elem(), d), "%s.take(%s)", a.name, w.expr(scalarOf(num.I64), 2))
	}
	return ok
}

func (w *writer) reverse() bool {
	a, ok := w.static(anything)
	if ok {
		w.let(a.t, "%s.reverse()", a.name)
	}
	return ok
}

func (w *writer) concat() bool {
	a, ok := w.static(flat)
	if !ok || a.t.size.text != "N" && a.t.size.text != "M" {
		return false
	}
	d := dim{text: "2*" + a.t.size.text, value: 2 * a.t.size.value}
	w.let(arrayOf(a.t.elem(), d), "concat(%s, %s)", a.name, a.name)
	return true
}

func (w *writer) literal() bool {
	t := scalarOf(w.numberKind())
	w.let(arrayOf(t, dim{text: "3", value: 3}), "[%s, %s, %s]", w.expr(t, 1), w.expr(t, 1), w.expr(t, 1))
	return true
}

// longLiteral has so many numbers that they are data, not code.
func (w *writer) longLiteral() bool {
	if !w.chance(25) {
		return false
	}
	k := w.numberKind()
	n := rapid.Int64Range(257, 400).Draw(w.t, "length")
	step := rapid.Int64Range(1, 99).Draw(w.t, "step")
	numbers := make([]string, n)
	for i := range n {
		v := int64(i) * step % 101
		switch {
		case k.IsFloat():
			numbers[i] = fmt.Sprintf("%g%s", float64(v)/8-3.0625, k)
		case k.IsSigned():
			numbers[i] = fmt.Sprintf("%d%s", v-50, k)
		default:
			numbers[i] = fmt.Sprintf("%d%s", v, k)
		}
	}
	w.let(arrayOf(scalarOf(k), dim{text: fmt.Sprint(n), value: n}), "[%s]", strings.Join(numbers, ", "))
	return true
}

func (w *writer) repeat() bool {
	t := scalarOf(w.numberKind())
	d := oneOf(w, dim{text: "3", value: 3}, dim{text: "1", value: 1})
	w.let(arrayOf(t, d), "[%s; %s]", w.expr(t, 2), d.text)
	return true
}

func (w *writer) gather() bool {
	i, ok := w.static(func(e *typ) bool { return e.form == index })
	if !ok {
		return false
	}
	a, ok := w.static(func(e *typ) bool { return flat(e) })
	if !ok || a.t.size.text != i.t.elem().bound {
		return false
	}
	w.let(arrayOf(a.t.elem(), i.t.size), "%s.gather(%s)", a.name, i.name)
	return true
}

func (w *writer) length() bool {
	a, ok := w.array(anything)
	if ok {
		w.let(scalarOf(num.I64), "%s.len()", a.name)
	}
	return ok
}

func (w *writer) iter() bool {
	a, ok := w.array(anything)
	if ok {
		w.let(a.t, "%s.iter()", a.name)
	}
	return ok
}

func (w *writer) rangeMap() bool {
	a, _ := w.static(anything)
	t := w.target()
	i := variable{w.fresh("i"), indexOf(a.t.size)}
	body := w.with([]variable{i}, func() string { return w.expr(t, 3) })
	w.let(arrayOf(t, a.t.size), "(0..%s).map(|%s| %s)", a.t.size.text, i.name, body)
	return true
}

func (w *writer) call() bool {
	if a, ok := w.static((*typ).isNumber); ok && w.chance(50) {
		w.let(scalarOf(num.I64), "spread(%s)", a.name)
		return true
	}
	w.let(scalarOf(num.F64), "twice(%s)", w.expr(scalarOf(num.F64), 2))
	return true
}

// Operations lists the statements that a long run must have used.
func Operations() []string { return slices.Sorted(maps.Keys(operations)) }
