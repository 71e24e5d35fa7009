package elaborate

import (
	"maps"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// method is an operation called as x.name(…).
type method struct {
	min, max int // arguments
	// sizes is the number of sizes that a turbofish may give; with need they
	// must be given.
	sizes int
	need  bool
	// masked says that a filtered array works without being compacted.
	masked bool
	fast   bool // takes ::<fast>
	seen   bool // of groups, gives what there is for those that have rows; other methods give it for all
	run    func(e *elab, c *methodUse) *graph.Node
}

// methodUse is one call of a method. recv is not nil.
type methodUse struct {
	x     *syntax.MethodCall
	recv  *graph.Node
	want  *graph.Type
	sizes []size.Poly
	each  bool // the receiver is an element of what the source names
}

func (c *methodUse) at() diag.Span { return c.x.Span }

// The tables are filled when the program starts, because the methods lead
// back to the elaboration of expressions.
var (
	arrayMethods  map[string]method
	scalarMethods map[string]method
	optionMethods map[string]method
	groupMethods  map[string]method
	lookupMethods map[string]method
	meantMethods  map[meaning.Sort]map[string]method
)

func init() {
	arrayMethods = merge(elementMethods(), reduceMethods(), reshapeMethods(), orderMethods(), keyedMethods(), joinMethods(), linearMethods(), spreadTable((*elab).spreadOf))
	scalarMethods = merge(numberMethods(), floatMethods(), indexMethods())
	optionMethods = optionTable()
	groupMethods = groupTable()
	lookupMethods = lookupTable()
	meantMethods = meantTables()
}

func merge(tables ...map[string]method) map[string]method {
	all := map[string]method{}
	for _, t := range tables {
		for name, m := range t {
			all[name] = m
		}
	}
	return all
}

// Methods lists the names of all operations that are called with a point, in order.
func Methods() []string {
	all := map[string]bool{}
	for _, table := range append(slices.Collect(maps.Values(meantMethods)), arrayMethods, scalarMethods, optionMethods, groupMethods, lookupMethods) {
		for name := range table {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// tableFor picks the methods that a value has.
func (e *elab) tableFor(n *graph.Node) map[string]method {
	switch {
	case e.isIndexOfRows(n):
		return lookupMethods
	case e.of(n).group != nil:
		return groupMethods
	case n.Type.Kind == graph.Array:
		return arrayMethods
	case n.Type.Kind == graph.Option:
		return optionMethods
	case n.Type.IsScalar():
		return scalarTable(n.Type)
	}
	return nil
}

// scalarTable has the methods of a scalar.
func scalarTable(t *graph.Type) map[string]method {
	if types.IsMeant(t) {
		return meantMethods[t.Means.Sort]
	}
	return scalarMethods
}

func (e *elab) methodCall(x *syntax.MethodCall, want *graph.Type) *graph.Node {
	if c, ok := x.Receiver.(*syntax.ArrayExpr); ok && e.fr.user != nil {
		return e.poly(c, x)
	}
	if r, ok := rangeOf(x.Receiver); ok && x.Name.Text == "map" && len(x.Args) == 1 && len(x.TypeArgs) == 0 {
		return e.mapRange(x, r)
	}
	if m, r, ok := strideOf(x); ok {
		return e.strideArray(m, r, func(i *graph.Node) *graph.Node { return i })
	}
	if m, r, ok := strideOf(x.Receiver); ok && x.Name.Text == "map" && len(x.Args) == 1 && len(x.TypeArgs) == 0 {
		return e.mapStride(x, m, r)
	}
	var hint *graph.Type
	if _, scalar := scalarMethods[x.Name.Text]; scalar && flexible(x.Receiver) {
		hint = numberWant(want)
	} else if x.Name.Text == "or" && want != nil && want.Kind == graph.Scalar {
		hint = graph.OptionOf(want)
	} else if scalar && elemWant(want) != nil && hasLiteral(x.Receiver) {
		hint = want
	}
	recv := e.exprOrGroup(x.Receiver, hint)
	if recv == nil {
		e.argsAfterError(x)
		return nil
	}
	if x.Name.Text == "" {
		return nil
	}
	c := &methodUse{x: x, recv: recv, want: want}
	m, ok := e.tableFor(recv)[x.Name.Text]
	if !ok && recv.Type.Kind == graph.Array && types.Innermost(recv.Type).IsScalar() {
		m, ok = scalarTable(types.Innermost(recv.Type))[x.Name.Text]
		m.masked, c.each = true, true
	}
	if !ok {
		e.unknownMethod(x, recv)
		return nil
	}
	if e.calledOtherwise(c, m) {
		return nil
	}
	if !e.argCount(x.Name.Span, diag.Span{Start: x.Name.Span.Start, End: x.Span.End}, x.Name.Text, x.Args, m.min, m.max) || !e.sizeArgs(c, m) {
		return nil
	}
	if !m.masked {
		c.recv = e.dense(recv)
	}
	if c.each {
		return e.eachElement(m, c)
	}
	switch g := e.of(c.recv).group; {
	case g != nil && g.one != nil:
		return e.ofOneGroup(m, c)
	case g != nil && g.there != nil && !m.seen:
		return e.seen(g, m.run(e, c), c.at())
	}
	return m.run(e, c)
}

// eachElement is a scalar's method on the elements of an array: x.m(…) is x.map(|e| e.m(…)).
func (e *elab) eachElement(m method, c *methodUse) *graph.Node {
	if c.recv.Type.Kind != graph.Array {
		return m.run(e, c)
	}
	saved := e.fr.loop
	e.fr.loop = nil
	e.lambda++
	n := e.mapEach(c.at(), c.recv, func(v *graph.Node) *graph.Node {
		inner := *c
		inner.recv, inner.want = v, elemWant(c.want)
		return e.eachElement(m, &inner)
	})
	e.lambda--
	e.fr.loop = saved
	return n
}

// argsAfterError checks the arguments that do not depend on the receiver, to
// report what is wrong in them in the same run.
func (e *elab) argsAfterError(x *syntax.MethodCall) {
	for _, a := range x.Args {
		switch a := a.(type) {
		case *syntax.Closure:
			if len(a.Params) < len(closureNames) {
				if orders[x.Name.Text] {
					e.allowReverse(valueExpr(a.Body))
				}
				e.inBlock(func() { e.applyClosure(a, nil, make([]*graph.Node, len(a.Params))...) })
			}
		default:
			e.exprOrGroup(a, nil)
		}
	}
}

// rangeOf is the a..b in (a..b).
func rangeOf(x syntax.Expr) (*syntax.RangeExpr, bool) {
	for {
		p, ok := x.(*syntax.ParenExpr)
		if !ok {
			r, ok := x.(*syntax.RangeExpr)
			return r, ok
		}
		x = p.X
	}
}

func (e *elab) unknownMethod(x *syntax.MethodCall, recv *graph.Node) {
	name, table := x.Name.Text, e.tableFor(recv)
	found := describeNode(e, recv)
	m := e.errorf(x.Name.Span, "N06", "there is no operation `%s` here", name).Note("not defined on %s", found)
	switch help := e.foreignWord(x, recv); {
	case help != "":
		m.Help("%s", help)
	default:
		names := make([]string, 0, len(table))
		for n := range table {
			names = append(names, n)
		}
		if recv.Type.Kind == graph.Array && types.Innermost(recv.Type).IsScalar() {
			names = slices.AppendSeq(names, maps.Keys(scalarTable(types.Innermost(recv.Type))))
		}
		suggest(m, name, names)
	}
}

// argText is the text of the arguments.
func (e *elab) argText(x *syntax.MethodCall) string {
	if len(x.Args) == 0 {
		return ""
	}
	return e.text(spanOf(x.Args))
}

// spanOf is where a row of expressions stands.
func spanOf(list []syntax.Expr) diag.Span {
	return diag.Span{Start: list[0].Where().Start, End: list[len(list)-1].Where().End}
}

// argsOffer is the text of as many arguments as are wanted, closures last.
func (e *elab) argsOffer(args []syntax.Expr, want int) string {
	var texts, closures []string
	for _, a := range args[:min(want, len(args))] {
		if _, ok := a.(*syntax.Closure); ok {
			closures = append(closures, e.text(a.Where()))
		} else {
			texts = append(texts, e.text(a.Where()))
		}
	}
	for len(texts)+len(closures) < want {
		texts = append(texts, "…")
	}
	return strings.Join(append(texts, closures...), ", ")
}

// argCount checks the number of arguments of a call, which is marked at a part of it.
func (e *elab) argCount(at, call diag.Span, name string, args []syntax.Expr, least, most int) bool {
	found := len(args)
	if found >= least && found <= most {
		return true
	}
	want := itoa(least)
	if most > least {
		want += " to " + itoa(most)
	}
	offer := name + "(" + e.argsOffer(args, max(least, min(found, most))) + ")"
	if found > most {
		offer = e.instead(call, offer)
	}
	e.errorf(at, "T08", "`%s` takes %s argument%s", name, want, plural(most)).Note("found %d", found).Help("%s", offer)
	return false
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// sizeArgs reads a turbofish.
func (e *elab) sizeArgs(c *methodUse, m method) bool {
	args := c.x.TypeArgs
	if m.fast && takesFast(c.x) {
		return true
	}
	if len(args) > m.sizes {
		msg := e.errorf(c.x.Name.Span, "T09", "`%s` takes no such argument in ::<…>", c.x.Name.Text)
		if places := placesOf(c.x, c.recv.Type); places != nil {
			msg.Note("it rounds to a whole number").Help("%s", e.roundedTo(c.x, c.recv.Type, places))
			return false
		}
		msg.Note("expected %d", m.sizes).Help("leave it out")
		return false
	}
	if m.need && len(args) < m.sizes {
		e.errorf(c.x.Name.Span, "T09", "`%s` needs a size", c.x.Name.Text).Note("expected ::<…>").Help("%s::<%d>(%s)", c.x.Name.Text, sizeOffer(c), e.argText(c.x))
		return false
	}
	for _, a := range args {
		p, ok := e.sizeArg(a)
		if ok && !e.proves(p) {
			e.negativeSize(c.x.Name.Span, p)
			ok = false
		}
		if !ok {
			return false
		}
		c.sizes = append(c.sizes, p)
	}
	return true
}

// takesFast reads the `fast` of sum::<fast>, which allows any order; every
// engine uses the canonical one for now.
func takesFast(x *syntax.MethodCall) bool {
	return slices.ContainsFunc(x.TypeArgs, func(a syntax.TypeArg) bool {
		n, ok := a.Size.(*syntax.NameExpr)
		return ok && len(n.Path) == 1 && n.Path[0].Text == "fast"
	})
}

// sizeOffer is a number to offer for ::<…>: the places of the decimal that is wanted of a rounding where it has fewer, or none.
func sizeOffer(c *methodUse) int {
	switch {
	case !types.IsSort(types.Innermost(c.recv.Type), meaning.Decimal):
		return 8
	case c.want != nil && types.IsSort(types.Innermost(c.want), meaning.Decimal) && types.Innermost(c.want).Means.Places < types.Innermost(c.recv.Type).Means.Places:
		return int(types.Innermost(c.want).Means.Places)
	}
	return 0
}
