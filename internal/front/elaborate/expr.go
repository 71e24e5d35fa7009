package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
	"maps"
	"slices"
)

// expr elaborates an expression whose value is used. want is the type that
// the context expects, or nil; it guides literals, and the caller still has
// to coerce.
func (e *elab) expr(x syntax.Expr, want *graph.Type) *graph.Node {
	n := e.exprOrGroup(x, want)
	if n != nil && e.of(n).group != nil && e.of(n).group.lookup != nil {
		e.errorf(x.Where(), "T28", "an index is not a value").Note("expected get or has after it").Help("%s.get(…)", e.operand(x))
		return nil
	}
	if n != nil && e.of(n).group != nil {
		e.errorf(x.Where(), "T28", "a group is not a value").
			Note("expected one of sum, mean, count, min, max after group_by").Help("%s.%s()", e.operand(x), e.someFold(n))
		return nil
	}
	return n
}

// value is expr followed by coerce.
func (e *elab) value(x syntax.Expr, want *graph.Type) *graph.Node {
	return e.coerce(e.expr(x, want), want, x.Where())
}

// exprOrGroup is expr where the result of group_by may stand too.
func (e *elab) exprOrGroup(x syntax.Expr, want *graph.Type) *graph.Node {
	e.steps++
	if e.steps > maxSteps {
		e.tooLarge(x.Where())
	}
	if e.full {
		return nil
	}
	switch x := x.(type) {
	case *syntax.IntLit:
		return e.intLit(x, false, x.Span, want)
	case *syntax.FloatLit:
		return e.floatLit(x, false, x.Span, want)
	case *syntax.BoolLit:
		return e.bool(x.Value, x.Span)
	case *syntax.TextLit:
		return e.textLit(x)
	case *syntax.MomentLit:
		return e.momentLit(x, false, x.Span, want)
	case *syntax.NameExpr:
		return e.name(x, want)
	case *syntax.ParenExpr:
		return e.exprOrGroup(x.X, want)
	case *syntax.BorrowExpr:
		return e.exprOrGroup(x.X, want)
	case *syntax.Unary:
		return e.unary(x, want)
	case *syntax.Binary:
		return e.binary(x, want)
	case *syntax.Cast:
		return e.castExpr(x)
	case *syntax.Call:
		return e.call(x, want)
	case *syntax.MethodCall:
		return e.methodCall(x, want)
	case *syntax.Field:
		return e.field(x)
	case *syntax.Index:
		return e.index(x)
	}
	return e.compound(x, want)
}

// compound elaborates the expressions that have parts of their own.
func (e *elab) compound(x syntax.Expr, want *graph.Type) *graph.Node {
	switch x := x.(type) {
	case *syntax.TupleExpr:
		return e.tupleExpr(x, want)
	case *syntax.ArrayExpr:
		return e.arrayExpr(x, want)
	case *syntax.RepeatExpr:
		return e.repeatExpr(x, want)
	case *syntax.RecordExpr:
		return e.recordExpr(x)
	case *syntax.RangeExpr:
		return e.rangeArray(x)
	case *syntax.If:
		return e.ifExpr(x, want)
	case *syntax.Match:
		return e.matchExpr(x, want)
	case *syntax.Block:
		return e.block(x, want)
	case *syntax.Closure:
		e.errorf(x.Span, "O01", "a closure can stand only as an argument of an array operation").
			Note("closures are not values").Help("declare a function:\nfn step(x: f32) -> f32 { … }")
	}
	return nil
}

// name elaborates a variable, size or constant.
func (e *elab) name(x *syntax.NameExpr, want *graph.Type) *graph.Node {
	name := x.Path[0]
	if len(x.Path) == 1 {
		if v := e.lookup(name.Text); v != nil {
			return e.read(v, x.Span)
		}
		if p, ok := e.fr.sizes[name.Text]; ok {
			return e.sizeVal(p, x.Span)
		}
		if name.Text == "None" {
			return e.none(x, want)
		}
		if e.resolver().first(name.Text) == nil {
			e.unknownName(name)
			return nil
		}
	}
	if len(x.Path) == 2 && e.resolver().first(name.Text) == nil {
		if k, ok := e.numberNamed(name.Text); ok {
			return e.limitOf(k, x)
		}
	}
	d := e.resolver().path(x.Path, "N01")
	if d == nil {
		return nil
	}
	if d.kind != constDecl {
		m := e.errorf(x.Span, "N09", "`%s` is %s, not a value", d.name, declWords[d.kind]).Note("expected a value")
		switch d.kind {
		case funcDecl:
			m.Help("call it: %s(…)", e.text(x.Span))
		case recordDecl:
			m.Help("%s { … }", e.text(x.Span))
		}
		return nil
	}
	if !e.p.constant(d) {
		return nil
	}
	return e.constOf(d.typ, d.bits, x.Span)
}

// read is the value of a variable.
func (e *elab) read(v *variable, at diag.Span) *graph.Node {
	switch {
	case !v.late || v.n == nil:
	case v.n.Op == graph.Const:
		return e.constOf(v.typ, v.n.Bits, at)
	default:
		e.tooLate(v, at)
		return nil
	}
	if v.n != nil {
		e.of(v.n).soft = v.soft
	}
	return v.n
}

func (e *elab) unknownName(name syntax.Name) {
	if name.Text == "" {
		return
	}
	m := e.errorf(name.Span, "N01", "there is no `%s` here", name.Text).Note("not found")
	names := e.resolver().visible(constDecl)
	for _, v := range e.vars[e.fr.base:] {
		names = append(names, v.name)
	}
	for s := range e.fr.sizes {
		names = append(names, s)
	}
	if nothings[name.Text] {
		m.Help("did you mean `None`?")
	} else if g := e.groupAtHand(); g != "" && len(name.Text) == 1 {
		m.Help("in `agg` there is a group, and no row: ask for %s.key(), or a fold, such as %s.max(|r| …)", g, g)
	} else if c := foreignConstants[name.Text]; c != "" {
		m.Help("did you mean `%s`?", c)
	} else if of := e.rowWith(name.Text); of != "" {
		m.Help("did you mean `%s.%s`?", of, name.Text)
	} else if best := nearest(name.Text, names); best != "" {
		m.Help("did you mean `%s`?", best)
	} else {
		m.Help("declare it before it is used:\nlet %s = …;", name.Text)
	}
}

// rowWith is the name of the row at hand that has a field of a name; "" where there is none.
func (e *elab) rowWith(field string) string {
	for i := len(e.vars) - 1; i >= e.fr.base; i-- {
		if v := e.vars[i]; v.n != nil && v.typ.Kind == graph.Tuple && v.typ != groupType && types.FieldIndex(v.typ, field) >= 0 {
			return v.name
		}
	}
	return ""
}

// groupAtHand is the name of the group in whose agg this stands; "" elsewhere.
func (e *elab) groupAtHand() string {
	for _, v := range e.vars[e.fr.base:] {
		if v.n != nil && e.of(v.n).group != nil && e.of(v.n).group.one != nil {
			return v.name
		}
	}
	return ""
}

func (e *elab) none(x *syntax.NameExpr, want *graph.Type) *graph.Node {
	t := want
	if len(x.Args) == 1 {
		if elem := (typeReader{e, nil}).typeArg(x.Args[0]); elem != nil {
			t = graph.OptionOf(elem)
		} else {
			return nil
		}
	}
	if t != nil && t.Kind == graph.Option {
		t = e.closedTexts(t)
	}
	if t == nil || t.Kind != graph.Option || types.HasOpen(t) {
		e.errorf(x.Span, "T11", "the type of this None is not known").Note("expected what it may hold, as in None::<Str>, or a context that says so").
			Help("None::<f64>")
		return nil
	}
	return e.add(graph.Nothing, t, x.Span)
}

// some is Some(v).
func (e *elab) some(x *syntax.Call, want *graph.Type) *graph.Node {
	if !e.argCount(x.Span, x.Span, "Some", x.Args, 1, 1) {
		return nil
	}
	var inner *graph.Type
	if want != nil && want.Kind == graph.Option {
		inner = want.Elem()
	}
	v := e.element(e.expr(x.Args[0], inner), x.Args[0].Where())
	if v != nil && inner != nil && !types.HasOpen(inner) {
		v = e.coerce(v, inner, x.Args[0].Where())
	}
	if v == nil {
		return nil
	}
	return e.add(graph.Some, graph.OptionOf(v.Type), x.Span, v)
}

func (e *elab) field(x *syntax.Field) *graph.Node {
	v := e.exprOrGroup(x.X, nil)
	if v == nil || x.Name.Text == "" {
		return nil
	}
	if e.of(v).group != nil {
		e.errorf(x.Name.Span, "N07", "there is no field `%s`", x.Name.Text).Note("%s has operations", describeNode(e, v)).Help("%s", e.groupFieldHelp(x, v))
		return nil
	}
	i := e.fieldOf(x, v)
	if i < 0 {
		return nil
	}
	return e.get(v, i, x.Span)
}

// someFold is a fold that any such group has.
func (e *elab) someFold(group *graph.Node) string {
	if isNumeric(known(e.rowType(group))) {
		return "sum"
	}
	return "count"
}

// groupFieldHelp is the help for a field of a group: the operation of that name, or a fold of the field of its rows.
func (e *elab) groupFieldHelp(x *syntax.Field, v *graph.Node) string {
	if help := e.bracketsHelp(x, v); help != "" {
		return help
	}
	if t := e.rowType(v); e.of(v).group.lookup == nil && types.FieldIndex(t, x.Name.Text) >= 0 {
		if help := e.foldOfField(x, t.Elems[types.FieldIndex(t, x.Name.Text)]); help != "" {
			return "a group has many rows: ask for one value of them:\n" + help
		}
		fold, f := "count_distinct", t.Elems[types.FieldIndex(t, x.Name.Text)]
		if isNumeric(known(f)) {
			fold = "max"
		}
		return "a group has many rows: ask for one value of them:\n" + e.operand(x.X) + "." + fold + "(|r| r." + syntax.FieldText(x.Name.Text) + ")"
	}
	return ""
}

// fieldOf is the number of the field that x names in v, the value of x.X; -1
// when there is none.
func (e *elab) fieldOf(x *syntax.Field, v *graph.Node) int {
	i := types.FieldIndex(v.Type, x.Name.Text)
	if i < 0 {
		m := e.errorf(x.Name.Span, "N07", "there is no field `%s`", x.Name.Text).Note("%s has none of that name", v.Type)
		switch {
		case v.Type.Kind == graph.Array && types.FieldIndex(v.Type.Elem(), x.Name.Text) >= 0:
			m.Help("take the field of each element:\n%s.map(|e| e.%s)", e.operand(x.X), x.Name.Text)
		case arrayMethods[x.Name.Text].run != nil && v.Type.Kind == graph.Array:
			m.Help("%s.%s()", e.operand(x.X), x.Name.Text)
		case v.Type.Kind == graph.Option && types.FieldIndex(v.Type.Elem(), x.Name.Text) >= 0:
			m.Help("take the field of what is there, as an Option:\n%s.map(|e| e.%s)", e.operand(x.X), x.Name.Text)
		case v.Type.Kind == graph.Index && e.rowsAt(v.Type.Bound, x.Name.Text) != "":
			m.Help("%s", e.rowHelp(x, v))
		case v.Type.Kind == graph.Tuple && v.Type != groupType:
			var names []string
			for j := range v.Type.Elems {
				names = append(names, v.Type.FieldName(j))
			}
			suggest(m, x.Name.Text, names)
		default:
			m.Help("%s", e.bracketsHelp(x, v))
		}
	}
	return i
}

// bracketsHelp is the help for an operation without its brackets; "" if there is none of that name, or of one like it.
func (e *elab) bracketsHelp(x *syntax.Field, v *graph.Node) string {
	table, name := e.tableFor(v), x.Name.Text
	if table[name].run == nil {
		name = nearest(name, slices.Collect(maps.Keys(table)))
	}
	switch m, ok := table[name]; {
	case !ok || m.need:
		return ""
	case m.min > 0:
		return e.operand(x.X) + "." + name + "(…)"
	}
	return e.operand(x.X) + "." + name + "()"
}

func (e *elab) tupleExpr(x *syntax.TupleExpr, want *graph.Type) *graph.Node {
	if len(x.Elems) < 2 || len(x.Elems) > maxTuple {
		e.errorf(x.Span, "T24", "a tuple has 2 to %d parts", maxTuple).Note("found %d", len(x.Elems)).
			Help("declare a record with named fields:\nrecord Row { first: f32, second: f32 }")
		return nil
	}
	parts := make([]*graph.Node, len(x.Elems))
	bad := false
	for i, p := range x.Elems {
		var w *graph.Type
		if want != nil && want.Kind == graph.Tuple && len(want.Elems) == len(x.Elems) {
			w = want.Elems[i]
		}
		parts[i] = e.dense(e.expr(p, w))
		bad = bad || parts[i] == nil
	}
	if bad {
		return nil
	}
	return e.tuple(x.Span, parts...)
}

func elemWant(want *graph.Type) *graph.Type {
	if want != nil && want.Kind == graph.Array {
		return want.Elem()
	}
	return nil
}

// arrayExpr is [a, b, c]: an array of the elements by their number.
func (e *elab) arrayExpr(x *syntax.ArrayExpr, want *graph.Type) *graph.Node {
	w := elemWant(want)
	if len(x.Elems) == 0 {
		if w == nil || types.HasOpen(w) {
			e.errorf(x.Span, "T11", "the type of these elements is not known").Note("an empty array").Help("[0.0; 0]")
			return nil
		}
		return e.emptyArray(w, x.Span)
	}
	if n := plainNumbers(x); n > maxWritten {
		return e.tabled(x, n, want)
	}
	if len(x.Elems) > maxLiteral {
		e.errorf(x.Span, "T18", "this array is too long to be written out").
			Note("%d elements that are not all numbers or bools, at most %d", len(x.Elems), maxLiteral).
			Help("take it as an argument: t: &[i64; %d]", len(x.Elems))
		return nil
	}
	elems := e.likeElements(x.Elems, w)
	if elems == nil {
		return nil
	}
	n := size.Const(int64(len(elems)))
	return e.tabulate(x.Span, n, func(i *graph.Node) *graph.Node { return e.pick(x.Span, i, elems, 0) })
}

// maxLiteral is how many elements an array literal may have that are computed: they are code
// of a kernel, and 64 KiB hold a good two thousand. Long ones of numbers are data; see table.
const maxLiteral = 2000

// pick chooses among values by number, halving the choice each time.
func (e *elab) pick(at diag.Span, i *graph.Node, values []*graph.Node, first int) *graph.Node {
	if len(values) == 1 {
		return values[0]
	}
	half := len(values) / 2
	cond := e.compareConst(i, int64(first+half), at)
	return e.choose(at, cond,
		func() *graph.Node { return e.pick(at, i, values[:half], first) },
		func() *graph.Node { return e.pick(at, i, values[half:], first+half) })
}

// likeElements elaborates expressions that must all have one type; the
// first that is not just a literal decides it.
func (e *elab) likeElements(list []syntax.Expr, want *graph.Type) []*graph.Node {
	out := make([]*graph.Node, len(list))
	lead := 0
	for i, x := range list {
		if !flexible(x) {
			lead = i
			break
		}
	}
	hint, bad := want, false
	set := func(i int) {
		out[i] = e.element(e.expr(list[i], hint), list[i].Where())
		bad = bad || out[i] == nil
	}
	set(lead)
	if hint == nil && out[lead] != nil {
		if hint = out[lead].Type; types.IsNumber(hint) {
			hint = types.Computed(hint)
		}
		hint = openTexts(hint)
	}
	for i := range list {
		if i != lead {
			set(i)
		}
	}
	if bad {
		return nil
	}
	if want == nil || types.HasOpen(want) {
		e.commonText(out, list)
		want = e.commonType(out, lead)
	}
	for i, n := range out {
		out[i] = e.coerce(n, want, list[i].Where())
		bad = bad || out[i] == nil
	}
	if bad {
		return nil
	}
	return out
}

// commonType is the type of the leading element; i64 if that is an index
// and another is not shown to be one below the same bound.
func (e *elab) commonType(elems []*graph.Node, lead int) *graph.Type {
	t := elems[lead].Type
	if t.Kind != graph.Index {
		return t
	}
	for _, n := range elems {
		if types.IsInt(n.Type) && n.Type.KindOf() == num.I64 && !e.inRange(n, t.Bound) {
			return graph.I64Type
		}
	}
	return t
}

func (e *elab) emptyArray(elem *graph.Type, at diag.Span) *graph.Node {
	return e.tabulate(at, size.Poly{}, func(*graph.Node) *graph.Node { return e.zero(elem, at) })
}

// zero is some value of a type, for arrays that have no element.
func (e *elab) zero(t *graph.Type, at diag.Span) *graph.Node {
	switch t.Kind {
	case graph.Tuple:
		parts := make([]*graph.Node, len(t.Elems))
		for i, x := range t.Elems {
			parts[i] = e.zero(x, at)
		}
		n := e.tuple(at, parts...)
		n.Type = t
		return n
	case graph.Array:
		return e.tabulate(at, t.Size, func(*graph.Node) *graph.Node { return e.zero(t.Elem(), at) })
	case graph.Option:
		return e.add(graph.Nothing, t, at)
	case graph.Index:
		return e.cast(t, e.int(num.I64, 0, at), at)
	}
	return e.constOf(t, 0, at)
}

// repeatExpr is [v; N, M].
func (e *elab) repeatExpr(x *syntax.RepeatExpr, want *graph.Type) *graph.Node {
	w := want
	for range x.Dims {
		w = elemWant(w)
	}
	v := e.element(e.expr(x.Value, w), x.Value.Where())
	if v != nil && w != nil && !types.HasOpen(w) {
		v = e.coerce(v, w, x.Value.Where())
	}
	dims := make([]size.Poly, len(x.Dims))
	for i, d := range x.Dims {
		reported := len(e.msgs.Messages)
		p, ok := e.sizeExpr(d)
		if i == 0 {
			e.takeInstead(reported, x)
		}
		if ok && !e.proves(p) {
			e.negativeSize(d.Where(), p)
			ok = false
		}
		if !ok {
			v = nil
		}
		dims[i] = p
	}
	for i := len(dims) - 1; i >= 0 && v != nil; i-- {
		inner := v
		v = e.tabulate(x.Span, dims[i], func(*graph.Node) *graph.Node { return inner })
	}
	return v
}

func (e *elab) negativeSize(at diag.Span, p size.Poly) {
	if n, known := p.Const(); known {
		e.errorf(at, "B01", "this size is negative").Note("expected 0 or more, found %d", n).Help("write a number that is not below 0; a range ends at its beginning or above")
		return
	}
	e.errorf(at, "B01", "this size may be negative").Note("%s >= 0 is not known", p).
		Help("%s", declare("declare it", p.String()+" >= 0", "", p))
}

func (e *elab) recordExpr(x *syntax.RecordExpr) *graph.Node {
	d := e.resolver().path(x.Path, "N03")
	if d == nil {
		e.recordValues(x, nil)
		return nil
	}
	if d.kind != recordDecl {
		e.errorf(x.Span, "N09", "`%s` is %s, not a record", d.name, declWords[d.kind]).Note("expected a record")
		return nil
	}
	t := e.p.recordType(d)
	values := e.recordValues(x, t)
	if t == nil || values == nil {
		return nil
	}
	return e.add(graph.MakeTuple, withTexts(t, values), x.Span, values...)
}

// recordValues elaborates the fields and puts them in the record's order.
func (e *elab) recordValues(x *syntax.RecordExpr, t *graph.Type) []*graph.Node {
	var values []*graph.Node
	var seen []bool
	var misspelt []string // fields that are there under a name that is like theirs
	if t != nil {
		values, seen = make([]*graph.Node, len(t.Elems)), make([]bool, len(t.Elems))
	}
	bad := t == nil
	for _, f := range x.Fields {
		i, want := -1, (*graph.Type)(nil)
		if t != nil {
			if i = types.FieldIndex(t, f.Name.Text); i >= 0 {
				want = t.Elems[i]
			}
		}
		value := f.Value
		if value == nil {
			value = &syntax.NameExpr{Span: f.Name.Span, Path: []syntax.Name{f.Name}}
		}
		n := e.value(value, want)
		bad = bad || n == nil
		switch {
		case t == nil:
		case i < 0:
			m := e.errorf(f.Name.Span, "N07", "there is no field `%s`", f.Name.Text).Note("%s has none of that name", t)
			suggest(m, f.Name.Text, append([]string(nil), t.Names...))
			misspelt = append(misspelt, nearest(f.Name.Text, append([]string(nil), t.Names...)))
			bad = true
		case seen[i]:
			e.errorf(f.Name.Span, "T14", "the field `%s` is given twice", f.Name.Text).Note("given before").Help("leave one out")
			bad = true
		default:
			values[i], seen[i] = n, true
		}
	}
	for i := range seen {
		if !seen[i] && !slices.Contains(misspelt, t.Names[i]) {
			e.errorf(x.Span, "T14", "the field `%s` is missing", t.Names[i]).Note("%s needs a value for it", t).
				Help("%s: …,", t.Names[i])
			bad = true
		}
	}
	if bad {
		return nil
	}
	return values
}
