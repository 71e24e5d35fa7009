package types

import (
	"testing"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

func TestSolve(t *testing.T) {
	n, m := size.Var("N"), size.Var("M")
	for _, c := range []struct {
		pattern, value size.Poly
		want           string // "" when there is no solution
	}{
		{n, m.AddConst(3), "M + 3"},
		{n.AddConst(1), m, "M - 1"},
		{n.MulConst(2), m.MulConst(4), "2*M"},
		{n.MulConst(2), m, ""},
		{n.MulConst(2).AddConst(1), size.Const(7), "3"},
		{m.Sub(n), m.MulConst(3), "-2*M"},
		{n.Mul(n), size.Const(4), ""},
		{n.Mul(m), m, ""},
		{m, n, ""},
	} {
		got, ok := Solve(c.pattern, "N", c.value)
		if ok != (c.want != "") || ok && got.String() != c.want {
			t.Errorf("%s = %s: got %s, %v", c.pattern, c.value, got, ok)
		}
	}
}

func TestOpen(t *testing.T) {
	f32 := Scalars[num.F32]
	open := graph.TupleOf(f32, graph.ArrayOf(f32, Open))
	if !HasOpen(open) || HasOpen(graph.ArrayOf(f32, size.Var("N"))) {
		t.Error("open sizes are not told apart")
	}
	nested := graph.ArrayOf(graph.ArrayOf(f32, size.Const(2)), size.Const(3))
	if got := MapInnermost(nested, graph.BoolType).String(); got != "[bool; 3, 2]" {
		t.Errorf("got %s", got)
	}
	if FieldIndex(Record("P", []string{"x", "y"}, []*graph.Type{f32, f32}), "y") != 1 || FieldIndex(f32, "x") != -1 {
		t.Error("fields are not found")
	}
}

func TestSmall(t *testing.T) {
	p := size.Var("N")
	for range 3 {
		p = p.Mul(p)
	}
	if !Small(p) || Small(p.Mul(p)) {
		t.Error("the limit is not where it should be")
	}
}
