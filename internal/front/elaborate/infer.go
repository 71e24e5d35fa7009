package elaborate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// flexible reports that an expression is made of literals alone, so that it
// takes the type that its context wants.
func flexible(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.IntLit:
		return x.Suffix == ""
	case *syntax.FloatLit:
		return x.Suffix == ""
	case *syntax.MomentLit:
		return true
	case *syntax.ParenExpr:
		return flexible(x.X)
	case *syntax.Unary:
		return x.Op == syntax.Minus && flexible(x.X)
	case *syntax.Binary:
		return !isCompare(x.Op) && x.Op != syntax.AndAnd && x.Op != syntax.OrOr && flexible(x.X) && flexible(x.Y)
	case *syntax.MethodCall:
		return flexible(x.Receiver) && scalarMethods[x.Name.Text].run != nil && !strings.HasPrefix(x.Name.Text, "is_")
	case *syntax.If:
		return x.Else != nil && flexible(x.Then) && flexible(x.Else)
	case *syntax.Block:
		return len(x.Stmts) == 0 && x.Value != nil && flexible(x.Value)
	}
	return false
}

// vague reports that the type of an expression depends on its context in
// some part.
func vague(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.NameExpr:
		return len(x.Path) == 1 && x.Path[0].Text == "None" && len(x.Args) == 0
	case *syntax.ParenExpr:
		return vague(x.X)
	case *syntax.TupleExpr:
		return slices.ContainsFunc(x.Elems, vague)
	case *syntax.ArrayExpr:
		return !slices.ContainsFunc(x.Elems, func(e syntax.Expr) bool { return !vague(e) })
	case *syntax.RepeatExpr:
		return vague(x.Value)
	case *syntax.Call:
		return len(x.Func.Path) == 1 && x.Func.Path[0].Text == "Some" && slices.ContainsFunc(x.Args, vague)
	case *syntax.Block:
		return len(x.Stmts) == 0 && x.Value != nil && vague(x.Value)
	case *syntax.If:
		return x.Else != nil && vague(x.Then) && vague(x.Else)
	}
	return flexible(x)
}

// isFloatLiteral reports that a flexible expression is made of floats.
func isFloatLiteral(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.FloatLit:
		return true
	case *syntax.ParenExpr:
		return isFloatLiteral(x.X)
	case *syntax.Unary:
		return isFloatLiteral(x.X)
	case *syntax.Binary:
		return isFloatLiteral(x.X)
	case *syntax.MethodCall:
		return isFloatLiteral(x.Receiver)
	case *syntax.If:
		return isFloatLiteral(x.Then)
	case *syntax.Block:
		return x.Value != nil && isFloatLiteral(x.Value)
	}
	return false
}

// operandWant is the type that a literal takes beside an operand of type t.
func operandWant(t *graph.Type) *graph.Type {
	t = types.Innermost(t)
	if types.IsMeant(t) {
		return t
	}
	if !types.IsNumber(t) {
		return nil
	}
	return types.Computed(t)
}

// numberWant passes an expected type on to the operands of arithmetic.
func numberWant(want *graph.Type) *graph.Type {
	if want == nil {
		return nil
	}
	return operandWant(want)
}

func (e *elab) intLit(x *syntax.IntLit, negative bool, at diag.Span, want *graph.Type) *graph.Node {
	if want != nil && types.IsSort(want, meaning.Decimal) && x.Suffix == "" && !e.factor {
		return e.decimalLit(x.Text, negative, at, want)
	}
	k := num.I64
	switch {
	case x.Suffix != "":
		k, _ = num.ParseKind(x.Suffix)
	case want == nil || types.IsMeant(want):
	case want.Kind == graph.Index:
		if !negative && !types.HasOpen(want) {
			return e.indexLit(x, at, want)
		}
	case types.IsFloat(want):
		e.errorf(at, "F02", "an integer literal is never a float").Note("expected %s", want).Help("%s.0", e.text(at))
		return nil
	case want.Kind == graph.Scalar && want.Num.IsInt():
		k = want.Num
	}
	if !fitsKind(x.Value, negative, k) {
		e.tooBig(at, k, negative)
		return nil
	}
	v := x.Value
	if negative {
		v = -v
	}
	return e.bits(k, num.Canon(k, v), at)
}

func (e *elab) tooBig(at diag.Span, k num.Kind, negative bool) {
	e.errorf(at, "F01", "this number does not fit its type").
		Note("%s holds %d to %d", k, k.MinInt(), k.MaxInt()).Help("%s", nearestOf(e.text(at), k, negative))
}

// nearestOf offers the value of kind k that is nearest to a literal.
func nearestOf(literal string, k num.Kind, negative bool) string {
	most, what := strconv.FormatUint(k.MaxInt(), 10), "largest"
	if negative {
		most, what = itoa(k.MinInt()), "least"
		if literal[0] != '-' {
			most = strings.TrimPrefix(most, "-")
		}
	}
	switch {
	case k.Bits() == 64 && !isDecimal(literal):
		return "write `" + most + "`, the " + what + " " + k.String()
	case k.Bits() == 64:
		return "write `" + most + "`, the " + what + " " + k.String() + ", or compute in f64, which rounds, with " + strings.ReplaceAll(literal, "_", "") + ".0"
	}
	return "write `" + most + "`, the " + what + " " + k.String() + ", or use a wider type, such as " + widerThan(k, negative).String()
}

// isDecimal reports an integer as people write it, and not in hexadecimal digits or bits.
func isDecimal(literal string) bool { return strings.Trim(literal, "-0123456789_") == "" }

// widerThan is the widest kind with the sign of k, or one with a sign for what is negative.
func widerThan(k num.Kind, negative bool) num.Kind {
	if k.IsSigned() || negative {
		return num.I64
	}
	return num.U64
}

func fitsKind(v uint64, negative bool, k num.Kind) bool {
	if negative {
		return v == 0 || k.IsSigned() && v <= uint64(1)<<(k.Bits()-1)
	}
	return v <= k.MaxInt()
}

// indexLit is a literal where an index is expected.
func (e *elab) indexLit(x *syntax.IntLit, at diag.Span, want *graph.Type) *graph.Node {
	if x.Value > 1<<62 || !e.proves(want.Bound.Sub(size.Const(int64(x.Value))).AddConst(-1)) {
		if i := e.bits(num.I64, x.Value, at); x.Value <= 1<<62 && e.inRange(i, want.Bound) {
			return e.toIndex(i, want.Bound, at) // by the conditions around
		}
		otherwise := ""
		if e.indexing != "" {
			otherwise = e.indexing + ".get(" + x.Text + ").or(…)"
		}
		e.errorf(at, "B04", "the index %s may be out of bounds", x.Text).
			Note("expected an index below %s", sizeText(want.Bound, e.indexing)).
			Help("%s", largerHelp(want.Bound, x.Text, otherwise))
		return nil
	}
	n := e.add(graph.Const, want, at)
	n.Bits = x.Value
	return n
}

// largerHelp says how to make a constant index valid.
func largerHelp(bound size.Poly, index, otherwise string) string {
	if c, isConst := bound.Const(); isConst && c > 0 {
		return "write `" + itoa(c-1) + "`, the last index"
	}
	return declare("declare how large the size is at least", bound.String()+" > "+index, otherwise, bound)
}

// orderHelp says how to make a <= b known.
func orderHelp(a, b size.Poly, otherwise string) string {
	if len(a.Sub(b).Vars()) == 0 {
		return otherwise
	}
	if !writable(a, b) {
		return otherwise
	}
	return declare("declare it", a.String()+" <= "+b.String(), "", a, b) + "\nor write\n" + otherwise
}

// foreignIndex reports an index whose bound is another than expected.
func (e *elab) foreignIndex(t *graph.Type, bound size.Poly, at diag.Span) message {
	return e.errorf(at, "B06", "this index belongs to another size").
		Note("expected idx<%s>, found %s; %s <= %s is not known", bound, t, t.Bound, bound)
}

func (e *elab) floatLit(x *syntax.FloatLit, negative bool, at diag.Span, want *graph.Type) *graph.Node {
	if want != nil && types.IsSort(want, meaning.Decimal) && x.Suffix == "" {
		return e.decimalLit(x.Text, negative, at, want)
	}
	k := num.F64
	switch {
	case x.Suffix != "":
		k, _ = num.ParseKind(x.Suffix)
	case want == nil:
	case types.IsFloat(want):
		k = want.Num
	case types.IsInt(want):
		e.errorf(at, "F02", "a float literal is never an integer").Note("expected %s", want).Help("%d", int64(x.Value))
		return nil
	}
	v := x.Value
	if negative {
		v = -v
	}
	return e.float(k, v, at)
}

// coerce makes n a value of type want, or reports and gives nil. It converts
// only what the language converts by itself: an index to one with a larger
// bound, an integer shown to be in range to an index, an index to i64.
func (e *elab) coerce(n *graph.Node, want *graph.Type, at diag.Span) *graph.Node {
	if n == nil || want == nil || n.Type == want {
		return n
	}
	switch {
	case types.IsMeant(want) || types.IsMeant(n.Type):
		if e.sameType(n.Type, want) {
			return n
		}
		e.mismatch(n.Type, want, at)
		return nil
	case want.Kind == graph.Index && types.IsInt(n.Type):
		return e.toIndex(n, want.Bound, at)
	case want.Kind == graph.Scalar && want.Num == num.I64 && n.Type.Kind == graph.Index:
		r := e.cast(graph.I64Type, n, at)
		e.of(r).bounds = e.boundsOf(n)
		return r
	case want.Kind == graph.Array && n.Type.Kind == graph.Array:
		return e.toArray(n, want, at)
	case want.Kind == graph.Tuple && n.Type.Kind == graph.Tuple && len(want.Elems) == len(n.Type.Elems) && want.Name == n.Type.Name:
		return e.toTuple(n, want, at)
	case e.sameType(n.Type, want):
		return n
	}
	if e.settles(n, want) {
		return nil
	}
	m := e.mismatch(n.Type, want, at)
	if a, b, ok := e.divided(n, at); ok && types.IsFloat(want) {
		m.Help("%s as %s / %s as %s", a, want.Num, b, want.Num)
	}
	return nil
}

// divided gives the operands of a division of integers: a quotient that shall be a float is one of
// floats, and not the quotient of integers converted.
func (e *elab) divided(n *graph.Node, at diag.Span) (a, b string, ok bool) {
	if n.Op != graph.Arith || n.Num != num.Div || n.Pos.Start <= at.Start || n.Pos.End >= at.End || e.text(n.Pos) != "/" {
		return "", "", false
	}
	part := func(start, end int) string {
		p := strings.TrimSpace(e.text(diag.Span{Start: start, End: end}))
		if !isPlain(p) {
			p = "(" + p + ")"
		}
		return p
	}
	a, b = part(at.Start, n.Pos.Start), part(n.Pos.End, at.End)
	return a, b, balanced(a) && balanced(b)
}

// balanced reports a part of a source that no parenthesis around it was cut from.
func balanced(text string) bool {
	depth := 0
	for _, c := range text {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}

func (e *elab) mismatch(found, want *graph.Type, at diag.Span) message {
	m := e.errorf(at, "T05", "this has the wrong type").Note("expected %s, found %s", e.show(want), e.show(found))
	switch {
	case fewerPlaces(found, want):
		help := e.declareResult(want, e.show(found))
		if found.IsScalar() {
			help += ", or round, half away from zero:\n" + roundedDecimal(e.text(at), found, want)
		}
		m.Help("%s", help)
	case e.meantMismatch(m, found, want, at):
	case e.dividedAsFloats(at, found, want) != "":
		m.Help("%s", e.dividedAsFloats(at, found, want))
	case found.Kind == graph.Option && want.Kind == graph.Option && types.IsSort(found.Elem(), meaning.Text) && otherText(found, want):
		m.Help("%s", e.otherDictHelp(known(found.Elem()), known(want.Elem())))
	case types.IsNumber(found) && types.IsNumber(want) && want.Kind == graph.Scalar:
		m.Help("%s as %s", e.parenthesized(at), want.Num)
	case want.Kind == graph.Option && want.Elem().Equal(found):
		m.Help("Some(%s)", e.text(at))
	case found.Kind == graph.Option && found.Elem().Equal(want):
		m.Help("give a value for None:\n%s.or(…)", e.parenthesized(at))
	case want.Kind == graph.Array && want.Elem().Equal(found):
		m.Help("%s", e.repeatedHelp(at, want.Size))
	case e.withKeys(found, want, at) != "":
		m.Help("%s", e.withKeys(found, want, at))
	case want.Kind == graph.Option && want.Elem().Kind == graph.Scalar || found.Kind == want.Kind && (want.Kind == graph.Array || want.Kind == graph.Tuple || want.Kind == graph.Option) || found.Kind == graph.Option && want.IsScalar():
		m.Help("%s", withMissing(converted(e.text(at), found, want), ".or("))
	}
	return m
}

// repeatedHelp is an array for a single value: of it alone, if that may be, or of as many as are wanted.
func (e *elab) repeatedHelp(at diag.Span, n size.Poly) string {
	text := e.text(at)
	if one, ok := n.Const(); types.IsOpen(n) || ok && one == 1 {
		return "[" + text + "]"
	}
	if c, ok := e.exprAt(at).(*syntax.MethodCall); ok && (c.Name.Text == "sum" || c.Name.Text == "mean") {
		return "map gives a value for each element; " + c.Name.Text + " gives one, and of elements that are arrays an array"
	}
	if !writable(n) {
		return "an array is wanted, and this is one element"
	}
	return fmt.Sprintf("an array of %s is wanted, and this is one element; the same one so often is\n[%s; %s]", n, text, n)
}

// fewerPlaces reports decimals, or arrays of them, that have more places than are wanted: no conversion drops those.
func fewerPlaces(found, want *graph.Type) bool {
	if found.Kind == graph.Array && want.Kind == graph.Array {
		return fewerPlaces(found.Elem(), want.Elem())
	}
	return types.IsSort(found, meaning.Decimal) && types.IsSort(want, meaning.Decimal) && found.Means.Places > want.Means.Places
}

// show writes a type that may have open sizes.
func (e *elab) show(t *graph.Type) string {
	if t.Kind == graph.Array && types.IsOpen(t.Size) {
		return "[" + e.show(t.Elem()) + "]"
	}
	return e.g.Declared(t)
}

func (e *elab) parenthesized(at diag.Span) string {
	t := e.text(at)
	if !isPlain(t) {
		return "(" + t + ")"
	}
	return t
}

// toIndex makes an integer an index below bound.
func (e *elab) toIndex(n *graph.Node, bound size.Poly, at diag.Span) *graph.Node {
	if n.Type.Kind == graph.Index && n.Type.Bound.Equal(bound) {
		return n
	}
	if !e.inRange(n, bound) {
		if n.Type.Kind == graph.Index {
			e.foreignIndex(n.Type, bound, at).Help("%s", orderHelp(n.Type.Bound, bound, e.parenthesized(at)+".clamp_idx()"))
			return nil
		}
		e.errorf(at, "B02", "this index is not shown to be in bounds").
			Note("expected idx<%s>, found %s", bound, n.Type).
			Help("give it the type idx<%s> where it comes from, or choose one of\n%s.clamp_idx()\n%s.wrap_idx()", bound, e.parenthesized(at), e.parenthesized(at))
		return nil
	}
	b := e.boundsOf(n)
	if n.Type.Kind != graph.Index {
		n = e.cast(graph.I64Type, n, at)
	}
	r := e.add(graph.Cast, graph.IndexOf(bound), at, n)
	e.of(r).bounds = e.typed(r.Type, b)
	return r
}

// toArray makes an array one of another type: only indices inside change.
func (e *elab) toArray(n *graph.Node, want *graph.Type, at diag.Span) *graph.Node {
	if want.Masked {
		if !e.proves(want.Size.Sub(e.lengthOf(n))) && !e.proves(want.Size.Sub(n.Type.Size)) {
			e.sizeMismatch(n, want, at)
			return nil
		}
	} else if !types.IsOpen(want.Size) {
		if !e.sameSize(e.lengthOf(n), want.Size) {
			e.sizeMismatch(n, want, at)
			return nil
		}
		n = e.dense(n)
	}
	if e.sameElem(n.Type.Elem(), want.Elem()) {
		return n
	}
	if !e.coercible(n.Type.Elem(), want.Elem()) {
		if !e.settles(n, want) {
			e.mismatch(n.Type, want, at)
		}
		return nil
	}
	elem := want.Elem()
	return e.mapEach(at, n, func(v *graph.Node) *graph.Node { return e.coerce(v, elem, at) })
}

// sizeMismatch tells a size that is merely another one from one that is known
// only at run time.
func (e *elab) sizeMismatch(n *graph.Node, want *graph.Type, at diag.Span) {
	length := e.lengthOf(n)
	if name, ok := length.IsVar(); ok && isDynamic(name) && !want.Masked {
		e.errorf(at, "B03", "how many elements this has is known only at run time").
			Note("expected %s, found %s", e.show(want), e.showArray(n)).
			Help("%s", e.declareResult(want, e.showArray(n)))
		return
	}
	m := e.errorf(at, "T06", "the sizes differ").Note("expected %s, found %s", e.show(want), e.showArray(n))
	if want.Masked && !writable(e.bound(n)) {
		m.Help("%s", e.declareResult(want, e.showArray(n)))
		return
	}
	m.Help("%s", declare("if they are always equal, declare it", length.String()+" == "+want.Size.String(), "", length, want.Size))
}

// showArray writes an array's type; a run-time size as it would be declared.
func (e *elab) showArray(n *graph.Node) string {
	if n.Type.Masked {
		return e.g.Declared(n.Type)
	}
	return e.g.Declared(graph.ArrayOf(n.Type.Elem(), e.lengthOf(n)))
}

// bound is a size that the run-time size of an array is at most.
func (e *elab) bound(n *graph.Node) size.Poly {
	if n.Type.Masked {
		return n.Type.Size
	}
	name, _ := n.Type.Size.IsVar()
	for _, f := range e.g.Facts.NonNeg {
		if b := f.Add(size.Var(name)); !containsVar(b, name) {
			return b
		}
	}
	return n.Type.Size
}

func containsVar(p size.Poly, name string) bool {
	for _, v := range p.Vars() {
		if v == name {
			return true
		}
	}
	return false
}

func (e *elab) toTuple(n *graph.Node, want *graph.Type, at diag.Span) *graph.Node {
	if e.sameType(n.Type, want) {
		return n
	}
	parts := make([]*graph.Node, len(want.Elems))
	reported := len(e.msgs.Messages)
	for i, t := range want.Elems {
		if parts[i] = e.coerce(e.get(n, i, at), t, at); parts[i] == nil {
			if all := e.msgs.Messages; len(all) == reported+1 && all[reported].Code == "T05" && all[reported].Span == at { // all of it is marked
				help := withMissing(converted(e.text(at), n.Type, want), ".or(")
				if otherText(n.Type.Elems[i], t) {
					help = e.otherDictHelp(known(n.Type.Elems[i]), known(t))
				}
				message{all[reported], e.g}.Help("%s", help)
			}
			return nil
		}
	}
	return e.tuple(at, parts...)
}

// sameType reports equal types, with sizes that are shown to be equal.
func (e *elab) sameType(a, b *graph.Type) bool {
	if a == b {
		return true
	}
	if a.Kind != b.Kind || a.Name != b.Name || len(a.Elems) != len(b.Elems) {
		return false
	}
	if types.IsMeant(a) || types.IsMeant(b) {
		return sameMeaning(a, b)
	}
	switch a.Kind {
	case graph.Scalar:
		return a.Num == b.Num
	case graph.Index:
		return e.sameSize(a.Bound, b.Bound)
	case graph.Array:
		if a.Masked != b.Masked || !types.IsOpen(b.Size) && !e.sameSize(a.Size, b.Size) {
			return false
		}
	}
	for i := range a.Elems {
		if !e.sameType(a.Elems[i], b.Elems[i]) {
			return false
		}
	}
	return true
}

func (e *elab) sameElem(a, b *graph.Type) bool { return e.sameType(a, b) }

// coercible reports that coerce could change elements of type a to b.
func (e *elab) coercible(a, b *graph.Type) bool {
	switch {
	case types.IsMeant(a) || types.IsMeant(b):
		return sameMeaning(a, b)
	case a.Kind == graph.Index && b.Kind == graph.Index:
		return e.proves(b.Bound.Sub(a.Bound))
	case a.Kind == graph.Array && b.Kind == graph.Array:
		return !b.Masked && (types.IsOpen(b.Size) || e.sameSize(a.Size, b.Size)) && e.coercible(a.Elem(), b.Elem())
	case a.Kind == graph.Tuple && b.Kind == graph.Tuple && a.Name == b.Name && len(a.Elems) == len(b.Elems):
		for i := range a.Elems {
			if !e.coercible(a.Elems[i], b.Elems[i]) {
				return false
			}
		}
		return true
	}
	return e.sameType(a, b)
}
