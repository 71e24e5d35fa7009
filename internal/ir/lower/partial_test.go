package lower

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/front/interp"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// combine applies a launch's Partial to the rows that it has written, once for
// each of e.blocks.
func (e *executor) combine(l *schedule.Launch, count int64) error {
	for _, block := range e.blocks {
		blocks := (count + block - 1) / block
		if err := e.combineBlocks(l, count, block, blocks); err != nil {
			return err
		}
		count = blocks
		for _, b := range written(l) {
			e.folded[b] = count
		}
	}
	return nil
}

// combineBlocks runs the blocks one by one, each with no other rows than its
// own to read.
func (e *executor) combineBlocks(l *schedule.Launch, count, block, blocks int64) error {
	p := l.Partial
	a := &stepper.Args{}
	for _, z := range p.Sizes {
		a.Sizes = append(a.Sizes, e.sizeArg(z))
	}
	a.Sizes[p.Rows], a.Sizes[p.Block], a.Sizes[p.Blocks] = count, block, blocks
	if n := kernelPoly(p.Kernel.Outer, a.Sizes); n != blocks {
		return fmt.Errorf("%d outer indices for %d blocks", n, blocks)
	}
	bufs := written(l)
	for i, r := range p.Kernel.Regions {
		a.Regions = append(a.Regions, make([]byte, kernelPoly(r.Len, a.Sizes)*int64(r.Elem.Size())))
		access, elem := kernel.Scratch, r.Elem
		if i < 2*len(bufs) {
			access, elem = []kernel.Access{kernel.Read, kernel.Write}[i/len(bufs)], e.s.Buffers[bufs[i%len(bufs)]].Kind
		}
		if r.Access != access || r.Elem != elem {
			return fmt.Errorf("region %d is %s %s, expected %s %s", i, r.Access, r.Elem, access, elem)
		}
	}
	for o := range blocks {
		for i, b := range bufs {
			own := a.Regions[i]
			for j := range own {
				own[j] = 0x55
			}
			width := int64(0)
			if count > 0 {
				width = int64(len(own)) / count
			}
			first, end := o*block*width, min((o+1)*block, count)*width
			copy(own[first:end], e.buffer(b)[first:end])
		}
		if _, err := stepper.Run(p.Kernel, a, o, o+1); err != nil {
			return err
		}
	}
	for i, b := range bufs {
		e.bufs[b] = a.Regions[len(bufs)+i]
	}
	return nil
}

// written lists the buffers that a launch writes, in the order of its regions.
func written(l *schedule.Launch) (bufs []int) {
	for i, r := range l.Kernel.Regions {
		if r.Access == kernel.Write || r.Access == kernel.ReadWrite {
			bufs = append(bufs, l.Regions[i])
		}
	}
	return bufs
}

// A folding is a program over N elements whose leaves are combined.
type folding struct {
	build  func(b *graph.Builder, n size.Poly) *graph.Node
	leaf   int64 // slots
	launch int   // leaf launches
}

func vector(k num.Kind, n size.Poly) *graph.Type { return graph.ArrayOf(graph.ScalarOf(k), n) }

// kept is the elements above 0, of which there may be none.
func kept(b *graph.Builder, v *graph.Node) *graph.Node {
	zero := b.Cast(v.Type.Elem(), b.Int(num.I64, 0), false)
	return b.Filter(v, func(p []*graph.Node) *graph.Node { return b.Arith(num.Gt, p[1], zero) })
}

var foldings = map[string]folding{
	"floats": {leaf: num.Leaf, launch: 1, build: func(b *graph.Builder, n size.Poly) *graph.Node {
		v, w := b.Param("v", vector(num.F32, n)), b.Param("w", vector(num.F64, n))
		return b.Tuple(b.Reduce(graph.SumOf, v), b.Reduce(graph.Product, v), b.Reduce(graph.SumOf, w), b.Reduce(graph.Product, w),
			b.Reduce(graph.SumOf, kept(b, w)))
	}},
	"extremes": {leaf: num.Leaf, launch: 1, build: func(b *graph.Builder, n size.Poly) *graph.Node {
		v, w := b.Param("v", vector(num.F32, n)), b.Param("w", vector(num.F64, n))
		return b.Tuple(b.Reduce(graph.MinOf, v), b.Reduce(graph.MaxOf, w), b.Reduce(graph.ArgMinOf, v), b.Reduce(graph.ArgMaxOf, v),
			b.Reduce(graph.ArgMinOf, w), b.Reduce(graph.ArgMaxOf, w))
	}},
	"extremes of some": {leaf: num.Leaf, launch: 1, build: func(b *graph.Builder, n size.Poly) *graph.Node {
		v, i := b.Param("v", vector(num.F32, n)), b.Param("i", vector(num.I16, n))
		return b.Tuple(b.Reduce(graph.MaxOf, kept(b, v)), b.Reduce(graph.ArgMinOf, kept(b, v)),
			b.Reduce(graph.MinOf, kept(b, i)), b.Reduce(graph.ArgMaxOf, kept(b, i)))
	}},
	"integers": {leaf: num.Leaf, launch: 1, build: func(b *graph.Builder, n size.Poly) *graph.Node {
		v, u, q := b.Param("v", vector(num.I32, n)), b.Param("u", vector(num.U64, n)), b.Param("q", vector(num.Bool, n))
		return b.Tuple(b.Reduce(graph.WrapSum, v), b.Reduce(graph.WrapProduct, v), b.Reduce(graph.BitAnd, u), b.Reduce(graph.BitOr, u),
			b.Reduce(graph.BitXor, v), b.Reduce(graph.AllOf, q), b.Reduce(graph.AnyOf, q), b.Reduce(graph.CountOf, q), b.Reduce(graph.MinOf, u))
	}},
	"wide sums": {leaf: num.Leaf, launch: 1, build: func(b *graph.Builder, n size.Poly) *graph.Node {
		v, i := b.Param("v", vector(num.I64, n)), b.Param("i", vector(num.I16, n))
		return b.Tuple(b.Reduce(graph.SumOf, v), b.Reduce(graph.SumOf, i))
	}},
	"unsigned sum": {leaf: num.Leaf, launch: 1, build: func(b *graph.Builder, n size.Poly) *graph.Node {
		return b.Reduce(graph.SumOf, b.Param("u", vector(num.U64, n)))
	}},
	"groups": {leaf: 1 << 16, launch: 2, build: func(b *graph.Builder, n size.Poly) *graph.Node {
		v, i := b.Param("v", vector(num.F32, n)), b.Param("i", vector(num.I64, n))
		groups := b.Size("K", 0, 256)
		by := func(a *graph.Node, value func(x *graph.Node) *graph.Node) func(p []*graph.Node) (*graph.Node, *graph.Node) {
			return func(p []*graph.Node) (*graph.Node, *graph.Node) {
				return b.ToIndex(graph.Wrap, b.Cast(graph.I64Type, p[0], false), groups), value(p[1])
			}
		}
		same := func(x *graph.Node) *graph.Node { return x }
		one := func(*graph.Node) *graph.Node { return b.Int(num.I64, 1) }
		row := func(x *graph.Node) *graph.Node {
			return b.Map(size.Const(4), func(p []*graph.Node) *graph.Node {
				return b.Arith(num.Mul, x, b.Cast(graph.ScalarOf(num.F32), b.Cast(graph.I64Type, p[0], false), false))
			})
		}
		return b.Tuple(b.KeyedReduce(graph.SumOf, groups, v, by(v, same)), b.KeyedReduce(graph.WrapSum, groups, kept(b, v), by(v, one)),
			b.KeyedReduce(graph.MinOf, groups, v, by(v, same)),
			b.KeyedReduce(graph.MaxOf, groups, kept(b, i), by(i, same)), b.KeyedReduce(graph.Product, groups, v, by(v, same)),
			b.KeyedReduce(graph.SumOf, groups, v, by(v, row)))
	}},
	"groups of wide sums": {leaf: 1 << 16, launch: 1, build: func(b *graph.Builder, n size.Poly) *graph.Node {
		return b.KeyedReduce(graph.SumOf, size.Const(1), b.Param("v", vector(num.I64, n)), func(p []*graph.Node) (*graph.Node, *graph.Node) {
			return b.ToIndex(graph.Clamp, b.Int(num.I64, 0), size.Const(1)), p[1]
		})
	}},
	"top k": {leaf: 1 << 16, launch: 2, build: func(b *graph.Builder, n size.Poly) *graph.Node {
		v, i, k := b.Param("v", vector(num.F32, n)), b.Param("i", vector(num.I16, n)), b.Size("K", 0, 256)
		pairs := b.Map(n, func(p []*graph.Node) *graph.Node {
			row := b.Map(size.Const(2), func(q []*graph.Node) *graph.Node { return b.Arith(num.Add, p[2], b.Cast(p[2].Type, q[0], false)) })
			return b.Tuple(p[0], p[1], b.Arith(num.Gt, p[1], b.Float(num.F32, 1)), b.Some(p[2]), row)
		}, v, i)
		return b.Tuple(b.TopK(pairs, k, "P", func(p []*graph.Node) *graph.Node { return b.Get(p[1], 1) }),
			b.TopK(i, size.Const(3), "Q", func(p []*graph.Node) *graph.Node { return p[1] }))
	}},
}

func (f folding) graph(n int64) *graph.Graph {
	b := graph.NewBuilder("f", nil)
	return b.Return(f.build(b, b.Size("N", 0, 1<<40)))
}

func (f folding) lower(t *testing.T, g *graph.Graph, n int64) *schedule.Schedule {
	t.Helper()
	if err := graph.Verify(g); err != nil {
		t.Fatalf("graph: %v", err)
	}
	s, err := Lower(g, Options{Partials: true, NonZero: func(name string) bool { return name == "N" && n > 0 }, Verify: verify.Check})
	if err != nil {
		t.Fatalf("lower: %v", err)
	}
	return s
}

// extreme is a value on which orders of combination differ.
func extreme(r *rand.Rand, k num.Kind) uint64 {
	switch {
	case k == num.Bool:
		return r.Uint64N(2)
	case k.IsFloat():
		special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, 1, 1e30, -1e30, 1e-30}
		if i := r.IntN(400); i < len(special) {
			return num.FromFloat(k, special[i])
		}
		return num.FromFloat(k, math.Exp(r.NormFloat64())*float64(1-2*r.IntN(2)))
	case r.IntN(4) > 0:
		return num.Canon(k, uint64(int64(r.IntN(7)-3)))
	}
	return num.Canon(k, r.Uint64())
}

func extremeArgs(g *graph.Graph, n int64, seed uint64) (args []*value.Value) {
	r := rand.New(rand.NewPCG(seed, 2))
	plain := seed%2 == 0 // nothing that swallows the rest or does not fit
	for _, p := range g.Body.Params {
		v, err := value.New(p.Type, func(string) (int64, bool) { return n, true })
		if err != nil {
			panic(err)
		}
		c := v.Columns[0]
		for i := range c.Len() {
			bits := extreme(r, c.Kind)
			switch {
			case !plain:
			case c.Kind.IsFloat() && !(math.Abs(num.ToFloat(c.Kind, bits)) < 100):
				bits = num.FromFloat(c.Kind, 3)
			case c.Kind == num.I64:
				bits = uint64(int64(bits) >> 16)
			case c.Kind == num.U64:
				bits >>= 20
			}
			c.Set(i, bits)
		}
		args = append(args, v)
	}
	return args
}

// outcome is a result, or the fault instead.
func outcome(e *executor, g *graph.Graph) (*value.Value, string) {
	if site, index, faulted := e.fault(); faulted {
		return nil, fmt.Sprintf("fault at site %d index %d", site, index)
	}
	return e.result(g.Body.Results[0].Type), ""
}

func sameOutcome(t interface{ Fatalf(string, ...any) }, what string, a *value.Value, faultA string, b *value.Value, faultB string) {
	if faultA != faultB {
		t.Fatalf("%s: %q against %q", what, faultA, faultB)
	}
	if a == nil {
		return
	}
	if same, where := value.Equal(a, b); !same {
		t.Fatalf("%s: %s", what, where)
	}
}

// TestPartials runs programs as they are, and with their rows combined in
// blocks once and again, against the interpreter.
func TestPartials(t *testing.T) {
	for name, f := range foldings {
		t.Run(name, func(t *testing.T) {
			lengths := []int64{0, 1, 4*f.leaf + 5}
			if f.leaf == num.Leaf { // the interpreter takes its time for the others
				lengths = append(lengths, f.leaf-1, 2*f.leaf, 5*f.leaf+1, 11*f.leaf)
			}
			for seed, n := range lengths {
				g := f.graph(n)
				s := f.lower(t, g, n)
				args, sizes := extremeArgs(g, n, uint64(seed)), map[string]int64{"N": n, "K": 5}
				want, fault, err := interp.Run(g, sizes, args, interp.Options{})
				if err != nil {
					t.Fatalf("interp: %v", err)
				}
				wantFault := ""
				if fault != nil {
					want, wantFault = nil, fmt.Sprintf("fault at site %d index %d", fault.Site, fault.Index)
				}
				for _, blocks := range [][]int64{nil, {2}, {4, 2}} {
					e := newExecutor(s, len(g.Sites), sizes, args)
					e.blocks = blocks
					if err := e.run(s.Steps); err != nil {
						t.Fatalf("N = %d, blocks %v: %v", n, blocks, err)
					}
					got, gotFault := outcome(e, g)
					sameOutcome(t, fmt.Sprintf("N = %d, blocks %v", n, blocks), want, wantFault, got, gotFault)
				}
			}
		})
	}
}

// randomRows fills the buffers of a launch's rows.
func randomRows(e *executor, seed uint64) func(l *schedule.Launch, outer int64) {
	return func(l *schedule.Launch, outer int64) {
		for _, b := range written(l) {
			r := rand.New(rand.NewPCG(seed, uint64(b)))
			buf, data := &e.s.Buffers[b], e.buffer(b)
			n := int64(len(data)) / int64(buf.Kind.Size())
			for i := range n {
				column.Put(buf.Kind, data, i, extreme(r, buf.Kind))
			}
			switch {
			case outer == 0:
			case buf.Name == "candidates' count":
				for i := range n {
					column.Put(buf.Kind, data, i, r.Uint64N(7))
				}
			case buf.Name == "candidates' keys":
				for row := range outer {
					sortDown(buf.Kind, data, row*n/outer, (row+1)*n/outer)
				}
			}
		}
	}
}

func sortDown(k num.Kind, data []byte, lo, hi int64) {
	var keys []uint64
	for i := lo; i < hi; i++ {
		keys = append(keys, column.Get(k, data, i))
	}
	slices.Sort(keys)
	for i, key := range keys {
		column.Put(k, data, hi-1-int64(i), key)
	}
}

// TestPartialsOfAnyRows combines random rows as they are and in blocks.
func TestPartialsOfAnyRows(t *testing.T) {
	for name, f := range foldings {
		t.Run(name, func(t *testing.T) {
			g := f.graph(1)
			s := f.lower(t, g, 1)
			rapid.Check(t, func(rt *rapid.T) {
				sizes := map[string]int64{"N": rapid.Int64Range(1, 40).Draw(rt, "rows") * f.leaf, "K": rapid.Int64Range(0, 9).Draw(rt, "K")}
				seed := rapid.Uint64().Draw(rt, "seed")
				var blocks []int64
				for _, k := range rapid.SliceOfN(rapid.IntRange(0, 4), 1, 3).Draw(rt, "blocks") {
					blocks = append(blocks, 1<<k)
				}
				combined := func(blocks []int64) (*value.Value, string) {
					e := newExecutor(s, len(g.Sites), sizes, nil)
					e.blocks, e.rows = blocks, randomRows(e, seed)
					if err := e.run(s.Steps); err != nil {
						rt.Fatalf("%v", err)
					}
					return outcome(e, g)
				}
				want, wantFault := combined(nil)
				got, gotFault := combined(blocks)
				sameOutcome(rt, "rows against blocks", want, wantFault, got, gotFault)
			})
		})
	}
}

// TestPartialReach: a block needs its own rows only, and those that verify
// knows; so blocks can be combined where not all rows are.
func TestPartialReach(t *testing.T) {
	for name, f := range foldings {
		t.Run(name, func(t *testing.T) {
			launches, folds := 0, 0
			schedule.Launches(f.lower(t, f.graph(1), 1).Steps, func(l *schedule.Launch) {
				if l.Folds != nil {
					folds++
				}
				if l.Partial == nil {
					return
				}
				launches++
				safe, err := verify.Check(l.Partial.Kernel)
				if err != nil {
					t.Fatal(err)
				}
				const count, block, blocks = 21, 4, 6
				sizes := make([]int64, len(l.Partial.Sizes))
				for i := range sizes {
					sizes[i] = 5 // K
				}
				sizes[l.Partial.Rows], sizes[l.Partial.Block], sizes[l.Partial.Blocks] = count, block, blocks
				n := len(written(l))
				for i, r := range l.Partial.Kernel.Regions[:2*n] {
					per, whole := int64(block), int64(count)
					if i >= n {
						per, whole = 1, blocks
					}
					width := kernelPoly(r.Len, sizes) / whole
					for o := range int64(blocks) {
						start, end, ok := safe.Footprint[i].Range(sizes, o, o+1)
						if !ok || !safe.Footprint[i].Streamed || start < o*per*width || end > min((o+1)*per, whole)*width {
							t.Errorf("%s, region %d: block %d reaches %d..%d of rows of %d", l.Label, i, o, start, end, width)
						}
					}
				}
			})
			if launches != f.launch || folds < launches {
				t.Errorf("%d launches with partial rows, %d that fold, expected %d and at least as many", launches, folds, f.launch)
			}
		})
	}
}
