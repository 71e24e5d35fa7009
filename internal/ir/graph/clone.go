package graph

// Cloner copies nodes; With holds what has been copied so far and what
// stands in for nodes from outside. Types, sites and sizes are shared.
type Cloner struct {
	With map[*Node]*Node
	Next func() int // the ID of the next copy
}

// NewCloner copies with IDs above all of g's.
func NewCloner(g *Graph) *Cloner {
	id := g.MaxID()
	return &Cloner{With: map[*Node]*Node{}, Next: func() int { id++; return id }}
}

// Node copies n with its blocks. A copy that defines a run-time size defines
// it a second time, so the original must go.
func (c *Cloner) Node(n *Node) *Node {
	m := new(Node)
	*m = *n
	m.ID = c.Next()
	m.Args = c.list(n.Args)
	m.Blocks = make([]*Block, len(n.Blocks))
	c.With[n] = m
	for i, b := range n.Blocks {
		m.Blocks[i] = c.Block(b)
	}
	return m
}

// Block copies a block with everything inside.
func (c *Cloner) Block(b *Block) *Block {
	r := new(Block)
	for _, p := range b.Params {
		r.Params = append(r.Params, c.Node(p))
	}
	for _, n := range b.Nodes {
		r.Nodes = append(r.Nodes, c.Node(n))
	}
	r.Results = c.list(b.Results)
	return r
}

// list maps nodes to their copies; those that have none stay as they are.
func (c *Cloner) list(nodes []*Node) []*Node {
	r := make([]*Node, len(nodes))
	for i, n := range nodes {
		r[i] = n
		if m, ok := c.With[n]; ok {
			r[i] = m
		}
	}
	return r
}

// Clone copies a graph so that a pass can work on the copy.
func (g *Graph) Clone() *Graph {
	r := *g
	id := 0
	c := &Cloner{With: map[*Node]*Node{}, Next: func() int { id++; return id }}
	r.Body = *c.Block(&g.Body)
	return &r
}
