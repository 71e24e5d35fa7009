package elaborate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// operator is what a token means on scalars.
type operator struct {
	op   num.Op
	wrap bool // never a fault
	word string
}

var operators = map[syntax.Token]operator{
	syntax.Plus:    {num.Add, false, "addition"},
	syntax.Minus:   {num.Sub, false, "subtraction"},
	syntax.Star:    {num.Mul, false, "multiplication"},
	syntax.Slash:   {num.Div, false, "division"},
	syntax.Percent: {num.Rem, false, "remainder"},
	syntax.WrapAdd: {num.Add, true, "addition"},
	syntax.WrapSub: {num.Sub, true, "subtraction"},
	syntax.WrapMul: {num.Mul, true, "multiplication"},
	syntax.SatAdd:  {num.SatAdd, true, "addition"},
	syntax.Amp:     {num.And, true, "and"},
	syntax.Pipe:    {num.Or, true, "or"},
	syntax.Caret:   {num.Xor, true, "xor"},
	syntax.Shl:     {num.Shl, false, "shift"},
	syntax.Shr:     {num.Shr, false, "shift"},
	syntax.Eq:      {num.Eq, true, "comparison"},
	syntax.Ne:      {num.Ne, true, "comparison"},
	syntax.Lt:      {num.Lt, true, "comparison"},
	syntax.Le:      {num.Le, true, "comparison"},
	syntax.Gt:      {num.Gt, true, "comparison"},
	syntax.Ge:      {num.Ge, true, "comparison"},
}

func isCompare(t syntax.Token) bool { return t >= syntax.Eq && t <= syntax.Ge }

func (e *elab) binary(x *syntax.Binary, want *graph.Type) *graph.Node {
	if x.Op == syntax.AndAnd || x.Op == syntax.OrOr {
		return e.shortCircuit(x)
	}
	if n, ok := e.againstNone(x); ok {
		return n
	}
	reported := len(e.msgs.Messages)
	factor := e.factor
	e.factor = x.Op == syntax.Star || x.Op == syntax.Slash
	a, b := e.operands(x, want)
	e.factor = factor
	if a == nil || b == nil {
		e.operandHelp(reported, x, want, a, b)
		return nil
	}
	n := e.combined(x, a, b)
	if n == nil {
		e.resultHelp(reported, x, want, a.Type, b.Type)
	}
	if n != nil && e.of(n).soft == nil && !isCompare(x.Op) {
		e.of(n).soft = e.softOf(x.X, x.Y, a, b)
	}
	return n
}

// combined is the operator on both sides, in one rounding with a product of a
// fused function.
func (e *elab) combined(x *syntax.Binary, a, b *graph.Node) *graph.Node {
	if n := e.fusedSum(x, a, b); n != nil {
		return n
	}
	return e.apply(x, a, b)
}

// operands elaborates both sides; literals take the type of the other side.
func (e *elab) operands(x *syntax.Binary, want *graph.Type) (a, b *graph.Node) {
	if isCompare(x.Op) {
		want = nil
	}
	want = numberWant(want)
	if flexible(x.X) && !flexible(x.Y) {
		b = e.expr(x.Y, want)
		if b == nil {
			return nil, nil
		}
		return e.expr(x.X, operandWant(b.Type)), b
	}
	a = e.expr(x.X, want)
	if a != nil && (flexible(x.Y) || want == nil) {
		want = operandWant(a.Type)
	}
	if a == nil && flexible(x.Y) {
		return nil, nil
	}
	return a, e.expr(x.Y, want)
}

// apply is the operator on values, element by element on arrays.
func (e *elab) apply(x *syntax.Binary, a, b *graph.Node) *graph.Node {
	if a.Type.Kind == graph.Array || b.Type.Kind == graph.Array {
		if isCompare(x.Op) {
			e.errorf(x.Span, "F08", "arrays cannot be compared").Note("%s with %s", a.Type, b.Type).
				Help("compare the elements:\n%s", e.compared(x, a.Type, b.Type))
			return nil
		}
		return e.elementwise(x, a, b)
	}
	return e.scalarOp(x, a, b)
}

// elementwise applies an operator to arrays of one shape, or to an array and
// a scalar.
func (e *elab) elementwise(x *syntax.Binary, a, b *graph.Node) *graph.Node {
	switch {
	case b.Type.Kind != graph.Array:
		return e.mapEach(x.OpSpan, a, func(v *graph.Node) *graph.Node { return e.apply(x, v, b) })
	case a.Type.Kind != graph.Array:
		return e.mapEach(x.OpSpan, b, func(v *graph.Node) *graph.Node { return e.apply(x, a, v) })
	}
	a, b = e.dense(a), e.dense(b)
	if !e.sameSize(a.Type.Size, b.Type.Size) {
		reported := len(e.msgs.Messages)
		e.differ(x.Span, a, b)
		if help := e.foldsOfGroups(x, a, b); help != "" && len(e.msgs.Messages) == reported+1 {
			message{e.msgs.Messages[reported], e.g}.Help("%s", help)
		}
		return nil
	}
	return e.mapOver(x.OpSpan, []*graph.Node{a, b}, func(_ *graph.Node, v []*graph.Node) *graph.Node { return e.apply(x, v[0], v[1]) })
}

// foldsOfGroups is an operator on folds of a group that is made twice, in a fold of one: in agg; "" where the operands are no such.
func (e *elab) foldsOfGroups(x *syntax.Binary, a, b *graph.Node) string {
	l, ok1 := x.X.(*syntax.MethodCall)
	r, ok2 := x.Y.(*syntax.MethodCall)
	if !ok1 || !ok2 || groupMethods[l.Name.Text].run == nil || groupMethods[r.Name.Text].run == nil {
		return ""
	}
	by, ok := l.Receiver.(*syntax.MethodCall)
	if !ok || by.Name.Text != "group_by" || e.text(by.Span) != e.text(r.Receiver.Where()) {
		return ""
	}
	own := func(c *syntax.MethodCall) string {
		return "g" + e.text(diag.Span{Start: c.Receiver.Where().End, End: c.Span.End})
	}
	left, right := own(l), own(r)
	switch t, u := a.Type.Elem(), b.Type.Elem(); {
	case types.IsFloat(t) && types.IsInt(u):
		right = converted(right, u, t)
	case types.IsFloat(u) && types.IsInt(t):
		left = converted(left, t, u)
	}
	return e.text(by.Span) + ".agg(|g| " + left + " " + x.Op.String() + " " + right + ")"
}

// differ reports two arrays that should have one size.
func (e *elab) differ(at diag.Span, a, b *graph.Node) {
	m := e.errorf(at, "T06", "the sizes differ").Note("%s with %s", e.showArray(a), e.showArray(b))
	switch {
	case hasDynamic(a.Type) || hasDynamic(b.Type):
		m.Help("zip before filtering, so that both keep the same elements:\na.zip(b).filter(|(x, y)| …)")
	case len(a.Type.Size.Vars())+len(b.Type.Size.Vars()) == 0 || unnamed(a.Type.Size) || unnamed(b.Type.Size):
		m.Help("give both the same size where they come from:\na: &[f32; N], b: &[f32; N]")
	default:
		m.Help("if they are always equal, declare it:\nwhere %s == %s", a.Type.Size, b.Type.Size)
	}
}

// unnamed reports a size that the source gives no name.
func unnamed(p size.Poly) bool {
	return slices.ContainsFunc(p.Vars(), func(v string) bool { return strings.HasPrefix(v, "len(") || strings.HasPrefix(v, "dict(") })
}

func (e *elab) scalarOp(x *syntax.Binary, a, b *graph.Node) *graph.Node {
	if types.IsMeant(a.Type) || types.IsMeant(b.Type) {
		return e.meantOp(x, a, b)
	}
	if isCompare(x.Op) && e.foreignCodes(x, a.Type, b.Type) {
		return nil
	}
	o, ok := operators[x.Op]
	if !ok || !a.Type.IsScalar() || !b.Type.IsScalar() {
		e.undefined(x, a.Type, b.Type)
		return nil
	}
	ka, kb := a.Type.KindOf(), b.Type.KindOf()
	if ka != kb {
		if e.settles(a, b.Type) || e.settles(b, a.Type) {
			return nil
		}
		e.mixed(x, a.Type, b.Type)
		return nil
	}
	if !o.op.Takes(ka) {
		e.undefined(x, a.Type, b.Type)
		return nil
	}
	return e.scalarArith(o, x.OpSpan, a, b)
}

// scalarArith emits an operation, checked where it is not shown to fit.
func (e *elab) scalarArith(o operator, at diag.Span, a, b *graph.Node) *graph.Node {
	k := a.Type.KindOf()
	if o.op.IsCompare() || !k.IsInt() {
		return e.arith(o.op, at, a, b)
	}
	right := e.boundsOf(b)
	if o.op == num.Div || o.op == num.Rem {
		right = e.divisor(b, right)
	}
	if o.op == num.Div && e.dividesByMinusOne(k, a, right) {
		return e.quotientNode(o, at, a, b)
	}
	n := e.arith(o.op, at, a, b)
	r, fits := e.arithBounds(o.op, k, e.boundsOf(a), right)
	fits = fits || !o.wrap && e.fitsHere(o.op, k, a, b)
	e.of(n).bounds, e.of(n).fits = &r, fits
	if !fits && !o.wrap {
		e.faultOf(n, o, k)
	}
	return n
}

// dividesByMinusOne reports a division that may be by 0, and may be of the least integer
// by -1, which does not fit.
func (e *elab) dividesByMinusOne(k num.Kind, a *graph.Node, y *bounds) bool {
	x := e.boundsOf(a)
	return k.IsInt() && k.IsSigned() && x.lo == k.MinInt() && y.lo <= -1 && y.hi >= 0
}

// quotientNode divides by -1 apart, as a negation: one operation has one kind of fault.
func (e *elab) quotientNode(o operator, at diag.Span, a, b *graph.Node) *graph.Node {
	k := a.Type.KindOf()
	minusOne := e.arith(num.Eq, at, b, e.int(k, -1, at))
	return e.choose(at, minusOne, func() *graph.Node {
		n := e.arith(num.Neg, at, a)
		e.mayFault(n, graph.Overflow, k.String()+" "+o.word)
		return n
	}, func() *graph.Node {
		n := e.arith(num.Div, at, a, b)
		e.mayFault(n, graph.DivideByZero, o.word+" by zero")
		return n
	})
}

// faultOf names the fault that a checked operation can have.
func (e *elab) faultOf(n *graph.Node, o operator, k num.Kind) {
	switch o.op {
	case num.Div, num.Rem:
		b := e.boundsOf(n.Args[1])
		if b.lo > 0 || b.hi < 0 {
			e.mayFault(n, graph.Overflow, k.String()+" "+o.word)
			return
		}
		e.mayFault(n, graph.DivideByZero, o.word+" by zero")
	case num.Shl, num.Shr:
		e.mayFault(n, graph.BadShift, k.String()+" shift by an amount outside 0.."+itoa(k.Bits()))
	default:
		e.mayFault(n, graph.Overflow, k.String()+" "+o.word)
	}
}

// mixed reports operands of two types.
func (e *elab) mixed(x *syntax.Binary, a, b *graph.Type) {
	m := e.errorf(x.Span, "F04", "the two sides have different types").Note("%s %s %s", a, x.Op, b)
	if types.IsNumber(a) != types.IsNumber(b) && x.OpSpan != x.Span { // a bool and a number
		m.Help("%s", e.boolOpHelp(x, a, b))
		return
	}
	if !types.IsNumber(a) || !types.IsNumber(b) {
		return
	}
	if x.OpSpan == x.Span { // x op= y: see compound
		m.Help("%s", e.mixedUpdate(x, a, b))
		return
	}
	if to := widest(a.KindOf(), b.KindOf()); to != b.KindOf() {
		m.Help("%s %s %s", e.text(x.X.Where()), x.Op, e.asKind(x.Y, to))
	} else {
		m.Help("%s %s %s", e.asKind(x.X, to), x.Op, e.text(x.Y.Where()))
	}
}

// resultHelp converts what the help of numbers of two types gives to the number that is wanted of the operator.
func (e *elab) resultHelp(reported int, x *syntax.Binary, want, a, b *graph.Type) {
	all := e.msgs.Messages
	if want = numberWant(want); want == nil || want.Kind != graph.Scalar || !types.IsNumber(a) || !types.IsNumber(b) || isCompare(x.Op) || x.OpSpan == x.Span ||
		len(all) != reported+1 || all[reported].Code != "F04" || widest(a.KindOf(), b.KindOf()) == want.Num {
		return
	}
	message{all[reported], e.g}.Help("(%s) as %s", all[reported].Help, want.Num)
}

// wholeResult is such a help of an operand where the other operand is not of the number that is wanted, but of that which both sides become: then the
// whole is converted.
func (e *elab) wholeResult(m message, x *syntax.Binary, want *graph.Type, a, b *graph.Node) {
	operand, other := x.X, otherNumber(x.Y, b)
	if other == nil {
		operand, other = x.Y, otherNumber(x.X, a)
	}
	want = numberWant(want)
	if want == nil || want.Kind != graph.Scalar || other == nil || other.KindOf() == want.Num {
		return
	}
	at, whole := unwrapped(operand).Where(), e.text(x.Span)
	if m.m.Span != at && !strings.HasPrefix(m.m.Help, "write `") {
		return // it is about a part of the operand
	}
	inner := convertedInner(m.m.Help, e.text(at), want.Num.String())
	if inner != "" && strings.Contains(inner, " as "+other.KindOf().String()) && !strings.ContainsAny(whole, "\n`") {
		m.Help("write `(%s) as %s` for `%s`", whole[:at.Start-x.Span.Start]+inner+whole[at.End-x.Span.Start:], want.Num, whole)
	}
}

// otherNumber is the type of a number beside an operand that has none: of a literal with a point, too, which waits for the other side.
func otherNumber(x syntax.Expr, n *graph.Node) *graph.Type {
	switch {
	case n != nil && types.IsNumber(n.Type):
		return n.Type
	case n == nil && isFloatLit(unwrapped(x)):
		return graph.ScalarOf(num.F64)
	}
	return nil
}

// convertedInner is what a help for an operand converts as a whole; "" where it says something else.
func convertedInner(help, operand, to string) string {
	if written, ok := strings.CutSuffix(help, "` for `"+operand+"`"); ok {
		help = strings.TrimPrefix(written, "write `")
	}
	inner, ok := strings.CutSuffix(help, ") as "+to)
	if !ok || !strings.HasPrefix(inner, "(") || !balanced(inner[1:]) {
		return ""
	}
	return inner[1:]
}

// mixedUpdate is the help for `x op= y`, in which only y can be converted. A variable that began
// as an integer because its first value has no point can begin as a float.
func (e *elab) mixedUpdate(x *syntax.Binary, a, b *graph.Type) string {
	name := e.text(x.X.Where())
	if types.IsInt(a) && types.IsFloat(b) && e.fr.d != nil && e.fr.d.fn != nil {
		first := regexp.MustCompile(`\blet mut ` + regexp.QuoteMeta(name) + ` = (-?[0-9_]+);`)
		if all := first.FindAllStringSubmatch(e.text(e.fr.d.fn.Body.Span), -1); len(all) == 1 {
			old := "let mut " + name + " = " + all[0][1]
			return "write `" + old + ".0` for `" + old + "`"
		}
	}
	return name + " " + x.Op.String() + "= " + e.asKind(x.Y, a.KindOf())
}

// widest is the kind that loses least of both.
func widest(a, b num.Kind) num.Kind {
	rank := func(k num.Kind) int {
		if k.IsFloat() {
			return 100 + k.Bits()
		}
		return k.Bits()
	}
	if rank(a) >= rank(b) {
		return a
	}
	return b
}

func (e *elab) undefined(x *syntax.Binary, a, b *graph.Type) {
	m := e.errorf(x.Span, "F03", "`%s` is not defined on these values", x.Op).Note("%s %s %s", a, x.Op, b)
	switch {
	case x.Op == syntax.Percent && types.IsFloat(a):
		m.Help("%s - (%s / %s).floor() * %s", e.text(x.X.Where()), e.operand(x.X), e.operand(x.Y), e.operand(x.Y))
	case (a.Kind == graph.Option || b.Kind == graph.Option) && x.OpSpan != x.Span:
		m.Help("%s", e.optionOpHelp(x, a, b))
	case types.IsBool(a) && types.IsBool(b) && (x.Op == syntax.Plus || x.Op == syntax.Star):
		m.Help("%s as i64 %s %s as i64", e.operand(x.X), x.Op, e.operand(x.Y))
	case a.Kind == graph.Tuple:
		m.Help("work on its fields: %s", e.fieldwise(x, a))
	}
}

// fieldwise compares the fields of tuples or records: all of them where that is what the operator says of the whole, and few enough to be written.
func (e *elab) fieldwise(x *syntax.Binary, t *graph.Type) string {
	most, join := 1, ""
	switch {
	case len(t.Elems) > 4:
	case x.Op == syntax.Eq:
		most, join = len(t.Elems), " && "
	case x.Op == syntax.Ne:
		most, join = len(t.Elems), " || "
	}
	var list []string
	for i := range min(most, len(t.Elems)) {
		name := itoa(i)
		if i < len(t.Names) {
			name = t.Names[i]
		}
		list = append(list, fmt.Sprintf("%s.%s %s %s.%s", e.operand(x.X), name, x.Op, e.operand(x.Y), name))
	}
	return strings.Join(list, join)
}

// shortCircuit is && or ||: the right side stands in an If of its own when it
// can fault or rests on the left one, so that it is evaluated only when it is needed.
func (e *elab) shortCircuit(x *syntax.Binary) *graph.Node {
	a := e.value(x.X, graph.BoolType)
	var b *graph.Node
	before := e.guarded
	inner := e.inBlock(func() {
		e.suppose(e.cur, a, x.Op == syntax.AndAnd)
		b = e.value(x.Y, graph.BoolType)
		e.cur.b.Results = []*graph.Node{b}
	})
	if a == nil || b == nil {
		return nil
	}
	op := num.And
	if x.Op == syntax.OrOr {
		op = num.Or
	}
	if !inner.AnyFault() && e.guarded == before {
		e.splice(inner)
		return e.arith(op, x.OpSpan, a, b)
	}
	known := e.inBlock(func() { e.cur.b.Results = []*graph.Node{e.bool(op == num.Or, x.OpSpan)} })
	n := e.add(graph.If, graph.BoolType, x.OpSpan, a)
	n.Blocks = []*graph.Block{inner, known}
	if op == num.Or {
		n.Blocks[0], n.Blocks[1] = known, inner
	}
	return n
}

// splice moves the nodes of a block to the end of the open one.
func (e *elab) splice(b *graph.Block) {
	for _, n := range b.Nodes {
		e.of(n).home = e.cur
	}
	e.cur.b.Nodes = append(e.cur.b.Nodes, b.Nodes...)
}

func (e *elab) unary(x *syntax.Unary, want *graph.Type) *graph.Node {
	if x.Op == syntax.Minus {
		switch lit := x.X.(type) {
		case *syntax.IntLit:
			return e.intLit(lit, true, x.Span, want)
		case *syntax.FloatLit:
			return e.floatLit(lit, true, x.Span, want)
		case *syntax.MomentLit:
			if lit.Sort == meaning.Duration {
				return e.momentLit(lit, true, x.Span, want)
			}
		}
		want = numberWant(want)
	}
	v := e.expr(x.X, want)
	if v == nil {
		return nil
	}
	n := e.applyUnary(x, v)
	if n != nil && x.Op == syntax.Minus {
		e.of(n).soft = e.of(v).soft
	}
	return n
}

// optionSignHelp is what to write for ! or - before an Option.
func (e *elab) optionSignHelp(x *syntax.Unary, elem *graph.Type) string {
	of := e.operand(x.X)
	name := "v"
	if of == name {
		name = "known"
	}
	switch {
	case x.Op == syntax.Bang && types.IsBool(elem):
		return "what is missing satisfies no condition:\n" + of + ".map(|" + name + "| !" + name + ").or(false)"
	case x.Op == syntax.Minus && isNumeric(elem):
		return "as a key, for the other order:\nReverse(" + e.text(x.X.Where()) + ")\nor as a number; what is missing stays so:\n" + of + ".map(|" + name + "| -" + name + ")"
	}
	return ""
}

func (e *elab) applyUnary(x *syntax.Unary, v *graph.Node) *graph.Node {
	if v.Type.Kind == graph.Array && x.Op == syntax.Minus {
		return e.mapEach(x.Span, v, func(v *graph.Node) *graph.Node { return e.applyUnary(x, v) })
	}
	op := num.Neg
	if x.Op == syntax.Bang {
		op = num.Not
	}
	if op == num.Neg && canNegate(v.Type) {
		return e.retype(v.Type, e.unaryOp(op, x.Span, e.raw(v, x.Span)), x.Span)
	}
	if !v.Type.IsScalar() || types.IsMeant(v.Type) || !op.Takes(v.Type.KindOf()) {
		m := e.errorf(x.Span, "F03", "`%s` is not defined on this value", x.Op).Note("found %s", v.Type)
		if v.Type.Kind == graph.Array {
			m.Help("%s.map(|e| %se)", e.operand(x.X), x.Op)
		}
		if v.Type.Kind == graph.Option && v.Type.Elem().IsScalar() {
			m.Help("%s", e.optionSignHelp(x, v.Type.Elem()))
		}
		return nil
	}
	k := v.Type.KindOf()
	if op == num.Neg && k.IsInt() && !k.IsSigned() {
		e.errorf(x.Span, "F05", "an unsigned integer has no negative").Note("found %s", k).
			Help("-(%s as i64)", e.text(x.X.Where()))
		return nil
	}
	return e.unaryOp(op, x.Span, v)
}

// unaryOp emits Neg, Not or Abs, checked where the least value is possible.
func (e *elab) unaryOp(op num.Op, at diag.Span, v *graph.Node) *graph.Node {
	k := v.Type.KindOf()
	n := e.arith(op, at, v)
	if !k.IsInt() || op == num.Not {
		return n
	}
	b := e.boundsOf(v)
	if b.lo == k.MinInt() && k.IsSigned() {
		word := "negation"
		if op == num.Abs {
			word = "absolute value"
		}
		e.mayFault(n, graph.Overflow, k.String()+" "+word)
		return n
	}
	r := &bounds{lo: -b.hi, hi: -b.lo, declared: b.declared}
	if op == num.Abs {
		r = &bounds{lo: 0, hi: max(-b.lo, b.hi), declared: b.declared}
		if b.lo >= 0 {
			r = b
		}
	}
	e.of(n).bounds, e.of(n).fits = r, true
	return n
}
