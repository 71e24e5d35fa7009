package elaborate

import (
	"github.com/godwit-run/godwit/graph"
	"github.com/godwit-run/godwit/num"
	"github.com/godwit-run/godwit/size"
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
	n := e.value(d.con.Value, want)
	if n == nil {
		return false
	}
	if n.Type.Kind != graph.Scalar {
		e.errorf(d.con.Span, "T19", "a constant is a number or a bool").Note("found %s", n.Type).
			Help("make it a function:\nfn %s() -> %s { %s }", last(d.name), n.Type, e.text(d.con.Value.Where()))
		return false
	}
	v, ok := evaluate(n)
	if !ok {
		e.errorf(d.con.Value.Where(), "F07", "this constant cannot be computed").Note("it overflows, or divides by zero").
			Help("%s", e.wrapped(d.con.Value))
		return false
	}
	d.typ, d.bits = n.Type, v
	return true
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
	var args [2]uint64
	if len(n.Args) == 0 || len(n.Args) > 2 {
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
		r, fault := num.Eval(n.Num, n.Args[0].Type.KindOf(), args[0], args[1])
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
