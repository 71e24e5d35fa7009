package graph

import "slices"

// build makes the nodes of a lawful fold: a Map for each component's
// expression, the Reduces, and what joins them with init. Where expressions
// share work there is one Map for all of them, and then one for each
// component that takes it out.
func (r *recognizer) build(fold *Node, m *matcher, t *term) ([]*Node, *Node) {
	b := &lawBuilder{r: r, fold: fold, m: m}
	b.collect(t)
	b.reductions()
	result := b.join(t, fold.Args[1])
	return b.out, result
}

type lawBuilder struct {
	r     *recognizer
	fold  *Node
	m     *matcher
	terms []*term // the scalar components that change
	sums  map[*term]*Node
	out   []*Node
}

func (b *lawBuilder) collect(t *term) {
	if t.monoid != NoMonoid {
		b.terms = append(b.terms, t)
	}
	for _, f := range t.fields {
		b.collect(f)
	}
}

// node makes a node like the one at pos.
func (b *lawBuilder) node(op Op, t *Type, pos *Node, args ...*Node) *Node {
	return &Node{ID: b.r.clone.Next(), Op: op, Type: t, Args: args, Pos: pos.Pos, Site: -1}
}

func (b *lawBuilder) add(n *Node) *Node {
	b.out = append(b.out, n)
	return n
}

// reductions adds one Reduce for each component. None has a site: an empty
// extreme is the identity here, so that the result is init.
func (b *lawBuilder) reductions() {
	b.sums = map[*term]*Node{}
	for i, a := range b.columns() {
		t := b.terms[i]
		n := b.add(b.node(Reduce, t.monoid.Result(a.Type.Elem(), a.Type.Size), t.pos, a))
		n.Monoid = t.monoid
		b.sums[t] = n
	}
}

// columns gives the array of each component's expression.
func (b *lawBuilder) columns() []*Node {
	arr, body := b.fold.Args[0], b.fold.Blocks[0]
	kept := b.kept(b.terms, true)
	direct := func(t *term) bool { return t.elem == body.Params[2] }
	if len(kept) == 0 && !slices.ContainsFunc(b.terms, func(t *term) bool { return !direct(t) }) {
		return slices.Repeat([]*Node{arr}, len(b.terms))
	}
	if columns := b.split(arr); columns != nil {
		return columns
	}
	all := b.mapped(arr, kept, b.terms)
	if len(b.terms) == 1 {
		return []*Node{all}
	}
	columns := make([]*Node, len(b.terms))
	for i := range b.terms {
		columns[i] = b.project(all, i)
	}
	return columns
}

// split makes a Map for each of several components, when nothing can fault
// and all they share is free.
func (b *lawBuilder) split(arr *Node) []*Node {
	seen := map[*Node]bool{}
	var columns [][]*Node
	for _, t := range b.terms {
		kept := b.kept([]*term{t}, false)
		for _, n := range kept {
			if seen[n] && !isFree[n.Op] {
				return nil
			}
			seen[n] = true
		}
		columns = append(columns, kept)
	}
	if len(b.terms) < 2 || slices.ContainsFunc(b.kept(nil, true), (*Node).AnyFault) {
		return nil
	}
	out := make([]*Node, len(columns))
	for i, kept := range columns {
		out[i] = b.mapped(arr, kept, b.terms[i:i+1])
	}
	return out
}

// isFree marks operations that cost nothing in a fused loop.
var isFree = [ops]bool{Const: true, SizeVal: true, Get: true, MakeTuple: true}

// kept is what of the body moves into a Map for these terms: everything that
// does not use the accumulator and is needed by an expression or, with
// faults, can fault.
func (b *lawBuilder) kept(terms []*term, faults bool) []*Node {
	need := map[*Node]bool{}
	for _, t := range terms {
		need[t.elem] = true
		if t.within != nil {
			needBlock(t.within, need)
		}
	}
	var kept []*Node
	for _, n := range slices.Backward(b.fold.Blocks[0].Nodes) {
		if b.m.tainted[n] || !need[n] && !(faults && n.AnyFault()) {
			continue
		}
		for _, a := range n.Args {
			need[a] = true
		}
		for _, inner := range n.Blocks {
			needBlock(inner, need)
		}
		kept = append(kept, n)
	}
	slices.Reverse(kept)
	return kept
}

func needBlock(b *Block, need map[*Node]bool) {
	for _, n := range b.Nodes {
		for _, a := range n.Args {
			need[a] = true
		}
		for _, inner := range n.Blocks {
			needBlock(inner, need)
		}
	}
	for _, r := range b.Results {
		need[r] = true
	}
}

// mapped is the Map of the terms' expressions: a tuple when there are
// several, a scalar when there is one, and a Bool that nobody reads when only
// faults are left.
func (b *lawBuilder) mapped(arr *Node, kept []*Node, terms []*term) *Node {
	body := b.fold.Blocks[0]
	c := b.r.clone
	c.With = map[*Node]*Node{}
	inner := &Block{Params: []*Node{c.Node(body.Params[0]), c.Node(body.Params[2])}}
	for _, n := range kept {
		inner.Nodes = append(inner.Nodes, c.Node(n))
	}
	for _, t := range terms {
		if t.within != nil {
			for _, n := range t.within.Nodes {
				if !b.m.tainted[n] {
					inner.Nodes = append(inner.Nodes, c.Node(n))
				}
			}
		}
	}
	elem := b.element(inner, c, terms)
	inner.Results = []*Node{elem}
	n := b.node(Map, ArrayOf(elem.Type, arr.Type.Size), b.fold, arr)
	if arr.Type.Masked {
		n.Type = MaskedOf(n.Type)
	}
	n.Blocks = []*Block{inner}
	return b.add(n)
}

func (b *lawBuilder) element(inner *Block, c *Cloner, terms []*term) *Node {
	var parts []*Node
	var types []*Type
	for _, t := range terms {
		p := c.list([]*Node{t.elem})[0]
		parts, types = append(parts, p), append(types, p.Type)
	}
	var n *Node
	switch len(parts) {
	case 1:
		return parts[0]
	case 0:
		n = b.node(Const, BoolType, b.fold)
	default:
		n = b.node(MakeTuple, TupleOf(types...), b.fold, parts...)
	}
	inner.Nodes = append(inner.Nodes, n)
	return n
}

// project is the Map that takes field i out of each element.
func (b *lawBuilder) project(a *Node, i int) *Node {
	pos := b.terms[i].pos
	index := b.node(Param, IndexOf(a.Type.Size), pos)
	e := b.node(Param, a.Type.Elem(), pos)
	get := b.node(Get, e.Type.Elems[i], pos, e)
	get.Field = i
	n := b.node(Map, ArrayOf(get.Type, a.Type.Size), pos, a)
	if a.Type.Masked {
		n.Type = MaskedOf(n.Type)
	}
	n.Blocks = []*Block{{Params: []*Node{index, e}, Nodes: []*Node{get}, Results: []*Node{get}}}
	return b.add(n)
}

// join adds the node for `init ⊕ reduction` of a term.
func (b *lawBuilder) join(t *term, init *Node) *Node {
	switch {
	case t.monoid != NoMonoid:
		n := b.add(b.node(Arith, t.typ, t.pos, init, b.sums[t]))
		n.Num, n.Name = t.op, b.fold.Name
		return n
	case len(t.fields) == 0:
		return init
	}
	var parts []*Node
	for i, f := range t.fields {
		field := b.add(b.node(Get, t.typ.Elems[i], b.fold, init))
		field.Field = i
		parts = append(parts, b.join(f, field))
	}
	n := b.add(b.node(MakeTuple, t.typ, b.fold, parts...))
	n.Name = b.fold.Name
	return n
}
