package graph

import (
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
)

func TestPassOrder(t *testing.T) {
	for i := range Passes {
		if err := checkOrder(slices.Delete(slices.Clone(Passes), i, i+1)); err == nil {
			t.Errorf("the list without %s is accepted", Passes[i].Name)
		}
	}
	reversed := slices.Clone(Passes)
	slices.Reverse(reversed)
	if err := checkOrder(reversed); err == nil {
		t.Error("the reversed list is accepted")
	}
	if err := checkOrder(append(slices.Clone(Passes), Passes[0])); err == nil {
		t.Error("a pass listed twice is accepted")
	}
}

// count is how often an operation stands in a graph.
func count(g *Graph, op Op) int {
	n := 0
	g.Body.Walk(func(m *Node) bool {
		if m.Op == op {
			n++
		}
		return true
	})
	return n
}

func passGraph(t *testing.T, make func(b *Builder, x, k *Node) *Node, pass func(*Graph)) *Graph {
	t.Helper()
	b := NewBuilder("f", nil)
	n := b.Size("N", 1, 100)
	x, k := b.Param("x", ArrayOf(f32, n)), b.Param("k", I64Type)
	g := b.Return(make(b, x, k))
	if err := Verify(g); err != nil {
		t.Fatal(err)
	}
	pass(g)
	if err := Verify(g); err != nil {
		t.Fatalf("%v\n%s", err, Print(g))
	}
	return g
}

func TestPrune(t *testing.T) {
	g := passGraph(t, func(b *Builder, x, k *Node) *Node {
		b.Arith(num.Mul, k, k)                                                // goes
		b.Checked(num.Mul, k, k)                                              // can fault
		b.Map(nN, func(p []*Node) *Node { return b.Arith(num.Neg, p[1]) }, x) // goes
		b.Map(nN, func(p []*Node) *Node {                                     // can fault inside
			b.Arith(num.Neg, p[1])
			return b.Checked(num.Mul, p[0], k)
		}, x)
		b.Compact(half(b, x), "Q")      // goes
		r := b.Compact(half(b, x), "R") // defines a size in use
		return b.SizeVal(r.Type.Size)
	}, Prune)
	if text := Print(g); count(g, Arith) != 2 || count(g, Map) != 1 || count(g, Compact) != 1 || !strings.Contains(text, "?R") {
		t.Errorf("got\n%s", text)
	}
}

func TestShare(t *testing.T) {
	g := passGraph(t, func(b *Builder, x, k *Node) *Node {
		square := func() *Node {
			return b.Reduce(SumOf, b.Map(nN, func(p []*Node) *Node { return b.Arith(num.Mul, p[1], p[1]) }, x))
		}
		b.Site(Overflow, "")
		one, two := b.Checked(num.Add, k, k), b.Checked(num.Add, k, k)
		one.Site, two.Site = 2, 1
		other := b.Map(nN, func(p []*Node) *Node { return b.Checked(num.Div, p[0], k) }, x)
		more := b.Map(nN, func(p []*Node) *Node { return b.Checked(num.Div, p[0], k) }, x)
		return b.Tuple(square(), square(), one, two, other, more, b.Compact(half(b, x), "R"), b.Compact(half(b, x), "Q"))
	}, Share)
	if count(g, Reduce) != 1 || count(g, Map) != 3 || count(g, Compact) != 2 || count(g, Filter) != 1 {
		t.Errorf("got\n%s", Print(g))
	}
	if text := Print(g); !strings.Contains(text, "add checked %1, %1: i64 !1") {
		t.Errorf("the lower site is not kept in\n%s", text)
	}
}

func TestSimplify(t *testing.T) {
	g := passGraph(t, func(b *Builder, x, k *Node) *Node {
		five := b.Arith(num.Add, b.Int(num.I64, 2), b.SizeVal(size.Const(3)))
		pair := b.Tuple(k, five)
		chosen := b.If(b.Arith(num.Lt, b.Get(pair, 1), b.Int(num.I64, 9)),
			func() *Node { return b.Arith(num.Mul, b.Get(pair, 0), b.Int(num.I64, 4)) },
			func() *Node { return b.Checked(num.Div, k, k) })
		fault := b.Checked(num.Div, five, b.Int(num.I64, 0))
		some := b.Some(chosen)
		return b.Tuple(b.Unwrap(some), b.IsSome(some), b.IsSome(b.Nothing(OptionOf(f32))), fault, b.Cast(f32, five, false))
	}, func(g *Graph) { Simplify(g); Prune(g) })
	golden(t, "simplify", Print(g))
	if count(g, If) != 0 || count(g, Arith) != 2 || count(g, Unwrap) != 0 {
		t.Errorf("got\n%s", Print(g))
	}
}
