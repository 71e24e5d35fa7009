package elaborate

import (
	"slices"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// branch is one side of an If being made: its block, its value, and what the
// variables are at its end.
type branch struct {
	b     *graph.Block
	scope *scope
	value *graph.Node
	vars  []*graph.Node
	// outside is how many run-time sizes there were before it.
	outside int
}

// variables lists the current values of all variables.
func (e *elab) variables() []*graph.Node {
	now := make([]*graph.Node, len(e.vars))
	for i := range e.vars {
		now[i] = e.vars[i].n
	}
	return now
}

func (e *elab) restore(vars []*graph.Node) {
	for i, n := range vars {
		e.vars[i].n = n
	}
}

// sideOf elaborates the side where cond is as given, leaving the variables as they were.
func (e *elab) sideOf(before []*graph.Node, cond *graph.Node, holds bool, f func() *graph.Node) branch {
	s := &scope{outer: e.cur, b: new(graph.Block), known: e.cur.known}
	r := branch{b: s.b, scope: s, outside: e.dynamic}
	e.suppose(s, cond, holds)
	e.cur = s
	r.value = f()
	e.cur = s.outer
	r.vars = e.variables()[:len(before)]
	e.restore(before)
	return r
}

// conditional makes an If of two sides for their assignments: the variables
// that either side assigns become results of it.
func (e *elab) conditional(at diag.Span, cond *graph.Node, then, otherwise func()) {
	before := e.variables()
	a := e.sideOf(before, cond, true, func() *graph.Node { then(); return nil })
	b := e.sideOf(before, cond, false, func() *graph.Node { otherwise(); return nil })
	e.join(at, cond, false, before, a, b)
}

// choice makes an If of two sides that have a value too. A side made of
// literals comes second, and takes the type of the other.
func (e *elab) choice(at diag.Span, cond *graph.Node, want *graph.Type, literalFirst bool, then, otherwise func(want *graph.Type) *graph.Node) *graph.Node {
	before := e.variables()
	var a, b branch
	if literalFirst {
		b = e.sideOf(before, cond, false, func() *graph.Node { return otherwise(want) })
		msgs := e.msgs
		if want = likeValue(want, b.value); b.value == nil {
			e.msgs = new(diag.List) // without the other side nothing is sure
		}
		a = e.sideOf(before, cond, true, func() *graph.Node { return then(want) })
		e.msgs = msgs
	} else {
		a = e.sideOf(before, cond, true, func() *graph.Node { return then(want) })
		want = likeValue(want, a.value)
		b = e.sideOf(before, cond, false, func() *graph.Node { return otherwise(want) })
	}
	either := e.unify(&a, &b, at)
	n := e.join(at, cond, true, before, a, b)
	if n != nil && either {
		return e.firstOf(e.get(n, 0, at), e.get(n, 1, at), size.None, at)
	}
	return n
}

// likeValue is the type that literals, and None, take beside a value.
func likeValue(want *graph.Type, n *graph.Node) *graph.Type {
	if want != nil || n == nil {
		return want
	}
	return besides(n.Type)
}

// besides is a type with its indices as the integers that literals become, and its texts as those of any column.
func besides(t *graph.Type) *graph.Type {
	if types.IsSort(t, meaning.Text) { // which is an index, too
		return anyText
	}
	switch t.Kind {
	case graph.Option:
		return graph.OptionOf(besides(t.Elem()))
	case graph.Index:
		return types.Computed(t)
	case graph.Tuple:
		if t.Name != "" {
			break // a record says what its fields are
		}
		elems := make([]*graph.Type, len(t.Elems))
		for i, e := range t.Elems {
			elems[i] = besides(e)
		}
		return graph.TupleOf(elems...)
	case graph.Array:
		return graph.ArrayOf(besides(t.Elem()), types.Open)
	}
	return openTexts(t)
}

// openTexts is a type with its texts as those of any column.
func openTexts(t *graph.Type) *graph.Type {
	if types.IsSort(t, meaning.Text) {
		return anyText
	}
	if len(textDicts(t)) == 0 {
		return t
	}
	own := *t
	own.Elems = make([]*graph.Type, len(t.Elems))
	for i, elem := range t.Elems {
		own.Elems[i] = openTexts(elem)
	}
	return &own
}

// unify converts the values of both sides to one type. Arrays of different lengths become pairs of an array and its length, which it says.
func (e *elab) unify(a, b *branch, at diag.Span) (either bool) {
	if a.value == nil || b.value == nil {
		a.value, b.value = nil, nil
		return false
	}
	e.inScope(a.scope, func() { a.value = e.dense(a.value) })
	e.inScope(b.scope, func() { b.value = e.dense(b.value) })
	e.unifyTexts(a, b, at)
	t, u := a.value.Type, b.value.Type
	if e.sameType(t, u) {
		return false
	}
	if types.IsInt(t) && types.IsInt(u) && t.KindOf() == u.KindOf() {
		e.unifyInts(a, b, at)
		return false
	}
	if e.coercible(t, u) {
		e.inScope(a.scope, func() { a.value = e.coerce(a.value, u, at) })
		return false
	}
	if e.coercible(u, t) {
		e.inScope(b.scope, func() { b.value = e.coerce(b.value, t, at) })
		return false
	}
	if e.settles(a.value, u) || e.settles(b.value, t) {
		a.value, b.value = nil, nil
		return false
	}
	if e.eitherSize(a, b, at) {
		return true
	}
	e.sides = [2]*graph.Type{t, u}
	e.errorf(at, "T13", "the two sides give different types").Note("%s and %s", t, u).
		Help("convert one of them, or give both the same size")
	a.value, b.value = nil, nil
	return false
}

// unifyInts joins an index with another index or an i64.
func (e *elab) unifyInts(a, b *branch, at diag.Span) {
	t, u := a.value.Type, b.value.Type
	want := graph.I64Type
	switch {
	case t.Kind == graph.Index && e.inRangeAt(b.scope, b.value, t.Bound):
		want = t
	case u.Kind == graph.Index && e.inRangeAt(a.scope, a.value, u.Bound):
		want = u
	}
	e.inScope(a.scope, func() { a.value = e.coerce(a.value, want, at) })
	e.inScope(b.scope, func() { b.value = e.coerce(b.value, want, at) })
}

// join emits the If and takes its results apart.
func (e *elab) join(at diag.Span, cond *graph.Node, wantValue bool, before []*graph.Node, a, b branch) *graph.Node {
	var changed []int
	for i := range before {
		if a.vars[i] == before[i] && b.vars[i] == before[i] {
			continue
		}
		if a.vars[i] == nil || b.vars[i] == nil {
			e.vars[i].n = nil
			continue
		}
		changed = append(changed, i)
	}
	bad := cond == nil || wantValue && a.value == nil
	if bad {
		for _, i := range changed {
			e.vars[i].n = nil
		}
		return nil
	}
	first := e.results(a, wantValue, changed, at)
	second := e.results(b, wantValue, changed, at)
	if first == nil || !wantValue && len(changed) == 0 && !a.b.AnyFault() && !b.b.AnyFault() {
		return nil
	}
	n := e.add(graph.If, first.Type, at, cond)
	n.Blocks = []*graph.Block{a.b, b.b}
	e.joinBounds(n, cond, first, second)
	return e.spread(n, at, wantValue, changed, a, b)
}

// joinBounds keeps what holds for both sides.
func (e *elab) joinBounds(n, cond, a, b *graph.Node) {
	if types.IsInt(n.Type) {
		e.of(n).bounds = e.typed(n.Type, hull(e.boundsOf(a), e.boundsOf(b)))
		e.of(n).sides = &[3]*graph.Node{cond, a, b}
	}
}

// results ends a side with the values that it yields.
func (e *elab) results(s branch, wantValue bool, changed []int, at diag.Span) *graph.Node {
	var list []*graph.Node
	if wantValue {
		list = append(list, s.value)
	}
	for _, i := range changed {
		list = append(list, s.vars[i])
	}
	var r *graph.Node
	e.inScope(s.scope, func() {
		switch len(list) {
		case 0:
			r = e.bool(false, at)
		case 1:
			r = list[0]
		default:
			r = e.tuple(at, list...)
		}
	})
	s.b.Results = []*graph.Node{r}
	return r
}

// spread gives the If's results to the value and the variables.
func (e *elab) spread(n *graph.Node, at diag.Span, wantValue bool, changed []int, a, b branch) *graph.Node {
	count := len(changed)
	if wantValue {
		count++
	}
	part := func(i int, x, y *graph.Node) *graph.Node {
		if count == 1 {
			return n
		}
		r := e.get(n, i, at)
		e.joinBounds(r, n.Args[0], x, y)
		return r
	}
	next := 0
	var value *graph.Node
	if wantValue {
		value = part(0, a.value, b.value)
		next = 1
	}
	for j, i := range changed {
		e.vars[i].n = part(next+j, a.vars[i], b.vars[i])
	}
	return value
}

// ifExpr is an if whose value is used.
func (e *elab) ifExpr(x *syntax.If, want *graph.Type) *graph.Node {
	cond := e.value(x.Cond, graph.BoolType)
	if x.Else == nil {
		e.errorf(x.Span, "T13", "this if has no else, and so no value").Note("expected a value in both cases").
			Help("%s else { … }", e.text(x.Span))
		return nil
	}
	reported := len(e.msgs.Messages)
	n := e.choice(x.Span, cond, want, vague(x.Then) && !vague(x.Else),
		func(want *graph.Type) *graph.Node { return e.block(x.Then, want) },
		func(want *graph.Type) *graph.Node { return e.expr(x.Else, want) })
	e.convertSide(reported, x.Then, x.Else)
	return n
}

// trial elaborates f and forgets all that it made. It reports whether there
// was no error.
func (e *elab) trial(f func()) bool {
	msgs, vars, n := e.msgs, e.variables(), len(e.vars)
	e.msgs = new(diag.List)
	e.inBlock(f)
	ok := !e.msgs.Failed()
	e.msgs = msgs
	e.vars = e.vars[:n]
	e.restore(vars)
	return ok
}

// attempt elaborates f into the open block if that gives no error, and leaves
// no trace of it otherwise.
func (e *elab) attempt(f func()) bool {
	msgs, vars, n := e.msgs, e.variables(), len(e.vars)
	e.msgs = new(diag.List)
	e.attempts++
	b := e.inBlock(f)
	e.attempts--
	ok := !e.msgs.Failed()
	e.msgs = msgs
	if ok {
		e.splice(b)
		return true
	}
	e.vars = e.vars[:n]
	e.restore(vars)
	return false
}

// ifStmt is an if for its assignments.
func (e *elab) ifStmt(x *syntax.If) {
	cond := e.value(x.Cond, graph.BoolType)
	e.conditional(x.Span, cond, func() { e.unitBlock(x.Then) }, func() {
		if x.Else != nil {
			e.unit(x.Else)
		}
	})
}

// unit elaborates an expression for its assignments.
func (e *elab) unit(x syntax.Expr) {
	switch x := x.(type) {
	case *syntax.If:
		e.ifStmt(x)
	case *syntax.Match:
		e.match(x, nil, false)
	case *syntax.Block:
		e.unitBlock(x)
	case *syntax.ParenExpr:
		e.unit(x.X)
	default:
		if n := e.expr(x, nil); n != nil {
			e.errorf(x.Where(), "T20", "this value is not used").Note("found %s", n.Type).
				Help("let y = %s;", e.text(x.Where()))
		}
	}
}

func (e *elab) matchExpr(x *syntax.Match, want *graph.Type) *graph.Node {
	return e.match(x, want, true)
}

// match elaborates the arms as a chain of Ifs.
func (e *elab) match(x *syntax.Match, want *graph.Type, wantValue bool) *graph.Node {
	v := e.expr(x.X, nil)
	if v == nil {
		return nil
	}
	t := v.Type
	if t.Kind != graph.Option && !types.IsBool(t) && !types.IsInt(t) && !types.IsMeant(t) {
		e.errorf(x.X.Where(), "T15", "this cannot be matched").Note("found %s; expected an Option, an integer, a bool, a time or text", t).
			Help("if … { … } else { … }")
		return nil
	}
	if !e.exhaustive(x, t) {
		return nil
	}
	return e.arms(x, v, 0, want, wantValue)
}

// arms is the If for arm i and all after it.
func (e *elab) arms(x *syntax.Match, v *graph.Node, i int, want *graph.Type, wantValue bool) *graph.Node {
	a := x.Arms[i]
	if a.Wild || i == len(x.Arms)-1 {
		return e.arm(a, v, want, wantValue)
	}
	cond := e.armCond(a, v)
	if !wantValue {
		e.conditional(x.Span, cond,
			func() { e.arm(a, v, nil, false) },
			func() { e.arms(x, v, i+1, nil, false) })
		return nil
	}
	rest := slices.ContainsFunc(x.Arms[i+1:], func(a syntax.Arm) bool { return !vague(a.Body) })
	return e.choice(x.Span, cond, want, vague(a.Body) && rest,
		func(want *graph.Type) *graph.Node { return e.arm(a, v, want, true) },
		func(want *graph.Type) *graph.Node { return e.arms(x, v, i+1, want, true) })
}

func (e *elab) armCond(a syntax.Arm, v *graph.Node) *graph.Node {
	if a.Some || a.None {
		n := e.add(graph.IsSome, graph.BoolType, a.Span, v)
		if a.None {
			n = e.arith(num.Not, a.Span, n)
		}
		return n
	}
	var cond *graph.Node
	for _, lit := range a.Lit {
		want := types.Computed(v.Type)
		if types.IsSort(want, meaning.Text) {
			want = anyText // of its own dictionary
		}
		l := e.value(lit, want)
		if l == nil {
			return nil
		}
		c := e.equals(lit.Where(), v, l)
		if cond != nil {
			c = e.arith(num.Or, lit.Where(), cond, c)
		}
		cond = c
	}
	return cond
}

func (e *elab) arm(a syntax.Arm, v *graph.Node, want *graph.Type, wantValue bool) *graph.Node {
	mark := len(e.vars)
	defer func() { e.vars = e.vars[:mark] }()
	if a.Bind != nil {
		bound := v
		if a.Some {
			bound = e.add(graph.Unwrap, v.Type.Elem(), a.Span, v)
		}
		e.bindPattern(a.Bind, false, bound)
	}
	if !wantValue {
		e.unit(a.Body)
		return nil
	}
	return e.expr(a.Body, want)
}

// exhaustive checks that the arms fit the type and cover all its values.
func (e *elab) exhaustive(x *syntax.Match, t *graph.Type) bool {
	var some, none, yes, no, wild bool
	for _, a := range x.Arms {
		if (a.Some || a.None) != (t.Kind == graph.Option) && !a.Wild {
			e.errorf(a.Span, "T15", "this arm does not fit").Note("the value is %s", t).
				Help(map[bool]string{true: "Some(v) => …, None => …", false: "0 => …, _ => …"}[t.Kind == graph.Option])
			return false
		}
		some, none, wild = some || a.Some, none || a.None, wild || a.Wild
		for _, l := range a.Lit {
			b, ok := l.(*syntax.BoolLit)
			if !ok && types.IsBool(t) || ok && !types.IsBool(t) {
				e.errorf(l.Where(), "T15", "this arm does not fit").Note("the value is %s", t)
				return false
			}
			yes, no = yes || ok && b.Value, no || ok && !b.Value
		}
	}
	if wild || some && none || yes && no {
		return true
	}
	missing := "_ => …,"
	switch {
	case t.Kind == graph.Option && some:
		missing = "None => …,"
	case t.Kind == graph.Option:
		missing = "Some(v) => …,"
	}
	e.errorf(x.Span, "T15", "this match leaves values out").Note("not all values of %s have an arm", t).Help("%s", missing)
	return false
}
