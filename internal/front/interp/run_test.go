package interp

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

func by(b *builder, e, k *node) *node { return b.Checked(num.Div, e, k) }

var faultCases = []opCase{
	{name: "first slot of several", xs: []int64{1, 0, 2, 0}, make: func(b *builder, x, k *node) *node {
		return b.Map(nN, func(p []*node) *node { return by(b, k, p[1]) }, x)
	}, fault: &Fault{0, 1}},
	{name: "least site before least index", xs: []int64{0, 1}, make: func(b *builder, x, k *node) *node {
		first := b.Site(graph.DivideByZero, "first")
		late := b.Map(nN, func(p []*node) *node { return by(b, k, p[1]) }, x)
		early := b.Map(nN, func(p []*node) *node { return by(b, k, b.Arith(num.Sub, p[1], b.Int(num.I64, 1))) }, x)
		early.Blocks[0].Results[0].Site = first
		return b.Tuple(late, early)
	}, fault: &Fault{0, 1}},
	{name: "slot of the outermost operation", xs: []int64{1, 2, 0}, make: func(b *builder, x, k *node) *node {
		return b.Map(nN, func(p []*node) *node {
			return b.Map(size.Const(4), func(q []*node) *node { return by(b, q[0], p[1]) })
		}, x)
	}, fault: &Fault{0, 2}},
	{name: "the turn of a loop", k: 3, make: func(b *builder, x, k *node) *node {
		return b.Loop(b.Int(num.I64, -1), k, nil, false, func(p []*node) []*node { return []*node{by(b, k, p[0])} }, k)
	}, fault: &Fault{0, 1}},
	{name: "inside of a loop", xs: []int64{1, 0}, k: 3, make: func(b *builder, x, k *node) *node {
		return b.Loop(b.Int(num.I64, 0), k, nil, false, func(p []*node) []*node {
			m := b.Map(nN, func(q []*node) *node { return by(b, k, q[1]) }, x)
			return []*node{b.Reduce(graph.WrapSum, m)}
		}, k)
	}, fault: &Fault{0, 0}},
	{name: "reduce inside of a map", xs: []int64{3, -1}, make: func(b *builder, x, k *node) *node {
		return b.Map(nN, func(p []*node) *node {
			few := b.Filter(x, func(q []*node) *node { return b.Arith(num.Gt, q[1], b.Arith(num.Mul, p[0], b.Int(num.I64, 5))) })
			return b.Reduce(graph.MinOf, few)
		})
	}, fault: &Fault{0, 1}},
	{name: "filter", xs: []int64{1, 1, 0}, make: func(b *builder, x, k *node) *node {
		return b.Compact(b.Filter(x, func(p []*node) *node { return b.Arith(num.Eq, by(b, k, p[1]), k) }), "R")
	}, fault: &Fault{0, 2}},
	{name: "fold", xs: []int64{1, 0}, make: func(b *builder, x, k *node) *node {
		return b.Fold(x, k, func(p []*node) *node { return by(b, p[1], p[2]) })
	}, fault: &Fault{0, 1}},
	{name: "scatter", xs: []int64{1, 0}, make: func(b *builder, x, k *node) *node {
		return b.Scatter(x, x, func(p []*node) (*node, *node) { return p[0], p[1] }, func(p []*node) *node { return by(b, k, p[1]) })
	}, fault: &Fault{0, 1}},
	{name: "sort", xs: []int64{1, 2, 0}, make: func(b *builder, x, k *node) *node {
		return b.Sort(x, false, func(p []*node) *node { return by(b, k, p[1]) })
	}, fault: &Fault{0, 2}},
	{name: "keyed", xs: []int64{1, 0}, make: func(b *builder, x, k *node) *node {
		return b.KeyedReduce(graph.WrapSum, nN, x, func(p []*node) (*node, *node) { return p[0], by(b, k, p[1]) })
	}, fault: &Fault{0, 1}},
	{name: "unused", k: 0, make: func(b *builder, x, k *node) *node {
		by(b, k, k)
		return x
	}, fault: &Fault{0, -1}},
}

func TestFaults(t *testing.T) {
	for _, c := range faultCases {
		t.Run(c.name, c.check)
	}
}

// TestAfterPasses runs every case again on the optimized graph.
func TestAfterPasses(t *testing.T) {
	for _, set := range [][]opCase{opCases, reduceCases, keyedCases, faultCases, foldCases} {
		for _, c := range set {
			t.Run(c.name, func(t *testing.T) {
				plain, fault1, err := c.run(t, c.graph())
				if err != nil {
					t.Fatal(err)
				}
				g := c.graph()
				if err := graph.Optimize(g, true); err != nil {
					t.Fatal(err)
				}
				better, fault2, err := c.run(t, g)
				if err != nil {
					t.Fatalf("%v\n%s", err, graph.Print(g))
				}
				if fault1 != nil || fault2 != nil {
					if fault1 == nil || fault2 == nil || *fault1 != *fault2 {
						t.Fatalf("%v became %v\n%s", fault1, fault2, graph.Print(g))
					}
					return
				}
				if same, where := value.Equal(plain, better); !same {
					t.Errorf("%s\n%s", where, graph.Print(g))
				}
			})
		}
	}
}

// foldCases are folds that become reductions; integers and few floats, so
// that the order of additions does not show.
var foldCases = []opCase{
	{name: "lawful min of nothing", xs: none, k: 4, make: func(b *builder, x, k *node) *node {
		return b.Fold(x, k, func(p []*node) *node { return b.Arith(num.Min, p[2], p[1]) })
	}, want: "4"},
	{name: "lawful sum of nothing keeps -0", xs: none, make: func(b *builder, x, k *node) *node {
		return b.Fold(x, b.Float(num.F64, math.Copysign(0, -1)), func(p []*node) *node { return b.Arith(num.Add, p[1], b.Cast(f64, p[2], false)) })
	}, want: "-0.0"},
	{name: "masked tuple", k: 2, make: func(b *builder, x, k *node) *node {
		return b.Fold(positive(b, x), b.Tuple(k, b.Float(num.F32, 1), b.Bool(true)), func(p []*node) *node {
			e := b.Cast(f32, p[2], false)
			big := b.If(b.Get(p[1], 2), func() *node { return b.Arith(num.Gt, p[2], p[0]) }, func() *node { return b.Bool(false) })
			return b.Tuple(b.Arith(num.Add, b.Get(p[1], 0), b.Arith(num.Mul, p[2], p[2])), b.Arith(num.Mul, e, b.Get(p[1], 1)), big)
		})
	}, want: "[53,60.0,false]"},
	{name: "fault in the expression", xs: []int64{2, 0}, make: func(b *builder, x, k *node) *node {
		return b.Fold(x, k, func(p []*node) *node { return b.Arith(num.Add, p[1], by(b, k, p[2])) })
	}, fault: &Fault{0, 1}},
	{name: "unused fault beside an unchanged accumulator", xs: []int64{2, 0}, make: func(b *builder, x, k *node) *node {
		return b.Fold(x, k, func(p []*node) *node {
			by(b, k, p[2])
			return p[1]
		})
	}, fault: &Fault{0, 1}},
	{name: "fold inside of a fold", make: func(b *builder, x, k *node) *node {
		return b.Fold(x, k, func(p []*node) *node {
			inner := b.Fold(x, p[2], func(q []*node) *node { return b.Arith(num.Add, q[1], b.Arith(num.Mul, q[2], p[0])) })
			return b.Arith(num.Xor, p[1], inner)
		})
	}, want: "4"},
	{name: "index accumulator", make: func(b *builder, x, k *node) *node {
		return b.Fold(x, b.ToIndex(graph.Clamp, k, nN), func(p []*node) *node {
			n := b.Arith(num.Max, p[1], p[0])
			n.Type = graph.IndexOf(nN)
			return n
		})
	}, want: "4"},
}

func TestFolds(t *testing.T) {
	for _, c := range foldCases {
		t.Run(c.name, c.check)
	}
}

func TestSortFloats(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	negZero := math.Copysign(0, -1)
	for _, desc := range []bool{false, true} {
		b := graph.NewBuilder("sort", nil)
		n := b.Size("N", 0, 100)
		x := b.Param("x", graph.ArrayOf(f64, n))
		g := b.Return(b.Sort(x, desc, itself))
		v, _, err := Run(g, map[string]int64{"N": 7}, []*value.Value{value.FromSlice([]float64{0, nan, -1, inf, negZero, -inf, 1})}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := `["-inf",-1.0,-0.0,0.0,1.0,"inf","NaN"]`
		if desc {
			want = `["NaN","inf",1.0,0.0,-0.0,-1.0,"-inf"]`
		}
		if got := string(value.JSON(v)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestNaNIsCanonical(t *testing.T) {
	b := graph.NewBuilder("nan", nil)
	n := b.Size("N", 0, 100)
	x := b.Param("x", graph.ArrayOf(f32, n))
	g := b.Return(x)
	odd := math.Float32frombits(0xffc12345)
	v := value.FromSlice([]float32{1})
	v.Columns[0].Set(0, uint64(math.Float32bits(odd)))
	r, _, err := Run(g, map[string]int64{"N": 1}, []*value.Value{v}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Columns[0].At(0); got != 0x7fc00000 {
		t.Errorf("got %#x", got)
	}
}

func endless() *graph.Graph {
	b := graph.NewBuilder("long", nil)
	n := b.Size("N", 0, 1<<40)
	return b.Return(b.Loop(b.Int(num.I64, 0), b.SizeVal(n), nil, false, func(p []*node) []*node { return []*node{p[0]} }, b.Int(num.I64, 0)))
}

func TestLimits(t *testing.T) {
	sizes := map[string]int64{"N": 1 << 40}
	if _, _, err := Run(endless(), sizes, nil, Options{Steps: 10000}); !errors.Is(err, ErrSteps) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Run(endless(), sizes, nil, Options{Ctx: ctx}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	b := graph.NewBuilder("large", nil)
	n := b.Size("N", 0, 1<<40)
	g := b.Return(b.Map(n, func(p []*node) *node { return p[0] }))
	if _, _, err := Run(g, sizes, nil, Options{Steps: 10000}); !errors.Is(err, ErrSteps) {
		t.Errorf("got %v", err)
	}
}

func TestArguments(t *testing.T) {
	b := graph.NewBuilder("f", nil)
	n, m := b.Size("N", 1, 10), b.Size("M", 1, 10)
	b.G.Facts.NonNeg = []size.Poly{n.Sub(m)}
	b.Param("i", graph.ArrayOf(graph.IndexOf(m), n))
	k := b.Param("k", i32)
	b.G.ParamInfo[1].Lo, b.G.ParamInfo[1].Hi, b.G.ParamInfo[1].Ranged = -2, 5, true
	g := b.Return(k)
	if err := graph.Verify(g); err != nil {
		t.Fatal(err)
	}
	idx, one := value.FromSlice([]uint8{0, 1}), value.Scalar(int32(1))
	for _, c := range []struct {
		sizes map[string]int64
		args  []*value.Value
		want  string
	}{
		{map[string]int64{"N": 2, "M": 2}, []*value.Value{idx, one}, ""},
		{map[string]int64{"N": 2}, []*value.Value{idx, one}, "M is not given"},
		{map[string]int64{"N": 2, "M": 11}, []*value.Value{idx, one}, "declared in 1..=10"},
		{map[string]int64{"N": 2, "M": 3}, []*value.Value{idx, one}, "break"},
		{map[string]int64{"N": 2, "M": 1}, []*value.Value{idx, one}, "element 1"},
		{map[string]int64{"N": 3, "M": 1}, []*value.Value{idx, one}, "length 2"},
		{map[string]int64{"N": 2, "M": 2}, []*value.Value{idx}, "1 arguments"},
		{map[string]int64{"N": 2, "M": 2}, []*value.Value{one, one}, "dimensions"},
		{map[string]int64{"N": 2, "M": 2}, []*value.Value{idx, value.Scalar(int64(1))}, "holds i64"},
		{map[string]int64{"N": 2, "M": 2}, []*value.Value{idx, value.Scalar(int32(6))}, "range"},
		{map[string]int64{"N": 2, "M": 2}, []*value.Value{idx, nil}, "no i32"},
		{map[string]int64{"N": 2, "M": 2}, []*value.Value{value.FromSlice([]int8{-1, 0}), one}, "element 0"},
	} {
		_, fault, err := Run(g, c.sizes, c.args, Options{})
		switch {
		case fault != nil:
			t.Errorf("%v: %v", c.want, fault)
		case (err == nil) != (c.want == ""), err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// TestBrokenPromises runs graphs whose builder knew something that is not so.
func TestBrokenPromises(t *testing.T) {
	for _, c := range []opCase{
		{name: "never faults", k: 0, make: func(b *builder, x, k *node) *node {
			n := by(b, k, k)
			n.Site, n.Checked = -1, true
			return n
		}, want: "no site"},
		{name: "index", k: 5, make: func(b *builder, x, k *node) *node { return b.Cast(graph.IndexOf(nN), k, false) }, want: "no idx<N>"},
		{name: "turns", k: 5, make: func(b *builder, x, k *node) *node {
			n := b.Loop(b.Int(num.I64, 0), k, nil, false, func(p []*node) []*node { return []*node{p[0]} }, k)
			n.Max = 4
			return n
		}, want: "promised"},
	} {
		g := c.graph()
		_, _, err := Run(g, map[string]int64{"N": 1}, []*value.Value{value.FromSlice([]int64{1}), value.Scalar(c.k)}, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
}
