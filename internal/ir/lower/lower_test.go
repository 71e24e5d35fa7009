package lower

import (
	"math/rand/v2"
	"testing"

	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/front/interp"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// agree runs a graph through the interpreter and through its schedule and
// compares bits, or faults.
func agree(t *testing.T, g *graph.Graph, sizes map[string]int64, args ...*value.Value) {
	t.Helper()
	if err := graph.Verify(g); err != nil {
		t.Fatalf("graph: %v", err)
	}
	want, fault, err := interp.Run(g, sizes, args, interp.Options{})
	if err != nil {
		t.Fatalf("interp: %v", err)
	}
	s, err := Lower(g, Options{NonZero: func(n string) bool { return sizes[n] > 0 }})
	if err != nil {
		t.Fatalf("lower: %v", err)
	}
	e, err := execute(s, len(g.Sites), sizes, args)
	if err != nil {
		t.Fatalf("execute: %v", err)
	}
	same(t, g, e, want, fault)
	if s.Shared == nil {
		return
	}
	if s, err = s.Shared(); err != nil {
		t.Fatalf("lower: %v", err)
	}
	for parts := 1; parts <= 5; parts++ {
		e := newExecutor(s, len(g.Sites), sizes, args)
		e.parts = parts
		if err := e.run(s.Steps); err != nil {
			t.Fatalf("execute: %v", err)
		}
		same(t, g, e, want, fault)
	}
}

// same compares with the interpreter.
func same(t *testing.T, g *graph.Graph, e *executor, want *value.Value, fault *interp.Fault) {
	t.Helper()
	site, index, faulted := e.fault()
	if faulted != (fault != nil) || faulted && (site != fault.Site || index != fault.Index) {
		t.Fatalf("fault: interpreter %v, schedule %v at site %d index %d", fault, faulted, site, index)
	}
	if faulted {
		return
	}
	if same, where := value.Equal(want, e.result(g.Body.Results[0].Type)); !same {
		t.Fatalf("interpreter against schedule: %s", where)
	}
}

func random(t *graph.Type, sizes map[string]int64, seed uint64) *value.Value {
	v, err := value.New(t, func(n string) (int64, bool) { x, ok := sizes[n]; return x, ok })
	if err != nil {
		panic(err)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	leaves := graph.Leaves(t)
	for j, c := range v.Columns {
		for i := range c.Len() {
			bits := num.Canon(c.Kind, uint64(r.IntN(200)))
			if c.Kind.IsFloat() {
				bits = num.FromFloat(c.Kind, r.NormFloat64()*100)
			} else if leaves[j].Type.Kind == graph.Index {
				b, _ := leaves[j].Type.Bound.Eval(func(n string) (int64, bool) { return sizes[n], true })
				bits = uint64(r.Int64N(max(b, 1)))
			} else if c.Kind == num.Bool {
				bits &= 1
			}
			c.Set(i, bits)
		}
	}
	return v
}

func TestShapes(t *testing.T) {
	f32, f64 := graph.ScalarOf(num.F32), graph.ScalarOf(num.F64)
	cases := map[string]func(b *graph.Builder) (*graph.Node, []*graph.Type){
		"sum": func(b *graph.Builder) (*graph.Node, []*graph.Type) {
			n := b.Size("N", 0, 1<<40)
			ty := graph.ArrayOf(f32, n)
			return b.Reduce(graph.SumOf, b.Param("v", ty)), []*graph.Type{ty}
		},
		"map": func(b *graph.Builder) (*graph.Node, []*graph.Type) {
			n := b.Size("N", 0, 1<<40)
			ty := graph.ArrayOf(f64, n)
			v := b.Param("v", ty)
			return b.Map(n, func(p []*graph.Node) *graph.Node { return b.Arith(num.Mul, p[1], p[1]) }, v), []*graph.Type{ty}
		},
		"filtered group means": func(b *graph.Builder) (*graph.Node, []*graph.Type) {
			n := b.Size("N", 0, 1<<40)
			k := size.Const(8)
			ty := graph.ArrayOf(f64, n)
			v := b.Param("v", ty)
			kept := b.Filter(v, func(p []*graph.Node) *graph.Node { return b.Arith(num.Gt, p[1], b.Float(num.F64, 3)) })
			key := func(p []*graph.Node) *graph.Node {
				return b.ToIndex(graph.Wrap, b.Cast(graph.I64Type, p[1], false), k)
			}
			sum := b.KeyedReduce(graph.SumOf, k, kept, func(p []*graph.Node) (*graph.Node, *graph.Node) { return key(p), p[1] })
			count := b.KeyedReduce(graph.WrapSum, k, kept, func(p []*graph.Node) (*graph.Node, *graph.Node) { return key(p), b.Int(num.I64, 1) })
			mean := b.Map(k, func(p []*graph.Node) *graph.Node {
				return b.Arith(num.Div, p[1], b.Cast(f64, p[2], false))
			}, sum, count)
			return mean, []*graph.Type{ty}
		},
		"sort and compact": func(b *graph.Builder) (*graph.Node, []*graph.Type) {
			n := b.Size("N", 0, 1<<40)
			ty := graph.ArrayOf(f32, n)
			v := b.Param("v", ty)
			kept := b.Filter(v, func(p []*graph.Node) *graph.Node { return b.Arith(num.Lt, p[1], b.Float(num.F32, 50)) })
			c := b.Compact(kept, "M")
			return b.Sort(c, true, func(p []*graph.Node) *graph.Node { return p[1] }), []*graph.Type{ty}
		},
		"top k": func(b *graph.Builder) (*graph.Node, []*graph.Type) {
			n := b.Size("N", 0, 1<<40)
			ty := graph.ArrayOf(f32, n)
			v := b.Param("v", ty)
			return b.TopK(v, size.Const(5), "M", func(p []*graph.Node) *graph.Node { return p[1] }), []*graph.Type{ty}
		},
		"chase": func(b *graph.Builder) (*graph.Node, []*graph.Type) {
			n := b.Size("N", 1, 1<<40)
			ty, it := graph.ArrayOf(graph.IndexOf(n), n), graph.IndexOf(n)
			next, start := b.Param("next", ty), b.Param("start", it)
			l := b.Loop(b.Int(num.I64, 0), b.Int(num.I64, 20), nil, false, func(p []*graph.Node) []*graph.Node {
				return []*graph.Node{b.At(next, p[1])}
			}, start)
			l.Max = 20
			return b.Get(l, 0), []*graph.Type{ty, it}
		},
		"iterated map": func(b *graph.Builder) (*graph.Node, []*graph.Type) {
			n := b.Size("N", 0, 1<<40)
			ty := graph.ArrayOf(f64, n)
			v := b.Param("v", ty)
			l := b.Loop(b.Int(num.I64, 0), b.Int(num.I64, 3), nil, false, func(p []*graph.Node) []*graph.Node {
				mean := b.Arith(num.Div, b.Reduce(graph.SumOf, p[1]), b.Float(num.F64, 7))
				return []*graph.Node{b.Map(n, func(q []*graph.Node) *graph.Node { return b.Arith(num.Sub, q[1], mean) }, p[1])}
			}, v)
			l.Max = 3
			return b.Get(l, 0), []*graph.Type{ty}
		},
		"nested sums": func(b *graph.Builder) (*graph.Node, []*graph.Type) {
			n, d := b.Size("N", 0, 1<<40), b.Size("D", 0, 1<<20)
			ty := graph.ArrayOf(graph.ArrayOf(f32, d), n)
			v := b.Param("v", ty)
			return b.Map(n, func(p []*graph.Node) *graph.Node {
				sq := b.Map(d, func(q []*graph.Node) *graph.Node { return b.Arith(num.Mul, q[1], q[1]) }, p[1])
				return b.Tuple(b.Reduce(graph.SumOf, sq), b.Reduce(graph.ArgMinOf, p[1]))
			}, v), []*graph.Type{ty}
		},
	}
	for name, build := range cases {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int64{0, 1, 3, 100, 5000, 70000} {
				b := graph.NewBuilder("f", nil)
				out, _ := build(b)
				sizes := map[string]int64{}
				for _, s := range b.Return(out).Sizes {
					sizes[s.Name] = n
				}
				if _, ok := sizes["D"]; ok {
					sizes["D"] = n % 7
				}
				if name == "chase" && n == 0 || name == "nested sums" && n > 5000 {
					continue
				}
				b = graph.NewBuilder("f", nil)
				out, types := build(b)
				g := b.Return(out)
				var args []*value.Value
				for i, ty := range types {
					args = append(args, random(ty, sizes, uint64(i)+uint64(n)))
				}
				agree(t, g, sizes, args...)
			}
		})
	}
}
