package interp

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// block is a graph block with its nodes' registers resolved, so that a body
// that runs a million times looks nothing up.
type block struct {
	params  []int
	nodes   []*inst
	results []int
}

// inst is one node.
type inst struct {
	*graph.Node
	reg    int
	args   []int
	blocks []*block
	kind   num.Kind // of Args[0], when that is a scalar
	poly   fixed    // of Poly
	bound  fixed    // of an Index type
}

// fixed is the value of a polynomial that stays the same for the whole run.
type fixed struct {
	value int64
	known bool
}

// fix leaves unknown what is an error when it is needed.
func (m *machine) fix(p size.Poly) fixed {
	if !m.isFixedPoly(p) {
		return fixed{}
	}
	n, ok := p.Eval(m.lookup)
	return fixed{n, ok}
}

func (m *machine) register(n *graph.Node) int {
	r, ok := m.reg[n]
	if !ok {
		r = len(m.regs)
		m.reg[n] = r
		m.regs = append(m.regs, val{})
	}
	return r
}

func (m *machine) registers(nodes []*graph.Node) []int {
	regs := make([]int, len(nodes))
	for i, n := range nodes {
		regs[i] = m.register(n)
	}
	return regs
}

func (m *machine) prepare(b *graph.Block) *block {
	r := &block{params: m.registers(b.Params)}
	for _, n := range b.Nodes {
		r.nodes = append(r.nodes, m.prepareNode(n))
	}
	r.results = m.registers(b.Results)
	return r
}

func (m *machine) prepareNode(n *graph.Node) *inst {
	in := &inst{Node: n, args: m.registers(n.Args), reg: m.register(n)}
	for _, b := range n.Blocks {
		in.blocks = append(in.blocks, m.prepare(b))
	}
	if len(n.Args) > 0 && n.Args[0].Type.IsScalar() {
		in.kind = n.Args[0].Type.KindOf()
	}
	if n.HasPoly {
		in.poly = m.fix(n.Poly)
	}
	if n.Type.Kind == graph.Index {
		in.bound = m.fix(n.Type.Bound)
	}
	return in
}

// polyOf is the value of in's Poly now.
func (m *machine) polyOf(in *inst) int64 {
	if in.poly.known {
		return in.poly.value
	}
	return m.poly(in.Poly)
}

// boundOf is the value of the bound of in's Index type now.
func (m *machine) boundOf(in *inst) int64 {
	if in.bound.known {
		return in.bound.value
	}
	return m.poly(in.Type.Bound)
}

// exec evaluates all nodes of a block in order.
func (m *machine) exec(b *block) {
	m.tick(1 + int64(len(b.nodes)))
	for _, in := range b.nodes {
		m.regs[in.reg] = m.eval(in)
	}
}

// call evaluates a block with these arguments; its first result comes back.
func (m *machine) call(b *block, args ...val) val {
	for i, a := range args {
		m.regs[b.params[i]] = a
	}
	m.exec(b)
	return m.regs[b.results[0]]
}

func (m *machine) arg(in *inst, i int) val { return m.regs[in.args[i]] }
