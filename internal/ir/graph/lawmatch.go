package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// matcher compares a fold's body with the lawful operators.
type matcher struct {
	g       *Graph
	fold    *Node
	acc     *Node
	tainted map[*Node]bool // depends on the accumulator
	reason  string
	next    func() int // the next free ID
}

// taint marks what depends on the accumulator, through nested blocks too.
func (m *matcher) taint(b *Block) {
	m.tainted[m.acc] = true
	for _, n := range b.Nodes {
		hit := slices.ContainsFunc(n.Args, func(a *Node) bool { return m.tainted[a] })
		for _, inner := range n.Blocks {
			m.taint(inner)
			hit = hit || m.usesAcc(inner)
		}
		if hit {
			m.tainted[n] = true
		}
	}
}

func (m *matcher) usesAcc(b *Block) bool {
	return slices.ContainsFunc(b.Nodes, func(n *Node) bool { return m.tainted[n] }) ||
		slices.ContainsFunc(b.Results, func(n *Node) bool { return m.tainted[n] })
}

// isAcc reports that n is the accumulator's component at path.
func (m *matcher) isAcc(n *Node, path []int) bool {
	if len(path) == 0 {
		return n == m.acc
	}
	last := len(path) - 1
	return n.Op == Get && n.Field == path[last] && m.isAcc(n.Args[0], path[:last])
}

// match gives the term for the next value n of the component at path.
func (m *matcher) match(n *Node, path []int, t *Type) *term {
	r := &term{typ: t, path: slices.Clone(path), pos: n}
	switch {
	case m.isAcc(n, path):
		return r
	case t.Kind == Tuple && n.Op == MakeTuple:
		for i, a := range n.Args {
			r.fields = append(r.fields, m.match(a, append(path, i), t.Elems[i]))
		}
		return r
	case t.IsScalar():
		m.operator(r, n)
		return r
	}
	m.refuse("%s is no operator on %s", m.text(n), t)
	return r
}

// refuse keeps the first reason.
func (m *matcher) refuse(format string, args ...any) {
	if m.reason == "" {
		m.reason = fmt.Sprintf(format, args...)
	}
}

// operator matches n = acc ⊕ e or e ⊕ acc.
func (m *matcher) operator(r *term, n *Node) {
	switch {
	case n.Op == Arith && len(n.Args) == 2:
		m.arith(r, n)
	case n.Op == Arith && n.Num == num.Fma:
		m.fused(r, n)
	case n.Op == If && r.typ.KindOf() == num.Bool:
		m.shortCircuit(r, n)
	case !m.tainted[n]:
		m.refuse("%s replaces the accumulator", m.text(n))
	default:
		m.refuse("%s is not a lawful operator", m.text(n))
	}
}

func (m *matcher) arith(r *term, n *Node) {
	k := n.Args[0].Type.KindOf()
	r.monoid, r.op = lawful(n.Num, k), n.Num
	switch left, right := m.isAcc(n.Args[0], r.path), m.isAcc(n.Args[1], r.path); {
	case n.CanFault() && (n.Num == num.Add || n.Num == num.Mul):
		m.refuse("%s is checked, and may overflow in one order and not in another; use sum() or wrap with +%% or *%%", m.text(n))
	case r.monoid == NoMonoid || n.CanFault():
		m.refuse("%s is not associative", m.text(n))
	case left:
		r.elem = n.Args[1]
	case right:
		r.elem = n.Args[0]
	default:
		m.refuse("%s does not take the accumulator itself", m.text(n))
	}
	m.untainted(r)
}

// fused matches a product that is added to the accumulator. Its factors become
// a pair in the body, in front of n.
func (m *matcher) fused(r *term, n *Node) {
	body := m.fold.Blocks[0]
	at := slices.Index(body.Nodes, n)
	if at < 0 || !m.isAcc(n.Args[2], r.path) {
		m.refuse("%s does not take the accumulator itself", m.text(n))
		return
	}
	if m.tainted[n.Args[0]] || m.tainted[n.Args[1]] {
		m.refuse("%s uses the accumulator twice", m.text(n))
		return
	}
	pair := &Node{ID: m.next(), Op: MakeTuple, Type: TupleOf(n.Type, n.Type), Args: n.Args[:2:2], Pos: n.Pos, Site: -1}
	body.Nodes = slices.Insert(body.Nodes, at, pair)
	r.monoid, r.op, r.elem = FusedSum, num.Add, pair
}

func (m *matcher) untainted(r *term) {
	if r.elem != nil && m.tainted[r.elem] {
		m.refuse("%s uses the accumulator twice", m.text(r.pos))
	}
}

// lawful is the monoid behind an operation, when there is one.
func lawful(op num.Op, k num.Kind) Monoid {
	float, truth := k.IsFloat(), k == num.Bool
	switch op {
	case num.Add:
		return pick(float, SumOf, WrapSum)
	case num.Mul:
		return pick(float, Product, WrapProduct)
	case num.Min:
		return MinOf
	case num.Max:
		return MaxOf
	case num.And:
		return pick(truth, AllOf, BitAnd)
	case num.Or:
		return pick(truth, AnyOf, BitOr)
	case num.Xor:
		return BitXor
	}
	return NoMonoid
}

func pick(first bool, a, b Monoid) Monoid {
	if first {
		return a
	}
	return b
}

// shortCircuit matches && and ||, which evaluate their right side only when
// it is needed: if it uses the accumulator it is skipped, so the left side
// decides; if it is the expression, it is evaluated for more slots than
// before, and must not fault.
func (m *matcher) shortCircuit(r *term, n *Node) {
	then, otherwise := n.Blocks[0], n.Blocks[1]
	right := then
	switch {
	case isConst(otherwise.Results[0], 0):
		r.monoid, r.op = AllOf, num.And
	case isConst(then.Results[0], 1):
		r.monoid, r.op, right = AnyOf, num.Or, otherwise
	default:
		m.refuse("%s is a choice, not a lawful operator", m.text(n))
		return
	}
	switch value := right.Results[0]; {
	case n.AnyFault():
		m.refuse("the right side of %s can fault and is evaluated only when needed", m.text(n))
	case m.isAcc(n.Args[0], r.path):
		r.elem, r.within = value, right
	case m.isAcc(value, r.path) && !m.tainted[n.Args[0]]:
		r.elem = n.Args[0]
	default:
		m.refuse("%s does not take the accumulator itself", m.text(n))
	}
	m.untainted(r)
}

func isConst(n *Node, bits uint64) bool { return n.Op == Const && n.Bits == bits }

// noFaults refuses what depends on the accumulator and can fault, used or
// not: its faults depend on the order.
func (m *matcher) noFaults(b *Block) {
	b.Walk(func(n *Node) bool {
		if m.tainted[n] && n.AnyFault() {
			m.refuse("%s can fault and uses the accumulator", m.text(n))
		}
		return true
	})
}

// text is the expression in source, in backquotes.
func (m *matcher) text(n *Node) string {
	src := m.g.Source
	if src == nil || n.Pos.Start < 0 || n.Pos.End <= n.Pos.Start || n.Pos.End > len(src.Text) {
		return "`" + n.Op.String() + " " + n.detail() + "`"
	}
	words := strings.Join(strings.Fields(src.Text[n.Pos.Start:n.Pos.End]), " ")
	const most = 60
	if r := []rune(words); len(r) > most {
		words = string(r[:most-1]) + "…"
	}
	return "`" + words + "`"
}
