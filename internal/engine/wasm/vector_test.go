package wasm

import (
	"encoding/binary"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// TestEveryOperationInBlocks runs the operations in grains that are long
// enough for vector code.
func TestEveryOperationInBlocks(t *testing.T) {
	b := newBench(t)
	for _, c := range kerneltest.Every() {
		if len(c.Sizes) != 2 {
			continue
		}
		grain := int64(333)
		c.Kernel.Grain = size.Const(grain)
		c.Outer = (c.Sizes[0] + grain - 1) / grain
		c.Sizes[1] = c.Outer
		if err := b.agree(c); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

func TestStraightLoops(t *testing.T) {
	b := newBench(t)
	rapid.Check(t, func(t *rapid.T) {
		if err := b.agree(drawStraight(t)); err != nil {
			t.Fatal(err)
		}
	})
}

// TestRowsOfTwoWidths folds F32 and F64 together: what is one row of lanes for
// the one is two for the other, and these combine in order.
func TestRowsOfTwoWidths(t *testing.T) {
	b := newBench(t)
	for _, n := range []int64{16, 75, 4096, 9001} {
		k := &kernel.Kernel{
			Sizes: []kernel.Size{{Lo: 0, Hi: 1 << 30}}, Outer: size.Const(1), Grain: kernel.SizeVar(0).AddConst(1), Count: kernel.SizeVar(0),
			Regions: []kernel.Region{
				{Elem: num.F32, Len: kernel.SizeVar(0)},
				{Elem: num.F32, Len: size.Const(1), Access: kernel.Write}, {Elem: num.F64, Len: size.Const(1), Access: kernel.Write},
			},
		}
		kb, o, lo, hi := kernel.NewBuilder(k)
		sums := kb.Fold(lo, hi, false, []kernel.Acc{{Op: num.FoldAdd, Kind: num.F32}, {Op: num.FoldAdd, Kind: num.F64}}, func(i kernel.Value) []kernel.Value {
			x := kb.Load(0, i)
			return []kernel.Value{x, kb.Convert(x, num.F64, false)}
		})
		kb.Store(1, o, sums[0])
		kb.Store(2, o, sums[1])
		in := make([]byte, 4*n)
		for i := range n {
			binary.LittleEndian.PutUint32(in[4*i:], uint32(num.FromFloat(num.F32, math.Sin(float64(i))*math.Exp2(float64(i%60)))))
		}
		c := &kerneltest.Case{Name: "two widths", Kernel: kb.Finish(), Outer: 1, Sizes: []int64{n}, Regions: [][]byte{in, make([]byte, 4), make([]byte, 8)}}
		if err := b.agree(c); err != nil {
			t.Errorf("%d slots: %v", n, err)
		}
	}
}
