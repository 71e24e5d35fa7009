package graph

import "github.com/godwit-run/godwit/internal/front/size"

// slotTypes are the parameters of a body that runs for each slot of arrays.
func slotTypes(n size.Poly, arrays ...*Node) []*Type {
	types := []*Type{IndexOf(n)}
	for _, a := range arrays {
		types = append(types, a.Type.Elem())
	}
	return types
}

func single(body func(p []*Node) *Node) func([]*Node) []*Node {
	return func(p []*Node) []*Node { return []*Node{body(p)} }
}

// Map is body(i, elements…) for each of n slots.
func (b *Builder) Map(n size.Poly, body func(p []*Node) *Node, arrays ...*Node) *Node {
	block := b.Block(single(body), slotTypes(n, arrays...)...)
	t := ArrayOf(block.Results[0].Type, n)
	if len(arrays) == 1 && arrays[0].Type.Masked {
		t = MaskedOf(t)
	}
	return b.with(Map, t, []*Block{block}, arrays...)
}

// Filter keeps the slots for which body(i, element) holds.
func (b *Builder) Filter(a *Node, body func(p []*Node) *Node) *Node {
	block := b.Block(single(body), slotTypes(a.Type.Size, a)...)
	return b.with(Filter, MaskedOf(a.Type), []*Block{block}, a)
}

// Compact moves a masked array's elements together and names their number.
func (b *Builder) Compact(a *Node, name string) *Node {
	n := b.Add(Compact, ArrayOf(a.Type.Elem(), size.Var(name)), a)
	n.Defines = name
	return n
}

// Limit is the first n elements; name is their number.
func (b *Builder) Limit(a, n *Node, name string) *Node {
	r := b.Add(Limit, ArrayOf(a.Type.Elem(), size.Var(name)), a, n)
	r.Defines = name
	return r
}

// Reduce folds with a lawful operator, at a site of its own when it can fault.
func (b *Builder) Reduce(m Monoid, a *Node) *Node {
	elem := a.Type.Elem()
	n := b.Add(Reduce, m.Result(elem, a.Type.Size), a)
	n.Monoid = m
	switch {
	case m.NeedsElement():
		n.Site = b.Site(Empty, m.String())
	case m.CanFault(elem.KindOf(), false):
		n.Site = b.Site(Overflow, m.String())
	}
	return n
}

// KeyedReduce folds per group; body(i, element) gives the key and the value.
func (b *Builder) KeyedReduce(m Monoid, groups size.Poly, a *Node, body func(p []*Node) (key, value *Node)) *Node {
	block := b.Block(pair(body), slotTypes(a.Type.Size, a)...)
	value := block.Results[1].Type
	n := b.with(KeyedReduce, ArrayOf(m.keyedResult(value), groups), []*Block{block}, a)
	n.Monoid, n.Poly, n.HasPoly = m, groups, true
	if m.CanFault(keyedScalar(value).KindOf(), true) {
		n.Site = b.Site(Overflow, m.String())
	}
	return n
}

func pair(body func(p []*Node) (*Node, *Node)) func([]*Node) []*Node {
	return func(p []*Node) []*Node {
		first, second := body(p)
		return []*Node{first, second}
	}
}

// keyedResult is the type that values of type t combine to in a group.
func (m Monoid) keyedResult(t *Type) *Type {
	if t.Kind == Array {
		return ArrayOf(m.keyedResult(t.Elem()), t.Size)
	}
	return m.Result(t, size.Const(0))
}

// Fold is the sequential fold; Scan keeps the intermediate results.
func (b *Builder) Fold(a, init *Node, body func(p []*Node) *Node) *Node {
	return b.with(Fold, init.Type, []*Block{b.stepBlock(a, init, body)}, a, init)
}

// Scan is Fold with all intermediate results.
func (b *Builder) Scan(a, init *Node, body func(p []*Node) *Node) *Node {
	return b.with(Scan, ArrayOf(init.Type, a.Type.Size), []*Block{b.stepBlock(a, init, body)}, a, init)
}

func (b *Builder) stepBlock(a, init *Node, body func(p []*Node) *Node) *Block {
	return b.Block(single(body), IndexOf(a.Type.Size), init.Type, a.Type.Elem())
}

// Scatter updates dense in order: body(i, element of from) gives the key and
// the value, update(old, value) the new element.
func (b *Builder) Scatter(dense, from *Node, body func(p []*Node) (key, value *Node), update func(p []*Node) *Node) *Node {
	first := b.Block(pair(body), slotTypes(from.Type.Size, from)...)
	second := b.Block(single(update), dense.Type.Elem(), first.Results[1].Type)
	return b.with(Scatter, dense.Type, []*Block{first, second}, dense, from)
}

// Sort orders by body(i, element).
func (b *Builder) Sort(a *Node, desc bool, body func(p []*Node) *Node) *Node {
	block := b.Block(single(body), slotTypes(a.Type.Size, a)...)
	n := b.with(Sort, a.Type, []*Block{block}, a)
	n.Desc = desc
	return n
}

// TopK is the k elements with the greatest keys; with a name, the number
// that there are of them is a run-time size.
func (b *Builder) TopK(a *Node, k size.Poly, name string, body func(p []*Node) *Node) *Node {
	block := b.Block(single(body), slotTypes(a.Type.Size, a)...)
	n := b.with(TopK, ArrayOf(a.Type.Elem(), k), []*Block{block}, a)
	n.Poly, n.HasPoly, n.Defines = k, true, name
	if name != "" {
		n.Type = ArrayOf(a.Type.Elem(), size.Var(name))
	}
	return n
}

// Loop runs from lo to hi with carried values; a bound makes i an Index. The
// body gives the next values, and with stop whether to end.
func (b *Builder) Loop(lo, hi *Node, bound *size.Poly, stop bool, body func(p []*Node) []*Node, carried ...*Node) *Node {
	i := I64Type
	if bound != nil {
		i = IndexOf(*bound)
	}
	types, elems := []*Type{i}, []*Type{}
	for _, c := range carried {
		types, elems = append(types, c.Type), append(elems, c.Type)
	}
	block := b.Block(body, types...)
	n := b.with(Loop, TupleOf(elems...), []*Block{block}, append([]*Node{lo, hi}, carried...)...)
	n.Stop = stop
	if bound != nil {
		n.Poly, n.HasPoly = *bound, true
	}
	return n
}
