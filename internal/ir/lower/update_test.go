package lower

import (
	"testing"

	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// turn is a loop's body in the cases below: from the turn's number, an index
// of it, and the carried values to the next ones.
type turn func(b *graph.Builder, i, at *graph.Node, c []*graph.Node) []*graph.Node

var byIndex = []int{graph.ByIndex}

// set is x[at] = v.
func set(b *graph.Builder, x, v, at *graph.Node) *graph.Node { return b.Update(x, v, byIndex, at) }

// byHost marks a loop of which each turn is more than one kernel.
const byHost = -1

// updating are loops over two arrays and a number, with how many arrays a
// turn copies through memory besides those carried.
var updating = map[string]struct {
	spaces int
	body   turn
}{
	"an element": {0, func(b *graph.Builder, i, at *graph.Node, c []*graph.Node) []*graph.Node {
		return []*graph.Node{set(b, c[0], b.Arith(num.Add, b.At(c[0], at), i), at), c[1], c[2]}
	}},
	"two after each other": {0, func(b *graph.Builder, i, at *graph.Node, c []*graph.Node) []*graph.Node {
		x := set(b, c[0], i, at)
		y := set(b, c[1], b.At(x, at), at)
		return []*graph.Node{set(b, x, b.At(y, at), at), y, c[2]}
	}},
	"the old array read later": {1, func(b *graph.Builder, i, at *graph.Node, c []*graph.Node) []*graph.Node {
		x := set(b, c[0], i, at)
		return []*graph.Node{x, c[1], b.Arith(num.Add, c[2], b.At(c[0], at))}
	}},
	"a map of the old array read later": {byHost, func(b *graph.Builder, i, at *graph.Node, c []*graph.Node) []*graph.Node {
		old := b.Map(c[0].Type.Size, func(p []*graph.Node) *graph.Node { return b.Arith(num.Sub, p[1], i) }, c[0])
		x := set(b, c[0], i, at)
		return []*graph.Node{x, c[1], b.Arith(num.Add, c[2], b.At(old, at))}
	}},
	"the old array kept": {2, func(b *graph.Builder, i, at *graph.Node, c []*graph.Node) []*graph.Node {
		return []*graph.Node{set(b, c[0], i, at), c[0], c[2]}
	}},
	"places changed": {2, func(b *graph.Builder, i, at *graph.Node, c []*graph.Node) []*graph.Node {
		return []*graph.Node{c[1], set(b, c[0], i, at), c[2]}
	}},
	"on one side": {0, func(b *graph.Builder, i, at *graph.Node, c []*graph.Node) []*graph.Node {
		x := b.If(b.Arith(num.Gt, b.At(c[0], at), b.Int(num.I64, 50)),
			func() *graph.Node { return set(b, c[0], i, at) }, func() *graph.Node { return c[0] })
		return []*graph.Node{x, c[1], b.Arith(num.Add, c[2], b.At(x, at))}
	}},
	"on one side, the old array read later": {2, func(b *graph.Builder, i, at *graph.Node, c []*graph.Node) []*graph.Node {
		x := b.If(b.Arith(num.Gt, b.At(c[0], at), b.Int(num.I64, 50)),
			func() *graph.Node { return set(b, c[0], i, at) }, func() *graph.Node { return c[0] })
		return []*graph.Node{x, c[1], b.Arith(num.Add, c[2], b.At(c[0], at))}
	}},
	"on both sides, in tuples": {0, func(b *graph.Builder, i, at *graph.Node, c []*graph.Node) []*graph.Node {
		t := b.If(b.Arith(num.Gt, b.At(c[0], at), b.Int(num.I64, 50)),
			func() *graph.Node { return b.Tuple(set(b, c[0], i, at), c[2], c[1]) },
			func() *graph.Node { return b.Tuple(c[0], i, set(b, set(b, c[1], i, at), c[2], at)) })
		return []*graph.Node{b.Get(t, 0), b.Get(t, 2), b.Get(t, 1)}
	}},
	"an inner loop": {0, func(b *graph.Builder, i, at *graph.Node, c []*graph.Node) []*graph.Node {
		l := b.Loop(b.Int(num.I64, 0), b.Int(num.I64, 3), nil, false, func(p []*graph.Node) []*graph.Node {
			return []*graph.Node{set(b, p[1], b.Arith(num.Add, b.At(p[1], at), p[0]), at)}
		}, set(b, c[0], i, at))
		l.Max = 3
		return []*graph.Node{b.Get(l, 0), c[1], c[2]}
	}},
	"an inner loop that reads what it begins with": {1, func(b *graph.Builder, i, at *graph.Node, c []*graph.Node) []*graph.Node {
		l := b.Loop(b.Int(num.I64, 0), b.Int(num.I64, 3), nil, false, func(p []*graph.Node) []*graph.Node {
			return []*graph.Node{set(b, p[1], b.Arith(num.Add, b.At(c[0], at), p[0]), at)}
		}, c[0])
		l.Max = 3
		return []*graph.Node{b.Get(l, 0), c[1], c[2]}
	}},
	"an outer array in an inner loop": {1, func(b *graph.Builder, i, at *graph.Node, c []*graph.Node) []*graph.Node {
		l := b.Loop(b.Int(num.I64, 0), b.Int(num.I64, 3), nil, false, func(p []*graph.Node) []*graph.Node {
			return []*graph.Node{b.Arith(num.Add, p[1], b.At(set(b, c[0], p[1], at), at))}
		}, i)
		l.Max = 3
		return []*graph.Node{c[0], c[1], b.Get(l, 0)}
	}},
	"a scatter that reads its destination": {1, func(b *graph.Builder, i, at *graph.Node, c []*graph.Node) []*graph.Node {
		from := b.Map(size.Const(2), func(p []*graph.Node) *graph.Node { return b.Arith(num.Add, b.At(c[0], at), i) })
		x := b.Scatter(c[0], from, func(p []*graph.Node) (*graph.Node, *graph.Node) { return at, p[1] },
			func(p []*graph.Node) *graph.Node { return b.Arith(num.Sub, p[1], p[0]) })
		return []*graph.Node{x, c[1], c[2]}
	}},
}

// updateLoop is a case as a function of two arrays of N, with the index of a
// turn's number wrapped, and a body that may fault after each update.
func updateLoop(body turn) *graph.Graph {
	b := graph.NewBuilder("f", nil)
	n := b.Size("N", 0, 1<<30)
	t := graph.ArrayOf(graph.I64Type, n)
	x, y := b.Param("x", t), b.Param("y", t)
	l := b.Loop(b.Int(num.I64, 0), b.Int(num.I64, 40), nil, false, func(p []*graph.Node) []*graph.Node {
		at := b.ToIndex(graph.Wrap, b.Arith(num.Mul, p[0], b.Int(num.I64, 7)), n)
		out := body(b, p[0], at, p[1:])
		// Divides by zero in the turn that brings about a zero.
		out[2] = b.Checked(num.Div, b.Arith(num.Add, out[2], b.Int(num.I64, 1000)), b.At(out[0], at))
		return out
	}, x, y, b.Int(num.I64, 1))
	l.Max = 40
	return b.Return(l)
}

// TestUpdatesInPlace holds the cases to the interpreter, faults included, and
// counts copies: a change that makes needless ones is seen here.
func TestUpdatesInPlace(t *testing.T) {
	for name, c := range updating {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int64{0, 1, 5, 41} {
				sizes := map[string]int64{"N": n}
				arg := graph.ArrayOf(graph.I64Type, size.Var("N"))
				for seed := range uint64(3) {
					agree(t, updateLoop(c.body), sizes, random(arg, sizes, 2*seed), random(arg, sizes, 2*seed+1))
				}
			}
			if c.spaces == byHost {
				return
			}
			if got := spaces(t, updateLoop(c.body)); got != c.spaces {
				t.Errorf("a turn copies %d arrays, want %d", got, c.spaces)
			}
		})
	}
}

// spaces counts the arrays of scratch memory, in a schedule of one kernel.
func spaces(t *testing.T, g *graph.Graph) (count int) {
	t.Helper()
	s, err := Lower(g, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var launches int
	schedule.Launches(s.Steps, func(l *schedule.Launch) {
		launches++
		for _, r := range l.Kernel.Regions {
			if r.Access == kernel.Scratch {
				count++
			}
		}
	})
	if _, loop := s.Steps[0].(*schedule.Loop); loop || launches != 1 {
		t.Errorf("%d launches, want one kernel for all turns", launches)
	}
	return count
}

// TestUpdatesBeforeLoop has a loop begin with an array that was changed just
// before, or that something else needs too.
func TestUpdatesBeforeLoop(t *testing.T) {
	build := func(kept bool) *graph.Graph {
		b := graph.NewBuilder("f", nil)
		n := b.Size("N", 1, 1<<30)
		x := b.Param("x", graph.ArrayOf(graph.I64Type, n))
		at := func(i int64) *graph.Node {
			w := b.ToIndex(graph.Wrap, b.Int(num.I64, i), n)
			w.Site = -1 // N is not 0
			return w
		}
		one := set(b, x, b.At(x, at(2)), at(0))
		two := set(b, one, b.At(x, at(3)), at(1))
		l := b.Loop(b.Int(num.I64, 0), b.Int(num.I64, 9), nil, false, func(p []*graph.Node) []*graph.Node {
			i := b.ToIndex(graph.Wrap, p[0], n)
			return []*graph.Node{set(b, p[1], b.Arith(num.Add, b.At(p[1], at(0)), p[0]), i), b.Arith(num.Add, p[2], b.At(x, i))}
		}, two, b.Int(num.I64, 0))
		l.Max = 9
		if kept {
			return b.Return(b.Tuple(l, one))
		}
		return b.Return(l)
	}
	for _, kept := range []bool{false, true} {
		for _, n := range []int64{1, 2, 7} {
			sizes := map[string]int64{"N": n}
			agree(t, build(kept), sizes, random(graph.ArrayOf(graph.I64Type, size.Var("N")), sizes, uint64(n)))
		}
	}
	s, err := Lower(build(false), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Steps) != 1 {
		t.Errorf("%d steps, want one", len(s.Steps))
	}
}

// TestUpdateParts changes parts of elements, at each depth of a type.
func TestUpdateParts(t *testing.T) {
	pair := graph.TupleOf(graph.I64Type, graph.ArrayOf(graph.TupleOf(graph.ScalarOf(num.F32), graph.BoolType), size.Const(3)))
	for _, path := range [][]int{{-1}, {-1, 0}, {-1, 1}, {-1, 1, -1}, {-1, 1, -1, 0}, {-1, 1, -1, 1}} {
		build := func() *graph.Graph {
			b := graph.NewBuilder("f", nil)
			n := b.Size("N", 1, 1<<30)
			x := b.Param("x", graph.ArrayOf(pair, n))
			indices := []*graph.Node{b.ToIndex(graph.Wrap, b.Int(num.I64, 3), n), b.ToIndex(graph.Wrap, b.Int(num.I64, 1), size.Const(3))}
			part, k := x, 0
			for _, step := range path {
				if step == graph.ByIndex {
					part, k = b.At(part, b.ToIndex(graph.Wrap, b.Int(num.I64, 0), part.Type.Size)), k+1
				} else {
					part = b.Get(part, step)
				}
			}
			return b.Return(b.Update(x, part, path, indices[:k]...))
		}
		sizes := map[string]int64{"N": 5}
		agree(t, build(), sizes, []*value.Value{random(graph.ArrayOf(pair, size.Var("N")), sizes, 9)}...)
	}
}
