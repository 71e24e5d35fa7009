package graph

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// TestLiteralsAreHeldToTheirType breaks the value of a parameter that is a literal.
func TestLiteralsAreHeldToTheirType(t *testing.T) {
	for want, edit := range map[string]func(g *Graph){
		"":                     func(*Graph) {},
		"of 2 columns":         func(g *Graph) { g.ParamInfo[1].Literal = make([]column.Column, 2) },
		"3 bytes of u8":        func(g *Graph) { g.ParamInfo[1].Literal[0].Data = make([]byte, 3) },
		"4 bytes of i8":        func(g *Graph) { g.ParamInfo[1].Literal[0].Kind = num.I8 },
		"before a parameter t": func(g *Graph) { g.ParamInfo[0].Literal = []column.Column{{}}; g.ParamInfo[1].Literal = nil },
	} {
		b := NewBuilder("f", nil)
		k := b.Param("k", I64Type)
		b.Param("t", ArrayOf(ScalarOf(num.U8), size.Const(4)))
		g := b.Return(k)
		g.ParamInfo[1].Literal = []column.Column{{Kind: num.U8, Dims: []int64{4}, Data: make([]byte, 4)}}
		edit(g)
		if err := Verify(g); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// broken makes a graph f(x: [f32; N], k: i64, b: bool) that one edit breaks.
type broken struct {
	name string
	want string // part of the error
	make func(b *Builder, x, k, c *Node) *Node
}

func tabulate(b *Builder, n size.Poly) *Node {
	return b.Map(n, func(p []*Node) *Node { return b.Float(num.F32, 1) })
}

func half(b *Builder, x *Node) *Node {
	return b.Filter(x, func(p []*Node) *Node { return b.Bool(true) })
}

var brokenGraphs = []broken{
	{"constant not canonical", "are no i8", func(b *Builder, x, k, c *Node) *Node { return b.Const(ScalarOf(num.I8), 255) }},
	{"index constant", "not shown to be below", func(b *Builder, x, k, c *Node) *Node { return b.Const(IndexOf(nN), 3) }},
	{"size as float", "a size is an i64", func(b *Builder, x, k, c *Node) *Node {
		n := b.SizeVal(nN)
		n.Type = f32
		return n
	}},
	{"unknown size", "not defined here", func(b *Builder, x, k, c *Node) *Node { return b.SizeVal(size.Var("Q")) }},
	{"mixed kinds", "instead of i64", func(b *Builder, x, k, c *Node) *Node { return b.Arith(num.Add, k, c) }},
	{"operation not on kind", "not defined on bool", func(b *Builder, x, k, c *Node) *Node { return b.Arith(num.Lt, c, c) }},
	{"no operation", "no such operation", func(b *Builder, x, k, c *Node) *Node { return b.Arith(num.NoOp, c, c) }},
	{"comparison type", "instead of bool", func(b *Builder, x, k, c *Node) *Node {
		n := b.Arith(num.Lt, k, k)
		n.Type = I64Type
		return n
	}},
	{"checked without site", "no site", func(b *Builder, x, k, c *Node) *Node {
		n := b.Arith(num.Add, k, k)
		n.Checked = true
		return n
	}},
	{"site out of range", "has the site 9", func(b *Builder, x, k, c *Node) *Node {
		n := b.Arith(num.Add, k, k)
		n.Site = 9
		return n
	}},
	{"site on what cannot fault", "cannot fault", func(b *Builder, x, k, c *Node) *Node {
		n := b.Tuple(k)
		n.Site = b.Site(Overflow, "")
		return n
	}},
	{"cast to bool", "to bool", func(b *Builder, x, k, c *Node) *Node { return b.Cast(BoolType, k, false) }},
	{"cast to index", "f32 is no idx<M>", func(b *Builder, x, k, c *Node) *Node {
		return b.Cast(IndexOf(nM), b.Float(num.F32, 1), true)
	}},
	{"bits of another width", "reinterprets", func(b *Builder, x, k, c *Node) *Node { return b.Add(Bits, f32, k) }},
	{"condition", "instead of bool", func(b *Builder, x, k, c *Node) *Node {
		return b.If(k, func() *Node { return b.Bool(true) }, func() *Node { return b.Bool(true) })
	}},
	{"branches differ", "result 0 of block 1", func(b *Builder, x, k, c *Node) *Node {
		return b.If(c, func() *Node { return b.Bool(true) }, func() *Node { return b.Int(num.I64, 1) })
	}},
	{"branch of another size", "result 0 of block 1", func(b *Builder, x, k, c *Node) *Node {
		return b.If(c, func() *Node { return x }, func() *Node { return tabulate(b, nM) })
	}},
	{"tuple field type", "field 1 is bool", func(b *Builder, x, k, c *Node) *Node {
		n := b.Tuple(k, c)
		n.Type = TupleOf(I64Type, f32)
		return n
	}},
	{"no such field", "has no field 2", func(b *Builder, x, k, c *Node) *Node {
		n := b.Get(b.Tuple(k, c), 1)
		n.Field = 2
		return n
	}},
	{"unwrap of no option", "is no Option", func(b *Builder, x, k, c *Node) *Node { return b.Add(Unwrap, I64Type, k) }},
	{"some of another type", "instead of Option<i64>", func(b *Builder, x, k, c *Node) *Node { return b.Add(Some, OptionOf(f32), k) }},
	{"index without bound", "has no bound", func(b *Builder, x, k, c *Node) *Node {
		n := b.ToIndex(Check, k, nN)
		n.HasPoly = false
		return n
	}},
	{"index type too small", "instead of idx<N>", func(b *Builder, x, k, c *Node) *Node {
		n := b.ToIndex(Check, k, nN)
		n.Type = IndexOf(nM)
		return n
	}},
	{"plain index", "the index is i64", func(b *Builder, x, k, c *Node) *Node { return b.At(x, k) }},
	{"index of another size", "not shown to be at most the size N", func(b *Builder, x, k, c *Node) *Node {
		return b.At(x, b.ToIndex(Check, k, nM))
	}},
	{"at of masked", "must be compacted", func(b *Builder, x, k, c *Node) *Node {
		return b.At(half(b, x), b.ToIndex(Check, k, nN))
	}},
	{"at of compacted", "at most the size R", func(b *Builder, x, k, c *Node) *Node {
		return b.At(b.Compact(half(b, x), "R"), b.ToIndex(Check, k, nN))
	}},
	{"zip of two sizes", "slots instead of", func(b *Builder, x, k, c *Node) *Node {
		return b.Map(nN, func(p []*Node) *Node { return p[1] }, x, tabulate(b, nM))
	}},
	{"zip of masked", "beside others", func(b *Builder, x, k, c *Node) *Node {
		return b.Map(nN, func(p []*Node) *Node { return p[1] }, half(b, x), x)
	}},
	{"map drops the mask", "differ in being masked", func(b *Builder, x, k, c *Node) *Node {
		n := b.Map(nN, func(p []*Node) *Node { return p[1] }, half(b, x))
		n.Type = ArrayOf(f32, nN)
		return n
	}},
	{"map element", "result 0 of block 0", func(b *Builder, x, k, c *Node) *Node {
		n := b.Map(nN, func(p []*Node) *Node { return p[1] }, x)
		n.Type = ArrayOf(f64, nN)
		return n
	}},
	{"elements of run-time size", "run-time size", func(b *Builder, x, k, c *Node) *Node {
		y := b.Compact(half(b, x), "R")
		return b.Map(nN, func(p []*Node) *Node { return y })
	}},
	{"filter by number", "instead of bool", func(b *Builder, x, k, c *Node) *Node {
		return b.Filter(x, func(p []*Node) *Node { return p[1] })
	}},
	{"compact of dense", "is not masked", func(b *Builder, x, k, c *Node) *Node { return b.Compact(x, "R") }},
	{"size defined twice", "exists already", func(b *Builder, x, k, c *Node) *Node {
		b.Compact(half(b, x), "R")
		return b.Compact(half(b, x), "R")
	}},
	{"size used outside of its block", "not defined here", func(b *Builder, x, k, c *Node) *Node {
		b.If(c, func() *Node { return b.Reduce(SumOf, b.Compact(half(b, x), "R")) }, func() *Node { return b.Float(num.F32, 0) })
		return b.SizeVal(size.Var("R"))
	}},
	{"limit by float", "instead of i64", func(b *Builder, x, k, c *Node) *Node { return b.Limit(x, b.Float(num.F32, 1), "R") }},
	{"reduce of records", "does not fold", func(b *Builder, x, k, c *Node) *Node {
		n := b.Add(Reduce, f32, b.Map(nN, func(p []*Node) *Node { return b.Tuple(p[1]) }, x))
		n.Monoid = SumOf
		return n
	}},
	{"product of integers", "does not fold", func(b *Builder, x, k, c *Node) *Node {
		return b.Reduce(Product, b.Map(nN, func(p []*Node) *Node { return p[0] }, x))
	}},
	{"exact sum type", "instead of i64", func(b *Builder, x, k, c *Node) *Node {
		n := b.Reduce(SumOf, b.Map(nN, func(p []*Node) *Node { return b.Int(num.I8, 1) }, x))
		n.Type = ScalarOf(num.I8)
		return n
	}},
	{"key not an index", "the key i64", func(b *Builder, x, k, c *Node) *Node {
		return b.KeyedReduce(SumOf, size.Const(4), x, func(p []*Node) (*Node, *Node) { return k, p[1] })
	}},
	{"key bound", "not shown to be an idx<4>", func(b *Builder, x, k, c *Node) *Node {
		return b.KeyedReduce(SumOf, size.Const(4), x, func(p []*Node) (*Node, *Node) { return p[0], p[1] })
	}},
	{"argmin by key", "by key", func(b *Builder, x, k, c *Node) *Node {
		return b.KeyedReduce(ArgMinOf, nN, x, func(p []*Node) (*Node, *Node) { return p[0], p[1] })
	}},
	{"accumulator type", "result 0 of block 0", func(b *Builder, x, k, c *Node) *Node {
		return b.Fold(x, k, func(p []*Node) *Node { return p[2] })
	}},
	{"scan of masked", "must be compacted", func(b *Builder, x, k, c *Node) *Node {
		return b.Scan(half(b, x), k, func(p []*Node) *Node { return p[1] })
	}},
	{"scatter key", "a place of", func(b *Builder, x, k, c *Node) *Node {
		return b.Scatter(x, tabulate(b, nM), func(p []*Node) (*Node, *Node) { return p[0], p[1] }, func(p []*Node) *Node { return p[1] })
	}},
	{"sort key", "instead of a scalar", func(b *Builder, x, k, c *Node) *Node {
		return b.Sort(x, false, func(p []*Node) *Node { return b.Tuple(p[1]) })
	}},
	{"too many of top_k", "not shown to be among", func(b *Builder, x, k, c *Node) *Node {
		return b.TopK(x, size.Const(3), "", func(p []*Node) *Node { return p[1] })
	}},
	{"loop limits", "not shown to lie", func(b *Builder, x, k, c *Node) *Node {
		n := nN
		return b.Loop(b.Int(num.I64, 0), k, &n, false, func(p []*Node) []*Node { return []*Node{p[1]} }, c)
	}},
	{"loop results", "results instead of", func(b *Builder, x, k, c *Node) *Node {
		return b.Loop(b.Int(num.I64, 0), k, nil, true, func(p []*Node) []*Node { return []*Node{p[1]} }, c)
	}},
	{"loop changes a type", "result 0 of block 0", func(b *Builder, x, k, c *Node) *Node {
		return b.Loop(b.Int(num.I64, 0), k, nil, false, func(p []*Node) []*Node { return []*Node{p[0]} }, c)
	}},
	{"masked result", "result of the function is masked", func(b *Builder, x, k, c *Node) *Node { return half(b, x) }},
	{"use from inside a block", "not defined here", func(b *Builder, x, k, c *Node) *Node {
		var inner *Node
		b.Map(nN, func(p []*Node) *Node { inner = b.Arith(num.Add, p[1], p[1]); return inner }, x)
		return b.Arith(num.Neg, inner)
	}},
	{"same ID", "has the ID", func(b *Builder, x, k, c *Node) *Node {
		n := b.Arith(num.Add, k, k)
		n.ID = k.ID
		return n
	}},
	{"node twice", "twice", func(b *Builder, x, k, c *Node) *Node {
		n := b.Arith(num.Add, k, k)
		b.block.Nodes = append(b.block.Nodes, n)
		return n
	}},
	{"missing block", "blocks instead of", func(b *Builder, x, k, c *Node) *Node { return b.Add(Map, ArrayOf(f32, nN), x) }},
	{"nil block", "a block is missing", func(b *Builder, x, k, c *Node) *Node {
		n := b.Add(Map, ArrayOf(f32, nN), x)
		n.Blocks = []*Block{nil}
		return n
	}},
	{"nil argument", "not defined here", func(b *Builder, x, k, c *Node) *Node { return b.Add(Some, OptionOf(f32), nil) }},
	{"no type", "has no type", func(b *Builder, x, k, c *Node) *Node { return b.Add(SizeVal, nil) }},
	{"parameter among nodes", "stands among the nodes", func(b *Builder, x, k, c *Node) *Node { return b.Add(Param, f32) }},
}

func TestVerifyRejects(t *testing.T) {
	for _, c := range brokenGraphs {
		t.Run(c.name, func(t *testing.T) {
			b := NewBuilder("f", nil)
			n := b.Size("N", 0, 100)
			b.Size("M", 0, 200)
			x, k, cond := b.Param("x", ArrayOf(f32, n)), b.Param("k", I64Type), b.Param("c", BoolType)
			err := Verify(b.Return(c.make(b, x, k, cond)))
			if err == nil {
				t.Fatalf("accepted\n%s", Print(b.G))
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %q, want it to say %q", err, c.want)
			}
		})
	}
}

func TestVerifyFunction(t *testing.T) {
	g := meanDelay()
	g.ParamInfo = nil
	if err := Verify(g); err == nil {
		t.Error("parameters that nothing describes are accepted")
	}
	g = meanDelay()
	g.Body.Results = nil
	if err := Verify(g); err == nil {
		t.Error("a function without result is accepted")
	}
	g = meanDelay()
	g.Sizes = append(g.Sizes, g.Sizes[0])
	if err := Verify(g); err == nil {
		t.Error("a size declared twice is accepted")
	}
}

// TestVerifyUsesFacts accepts what needs the facts about sizes.
func TestVerifyUsesFacts(t *testing.T) {
	b := NewBuilder("f", nil)
	n, m := b.Size("N", 4, 100), b.Size("M", 4, 100)
	b.G.Facts.NonNeg = []size.Poly{n.Sub(m), m.Sub(n)}
	x, y := b.Param("x", ArrayOf(f32, n)), b.Param("y", ArrayOf(f32, m))
	k := b.Param("k", I64Type)
	sum := b.Reduce(SumOf, b.Map(n, func(p []*Node) *Node { return b.Arith(num.Mul, p[1], p[2]) }, x, y))
	first := b.At(y, b.Const(IndexOf(m), 3))
	// An index of a compacted array is one of its source.
	r := b.Compact(half(b, x), "R")
	inR := b.At(x, b.ToIndex(Check, k, r.Type.Size))
	top := b.TopK(x, size.Const(4), "", func(p []*Node) *Node { return p[1] })
	some := b.TopK(x, m.AddConst(7), "S", func(p []*Node) *Node { return p[1] })
	inS := b.At(y, b.ToIndex(Check, k, some.Type.Size))
	lo := b.Int(num.I64, 0)
	loop := b.Loop(lo, b.SizeVal(m), &n, false, func(p []*Node) []*Node { return []*Node{b.At(x, p[0])} }, sum)
	if err := Verify(b.Return(b.Tuple(sum, first, inR, b.Reduce(SumOf, top), inS, loop, r))); err != nil {
		t.Fatal(err)
	}
}
