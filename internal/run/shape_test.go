package run

import (
	"fmt"
	"math"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// overlapKernel: element o of r1 is the sum of grain+halo elements of r0
// from o·grain on.
func overlapKernel(grain, halo int64) *kernel.Kernel {
	slots := s0.MulConst(grain)
	b, o, lo, _ := kernel.NewBuilder(&kernel.Kernel{
		Sizes:   []kernel.Size{anySize()},
		Regions: []kernel.Region{{Elem: num.I64, Len: slots.AddConst(halo)}, {Elem: num.I64, Len: s0, Access: kernel.Write}},
		Outer:   s0, Grain: size.Const(grain), Count: slots,
	})
	end := b.Wrap(num.Add, lo, b.Int(grain+halo))
	sum := b.Fold(lo, end, false, []kernel.Acc{{Op: kernel.FoldAdd, Kind: num.I64}}, func(i kernel.Value) []kernel.Value {
		return []kernel.Value{b.Load(0, i)}
	})
	b.Store(1, o, sum[0])
	return b.Finish()
}

func TestOverlappingWindows(t *testing.T) {
	const outer, grain, halo = 700, 13, 29
	n := outer*grain + halo
	xs := ints(n)
	p := &handmade{}
	varM := size.Var("M")
	x, y := p.input(num.I64, varN, 0, 0), p.buffer(num.I64, varM)
	p.launch(overlapKernel(grain, halo), slots(varM, 1)[:1], x, y)
	p.result(y, varM)
	want := make([]uint64, outer)
	for o := range want {
		for _, v := range xs[o*grain : (o+1)*grain+halo] {
			want[o] += uint64(v)
		}
	}
	for name, src := range map[string]data.Source{
		"raw":     writeNPY(t, "<i8", xs, n),
		"decoded": chop([]data.Column{{Kind: num.I64}}, n, [][]byte{bytesOf(t, xs)}, nil, 11, 500, 1),
	} {
		t.Run(name, func(t *testing.T) {
			in := columns(n, Column(src, 0))
			in.Sizes["M"] = outer
			everyWay(t, p, in, want)
		})
	}
}

// rowKernel: element o of r1 is the canonical sum of row o of r0.
func rowKernel(width int64) *kernel.Kernel {
	b, o, lo, hi := kernel.NewBuilder(&kernel.Kernel{
		Sizes:   []kernel.Size{anySize()},
		Regions: []kernel.Region{{Elem: num.F64, Len: s0.MulConst(width)}, {Elem: num.F64, Len: s0, Access: kernel.Write}},
		Outer:   s0, Grain: size.Const(width), Count: s0.MulConst(width),
	})
	sum := b.Fold(lo, hi, false, []kernel.Acc{{Op: kernel.FoldAdd, Kind: num.F64}}, func(i kernel.Value) []kernel.Value {
		return []kernel.Value{b.Load(0, i)}
	})
	b.Store(1, o, sum[0])
	return b.Finish()
}

func TestRowsOfSeveralElements(t *testing.T) {
	const rows, width = 9001, 7
	xs := make([]float64, rows*width)
	for i := range xs {
		xs[i] = math.Sqrt(float64(i))
	}
	p := &handmade{}
	x, y := p.input(num.F64, varN.MulConst(width), 0, 0), p.buffer(num.F64, varN)
	p.launch(rowKernel(width), slots(varN, 1)[:1], x, y)
	p.result(y, varN)
	want := make([]uint64, rows)
	for o := range want {
		f := num.NewFolder(num.FoldAdd, num.F64, false, 0)
		for i := range width {
			f.Add(int64(i), math.Float64bits(xs[o*width+i]))
		}
		want[o] = f.Result()[0]
	}
	cols := []data.Column{{Kind: num.F64, Dims: []int64{width}}}
	b := bytesOf(t, xs)
	for name, src := range map[string]data.Source{
		"raw":     data.FromBytes("m", cols, rows, [][]byte{b}, nil),
		"decoded": chop(cols, rows, [][]byte{b}, nil, 1000, 1, 30),
	} {
		t.Run(name, func(t *testing.T) { everyWay(t, p, columns(rows, Column(src, 0)), want) })
	}
}

// TestWindowLargerThanTheLimit has outer indices that need more than a
// window may hold: the input becomes present as a whole.
func TestWindowLargerThanTheLimit(t *testing.T) {
	const n = 300_000
	xs := floats(n)
	src := chop([]data.Column{{Kind: num.F32}}, n, [][]byte{bytesOf(t, xs)}, nil, 1000)
	in := columns(n, Column(src, 0))
	p := &handmade{}
	x, y := p.input(num.F32, varN, 0, 0), p.buffer(num.F32, one)
	p.launch(sumKernel(num.F32, 1<<20), slots(varN, 1<<20), x, y)
	p.result(y)
	for _, limit := range []int64{1 << 20, 1 << 24} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			res := mustRun(t, p, in, Options{Windows: limit, Threads: 2, WindowRows: 1})
			sameColumn(t, res.Columns[0], []uint64{sumOf(xs)})
		})
	}
}
