package graph

import (
	"testing"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// TestSettle: where it is known whether rows are spread, what is computed only for the other case is gone, and the graph that was given stays as it was.
func TestSettle(t *testing.T) {
	build := func(spread bool) *Graph {
		b := NewBuilder("f", nil)
		x := b.Param("x", I64Type)
		if !spread {
			return b.Return(x)
		}
		return b.Return(b.If(b.Add(Spread, BoolType), func() *Node { return b.Arith(num.Add, x, x) }, func() *Node { return b.Arith(num.Mul, x, x) }))
	}
	if g := build(false); Settle(g, true) != g {
		t.Error("a graph in which nothing depends on it is copied")
	}
	g := build(true)
	before := Print(g)
	for _, c := range []struct {
		spread bool
		want   num.Op
	}{{true, num.Add}, {false, num.Mul}} {
		s := Settle(g, c.spread)
		if err := Verify(s); err != nil {
			t.Fatal(err)
		}
		if len(s.Body.Nodes) != 1 || s.Body.Nodes[0].Num != c.want {
			t.Errorf("spread %t: expected %v alone, found\n%s", c.spread, c.want, Print(s))
		}
	}
	if Print(g) != before {
		t.Error("the graph was changed")
	}
}
