package graph

import (
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Builder makes a graph node by node; it derives the types that follow from
// the arguments and opens and closes nested blocks. It does not check what
// it makes: that is what Verify is for.
type Builder struct {
	G *Graph
	// Pos is given to every node made from here on.
	Pos diag.Span

	block *Block
	id    int
}

// NewBuilder starts a graph without sizes and parameters.
func NewBuilder(name string, src *diag.Source) *Builder {
	b := &Builder{G: &Graph{Name: name, Source: src}}
	b.G.Facts = size.Facts{Lo: map[string]int64{}, Hi: map[string]int64{}}
	b.block = &b.G.Body
	return b
}

// Size declares a size parameter with its inclusive range.
func (b *Builder) Size(name string, lo, hi int64) size.Poly {
	b.G.Sizes = append(b.G.Sizes, SizeParam{Name: name, Lo: lo, Hi: hi, Declared: true, Pos: b.Pos})
	b.G.Facts.Lo[name], b.G.Facts.Hi[name] = lo, hi
	return size.Var(name)
}

// Param adds a parameter of the function.
func (b *Builder) Param(name string, t *Type) *Node {
	b.G.ParamInfo = append(b.G.ParamInfo, ParamInfo{Name: name, Pos: b.Pos, Text: t.String()})
	p := b.node(Param, t)
	p.Name = name
	b.G.Body.Params = append(b.G.Body.Params, p)
	return p
}

// Return ends the function with its result.
func (b *Builder) Return(n *Node) *Graph {
	b.G.Body.Results = []*Node{n}
	return b.G
}

// Site adds a fault site and gives its number. Sites must be added in the
// order of their positions.
func (b *Builder) Site(kind FaultKind, text string) int {
	b.G.Sites = append(b.G.Sites, Site{Pos: b.Pos, Kind: kind, Text: text})
	return len(b.G.Sites) - 1
}

func (b *Builder) node(op Op, t *Type, args ...*Node) *Node {
	b.id++
	return &Node{ID: b.id, Op: op, Type: t, Args: args, Pos: b.Pos, Site: -1}
}

// Add makes a node and appends it to the open block.
func (b *Builder) Add(op Op, t *Type, args ...*Node) *Node {
	n := b.node(op, t, args...)
	b.block.Nodes = append(b.block.Nodes, n)
	return n
}

// Block makes a nested block: body gets its parameters and gives its results.
func (b *Builder) Block(body func(params []*Node) []*Node, types ...*Type) *Block {
	outer, inner := b.block, new(Block)
	for _, t := range types {
		inner.Params = append(inner.Params, b.node(Param, t))
	}
	b.block = inner
	inner.Results = body(inner.Params)
	b.block = outer
	return inner
}

// with makes a node that has blocks; the blocks are built before it, so that
// its type can follow from their results.
func (b *Builder) with(op Op, t *Type, blocks []*Block, args ...*Node) *Node {
	n := b.Add(op, t, args...)
	n.Blocks = blocks
	return n
}

// Const is a scalar of kind k with these bits.
func (b *Builder) Const(t *Type, bits uint64) *Node {
	n := b.Add(Const, t)
	n.Bits = bits
	return n
}

// Int is an integer constant, Float a float constant.
func (b *Builder) Int(k num.Kind, v int64) *Node {
	return b.Const(ScalarOf(k), num.Canon(k, uint64(v)))
}

// Float is a float constant rounded to kind k.
func (b *Builder) Float(k num.Kind, v float64) *Node {
	return b.Const(ScalarOf(k), num.FromFloat(k, v))
}

// Bool is a truth value.
func (b *Builder) Bool(v bool) *Node {
	if v {
		return b.Const(BoolType, 1)
	}
	return b.Const(BoolType, 0)
}

// SizeVal is the value of p.
func (b *Builder) SizeVal(p size.Poly) *Node {
	n := b.Add(SizeVal, I64Type)
	n.Poly, n.HasPoly = p, true
	return n
}

// Arith is an unchecked scalar operation.
func (b *Builder) Arith(op num.Op, args ...*Node) *Node {
	t := ScalarOf(args[0].Type.KindOf())
	if op.IsCompare() {
		t = BoolType
	}
	n := b.Add(Arith, t, args...)
	n.Num = op
	return n
}

// Checked is an operation whose fault counts, at a site of its own.
func (b *Builder) Checked(op num.Op, args ...*Node) *Node {
	n := b.Arith(op, args...)
	kind := Overflow
	switch op {
	case num.Div, num.Rem:
		kind = DivideByZero
	case num.Shl, num.Shr:
		kind = BadShift
	}
	n.Checked, n.Site = true, b.Site(kind, n.Type.String()+" "+op.String())
	return n
}

// Cast converts a scalar; checked makes a value that does not fit a fault.
func (b *Builder) Cast(t *Type, a *Node, checked bool) *Node {
	n := b.Add(Cast, t, a)
	if checked {
		n.Checked, n.Site = true, b.Site(BadConvert, a.Type.String()+" as "+t.String())
	}
	return n
}

// If evaluates one of two blocks.
func (b *Builder) If(cond *Node, then, otherwise func() *Node) *Node {
	first := b.Block(func([]*Node) []*Node { return []*Node{then()} })
	second := b.Block(func([]*Node) []*Node { return []*Node{otherwise()} })
	return b.with(If, first.Results[0].Type, []*Block{first, second}, cond)
}

// Tuple puts values side by side.
func (b *Builder) Tuple(args ...*Node) *Node {
	types := make([]*Type, len(args))
	for i, a := range args {
		types[i] = a.Type
	}
	return b.Add(MakeTuple, TupleOf(types...), args...)
}

// Get is a field of a tuple.
func (b *Builder) Get(a *Node, field int) *Node {
	n := b.Add(Get, a.Type.Elems[field], a)
	n.Field = field
	return n
}

// Some is an Option with a value, Nothing one of type t without.
func (b *Builder) Some(a *Node) *Node { return b.Add(Some, OptionOf(a.Type), a) }

// Nothing is the empty Option of type t.
func (b *Builder) Nothing(t *Type) *Node { return b.Add(Nothing, t) }

// IsSome tells whether an Option has a value.
func (b *Builder) IsSome(a *Node) *Node { return b.Add(IsSome, BoolType, a) }

// Unwrap is an Option's value, or zero.
func (b *Builder) Unwrap(a *Node) *Node { return b.Add(Unwrap, a.Type.Elem(), a) }

// ToIndex brings an I64 into 0..bound by op: Clamp, Wrap or Check.
func (b *Builder) ToIndex(op Op, a *Node, bound size.Poly) *Node {
	n := b.Add(op, IndexOf(bound), a)
	n.Poly, n.HasPoly = bound, true
	n.Site = b.Site(OutOfRange, op.String())
	return n
}

// At is an element.
func (b *Builder) At(a, i *Node) *Node { return b.Add(At, a.Type.Elem(), a, i) }
