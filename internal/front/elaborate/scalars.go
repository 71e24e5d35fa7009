package elaborate

import (
	"maps"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// numberMethods work on integers and floats.
func numberMethods() map[string]method {
	return map[string]method{
		"abs":   {run: (*elab).abs},
		"min":   {min: 1, max: 1, run: func(e *elab, c *methodUse) *graph.Node { return e.minMax(c, num.Min) }},
		"max":   {min: 1, max: 1, run: func(e *elab, c *methodUse) *graph.Node { return e.minMax(c, num.Max) }},
		"clamp": {min: 2, max: 2, run: (*elab).clamp},
		"sign":  {run: (*elab).sign},
	}
}

// floatMethods work on floats.
func floatMethods() map[string]method {
	table := map[string]method{
		"powi": {sizes: 1, need: true, run: (*elab).powi},
	}
	for more, names := range preludeNames {
		for name := range strings.FieldsSeq(names) {
			table[name] = floatMethod(more, func(e *elab, at diag.Span, x []*graph.Node) *graph.Node { return e.prelude(at, name, x...) })
		}
	}
	for name, op := range map[string]num.Op{"sqrt": num.Sqrt, "floor": num.Floor, "ceil": num.Ceil, "trunc": num.Trunc} {
		table[name] = floatMethod(0, func(e *elab, at diag.Span, x []*graph.Node) *graph.Node { return e.arith(op, at, x[0]) })
	}
	return table
}

// floatMethod is a function of a float and so many more.
func floatMethod(more int, f func(e *elab, at diag.Span, x []*graph.Node) *graph.Node) method {
	return method{min: more, max: more, run: func(e *elab, c *methodUse) *graph.Node {
		if !e.isFloat(c) {
			return nil
		}
		x := []*graph.Node{c.recv}
		for i := range more {
			y := e.sideArg(c, i)
			if y == nil {
				return nil
			}
			x = append(x, y)
		}
		return f(e, c.at(), x)
	}}
}

func (e *elab) isFloat(c *methodUse) bool {
	if types.IsFloat(c.recv.Type) {
		return true
	}
	m := e.errorf(c.x.Name.Span, "T29", "`%s` needs a float", c.x.Name.Text).Note("found %s", c.recv.Type)
	power := c.x.Name.Text == "powi" && len(c.x.TypeArgs) == 1 && c.x.TypeArgs[0].Size != nil
	if n := c.x.TypeArgs; power && types.IsInt(c.recv.Type) && e.isWhole(n[0].Size) {
		m.Help("%s", e.wholePower(c.x, n[0].Size, c.each))
	} else if types.IsInt(c.recv.Type) && c.each {
		m.Help("%s.map(|e| (e as f64).%s(%s))", e.operand(c.x.Receiver), e.text(e.called(c.x)), e.argText(c.x))
	} else if types.IsInt(c.recv.Type) {
		m.Help("(%s).%s(%s)", e.asKind(unwrapped(c.x.Receiver), num.F64), e.text(e.called(c.x)), e.argText(c.x))
	}
	return false
}

// called is where a method's name stands, and what follows it in ::<…>.
func (e *elab) called(x *syntax.MethodCall) diag.Span {
	at := x.Name.Span
	if len(x.TypeArgs) > 0 {
		if n := strings.IndexByte(e.text(diag.Span{Start: at.End, End: x.Span.End}), '('); n > 0 {
			at.End += n
		}
	}
	return at
}

func (e *elab) isNumber(c *methodUse) bool {
	if types.IsNumber(c.recv.Type) {
		return true
	}
	e.errorf(c.x.Name.Span, "T29", "`%s` needs a number", c.x.Name.Text).Note("found %s", c.recv.Type).
		Help("%s as i64", e.operand(c.x.Receiver))
	return false
}

func (e *elab) abs(c *methodUse) *graph.Node {
	if !e.isNumber(c) {
		return nil
	}
	if k := c.recv.Type.KindOf(); k.IsInt() && !k.IsSigned() {
		return c.recv
	}
	return e.unaryOp(num.Abs, c.at(), c.recv)
}

// sign is -1, 0 or 1; of a float that is no number, or ±0, itself.
func (e *elab) sign(c *methodUse) *graph.Node {
	if !e.isNumber(c) {
		return nil
	}
	k := c.recv.Type.KindOf()
	if k.IsFloat() {
		return e.prelude(c.at(), "sign", c.recv)
	}
	zero, one := e.int(k, 0, c.at()), e.int(k, 1, c.at())
	up := func() *graph.Node {
		return e.choose(c.at(), e.arith(num.Lt, c.at(), zero, c.recv), func() *graph.Node { return one }, func() *graph.Node { return zero })
	}
	if !k.IsSigned() {
		return up()
	}
	return e.choose(c.at(), e.arith(num.Lt, c.at(), c.recv, zero), func() *graph.Node { return e.int(k, -1, c.at()) }, up)
}

// sideArg is an argument of the receiver's kind.
func (e *elab) sideArg(c *methodUse, i int) *graph.Node {
	arg := c.x.Args[i]
	n := e.expr(arg, types.Computed(c.recv.Type))
	if n == nil {
		return nil
	}
	if n.Type.IsScalar() && n.Type.KindOf() == c.recv.Type.KindOf() {
		return n
	}
	if !e.settles(n, c.recv.Type) && !e.settles(c.recv, n.Type) {
		m := e.mismatch(n.Type, types.Computed(c.recv.Type), arg.Where())
		if loses(n.Type, c.recv.Type) {
			m.Help("(%s as %s).%s(%s)", e.text(c.x.Receiver.Where()), n.Type.KindOf(), c.x.Name.Text, e.argText(c.x))
		}
	}
	return nil
}

// loses reports two integers of which the first has values that the second has not, and the
// second none that the first has not: the second is to become the first.
func loses(from, to *graph.Type) bool {
	if !types.IsInt(from) || !types.IsInt(to) {
		return false
	}
	a, b := from.KindOf(), to.KindOf()
	return a != b && a.MinInt() <= b.MinInt() && a.MaxInt() >= b.MaxInt()
}

func (e *elab) minMax(c *methodUse, op num.Op) *graph.Node {
	if !e.isNumber(c) {
		return nil
	}
	recv := c.recv
	if flexible(c.x.Receiver) && !flexible(c.x.Args[0]) { // 0.max(x)
		arg := e.expr(c.x.Args[0], nil)
		if arg == nil {
			return nil
		}
		if recv = e.expr(c.x.Receiver, operandWant(arg.Type)); recv == nil {
			return nil
		}
		c.recv = recv
		if !arg.Type.IsScalar() || arg.Type.KindOf() != recv.Type.KindOf() {
			e.mismatch(arg.Type, recv.Type, c.x.Args[0].Where())
			return nil
		}
		return e.limitTo(op, c.at(), recv, arg)
	}
	arg := e.sideArg(c, 0)
	if arg == nil {
		return nil
	}
	return e.limitTo(op, c.at(), recv, arg)
}

// limitTo is min or max; that of two indices below one bound is an index.
func (e *elab) limitTo(op num.Op, at diag.Span, a, b *graph.Node) *graph.Node {
	n := e.scalarArith(operator{op: op, wrap: true}, at, a, b)
	if a.Type.Kind == graph.Index && b.Type.Kind == graph.Index && e.sameSize(a.Type.Bound, b.Type.Bound) {
		n.Type = a.Type
	}
	return n
}

func (e *elab) clamp(c *methodUse) *graph.Node {
	if !e.isNumber(c) {
		return nil
	}
	lo, hi := e.sideArg(c, 0), e.sideArg(c, 1)
	if lo == nil || hi == nil {
		return nil
	}
	return e.limitTo(num.Min, c.at(), e.limitTo(num.Max, c.at(), c.recv, lo), hi)
}

// maxPower is the largest K of powi.
const maxPower = 64

// powi multiplies the powers x, x², x⁴, … whose bits are set in K, the lowest first; x^0 is 1.
func (e *elab) powi(c *methodUse) *graph.Node {
	if !e.isFloat(c) {
		return nil
	}
	k, ok := c.sizes[0].Const()
	if !ok || k > maxPower {
		e.errorf(c.x.Name.Span, "F09", "the power must be a number from 0 to %d", maxPower).Note("found %s", c.sizes[0]).
			Help("powf(%s as %s)", c.sizes[0], c.recv.Type)
		return nil
	}
	var r *graph.Node
	for x := c.recv; k > 0; k >>= 1 {
		switch {
		case k&1 == 1 && r == nil:
			r = x
		case k&1 == 1:
			r = e.arith(num.Mul, c.at(), r, x)
		}
		if k > 1 {
			x = e.arith(num.Mul, c.at(), x, x)
		}
	}
	if r == nil {
		return e.float(c.recv.Type.Num, 1, c.at())
	}
	return r
}

// optionTable has the operations on Options.
func optionTable() map[string]method {
	isSome := func(e *elab, c *methodUse) *graph.Node { return e.add(graph.IsSome, graph.BoolType, c.at(), c.recv) }
	return map[string]method{
		"or":      {min: 1, max: 1, run: (*elab).orElse},
		"map":     {min: 1, max: 1, run: (*elab).mapOption},
		"is_some": {run: isSome},
		"is_none": {run: func(e *elab, c *methodUse) *graph.Node { return e.arith(num.Not, c.at(), isSome(e, c)) }},
	}
}

// orElse is o.or(d). d is evaluated in any case.
func (e *elab) orElse(c *methodUse) *graph.Node {
	elem, reported := c.recv.Type.Elem(), len(e.msgs.Messages)
	if types.IsSort(elem, meaning.Text) {
		return e.orText(c, elem)
	}
	d := e.value(c.x.Args[0], elem)
	if d == nil {
		e.numbersInstead(reported, c)
		return nil
	}
	d = e.dense(d)
	is := e.add(graph.IsSome, graph.BoolType, c.at(), c.recv)
	return e.choose(c.at(), is,
		func() *graph.Node { return e.add(graph.Unwrap, elem, c.at(), c.recv) },
		func() *graph.Node { return d })
}

// mapOption is o.map(closure), which is evaluated only where there is a value.
func (e *elab) mapOption(c *methodUse) *graph.Node {
	cl := e.closureArg(c, 0, 1)
	if cl == nil {
		return nil
	}
	var want, result *graph.Type
	if c.want != nil && c.want.Kind == graph.Option {
		want = c.want.Elem()
	}
	is := e.add(graph.IsSome, graph.BoolType, c.at(), c.recv)
	return e.choose(c.at(), is, func() *graph.Node {
		v := e.applyClosure(cl, want, e.add(graph.Unwrap, c.recv.Type.Elem(), c.at(), c.recv))
		if v = e.element(v, bodyValue(cl.Body)); v == nil {
			return nil
		}
		result = graph.OptionOf(v.Type)
		return e.add(graph.Some, result, c.at(), v)
	}, func() *graph.Node {
		if result == nil {
			return nil
		}
		return e.add(graph.Nothing, result, c.at())
	})
}

// compareConst is i < c.
func (e *elab) compareConst(i *graph.Node, c int64, at diag.Span) *graph.Node {
	return e.arith(num.Lt, at, i, e.int(num.I64, c, at))
}

// call is f(args).
func (e *elab) call(x *syntax.Call, want *graph.Type) *graph.Node {
	if e.fr.user != nil {
		return e.callInPrelude(x)
	}
	if len(x.Func.Path) == 1 {
		switch x.Func.Path[0].Text {
		case "Some":
			return e.some(x, want)
		case "concat":
			return e.concat(x, want)
		case "Reverse":
			return e.turned(x, want)
		}
		if v := e.lookup(x.Func.Path[0].Text); v != nil {
			e.errorf(x.Func.Span, "N09", "`%s` is a value, not a function", v.name).Note("expected a function").
				Help("%s", v.name)
			e.args(x)
			return nil
		}
		if e.resolver().first(x.Func.Path[0].Text) == nil {
			e.unknownFunc(x)
			return nil
		}
	}
	d := e.resolver().path(x.Func.Path, "N02")
	if d == nil {
		e.args(x)
		return nil
	}
	if d.kind != funcDecl {
		m := e.errorf(x.Func.Span, "N09", "`%s` is %s, not a function", d.name, declWords[d.kind]).Note("expected a function")
		if d.kind == recordDecl {
			m.Help("%s { … }", e.text(x.Func.Span))
		}
		e.args(x)
		return nil
	}
	if e.inConst || e.fr.d != nil && e.fr.d.kind == constDecl {
		e.errorf(x.Span, "T19", "a constant is made of literals, constants and operators").Note("a call").
			Help("make it a function:\nfn %s() -> f64 { %s }", last(e.fr.d.name), e.text(x.Span))
		return nil
	}
	return e.callFunc(d, x, want)
}

// args elaborates the arguments of a call that cannot be made.
func (e *elab) args(x *syntax.Call) {
	for _, a := range x.Args {
		if _, isClosure := a.(*syntax.Closure); !isClosure {
			e.exprOrGroup(a, nil)
		}
	}
}

func (e *elab) unknownFunc(x *syntax.Call) {
	name := x.Func.Path[0]
	if name.Text == "" {
		return
	}
	m := e.errorf(name.Span, "N02", "there is no function `%s`", name.Text).Note("not found")
	names := append(e.resolver().visible(funcDecl), "concat", "Some")
	switch {
	case (arrayMethods[name.Text].run != nil || scalarMethods[name.Text].run != nil) && len(x.Args) > 0:
		rest := ""
		if len(x.Args) > 1 {
			rest = e.text(diag.Span{Start: x.Args[1].Where().Start, End: x.Args[len(x.Args)-1].Where().End})
		}
		m.Help("%s.%s(%s)", e.operand(x.Args[0]), name.Text, rest)
	case !e.methodMeant(m, x):
		suggest(m, name.Text, names)
	}
	e.args(x)
}

// methodMeant is for a method, or what other languages call one, that is called as a function: std(x), truncate(r.day, month).
func (e *elab) methodMeant(m message, x *syntax.Call) bool {
	if len(x.Args) == 0 || isClosure(x.Args[0]) {
		return false
	}
	name := x.Func.Path[0]
	rest := ""
	if len(x.Args) > 1 {
		rest = e.text(spanOf(x.Args[1:]))
	}
	var recv *graph.Node
	e.forHelp(func() { recv = e.exprOrGroup(x.Args[0], nil) })
	if recv == nil {
		return false
	}
	table, of := e.tableFor(recv), e.operand(x.Args[0])
	call := &syntax.MethodCall{Span: x.Span, Receiver: x.Args[0], Name: name, Args: x.Args[1:]}
	if table[name.Text].run != nil {
		m.Help("%s.%s(%s)", of, name.Text, rest)
		return true
	}
	if help := e.foreignWord(call, recv); help != "" {
		if strings.HasPrefix(help, ".") {
			help = of + help
		}
		m.Help("%s", strings.NewReplacer("\n.", "\n"+of+".", "\nor .", "\nor "+of+".").Replace(help))
		return true
	}
	best := nearest(name.Text, slices.Collect(maps.Keys(table)))
	if best == "" || nearest(name.Text, e.resolver().visible(funcDecl)) != "" {
		return false
	}
	m.Help("%s.%s(%s)", of, best, rest)
	return true
}
