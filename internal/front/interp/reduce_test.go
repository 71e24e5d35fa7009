package interp

import (
	"math"
	"testing"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

func reduction(m graph.Monoid) func(b *builder, x, k *node) *node {
	return func(b *builder, x, k *node) *node { return b.Reduce(m, x) }
}

func maskedReduction(m graph.Monoid) func(b *builder, x, k *node) *node {
	return func(b *builder, x, k *node) *node { return b.Reduce(m, positive(b, x)) }
}

func boolReduction(m graph.Monoid) func(b *builder, x, k *node) *node {
	return func(b *builder, x, k *node) *node {
		return b.Reduce(m, b.Map(nN, func(p []*node) *node { return b.Arith(num.Gt, p[1], k) }, x))
	}
}

func floatReduction(m graph.Monoid) func(b *builder, x, k *node) *node {
	return func(b *builder, x, k *node) *node {
		return b.Reduce(m, b.Map(nN, func(p []*node) *node { return b.Cast(f64, p[1], false) }, x))
	}
}

var none = []int64{}

var reduceCases = []opCase{
	{name: "sum", make: reduction(graph.SumOf), want: "12"},
	{name: "sum of nothing", xs: none, make: reduction(graph.SumOf), want: "0"},
	{name: "sum passes through an overflow", xs: []int64{math.MaxInt64, math.MaxInt64, math.MinInt64, math.MinInt64}, make: reduction(graph.SumOf), want: "-2"},
	{name: "sum does not fit", xs: []int64{math.MaxInt64, 1}, make: reduction(graph.SumOf), fault: &Fault{0, -1}},
	{name: "sum below", xs: []int64{math.MinInt64, -1}, make: reduction(graph.SumOf), fault: &Fault{0, -1}},
	{name: "unsigned sum", xs: []int64{-1, 0}, make: func(b *builder, x, k *node) *node {
		return b.Reduce(graph.SumOf, b.Map(nN, func(p []*node) *node { return b.Cast(graph.ScalarOf(num.U64), p[1], false) }, x))
	}, want: "18446744073709551615"},
	{name: "unsigned sum does not fit", xs: []int64{-1, 1}, make: func(b *builder, x, k *node) *node {
		return b.Reduce(graph.SumOf, b.Map(nN, func(p []*node) *node { return b.Cast(graph.ScalarOf(num.U64), p[1], false) }, x))
	}, fault: &Fault{0, -1}},
	{name: "sum of narrow", xs: []int64{100, 100, -128}, make: func(b *builder, x, k *node) *node {
		return b.Reduce(graph.SumOf, b.Map(nN, func(p []*node) *node { return b.Cast(graph.ScalarOf(num.I8), p[1], false) }, x))
	}, want: "72"},
	{name: "wrap_sum of narrow", xs: []int64{100, 100}, make: func(b *builder, x, k *node) *node {
		return b.Reduce(graph.WrapSum, b.Map(nN, func(p []*node) *node { return b.Cast(graph.ScalarOf(num.I8), p[1], false) }, x))
	}, want: "-56"},
	{name: "float sum", make: floatReduction(graph.SumOf), want: "12.0"},
	{name: "float sum of nothing", xs: none, make: floatReduction(graph.SumOf), want: "-0.0"},
	{name: "product", make: floatReduction(graph.Product), want: "-60.0"},
	{name: "product of nothing", xs: none, make: floatReduction(graph.Product), want: "1.0"},
	{name: "wrap_product", make: reduction(graph.WrapProduct), want: "-60"},
	{name: "min", make: reduction(graph.MinOf), want: "-1"},
	{name: "max", make: reduction(graph.MaxOf), want: "5"},
	{name: "min of nothing", xs: none, make: reduction(graph.MinOf), fault: &Fault{0, -1}},
	{name: "max of nothing set", xs: []int64{-1, -2}, make: maskedReduction(graph.MaxOf), fault: &Fault{0, -1}},
	{name: "min of nothing without site", xs: none, make: func(b *builder, x, k *node) *node {
		n := b.Reduce(graph.MinOf, x)
		n.Site = -1
		return n
	}, want: "9223372036854775807"},
	{name: "masked sum", make: maskedReduction(graph.SumOf), want: "13"},
	{name: "masked min", make: maskedReduction(graph.MinOf), want: "1"},
	{name: "all", k: 0, make: boolReduction(graph.AllOf), want: "false"},
	{name: "all of nothing", xs: none, make: boolReduction(graph.AllOf), want: "true"},
	{name: "any", k: 4, make: boolReduction(graph.AnyOf), want: "true"},
	{name: "any of nothing", xs: none, make: boolReduction(graph.AnyOf), want: "false"},
	{name: "count", k: 1, make: boolReduction(graph.CountOf), want: "3"},
	{name: "odd", k: 1, make: boolReduction(graph.BitXor), want: "true"},
	{name: "bit_and", xs: []int64{7, 14}, make: reduction(graph.BitAnd), want: "6"},
	{name: "bit_and of nothing", xs: none, make: reduction(graph.BitAnd), want: "-1"},
	{name: "bit_or", xs: []int64{1, 4}, make: reduction(graph.BitOr), want: "5"},
	{name: "bit_xor", xs: []int64{5, 6}, make: reduction(graph.BitXor), want: "3"},
	{name: "argmin", xs: []int64{4, 2, 9, 2}, make: reduction(graph.ArgMinOf), want: "1"},
	{name: "argmax", xs: []int64{4, 9, 9, 2}, make: reduction(graph.ArgMaxOf), want: "1"},
	{name: "masked argmin", make: maskedReduction(graph.ArgMinOf), want: "3"},
	{name: "argmax of nothing", xs: none, make: func(b *builder, x, k *node) *node { return b.At(x, b.Reduce(graph.ArgMaxOf, x)) }, fault: &Fault{0, -1}},
	{name: "least index", make: func(b *builder, x, k *node) *node {
		i := b.Map(nN, func(p []*node) *node { return p[0] })
		return b.At(x, b.Reduce(graph.ArgMaxOf, i))
	}, want: "5"},
}

var keyedCases = []opCase{
	{name: "sums", make: keyedBy(graph.SumOf, func(b *builder, e *node) *node { return e }), want: "[4,4,4]"},
	{name: "counts", make: keyedBy(graph.CountOf, func(b *builder, e *node) *node { return b.Arith(num.Gt, e, b.Int(num.I64, 0)) }), want: "[2,1,1]"},
	{name: "least, of nothing too", xs: []int64{3, 2}, make: keyedBy(graph.MinOf, func(b *builder, e *node) *node { return e }), want: "[3,2,9223372036854775807]"},
	{name: "empty float sum", xs: []int64{3}, make: keyedBy(graph.SumOf, func(b *builder, e *node) *node { return b.Cast(f32, e, false) }), want: "[3.0,-0.0,-0.0]"},
	{name: "no slots", xs: none, make: keyedBy(graph.WrapSum, func(b *builder, e *node) *node { return e }), want: "[0,0,0]"},
	{name: "does not fit", xs: []int64{math.MaxInt64, 0, 0, 1}, make: keyedBy(graph.SumOf, func(b *builder, e *node) *node { return e }), fault: &Fault{1, -1}},
	{name: "vectors", make: keyedBy(graph.SumOf, func(b *builder, e *node) *node {
		return b.Map(size.Const(2), func(p []*node) *node { return b.Arith(num.Mul, e, p[0]) })
	}), want: "[[0,4],[0,4],[0,4]]"},
	{name: "masked", make: func(b *builder, x, k *node) *node {
		return keyedBy(graph.WrapSum, func(b *builder, e *node) *node { return e })(b, positive(b, x), k)
	}, want: "[4,5,4]"},
}

// keyedBy groups by the slot modulo 3.
func keyedBy(m graph.Monoid, value func(b *builder, e *node) *node) func(b *builder, x, k *node) *node {
	return func(b *builder, x, k *node) *node {
		return b.KeyedReduce(m, size.Const(3), x, func(p []*node) (*node, *node) {
			return b.ToIndex(graph.Wrap, p[0], size.Const(3)), value(b, p[1])
		})
	}
}

func TestReduce(t *testing.T) {
	for _, c := range reduceCases {
		t.Run(c.name, c.check)
	}
}

func TestKeyedReduce(t *testing.T) {
	for _, c := range keyedCases {
		t.Run(c.name, c.check)
	}
}
