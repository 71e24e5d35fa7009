package run

import (
	"math"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

var (
	s0, s1, s2 = size.Var("s0"), size.Var("s1"), size.Var("s2")
	one        = size.Const(1)
	varN       = size.Var("N")
)

func anySize() kernel.Size { return kernel.Size{Lo: 0, Hi: 1 << 40} }

// sumKernel folds grain slots of r0 at a time; element o of r1 is the sum of
// grain o. Sizes: slots, grains.
func sumKernel(k num.Kind, grain int64) *kernel.Kernel {
	b, o, lo, hi := kernel.NewBuilder(&kernel.Kernel{
		Sizes:   []kernel.Size{anySize(), anySize()},
		Regions: []kernel.Region{{Elem: k, Len: s0}, {Elem: k, Len: s1, Access: kernel.Write}},
		Outer:   s1, Grain: size.Const(grain), Count: s0,
	})
	sum := b.Fold(lo, hi, false, []kernel.Acc{{Op: kernel.FoldAdd, Kind: k}}, func(i kernel.Value) []kernel.Value {
		return []kernel.Value{b.Load(0, i)}
	})
	b.Store(1, o, sum[0])
	return b.Finish()
}

// dotKernel is sumKernel of r0[i]·r1[i], into r2.
func dotKernel(k num.Kind, grain int64) *kernel.Kernel {
	b, o, lo, hi := kernel.NewBuilder(&kernel.Kernel{
		Sizes:   []kernel.Size{anySize(), anySize()},
		Regions: []kernel.Region{{Elem: k, Len: s0}, {Elem: k, Len: s0}, {Elem: k, Len: s1, Access: kernel.Write}},
		Outer:   s1, Grain: size.Const(grain), Count: s0,
	})
	sum := b.Fold(lo, hi, false, []kernel.Acc{{Op: kernel.FoldAdd, Kind: k}}, func(i kernel.Value) []kernel.Value {
		return []kernel.Value{b.Wrap(num.Mul, b.Load(0, i), b.Load(1, i))}
	})
	b.Store(2, o, sum[0])
	return b.Finish()
}

// treeKernel combines the elements of r0 pairwise into r1[0].
func treeKernel(k num.Kind) *kernel.Kernel {
	b, o, _, _ := kernel.NewBuilder(&kernel.Kernel{
		Sizes:   []kernel.Size{anySize()},
		Regions: []kernel.Region{{Elem: k, Len: s0}, {Elem: k, Len: one, Access: kernel.Write}},
		Outer:   one, Grain: one, Count: one,
	})
	sum := b.Fold(b.Int(0), b.SizeOf(s0), true, []kernel.Acc{{Op: kernel.FoldAdd, Kind: k}}, func(i kernel.Value) []kernel.Value {
		return []kernel.Value{b.Load(0, i)}
	})
	b.Store(1, o, sum[0])
	return b.Finish()
}

// scaleKernel is r1[i] = r0[i]·scalar + 1; a product that does not fit is a
// fault at site 0 (integers).
func scaleKernel(k num.Kind, grain int64) *kernel.Kernel {
	lo64, hi64 := num.IntRange(k)
	b, _, lo, hi := kernel.NewBuilder(&kernel.Kernel{
		Sizes:   []kernel.Size{anySize(), anySize()},
		Scalars: []kernel.Scalar{{Kind: k, Lo: lo64, Hi: hi64}},
		Regions: []kernel.Region{{Elem: k, Len: s0}, {Elem: k, Len: s0, Access: kernel.Write}},
		Outer:   s1, Grain: size.Const(grain), Count: s0,
	})
	a := b.ScalarArg(0)
	unit := uint64(1)
	switch k {
	case num.F32:
		unit = uint64(math.Float32bits(1))
	case num.F64:
		unit = math.Float64bits(1)
	}
	b.For(lo, hi, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
		if k.IsInt() {
			b.K.Sites, b.Site, b.At = 1, 0, i
		}
		b.Store(1, i, b.Wrap(num.Add, b.Checked(num.Mul, b.Load(0, i), a), b.Const(k, unit)))
		return nil, kernel.None
	})
	return b.Finish()
}

// runningKernel is a sequential kernel: the state, resting in r1, is a hash
// of the slots so far, and r2[i] is the state after slot i.
func runningKernel(grain int64) *kernel.Kernel {
	b, _, lo, hi := kernel.NewBuilder(&kernel.Kernel{
		Sizes: []kernel.Size{anySize(), anySize()},
		Regions: []kernel.Region{{Elem: num.I64, Len: s0}, {Elem: num.I64, Len: one, Access: kernel.ReadWrite},
			{Elem: num.I64, Len: s0, Access: kernel.Write}},
		Outer: s1, Grain: size.Const(grain), Count: s0,
	})
	state := b.StateParam(num.I64, 1)
	out := b.For(lo, hi, []kernel.Carry{{Kind: num.I64}}, []kernel.Value{state}, func(i kernel.Value, c []kernel.Value) ([]kernel.Value, kernel.Value) {
		next := b.Wrap(num.Add, b.Wrap(num.Mul, c[0], b.Int(31)), b.Load(0, i))
		b.Store(2, i, next)
		return []kernel.Value{next}, kernel.None
	})
	return b.Finish(out...)
}

// gatherKernel is r2[i] = r1[r0[i]]; r0 holds indices of kind k below s2.
func gatherKernel(k num.Kind, grain int64) *kernel.Kernel {
	b, _, lo, hi := kernel.NewBuilder(&kernel.Kernel{
		Sizes: []kernel.Size{anySize(), anySize(), anySize()},
		Regions: []kernel.Region{{Elem: k, Len: s0, Bounded: true, Bound: s2}, {Elem: num.F64, Len: s2},
			{Elem: num.F64, Len: s0, Access: kernel.Write}},
		Outer: s1, Grain: size.Const(grain), Count: s0,
	})
	b.For(lo, hi, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
		b.Store(2, i, b.Load(1, b.Convert(b.Load(0, i), num.I64, false)))
		return nil, kernel.None
	})
	return b.Finish()
}

// keyedKernel counts keys (r0, below s2) of each grain in scratch (r1) and
// writes the counts of grain o to r2[o·s2…].
func keyedKernel(k num.Kind, grain int64) *kernel.Kernel {
	b, o, lo, hi := kernel.NewBuilder(&kernel.Kernel{
		Sizes: []kernel.Size{anySize(), anySize(), {Lo: 0, Hi: 1 << 16}},
		Regions: []kernel.Region{{Elem: k, Len: s0, Bounded: true, Bound: s2}, {Elem: num.I64, Len: s2, Access: kernel.Scratch},
			{Elem: num.I64, Len: s1.Mul(s2), Access: kernel.Write}},
		Outer: s1, Grain: size.Const(grain), Count: s0,
	})
	loop := func(lo, hi kernel.Value, body func(i kernel.Value)) {
		b.For(lo, hi, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
			body(i)
			return nil, kernel.None
		})
	}
	groups := b.SizeOf(s2)
	loop(b.Int(0), groups, func(g kernel.Value) { b.Store(1, g, b.Int(0)) })
	loop(lo, hi, func(i kernel.Value) {
		g := b.Convert(b.Load(0, i), num.I64, false)
		b.Store(1, g, b.Wrap(num.Add, b.Load(1, g), b.Int(1)))
	})
	loop(b.Int(0), groups, func(g kernel.Value) {
		b.Store(2, b.Wrap(num.Add, b.Wrap(num.Mul, o, groups), g), b.Load(1, g))
	})
	return b.Finish()
}

// handmade helps to write schedules by hand.
type handmade struct{ schedule.Schedule }

func (p *handmade) input(k num.Kind, n size.Poly, param, leaf int) int {
	p.Buffers = append(p.Buffers, schedule.Buffer{Kind: k, Len: n, Input: &schedule.Input{Param: param, Leaf: leaf, Rows: n}})
	return len(p.Buffers) - 1
}

func (p *handmade) buffer(k num.Kind, n size.Poly) int {
	p.Buffers = append(p.Buffers, schedule.Buffer{Kind: k, Len: n})
	return len(p.Buffers) - 1
}

func (p *handmade) bounded(b int, by size.Poly) int {
	p.Buffers[b].Bounded, p.Buffers[b].Bound = true, by
	return b
}

func (p *handmade) launch(k *kernel.Kernel, sizes []schedule.SizeArg, regions ...int) *schedule.Launch {
	l := &schedule.Launch{Kernel: k, Sizes: sizes, Regions: regions, Label: "test"}
	for range k.Sites {
		l.Sites = append(l.Sites, len(l.Sites))
	}
	p.Steps = append(p.Steps, l)
	return l
}

func (p *handmade) result(b int, dims ...size.Poly) {
	p.Result = append(p.Result, schedule.Column{Buffer: b, Kind: p.Buffers[b].Kind, Dims: dims})
}

// slots are the size arguments of kernels with a fixed grain: n and ⌈n/grain⌉.
func slots(n size.Poly, grain int64) []schedule.SizeArg {
	return []schedule.SizeArg{{Poly: n}, {Poly: grains(n, grain)}}
}

func grains(n size.Poly, grain int64) size.Poly { return size.Div(n.AddConst(grain-1), grain) }

const leaf = num.Leaf

// sumPlan is the canonical sum of one column of kind k.
func sumPlan(k num.Kind, perOuter int64) *handmade {
	p := &handmade{}
	x := p.input(k, varN, 0, 0)
	parts := p.buffer(k, grains(varN, perOuter))
	total := p.buffer(k, one)
	p.launch(sumKernel(k, perOuter), slots(varN, perOuter), x, parts)
	p.launch(treeKernel(k), []schedule.SizeArg{{Poly: grains(varN, perOuter)}}, parts, total)
	p.result(total)
	return p
}
