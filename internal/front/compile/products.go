package compile

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// ofProducts says whether a fold of products is fused, or what fusing it would
// bring where it is one of many, as of the rows of a matrix: a single one waits
// for memory.
func ofProducts(g *graph.Graph, n *graph.Node) string {
	switch {
	case n.Monoid == graph.FusedSum:
		return ", each product added in one rounding (#[fused])"
	case n.Monoid == graph.SumOf && foldsProducts(n) && !isStreamed(g, n.Args[0]):
		return "; #[fused] above the function would add each product in one step instead of two"
	}
	return ""
}

// foldsProducts reports a sum of products of floats.
func foldsProducts(n *graph.Node) bool {
	m := n.Args[0]
	if m.Op != graph.Map {
		return false
	}
	r := m.Blocks[0].Results[0]
	return r.Op == graph.Arith && r.Num == num.Mul && r.Type.KindOf().IsFloat()
}

// isStreamed reports that all arrays of a map are parameters of the function.
func isStreamed(g *graph.Graph, m *graph.Node) bool {
	return !slices.ContainsFunc(m.Args, func(a *graph.Node) bool { return !slices.Contains(g.Body.Params, a) })
}
