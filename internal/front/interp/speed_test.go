package interp

import (
	"testing"

	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// squares is Σ (x·x + 1) over N elements.
func squares() *graph.Graph {
	b := graph.NewBuilder("squares", nil)
	n := b.Size("N", 0, 1<<30)
	x := b.Param("x", graph.ArrayOf(graph.ScalarOf(num.F32), n))
	y := b.Map(n, func(p []*graph.Node) *graph.Node {
		return b.Arith(num.Add, b.Arith(num.Mul, p[1], p[1]), b.Float(num.F32, 1))
	}, x)
	return b.Return(b.Reduce(graph.SumOf, y))
}

func BenchmarkMapSum(b *testing.B) {
	g := squares()
	if err := graph.Verify(g); err != nil {
		b.Fatal(err)
	}
	const n = 1 << 20
	v, err := value.New(graph.ArrayOf(graph.ScalarOf(num.F32), size.Const(n)), nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := Run(g, map[string]int64{"N": n}, []*value.Value{v}, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/slot")
}
