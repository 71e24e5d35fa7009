package graph

import "github.com/godwit-run/godwit/internal/ir/num"

// Recognize turns each Fold whose closure is a lawful operator into Reduces,
// and gives every other Fold its Reason.
//
// With accumulator a and element e, the operators are a + e and a * e on
// floats, a +% e and a *% e, min, max, & | ^ && ||, either way round and with
// e replaced by any expression that does not use a; or a tuple of such, one
// per component, or a component that stays as it is. The expressions become
// a Map, the result is `init ⊕ reduction`. For float sums and products that
// changes the order, and with it bits: what a program means is the graph
// after this pass. The set of faults stays the same:
// whatever can fault and does not use a is evaluated for the same slots, and
// whatever uses a and can fault keeps the Fold. A Scatter stays in order; it
// only gets a Reason.
func Recognize(g *Graph) {
	r := &recognizer{g: g, clone: NewCloner(g)}
	r.block(&g.Body)
}

type recognizer struct {
	g     *Graph
	clone *Cloner
}

// block rewrites inner folds first, so that an outer one sees what they
// became.
func (r *recognizer) block(b *Block) {
	var nodes []*Node
	replaced := map[*Node]*Node{}
	for _, n := range b.Nodes {
		for _, inner := range n.Blocks {
			r.block(inner)
		}
		if n.Op == Scatter && n.Reason == "" {
			n.Reason = "an update sees the ones before it"
		}
		if n.Op == Fold {
			if made, result := r.fold(n); result != nil {
				nodes = append(nodes, made...)
				replaced[n] = result
				continue
			}
		}
		nodes = append(nodes, n)
	}
	b.Nodes = nodes
	b.Replace(replaced)
}

// fold gives the nodes that a lawful fold becomes and which of them is its
// result; otherwise it sets the Reason.
func (r *recognizer) fold(n *Node) ([]*Node, *Node) {
	body := n.Blocks[0]
	m := &matcher{g: r.g, fold: n, acc: body.Params[1], tainted: map[*Node]bool{}, next: r.clone.Next}
	m.taint(body)
	t := m.match(body.Results[0], nil, n.Type)
	if m.reason == "" {
		m.noFaults(body)
	}
	if m.reason != "" {
		n.Reason = m.reason
		return nil, nil
	}
	return r.build(n, m, t)
}

// term is what one component of the accumulator becomes: an operator on an
// expression, a tuple of terms, or nothing when the component stays.
type term struct {
	typ    *Type
	path   []int
	monoid Monoid
	op     num.Op
	elem   *Node  // the expression
	within *Block // where elem stands, when it is the right side of && or ||
	pos    *Node  // the node of the operator
	fields []*term
}
