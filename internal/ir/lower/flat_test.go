package lower

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// TestFlatWalkHasNoDivision reads x[t / M][t % M] for each t: that is element t of what lies
// in memory. With another divisor it is not.
func TestFlatWalkHasNoDivision(t *testing.T) {
	for _, same := range []bool{true, false} {
		b := graph.NewBuilder("f", nil)
		n, m := b.Size("N", 0, 1<<20), b.Size("M", 0, 1<<20)
		ty := graph.ArrayOf(graph.ArrayOf(graph.ScalarOf(num.F64), m), n)
		x := b.Param("x", ty)
		by := m
		if !same {
			by = size.Const(2)
		}
		part := func(op num.Op, bound size.Poly, i *graph.Node) *graph.Node {
			r := b.Arith(op, i, b.SizeVal(by))
			if !same {
				return b.ToIndex(graph.Clamp, r, bound)
			}
			r.Type = graph.IndexOf(bound)
			return r
		}
		all := n.Mul(m)
		g := b.Return(b.Map(all, func(p []*graph.Node) *graph.Node {
			return b.At(b.At(x, part(num.Div, n, p[0])), part(num.Rem, m, p[0]))
		}))
		sizes := map[string]int64{"N": 5, "M": 7}
		agree(t, g, sizes, random(ty, sizes, 3))
		s, err := Lower(g, Options{NonZero: func(string) bool { return true }})
		if err != nil {
			t.Fatal(err)
		}
		if divides := strings.Contains(kernel.Text(s.Steps[0].(*schedule.Launch).Kernel), "div"); divides == same {
			t.Errorf("the same divisor: %v, and the kernel divides: %v", same, divides)
		}
	}
}
