package graph

import (
	"testing"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
)

var (
	f32 = ScalarOf(num.F32)
	f64 = ScalarOf(num.F64)
	i32 = ScalarOf(num.I32)
	nN  = size.Var("N")
	nM  = size.Var("M")
)

func TestTypeString(t *testing.T) {
	flight := &Type{Kind: Tuple, Name: "Flight", Names: []string{"delay"}, Elems: []*Type{i32}}
	for _, c := range []struct {
		t    *Type
		want string
	}{
		{f32, "f32"},
		{IndexOf(nN.AddConst(1)), "idx<N + 1>"},
		{ArrayOf(f32, nN), "[f32; N]"},
		{ArrayOf(ArrayOf(f32, nM), nN), "[f32; N, M]"},
		{MaskedOf(ArrayOf(flight, nN)), "[Flight; ? <= N]"},
		{OptionOf(TupleOf(BoolType, f64)), "Option<(bool, f64)>"},
		{TupleOf(), "()"},
	} {
		if got := c.t.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
		if !c.t.Equal(c.t) || c.t.Equal(ArrayOf(i32, nN)) {
			t.Errorf("%s: Equal", c.want)
		}
	}
}

// meanDelay is close to the program of the same name in the reference.
func meanDelay() *Graph {
	src := diag.NewSource("mean.gw", "fn mean_delay(f: &[Flight; N] @ Disk) -> [i64; 32]\nr.delay + 1\n")
	b := NewBuilder("mean_delay", src)
	n := b.Size("N", 0, 1000)
	b.G.Sizes[0].Expected = 100
	flight := &Type{Kind: Tuple, Name: "Flight", Names: []string{"delay", "distance"}, Elems: []*Type{i32, i32}}
	f := b.Param("f", ArrayOf(flight, n))
	b.G.ParamInfo[0].Place = Place{Kind: Disk}
	late := b.Filter(f, func(p []*Node) *Node { return b.Arith(num.Gt, b.Get(p[1], 0), b.Int(num.I32, 15)) })
	late.Name = "late"
	b.Pos = diag.Span{Start: 51, End: 62}
	r := b.KeyedReduce(SumOf, size.Const(32), late, func(p []*Node) (*Node, *Node) {
		k := b.ToIndex(Clamp, b.Cast(I64Type, b.Get(p[1], 1), false), size.Const(32))
		return k, b.Checked(num.Add, b.Get(p[1], 0), b.Int(num.I32, 1))
	})
	b.G.ResultPlace = Place{Kind: RAM}
	return b.Return(r)
}

func TestPrint(t *testing.T) {
	g := meanDelay()
	if err := Verify(g); err != nil {
		t.Fatal(err)
	}
	golden(t, "mean_delay", Print(g))
	if Print(g.Clone()) != Print(g) {
		t.Error("a clone prints otherwise")
	}
}
