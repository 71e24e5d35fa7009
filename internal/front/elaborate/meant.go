package elaborate

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: operations on scalars that stand for something. Out: those on the integers that stand for
// them, between two Casts that change the type alone: raw takes the meaning off, retype puts one
// on. The finished graph has neither; see forget.

// retype is n as a type of the same kind: the same bits.
func (e *elab) retype(t *graph.Type, n *graph.Node, at diag.Span) *graph.Node {
	if n == nil || n.Type.Equal(t) {
		return n
	}
	r := e.add(graph.Cast, t, at, n)
	e.of(r).bounds = e.of(n).bounds
	return r
}

// raw is the number that stands for a value.
func (e *elab) raw(n *graph.Node, at diag.Span) *graph.Node { return e.retype(n.Type.Plain(), n, at) }

// raw64 is raw as an i64.
func (e *elab) raw64(n *graph.Node, at diag.Span) *graph.Node {
	r := e.raw(n, at)
	return e.toI64(r)
}

// constOf is a constant of a scalar type.
func (e *elab) constOf(t *graph.Type, bits uint64, at diag.Span) *graph.Node {
	n := e.bits(t.KindOf(), bits, at)
	if types.IsMeant(t) {
		n.Type = t
	}
	return n
}

// sameMeaning reports that a value of the first type is one of the second; one dictionary goes
// where any may.
func sameMeaning(a, b *graph.Type) bool {
	if a.Means.Sort == meaning.Text && b.Means.Sort == meaning.Text && b.Means.Dict == 0 {
		return true
	}
	return a.Kind == b.Kind && a.Means == b.Means
}

// meant is the type of the language that a name stands for, if it is one that means something.
func (r typeReader) meant(t *syntax.NamedType) (is *graph.Type, ok bool) {
	m := meaning.Meaning{}
	switch t.Path[0].Text {
	case "Date":
		m.Sort = meaning.Date
	case "Time":
		m.Sort = meaning.Time
	case "Timestamp":
		m.Sort = meaning.Timestamp
	case "Duration":
		m.Sort = meaning.Duration
	case "Decimal":
		return r.decimal(t), true
	case "Str":
		return r.plain(t, anyText), true
	default:
		return nil, false
	}
	if m.Sort == meaning.Date || m.Sort == meaning.Time || len(t.Args) == 0 {
		return r.plain(t, graph.Meant(m)), true
	}
	unit := ""
	if len(t.Args) == 1 && t.Args[0].Size != nil {
		unit = r.e.text(t.Args[0].Size.Where())
	}
	if m.Unit, ok = meaning.ParseUnit(unit); !ok {
		r.e.errorf(t.Span, "T09", "`%s` takes one unit", t.Path[0].Text).Note("expected s, ms, us or ns; without one it is us").
			Help("%s<ms>", t.Path[0].Text)
		return nil, true
	}
	return graph.Meant(m), true
}

// decimal is Decimal<P, S>: P digits, S of them behind the point.
func (r typeReader) decimal(t *syntax.NamedType) *graph.Type {
	var n [2]int64
	ok := len(t.Args) == 2
	for i := 0; ok && i < 2; i++ {
		var p size.Poly
		if ok = t.Args[i].Size != nil; ok {
			if p, ok = r.e.sizeExpr(t.Args[i].Size); ok {
				n[i], ok = p.Const()
			}
		}
	}
	if !ok || n[0] < 1 || n[0] > meaning.MaxDigits || n[1] < 0 || n[1] > n[0] {
		r.e.errorf(t.Span, "T09", "`Decimal` takes two numbers").
			Note("expected all digits, 1 to %d, and how many of them stand behind the point", meaning.MaxDigits).Help("Decimal<18, 2>")
		return nil
	}
	return graph.Meant(meaning.Meaning{Sort: meaning.Decimal, Digits: uint8(n[0]), Places: uint8(n[1])})
}

// canSum reports elements whose sum is one of them.
func canSum(t *graph.Type) bool {
	return types.IsSort(t, meaning.Duration) || types.IsSort(t, meaning.Decimal)
}

// canNegate reports what has a negative.
func canNegate(t *graph.Type) bool { return canSum(t) }

// canFold reports that a group's fold of this name gives one of the elements, or a sum that is one.
func canFold(name string, t *graph.Type) bool {
	switch name {
	case "min", "max":
		return types.IsMeant(t) && !types.IsSort(t, meaning.Text)
	case "sum":
		return canSum(t)
	}
	return false
}

// meantResult is the type of a keyed fold of scalars.
func meantResult(m graph.Monoid, scalar *graph.Type) *graph.Type {
	if scalar.Kind == graph.Scalar && types.IsMeant(scalar) {
		return scalar
	}
	return m.Result(scalar, size.Poly{})
}

// meantFoldHelp is what to do where a fold needs numbers.
func meantFoldHelp(name string, t *graph.Type) string {
	switch t.Means.Sort {
	case meaning.Duration:
		return fmt.Sprintf(".map(|e| e.seconds()).%s()", name)
	case meaning.Decimal:
		return fmt.Sprintf(".map(|e| e as f64).%s()", name)
	case meaning.Text:
		switch name {
		case "min", "max":
			return "sort the rows by the text before group_by; then g.first() of each group is the row with the least after sort, with the greatest after sort_desc. The groups come in the order of the rows that are sorted so"
		}
		return declaredAs(graph.I64Type)
	}
	return fmt.Sprintf(".map(|e| e as i64).%s()", name)
}

// meantTables has the methods of each sort of meaning.
func meantTables() map[meaning.Sort]map[string]method {
	return map[meaning.Sort]map[string]method{
		meaning.Date:      merge(orderedMethods(), dateMethods(), dayMethods()),
		meaning.Timestamp: merge(orderedMethods(), dateMethods(), clockMethods(), timestampMethods()),
		meaning.Time:      merge(orderedMethods(), truncateMethods(), clockMethods()),
		meaning.Duration:  merge(orderedMethods(), durationMethods()),
		meaning.Decimal:   merge(orderedMethods(), decimalMethods()),
		meaning.Text:      textMethods(),
	}
}

// orderedMethods compare values of one meaning.
func orderedMethods() map[string]method {
	limit := func(op num.Op) func(*elab, *methodUse) *graph.Node {
		return func(e *elab, c *methodUse) *graph.Node {
			b := e.value(c.x.Args[0], c.recv.Type)
			if b == nil {
				return nil
			}
			return e.meantLimit(op, c.recv, b, c.at())
		}
	}
	return map[string]method{
		"min": {min: 1, max: 1, run: limit(num.Min)},
		"max": {min: 1, max: 1, run: limit(num.Max)},
		"clamp": {min: 2, max: 2, run: func(e *elab, c *methodUse) *graph.Node {
			lo, hi := e.value(c.x.Args[0], c.recv.Type), e.value(c.x.Args[1], c.recv.Type)
			if lo == nil || hi == nil {
				return nil
			}
			return e.meantLimit(num.Min, e.meantLimit(num.Max, c.recv, lo, c.at()), hi, c.at())
		}},
	}
}

func (e *elab) meantLimit(op num.Op, a, b *graph.Node, at diag.Span) *graph.Node {
	return e.retype(a.Type, e.scalarArith(operator{op: op, wrap: true}, at, e.raw(a, at), e.raw(b, at)), at)
}

func (e *elab) meantAbs(c *methodUse) *graph.Node {
	return e.retype(c.recv.Type, e.unaryOp(num.Abs, c.at(), e.raw(c.recv, c.at())), c.at())
}

// equals is v == l for two scalars of one type.
func (e *elab) equals(at diag.Span, v, l *graph.Node) *graph.Node {
	if types.IsSort(v.Type, meaning.Text) {
		return e.compareText(num.Eq, at, v, l)
	}
	return e.arith(num.Eq, at, e.raw(v, at), e.raw(l, at))
}

// meantOp is an operator of which a side stands for something.
func (e *elab) meantOp(x *syntax.Binary, a, b *graph.Node) *graph.Node {
	at := x.OpSpan
	o := operators[x.Op]
	s, t := a.Type.Means.Sort, b.Type.Means.Sort
	switch {
	case isCompare(x.Op) && s == meaning.Text && t == meaning.Text:
		return e.compareText(o.op, at, a, b)
	case isCompare(x.Op) && a.Type.Equal(b.Type):
		return e.arith(o.op, at, e.raw(a, at), e.raw(b, at))
	case s == meaning.Decimal || t == meaning.Decimal:
		if n, ok := e.decimalOp(x, a, b); ok {
			return n
		}
	case s.IsTime() || t.IsTime():
		if n, ok := e.timeOp(x, a, b); ok {
			return n
		}
	}
	e.meantUndefined(x, a.Type, b.Type)
	return nil
}

// meantUndefined reports an operator that makes no sense, and says what to write.
func (e *elab) meantUndefined(x *syntax.Binary, a, b *graph.Type) {
	code, text := "F03", "`%s` is not defined on these values"
	args := []any{x.Op}
	if isCompare(x.Op) {
		code, text, args = "F04", "the two sides have different types", nil
	}
	m := e.errorf(x.Span, code, text, args...).Note("%s %s %s", a, x.Op, b)
	e.sides = [2]*graph.Type{a, b}
	l, r := e.operand(x.X), e.operand(x.Y)
	s, t := a.Means, b.Means
	update := x.OpSpan == x.Span
	switch help := e.unlikeHelp(x, a, b); {
	case update:
	case help != "":
		m.Help("%s", help)
	case x.Op == syntax.Slash && s.Sort == meaning.Duration && t.Sort == meaning.Duration:
		if s.Unit.Nanos() > t.Unit.Nanos() {
			l += " as " + b.String()
		} else if s.Unit != t.Unit {
			r += " as " + a.String()
		}
		m.Help("%s / %s", asFloat(l, a), asFloat(r, b))
	case s.Sort == t.Sort && s.IsTime() && s.Unit != t.Unit:
		if s.Unit.Nanos() > t.Unit.Nanos() {
			m.Help("%s as %s %s %s", l, b, x.Op, r)
		} else {
			m.Help("%s %s %s as %s", l, x.Op, r, a)
		}
	case s.Sort == meaning.Timestamp && t.Sort == meaning.Duration && s.Unit != t.Unit:
		m.Help("%s %s %s as Duration<%s>", l, x.Op, r, s.Unit)
	case s.Sort == meaning.Timestamp && t.Sort == meaning.Date, s.Sort == meaning.Date && t.Sort == meaning.Timestamp:
		m.Help("%s", comparedTimes(l, " "+x.Op.String()+" ", r, a, b))
	case s.Sort == meaning.Date && types.IsInt(b) && (x.Op == syntax.Plus || x.Op == syntax.Minus):
		sign := ""
		if x.Op == syntax.Minus {
			sign = "-"
		}
		m.Help("%s.add_days(%s%s)", l, sign, r)
	case s.Sort == meaning.Decimal || t.Sort == meaning.Decimal:
		m.Help("%s", decimalHelp(x, l, r, a, b))
	case isCompare(x.Op):
		m.Help("compare values of one type")
	case types.IsFloat(a) || types.IsFloat(b):
		m.Help("%s %s %s", asFloat(l, a), x.Op, asFloat(r, b))
	default:
		m.Help("%s %s %s", asNumber(l, a), x.Op, asNumber(r, b))
	}
}

// asNumber converts a time to a number.
func asNumber(text string, t *graph.Type) string {
	if types.IsMeant(t) {
		return text + " as i64"
	}
	return text
}

// asFloat converts a time to a float.
func asFloat(text string, t *graph.Type) string {
	if types.IsMeant(t) {
		return text + " as f64"
	}
	return text
}

// otherText reports text, or what has some in it, of another dictionary than is wanted, which no conversion mends.
func otherText(found, want *graph.Type) bool {
	switch {
	case types.IsSort(found, meaning.Text) && types.IsSort(want, meaning.Text):
		return !found.Equal(want)
	case found.Kind == graph.Option && want.Kind == graph.Option:
		return otherText(found.Elem(), want.Elem())
	case found.Kind == graph.Tuple && want.Kind == graph.Tuple && len(found.Elems) == len(want.Elems):
		for i, f := range found.Elems {
			if otherText(f, want.Elems[i]) {
				return true
			}
		}
	}
	return false
}

// meantMismatch helps where one type was found and another expected; false if it has nothing to say.
func (e *elab) meantMismatch(m message, found, want *graph.Type, at diag.Span) bool {
	text := e.parenthesized(at)
	s, t := found.Means.Sort, want.Means.Sort
	switch {
	case s == meaning.Text && t == meaning.Text:
		m.Note("expected text of one column, found text of another, or of the program").
			Help("%s", e.otherDictHelp(found, want))
	case s == meaning.Timestamp && t == meaning.Date:
		m.Help("%s.date()", text)
	case s == t && s.IsTime() || s == meaning.Date && t == meaning.Timestamp, s == meaning.Decimal && t == meaning.Decimal:
		m.Help("%s as %s", text, want)
	case s == meaning.Text && types.IsNumber(want):
		m.Help("%s", declaredAs(want))
	case s == meaning.Duration && want.Kind == graph.Scalar && types.IsNumber(want):
		m.Help("its days, or its count of %s:\n%s\nor %s as %s", found.Means.Unit, converted(e.text(at), found, want), text, want)
	case types.IsMeant(found) && want.Kind == graph.Scalar && types.IsNumber(want):
		m.Help("%s as %s", text, want)
	case types.IsInt(found) && (t.IsTime() || t == meaning.Decimal):
		m.Help("%s as %s", text, want)
	default:
		return false
	}
	return true
}

// convertMeant is `v as t` where one of them stands for something.
func (e *elab) convertMeant(x *syntax.Cast, v *graph.Node, t *graph.Type) *graph.Node {
	s, to := v.Type.Means.Sort, t.Means.Sort
	at := x.Span
	switch {
	case !v.Type.IsScalar() || !t.IsScalar() || s == meaning.Text || to == meaning.Text:
	case v.Type.Equal(t):
		return v
	case s == meaning.Decimal || to == meaning.Decimal:
		if n, ok := e.convertDecimal(x, v, t); ok {
			return n
		}
	case s.IsTime() && to.IsTime():
		if n, ok := e.convertTime(v, t, at); ok {
			return n
		}
	case s.IsTime() && t.Kind == graph.Scalar && types.IsNumber(t):
		return e.convertScalar(e.raw(v, at), t, at)
	case to.IsTime() && types.IsInt(v.Type):
		return e.numberToTime(v, t, at)
	}
	m := e.errorf(at, "F06", "this cannot be converted").Note("%s as %s", v.Type, e.show(t))
	text := e.operand(x.X)
	switch {
	case s == meaning.Text && to == meaning.Text:
		m.Help("write `%s` for `%s`", e.text(x.X.Where()), e.text(x.Span))
	case s == meaning.Text:
		m.Help("%s", declaredAs(t))
	case to == meaning.Text:
		m.Help("a number is not made text; texts are those of a column or of the program")
	case s == meaning.Timestamp && to == meaning.Date:
		m.Help("%s.date()", text)
	case s == meaning.Timestamp && to == meaning.Time:
		m.Help("%s.time()", text)
	case types.IsFloat(v.Type) && to.IsTime():
		m.Help("(%s as i64) as %s", text, t)
	case v.Type.Kind == graph.Array:
		m.Help("%s.map(|e| e as %s)", text, e.show(t))
	case to == meaning.Decimal && s == meaning.Decimal:
		m.Help("%s", roundedDecimal(text, v.Type, t))
	case to == meaning.Decimal && types.IsFloat(v.Type):
		m.Help("%s", e.instead(x.Span, decimalOfFloat(text, v.Type, t)))
	default:
		m.Help("%s as i64", text)
	}
	return nil
}

// forget takes what scalars mean off all nodes, with the Casts that did nothing else. The types of
// parameters and of the result are kept beside them.
func (e *elab) forget() {
	g := e.g
	for i, p := range g.Body.Params {
		if p.Type.Plain() != p.Type {
			g.ParamInfo[i].Type = p.Type
		}
	}
	if t := g.Body.Results[0].Type; t.Plain() != t {
		g.Result = t
	}
	f := forgetting{by: map[*graph.Node]*graph.Node{}, plain: map[*graph.Type]*graph.Type{}}
	f.block(&g.Body)
}

type forgetting struct {
	by    map[*graph.Node]*graph.Node
	plain map[*graph.Type]*graph.Type
}

func (f *forgetting) typeOf(n *graph.Node) {
	t, ok := f.plain[n.Type]
	if !ok {
		t = n.Type.Plain()
		f.plain[n.Type] = t
	}
	n.Type = t
}

func (f *forgetting) now(list []*graph.Node) {
	for i, n := range list {
		if m, ok := f.by[n]; ok {
			list[i] = m
		}
	}
}

func (f *forgetting) block(b *graph.Block) {
	for _, p := range b.Params {
		f.typeOf(p)
	}
	kept := b.Nodes[:0]
	for _, n := range b.Nodes {
		f.typeOf(n)
		f.now(n.Args)
		if n.Op == graph.Cast && !n.Checked && n.Args[0].Type.Equal(n.Type) {
			f.by[n] = n.Args[0]
			continue
		}
		for _, inner := range n.Blocks {
			f.block(inner)
		}
		kept = append(kept, n)
	}
	b.Nodes = kept
	f.now(b.Results)
}
