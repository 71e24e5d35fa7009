package elaborate

import (
	"github.com/godwit-run/godwit/internal/front/types"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// wide computes an f32 in f64, so that the result is off by little more than the last
// rounding.
func wide(g func(*formula, []*graph.Node) *graph.Node) func(*formula, []*graph.Node) *graph.Node {
	return func(f *formula, x []*graph.Node) *graph.Node {
		if f.k != num.F32 {
			return g(f, x)
		}
		long := make([]*graph.Node, len(x))
		for i, a := range x {
			long[i] = f.e.cast(types.Scalars[num.F64], a, f.at)
		}
		return f.e.cast(types.Scalars[num.F32], g(f.in(num.F64), long), f.at)
	}
}

// one is a function of one float.
func one(g func(*formula, *graph.Node) *graph.Node) func(*formula, []*graph.Node) *graph.Node {
	return func(f *formula, x []*graph.Node) *graph.Node { return g(f, x[0]) }
}

// two is a function of two floats.
func two(g func(f *formula, x, y *graph.Node) *graph.Node) func(*formula, []*graph.Node) *graph.Node {
	return func(f *formula, x []*graph.Node) *graph.Node { return g(f, x[0], x[1]) }
}
