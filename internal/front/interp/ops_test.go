package interp

import (
	"math"
	"testing"

	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

type (
	node    = graph.Node
	builder = graph.Builder
)

var (
	i64 = graph.I64Type
	i32 = graph.ScalarOf(num.I32)
	f32 = graph.ScalarOf(num.F32)
	f64 = graph.ScalarOf(num.F64)
	nN  = size.Var("N")
)

// opCase is a graph over x: [i64; N] = [3, -1, 4, 1, 5] (unless xs is given)
// and k: i64, with its result as JSON or its fault.
type opCase struct {
	name  string
	xs    []int64
	k     int64
	make  func(b *builder, x, k *node) *node
	want  string
	fault *Fault
}

func (c *opCase) graph() *graph.Graph {
	b := graph.NewBuilder("f", nil)
	n := b.Size("N", 0, 1<<20)
	x, k := b.Param("x", graph.ArrayOf(i64, n)), b.Param("k", i64)
	return b.Return(c.make(b, x, k))
}

func (c *opCase) run(t *testing.T, g *graph.Graph) (*value.Value, *Fault, error) {
	t.Helper()
	if err := graph.Verify(g); err != nil {
		t.Fatalf("%v\n%s", err, graph.Print(g))
	}
	xs := c.xs
	if xs == nil {
		xs = []int64{3, -1, 4, 1, 5}
	}
	return Run(g, map[string]int64{"N": int64(len(xs))}, []*value.Value{value.FromSlice(xs), value.Scalar(c.k)}, Options{Steps: 1e6})
}

func (c *opCase) check(t *testing.T) {
	t.Helper()
	g := c.graph()
	v, fault, err := c.run(t, g)
	switch {
	case err != nil:
		t.Fatalf("%v\n%s", err, graph.Print(g))
	case c.fault != nil:
		if fault == nil || *fault != *c.fault {
			t.Errorf("got %v, want %v", fault, c.fault)
		}
	case fault != nil:
		t.Errorf("%v", fault)
	default:
		if got := string(value.JSON(v)); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func positive(b *builder, x *node) *node {
	return b.Filter(x, func(p []*node) *node { return b.Arith(num.Gt, p[1], b.Int(num.I64, 0)) })
}

func double(b *builder, x *node) *node {
	return b.Map(x.Type.Size, func(p []*node) *node { return b.Arith(num.Mul, p[1], b.Int(num.I64, 2)) }, x)
}

func itself(p []*node) *node { return p[1] }

var opCases = []opCase{
	{name: "const", make: func(b *builder, x, k *node) *node { return b.Float(num.F32, 1.5) }, want: "1.5"},
	{name: "size", make: func(b *builder, x, k *node) *node { return b.SizeVal(nN.MulConst(2).AddConst(1)) }, want: "11"},
	{name: "arith", k: 6, make: func(b *builder, x, k *node) *node { return b.Arith(num.Mul, k, b.Int(num.I64, 7)) }, want: "42"},
	{name: "arith wraps", k: math.MaxInt64, make: func(b *builder, x, k *node) *node { return b.Arith(num.Add, k, b.Int(num.I64, 1)) }, want: "-9223372036854775808"},
	{name: "arith faults", k: math.MaxInt64, make: func(b *builder, x, k *node) *node { return b.Checked(num.Add, k, b.Int(num.I64, 1)) }, fault: &Fault{0, -1}},
	{name: "compare", k: 3, make: func(b *builder, x, k *node) *node { return b.Arith(num.Le, k, b.Int(num.I64, 3)) }, want: "true"},
	{name: "cast", k: -7, make: func(b *builder, x, k *node) *node { return b.Cast(f64, k, false) }, want: "-7.0"},
	{name: "cast wraps", k: 300, make: func(b *builder, x, k *node) *node { return b.Cast(graph.ScalarOf(num.U8), k, false) }, want: "44"},
	{name: "cast faults", k: 300, make: func(b *builder, x, k *node) *node { return b.Cast(graph.ScalarOf(num.U8), k, true) }, fault: &Fault{0, -1}},
	{name: "bits", make: func(b *builder, x, k *node) *node {
		return b.Add(graph.Bits, graph.ScalarOf(num.I32), b.Float(num.F32, -2))
	}, want: "-1073741824"},
	{name: "bits back", k: 0x4009_21fb_5444_2d18, make: func(b *builder, x, k *node) *node { return b.Add(graph.Bits, f64, k) }, want: "3.141592653589793"},
	{name: "if", k: 2, make: func(b *builder, x, k *node) *node {
		return b.If(b.Arith(num.Gt, k, b.Int(num.I64, 1)), func() *node { return x }, func() *node { return double(b, x) })
	}, want: "[3,-1,4,1,5]"},
	{name: "if evaluates one side", k: 0, make: func(b *builder, x, k *node) *node {
		return b.If(b.Arith(num.Eq, k, b.Int(num.I64, 0)), func() *node { return b.Int(num.I64, 9) }, func() *node { return b.Checked(num.Div, k, k) })
	}, want: "9"},
	{name: "tuple", k: 4, make: func(b *builder, x, k *node) *node { return b.Get(b.Tuple(x, b.Tuple(k, b.Bool(true))), 1) }, want: "[4,true]"},
	{name: "some", k: 4, make: func(b *builder, x, k *node) *node {
		o := b.Some(k)
		return b.Tuple(o, b.IsSome(o), b.Unwrap(o))
	}, want: "[4,true,4]"},
	{name: "nothing", make: func(b *builder, x, k *node) *node {
		o := b.Nothing(graph.OptionOf(graph.TupleOf(f32, i64)))
		return b.Tuple(o, b.IsSome(o), b.Unwrap(o))
	}, want: "[null,false,[0.0,0]]"},
	{name: "clamp", k: 7, make: func(b *builder, x, k *node) *node {
		return b.Tuple(b.ToIndex(graph.Clamp, k, nN), b.ToIndex(graph.Clamp, b.Int(num.I64, -3), nN))
	}, want: "[4,0]"},
	{name: "wrap", k: 7, make: func(b *builder, x, k *node) *node {
		return b.Tuple(b.ToIndex(graph.Wrap, k, nN), b.ToIndex(graph.Wrap, b.Int(num.I64, -3), nN), b.ToIndex(graph.Wrap, b.Int(num.I64, math.MinInt64), nN))
	}, want: "[2,2,2]"},
	{name: "check", k: 4, make: func(b *builder, x, k *node) *node { return b.ToIndex(graph.Check, k, nN) }, want: "4"},
	{name: "check faults", k: 5, make: func(b *builder, x, k *node) *node { return b.ToIndex(graph.Check, k, nN) }, fault: &Fault{0, -1}},
	{name: "clamp of nothing", xs: []int64{}, make: func(b *builder, x, k *node) *node { return b.At(x, b.ToIndex(graph.Clamp, k, nN)) }, fault: &Fault{0, -1}},
	{name: "at", k: 2, make: func(b *builder, x, k *node) *node { return b.At(x, b.ToIndex(graph.Check, k, nN)) }, want: "4"},
	{name: "row", k: 1, make: func(b *builder, x, k *node) *node {
		rows := b.Map(nN, func(p []*node) *node {
			return b.Map(size.Const(2), func(q []*node) *node { return b.Arith(num.Add, p[1], q[0]) })
		}, x)
		return b.At(rows, b.ToIndex(graph.Check, k, nN))
	}, want: "[-1,0]"},
	{name: "map", make: func(b *builder, x, k *node) *node { return double(b, x) }, want: "[6,-2,8,2,10]"},
	{name: "map of two", make: func(b *builder, x, k *node) *node {
		return b.Map(nN, func(p []*node) *node { return b.Tuple(p[0], b.Arith(num.Sub, p[2], p[1])) }, x, double(b, x))
	}, want: "[[0,3],[1,-1],[2,4],[3,1],[4,5]]"},
	{name: "tabulate", make: func(b *builder, x, k *node) *node {
		return b.Map(size.Const(3), func(p []*node) *node { return b.Arith(num.Mul, p[0], p[0]) })
	}, want: "[0,1,4]"},
	{name: "map of options", make: func(b *builder, x, k *node) *node {
		return b.Map(nN, func(p []*node) *node {
			return b.If(b.Arith(num.Gt, p[1], b.Int(num.I64, 2)), func() *node { return b.Some(p[1]) }, func() *node { return b.Nothing(graph.OptionOf(i64)) })
		}, x)
	}, want: "[3,null,4,null,5]"},
	{name: "filter and compact", make: func(b *builder, x, k *node) *node { return b.Compact(positive(b, x), "R") }, want: "[3,4,1,5]"},
	{name: "filter of filter", make: func(b *builder, x, k *node) *node {
		odd := b.Filter(double(b, positive(b, x)), func(p []*node) *node { return b.Arith(num.Ne, p[0], b.Int(num.I64, 0)) })
		c := b.Compact(odd, "R")
		return b.Tuple(c, b.SizeVal(c.Type.Size))
	}, want: "[[8,2,10],3]"},
	{name: "masked slots are not evaluated", xs: []int64{2, 0, 4}, make: func(b *builder, x, k *node) *node {
		m := b.Map(nN, func(p []*node) *node { return b.Checked(num.Div, b.Int(num.I64, 8), p[1]) }, positive(b, x))
		return b.Compact(m, "R")
	}, want: "[4,2]"},
	{name: "limit", k: 2, make: func(b *builder, x, k *node) *node { return b.Limit(x, k, "R") }, want: "[3,-1]"},
	{name: "limit of more", k: 99, make: func(b *builder, x, k *node) *node { return b.Limit(x, k, "R") }, want: "[3,-1,4,1,5]"},
	{name: "limit of less than none", k: -2, make: func(b *builder, x, k *node) *node { return b.Limit(x, k, "R") }, want: "[]"},
	{name: "fold", make: func(b *builder, x, k *node) *node {
		return b.Fold(x, k, func(p []*node) *node {
			return b.Arith(num.Add, b.Arith(num.Mul, p[1], b.Int(num.I64, 10)), b.Arith(num.Add, p[2], p[0]))
		})
	}, want: "30649"},
	{name: "fold of masked", make: func(b *builder, x, k *node) *node {
		return b.Fold(positive(b, x), k, func(p []*node) *node { return b.Arith(num.Add, b.Arith(num.Mul, p[1], b.Int(num.I64, 10)), p[2]) })
	}, want: "3415"},
	{name: "scan", k: 1, make: func(b *builder, x, k *node) *node {
		return b.Scan(x, k, func(p []*node) *node { return b.Arith(num.Add, p[1], p[2]) })
	}, want: "[4,3,7,8,13]"},
	{name: "scatter", make: func(b *builder, x, k *node) *node {
		zero := b.Map(size.Const(3), func(p []*node) *node { return k })
		return b.Scatter(zero, x, func(p []*node) (*node, *node) { return b.ToIndex(graph.Wrap, p[0], size.Const(3)), p[1] },
			func(p []*node) *node { return b.Arith(num.Sub, p[1], p[0]) })
	}, want: "[-2,6,4]"},
	{name: "sort", make: func(b *builder, x, k *node) *node { return b.Sort(x, false, itself) }, want: "[-1,1,3,4,5]"},
	{name: "sort by key is stable", make: func(b *builder, x, k *node) *node {
		return b.Sort(x, true, func(p []*node) *node { return b.Arith(num.Gt, p[1], b.Int(num.I64, 3)) })
	}, want: "[4,5,3,-1,1]"},
	{name: "top_k", make: func(b *builder, x, k *node) *node { return b.TopK(x, size.Const(3), "R", itself) }, want: "[5,4,3]"},
	{name: "top_k of few", xs: []int64{1, 2}, make: func(b *builder, x, k *node) *node { return b.TopK(x, size.Const(3), "R", itself) }, want: "[2,1]"},
	{name: "loop", k: 5, make: func(b *builder, x, k *node) *node {
		return b.Loop(b.Int(num.I64, 0), k, nil, false, func(p []*node) []*node {
			return []*node{p[2], b.Arith(num.Add, p[1], p[2])}
		}, b.Int(num.I64, 0), b.Int(num.I64, 1))
	}, want: "[5,8]"},
	{name: "loop stops", k: 100, make: func(b *builder, x, k *node) *node {
		return b.Loop(b.Int(num.I64, 2), k, nil, true, func(p []*node) []*node {
			next := b.Arith(num.Add, p[1], p[0])
			return []*node{next, b.Arith(num.Ge, next, b.Int(num.I64, 9))}
		}, b.Int(num.I64, 0))
	}, want: "[9]"},
	{name: "loop without turns", k: -5, make: func(b *builder, x, k *node) *node {
		return b.Loop(b.Int(num.I64, 0), k, nil, false, func(p []*node) []*node { return []*node{p[0]} }, k)
	}, want: "[-5]"},
}

func TestOps(t *testing.T) {
	for _, c := range opCases {
		t.Run(c.name, c.check)
	}
}
