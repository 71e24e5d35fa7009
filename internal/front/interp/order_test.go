package interp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// The functions below state the canonical orders a second time, as plainly
// as can be, on the numbers themselves.

// pairwise combines neighbours 2k and 2k+1 until one is left; the last of an
// odd number moves up.
func pairwise(leaves []float32, op func(a, b float32) float32) float32 {
	for len(leaves) > 1 {
		var up []float32
		for k := 0; k < len(leaves); k += 2 {
			if k+1 < len(leaves) {
				up = append(up, op(leaves[k], leaves[k+1]))
			} else {
				up = append(up, leaves[k])
			}
		}
		leaves = up
	}
	return leaves[0]
}

// naiveSum deals the slots of each leaf of 4096 to 32 lanes, folds the lanes
// by halves, and combines the leaves pairwise.
func naiveSum(x []float32, set []bool) float32 {
	var leaves []float32
	for from := 0; from < max(len(x), 1); from += 4096 {
		lanes := make([]float32, 32)
		for l := range lanes {
			lanes[l] = float32(math.Copysign(0, -1))
		}
		for i := from; i < min(from+4096, len(x)); i++ {
			if set[i] {
				lanes[i%32] += x[i]
			}
		}
		for half := 16; half >= 1; half /= 2 {
			for l := range half {
				lanes[l] += lanes[l+half]
			}
		}
		leaves = append(leaves, lanes[0])
	}
	return pairwise(leaves, func(a, b float32) float32 { return a + b })
}

// naiveKeyed accumulates in slot order inside a leaf of the given length.
func naiveKeyed(x []float32, set []bool, group, leaf int, key func(i int) int) float32 {
	leaves := []float32{}
	for from := 0; from < len(x); from += leaf {
		acc := float32(math.Copysign(0, -1))
		for i := from; i < min(from+leaf, len(x)); i++ {
			if set[i] && key(i) == group {
				acc += x[i]
			}
		}
		leaves = append(leaves, acc)
	}
	return pairwise(leaves, func(a, b float32) float32 { return a + b })
}

// floats draws numbers of very different magnitudes, so that every order of
// additions gives other bits.
func floats(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64() * math.Exp2(float64(r.IntN(40)-20)))
	}
	return x
}

// chosen is the mask of the elements greater than the limit.
func chosen(x []float32, limit float32) []bool {
	set := make([]bool, len(x))
	for i := range x {
		set[i] = x[i] > limit
	}
	return set
}

func above(b *builder, x, limit *node) *node {
	return b.Filter(x, func(p []*node) *node { return b.Arith(num.Gt, p[1], limit) })
}

func runFloats(t *testing.T, g *graph.Graph, x []float32, limit float32) *value.Value {
	t.Helper()
	if err := graph.Verify(g); err != nil {
		t.Fatal(err)
	}
	args := []*value.Value{value.FromSlice(x), value.Scalar(limit)}
	v, fault, err := Run(g, map[string]int64{"N": int64(len(x))}, args, Options{})
	if err != nil || fault != nil {
		t.Fatal(err, fault)
	}
	return v
}

func TestSumOrder(t *testing.T) {
	b := graph.NewBuilder("sum", nil)
	n := b.Size("N", 0, 1<<30)
	x, limit := b.Param("x", graph.ArrayOf(f32, n)), b.Param("limit", f32)
	g := b.Return(b.Reduce(graph.SumOf, above(b, x, limit)))
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 31, 32, 33, 4095, 4096, 4097, 8192, 12289, 50000} {
		for _, limit := range []float32{-math.MaxFloat32, 0, 1000, math.MaxFloat32} {
			x := floats(r, n)
			got, err := value.AsScalar[float32](runFloats(t, g, x, limit))
			if err != nil {
				t.Fatal(err)
			}
			if want := naiveSum(x, chosen(x, limit)); math.Float32bits(got) != math.Float32bits(want) {
				t.Errorf("%d elements above %g: got %g, want %g", n, limit, got, want)
			}
		}
	}
}

func TestKeyedOrder(t *testing.T) {
	for _, c := range []struct{ groups, width int64 }{{3, 1}, {700, 2}, {2000, 1}} {
		g := keyedGraph(c.groups, c.width)
		r := rand.New(rand.NewPCG(3, uint64(c.groups)))
		leaf := int(num.KeyedLeaf(c.groups * c.width))
		key := func(i int) int { return i * 7 % int(c.groups) }
		for _, n := range []int{1, leaf - 1, leaf, leaf + 1, 3*leaf + 5} {
			x := floats(r, n)
			const limit = -0.5
			got, err := value.AsSlice[float32](runFloats(t, g, x, limit))
			if err != nil {
				t.Fatal(err)
			}
			for _, group := range []int{0, 1, int(c.groups) - 1} {
				want := naiveKeyed(x, chosen(x, limit), group, leaf, key)
				for j := range int(c.width) {
					if at := got[group*int(c.width)+j]; math.Float32bits(at) != math.Float32bits(want) {
						t.Errorf("%d groups of %d, %d slots: group %d element %d is %g, want %g", c.groups, c.width, n, group, j, at, want)
					}
				}
			}
		}
	}
}

// keyedGraph sums by slot·7 mod groups; a width above 1 sums vectors whose
// elements are all the same.
func keyedGraph(groups, width int64) *graph.Graph {
	b := graph.NewBuilder("keyed", nil)
	n := b.Size("N", 0, 1<<30)
	x, limit := b.Param("x", graph.ArrayOf(f32, n)), b.Param("limit", f32)
	k := size.Const(groups)
	return b.Return(b.KeyedReduce(graph.SumOf, k, above(b, x, limit), func(p []*node) (*node, *node) {
		key := b.ToIndex(graph.Wrap, b.Arith(num.Mul, p[0], b.Int(num.I64, 7)), k)
		if width == 1 {
			return key, p[1]
		}
		return key, b.Map(size.Const(width), func([]*node) *node { return p[1] })
	}))
}

// TestMaskedSumIsSlotwise: what a mask leaves out counts as the identity, so
// a filtered sum is the sum of the array with -0.0 in the other slots.
func TestMaskedSumIsSlotwise(t *testing.T) {
	b := graph.NewBuilder("masked", nil)
	n := b.Size("N", 0, 1<<30)
	x, limit := b.Param("x", graph.ArrayOf(f32, n)), b.Param("limit", f32)
	replaced := b.Map(n, func(p []*node) *node {
		return b.If(b.Arith(num.Gt, p[1], limit), func() *node { return p[1] }, func() *node { return b.Float(num.F32, math.Copysign(0, -1)) })
	}, x)
	g := b.Return(b.Map(size.Const(2), func(p []*node) *node {
		return b.If(b.Arith(num.Eq, p[0], b.Int(num.I64, 0)), func() *node { return b.Reduce(graph.SumOf, above(b, x, limit)) }, func() *node { return b.Reduce(graph.SumOf, replaced) })
	}))
	r := rand.New(rand.NewPCG(5, 6))
	got, err := value.AsSlice[float32](runFloats(t, g, floats(r, 20000), 0.25))
	if err != nil {
		t.Fatal(err)
	}
	if math.Float32bits(got[0]) != math.Float32bits(got[1]) {
		t.Errorf("got %g and %g", got[0], got[1])
	}
}
