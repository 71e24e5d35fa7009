package kerneltest

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// reversals read and write arrays of every kind from the last element to the first: none, fewer than a vector has, and more, in grains
// whose ends no vector fits.
func reversals() []*Case {
	var cases []*Case
	for _, k := range Kinds() {
		for _, n := range []int64{0, 1, 7, 65, 1000} {
			cases = append(cases, reversal(k, n))
		}
	}
	return cases
}

// reversal has each element of one region beside the one that lies as far from the end of another (added, or the unlike of two Bools),
// and then writes the first region from its end.
func reversal(k num.Kind, n int64) *Case {
	const grain = 601
	s0, outer := kernel.SizeVar(0), (n+grain-1)/grain
	kern := &kernel.Kernel{
		Sizes: []kernel.Size{{Lo: 0, Hi: 1 << 32}, {Lo: 0, Hi: 1 << 32}},
		Regions: []kernel.Region{{Elem: k, Len: s0}, {Elem: k, Len: s0},
			{Elem: k, Len: s0, Access: kernel.Write}, {Elem: k, Len: s0, Access: kernel.Write}},
		Outer: kernel.SizeVar(1), Grain: size.Const(grain), Count: s0,
	}
	b, _, lo, hi := kernel.NewBuilder(kern)
	last := b.Wrap(num.Sub, b.SizeOf(s0), b.Int(1))
	b.For(lo, hi, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
		x, y := b.Load(0, i), b.Load(1, b.Wrap(num.Sub, last, i))
		if k == num.Bool {
			b.Store(2, i, b.Wrap(num.Xor, x, y))
		} else {
			b.Store(2, i, b.Wrap(num.Add, x, y))
		}
		return nil, kernel.None
	})
	b.For(lo, hi, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
		b.Store(3, b.Wrap(num.Sub, last, i), b.Load(0, i))
		return nil, kernel.None
	})
	left, _ := foldValues(num.FoldAdd, k, n)
	right, _ := foldValues(num.FoldMul, k, n)
	bytes := n * int64(k.Size())
	return &Case{Name: fmt.Sprintf("reverse %s %d", k, n), Kernel: b.Finish(), Sizes: []int64{n, outer}, Outer: outer,
		Regions: [][]byte{pack(k, left), pack(k, right), make([]byte, bytes), make([]byte, bytes)}}
}
