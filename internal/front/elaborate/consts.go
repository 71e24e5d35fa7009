package elaborate

import (
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// constant evaluates a constant once; it reports false after an error.
func (p *Program) constant(d *decl) bool {
	switch d.state {
	case done:
		return !d.failed
	case busy:
		if !d.failed {
			d.failed = true
			p.errorf(d.src, d.at, "T19", "the constant `%s` needs itself", d.name).Note("its value would have no start").Help("const %s = 1;", last(d.name))
		}
		return false
	}
	d.state = busy
	ok := p.evaluateConst(d)
	d.failed = d.failed || !ok
	d.state = done
	return !d.failed
}

func (p *Program) evaluateConst(d *decl) bool {
	e := newElab(p, d.name, d.src, p.msgs)
	e.fr = &frame{d: d, mod: d.mod, src: d.src, sizes: map[string]size.Poly{}}
	var want *graph.Type
	if d.con.Type != nil {
		if want = e.typeExpr(d.con.Type); want == nil {
			return false
		}
	}
	var ok bool
	d.typ, d.bits, ok = e.constValue(d.con, want)
	return ok
}

// constValue computes a constant.
func (e *elab) constValue(c *syntax.Const, want *graph.Type) (t *graph.Type, bits uint64, ok bool) {
	n, at := e.value(c.Value, want), c.Value.Where()
	if n == nil {
		return nil, 0, false
	}
	if n.Type.Kind != graph.Scalar {
		e.errorf(c.Span, "T19", "a constant is a number or a bool").Note("found %s", n.Type).
			Help("make it a function:\nfn %s() -> %s { %s }", c.Name.Text, n.Type, e.text(at))
		return nil, 0, false
	}
	if !constant(n, map[*graph.Node]bool{}) {
		e.errorf(at, "T19", "a constant is made of literals, constants and operators").Note("found a value known only at run time").
			Help("let %s = %s;", strings.ToLower(c.Name.Text), e.text(at))
		return nil, 0, false
	}
	bits, ok = evaluate(n)
	if !ok {
		e.errorf(at, "F07", "this constant cannot be computed").Note("it overflows, or divides by zero").
			Help("%s", e.wrapped(c.Value, n.Type.Num))
	}
	return n.Type, bits, ok
}

// constant reports that evaluate finds nothing that is known only at run time.
func constant(n *graph.Node, seen map[*graph.Node]bool) bool {
	if seen[n] {
		return true // or somebody else says no
	}
	seen[n] = true
	parts := n.Args
	switch n.Op {
	case graph.Const, graph.Arith, graph.Cast, graph.Bits:
	case graph.If:
		parts = []*graph.Node{n.Args[0], n.Blocks[0].Results[0], n.Blocks[1].Results[0]}
	default:
		return false
	}
	return !slices.ContainsFunc(parts, func(a *graph.Node) bool { return !constant(a, seen) })
}

// constStmt is a constant inside of a function. It is a variable whose value is computed now,
// and so it may be a size.
func (e *elab) constStmt(s *syntax.Const) {
	var want *graph.Type
	known := s.Type == nil
	if s.Type != nil {
		want = e.typeExpr(s.Type)
		known = want != nil
	}
	var t *graph.Type
	var bits uint64
	ok := false
	e.inConst = true
	e.inBlock(func() { t, bits, ok = e.constValue(s, want) }) // nothing is left of what it is computed from
	e.inConst = false
	var n *graph.Node
	if ok && known {
		n = e.constOf(t, bits, s.Span)
	}
	e.bind(s.Name, false, n)
}

// evaluate computes a scalar that is made of constants. It reports false for
// what is not, or faults.
func evaluate(n *graph.Node) (uint64, bool) {
	return (&evaluator{known: map[*graph.Node]result{}}).value(n)
}

// evaluator keeps what it has computed, because nodes are shared.
type evaluator struct{ known map[*graph.Node]result }

type result struct {
	bits uint64
	ok   bool
}

func (v *evaluator) value(n *graph.Node) (uint64, bool) {
	if r, done := v.known[n]; done {
		return r.bits, r.ok
	}
	bits, ok := v.compute(n)
	v.known[n] = result{bits, ok}
	return bits, ok
}

func (v *evaluator) compute(n *graph.Node) (uint64, bool) {
	if n.Op == graph.Const {
		return n.Bits, true
	}
	var args [3]uint64
	if len(n.Args) == 0 || len(n.Args) > 3 {
		return 0, false
	}
	for i, a := range n.Args {
		x, ok := v.value(a)
		if !ok {
			return 0, false
		}
		args[i] = x
	}
	switch n.Op {
	case graph.Arith:
		r, fault := num.Apply(n.Num, n.Args[0].Type.KindOf(), args[:len(n.Args)])
		return r, !fault || !n.Checked
	case graph.Cast:
		r, fault := num.Convert(n.Args[0].Type.KindOf(), n.Type.KindOf(), args[0])
		return r, !fault || !n.Checked
	case graph.Bits:
		return num.Canon(n.Type.Num, args[0]), true
	case graph.If:
		return v.value(n.Blocks[1-args[0]&1].Results[0])
	}
	return 0, false
}
