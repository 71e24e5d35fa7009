package lower

import (
	"testing"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// swapping are turns over a matrix of N rows and the sum of what they read, with how many rows
// and how many matrices a turn copies besides the one that is carried.
var swapping = map[string]struct {
	rows, matrices int
	body           turn
}{
	"two rows": {1, 0, func(b *graph.Builder, i, at *graph.Node, c []*graph.Node) []*graph.Node {
		to := wrapped(b, i, c[0].Type.Size)
		r := b.At(c[0], at)
		x := set(b, c[0], b.At(c[0], to), at)
		return []*graph.Node{set(b, x, r, to), c[1]}
	}},
	"three rows": {2, 0, func(b *graph.Builder, i, at *graph.Node, c []*graph.Node) []*graph.Node {
		to := wrapped(b, i, c[0].Type.Size)
		r, s := b.At(c[0], at), b.At(c[0], to)
		x := set(b, c[0], b.At(c[0], first(b, c[0])), at)
		return []*graph.Node{set(b, set(b, x, r, to), s, first(b, c[0])), c[1]}
	}},
	"an element of a row after a change": {1, 0, func(b *graph.Builder, i, at *graph.Node, c []*graph.Node) []*graph.Node {
		r := b.At(c[0], at)
		x := b.Update(c[0], i, []int{graph.ByIndex, graph.ByIndex}, at, first(b, r))
		return []*graph.Node{x, b.Arith(num.Add, c[1], b.At(r, first(b, r)))}
	}},
	"a row that is read before the change": {0, 0, func(b *graph.Builder, i, at *graph.Node, c []*graph.Node) []*graph.Node {
		r := b.At(c[0], at)
		s := b.Arith(num.Add, c[1], b.At(r, first(b, r)))
		return []*graph.Node{b.Update(c[0], i, []int{graph.ByIndex, graph.ByIndex}, at, first(b, r)), s}
	}},
	"a row from before a choice": {1, 0, func(b *graph.Builder, i, at *graph.Node, c []*graph.Node) []*graph.Node {
		to := wrapped(b, i, c[0].Type.Size)
		r := b.At(c[0], at)
		x := b.If(b.Arith(num.Gt, i, b.Int(num.I64, 3)),
			func() *graph.Node { return set(b, c[0], b.At(c[0], to), at) }, func() *graph.Node { return c[0] })
		return []*graph.Node{set(b, x, r, to), c[1]}
	}},
	"a row from before a loop": {1, 0, func(b *graph.Builder, i, at *graph.Node, c []*graph.Node) []*graph.Node {
		to := wrapped(b, i, c[0].Type.Size)
		r := b.At(c[0], at)
		l := b.Loop(b.Int(num.I64, 0), b.Int(num.I64, 3), nil, false, func(p []*graph.Node) []*graph.Node {
			return []*graph.Node{set(b, p[1], b.At(p[1], wrapped(b, p[0], c[0].Type.Size)), at)}
		}, c[0])
		l.Max = 3
		return []*graph.Node{set(b, b.Get(l, 0), r, to), c[1]}
	}},
	"the whole kept too": {0, 1, func(b *graph.Builder, i, at *graph.Node, c []*graph.Node) []*graph.Node {
		to := wrapped(b, i, c[0].Type.Size)
		r := b.At(c[0], at)
		x := set(b, set(b, c[0], b.At(c[0], to), at), r, to)
		old := b.At(b.At(c[0], to), first(b, r))
		return []*graph.Node{x, b.Arith(num.Add, c[1], old)}
	}},
}

func wrapped(b *graph.Builder, i *graph.Node, n size.Poly) *graph.Node {
	return b.ToIndex(graph.Wrap, i, n)
}

func first(b *graph.Builder, x *graph.Node) *graph.Node {
	return b.ToIndex(graph.Wrap, b.Int(num.I64, 0), x.Type.Size)
}

func swapLoop(body turn) *graph.Graph {
	b := graph.NewBuilder("f", nil)
	n, w := b.Size("N", 0, 1<<20), b.Size("W", 0, 1<<20)
	x := b.Param("x", graph.ArrayOf(graph.ArrayOf(graph.I64Type, w), n))
	l := b.Loop(b.Int(num.I64, 0), b.Int(num.I64, 40), nil, false, func(p []*graph.Node) []*graph.Node {
		return body(b, p[0], wrapped(b, b.Arith(num.Mul, p[0], b.Int(num.I64, 7)), n), p[1:])
	}, x, b.Int(num.I64, 1))
	l.Max = 40
	return b.Return(l)
}

// TestRowsKept holds the cases to the interpreter and counts what they copy.
func TestRowsKept(t *testing.T) {
	for name, c := range swapping {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int64{0, 1, 2, 5} {
				for _, w := range []int64{0, 1, 9, 100} {
					sizes := map[string]int64{"N": n, "W": w}
					arg := graph.ArrayOf(graph.ArrayOf(graph.I64Type, size.Var("W")), size.Var("N"))
					agree(t, swapLoop(c.body), sizes, random(arg, sizes, uint64(n*w)))
				}
			}
			s, err := Lower(swapLoop(c.body), Options{})
			if err != nil {
				t.Fatal(err)
			}
			rows, matrices := 0, 0
			schedule.Launches(s.Steps, func(l *schedule.Launch) {
				for _, r := range l.Kernel.Regions {
					switch {
					case r.Access != kernel.Scratch:
					case r.Len.Degree() > 1:
						matrices++
					default:
						rows++
					}
				}
			})
			if rows != c.rows || matrices != c.matrices {
				t.Errorf("a turn copies %d rows and %d matrices, want %d and %d", rows, matrices, c.rows, c.matrices)
			}
		})
	}
}
