package llvmir

import (
	"math/rand/v2"
	"testing"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// narrowSums has sums of small integers in 64 and 128 bits, and counts. Some
// look alike and have to keep wide lanes: a constant is too large for a leaf,
// values are, and a conversion wraps.
func narrowSums() *kernel.Kernel {
	k := &kernel.Kernel{Outer: size.Const(1), Grain: size.Const(1 << 40), Count: kernel.SizeVar(0), Sizes: []kernel.Size{{Hi: 1 << 40}}}
	for _, kind := range []num.Kind{num.I16, num.U8, num.I32} {
		k.Regions = append(k.Regions, kernel.Region{Elem: kind, Len: kernel.SizeVar(0), Access: kernel.Read})
	}
	accs := []kernel.Acc{
		{Op: kernel.FoldAddWide, Kind: num.I64}, {Op: kernel.FoldAddWide, Kind: num.U64}, {Op: kernel.FoldAdd, Kind: num.I64}, {Op: kernel.FoldAdd, Kind: num.I32},
		{Op: kernel.FoldAdd, Kind: num.I64}, {Op: kernel.FoldAdd, Kind: num.I64}, {Op: kernel.FoldAdd, Kind: num.I64}, {Op: kernel.FoldAddWide, Kind: num.U64},
	}
	b, _, lo, hi := kernel.NewBuilder(k)
	outs := b.Fold(lo, hi, false, accs, func(i kernel.Value) []kernel.Value {
		x, y, z := b.Load(0, i), b.Load(1, i), b.Load(2, i)
		negative := b.Wrap(num.Lt, x, b.Const(num.I16, 0))
		return []kernel.Value{
			b.Convert(x, num.I64, false), b.Convert(y, num.U64, false), b.Convert(negative, num.I64, false), b.Convert(y, num.I32, false),
			b.Select(negative, b.Int(-500_000), b.Int(7)), b.Select(negative, b.Int(-600_000), b.Int(7)), b.Convert(z, num.I64, false), b.Convert(x, num.U64, false),
		}
	})
	for _, v := range outs {
		k.Regions = append(k.Regions, kernel.Region{Elem: b.Kind(v), Len: size.Const(1), Access: kernel.Write})
		b.Store(len(k.Regions)-1, b.Int(0), v)
	}
	return b.Finish()
}

// sparse adds to elements of which the place is loaded, so turn by turn, a float that is
// computed side by side and chosen of two constants: as integers their bits are small.
func sparse() *kernel.Kernel {
	n := kernel.SizeVar(0)
	k := &kernel.Kernel{Outer: size.Const(1), Grain: size.Const(1 << 40), Count: n, Sizes: []kernel.Size{{Lo: 1, Hi: 1 << 40}}, Regions: []kernel.Region{
		{Elem: num.F64, Len: n, Access: kernel.Read}, {Elem: num.I64, Len: n, Access: kernel.Read, Bounded: true, Bound: n}, {Elem: num.F64, Len: n, Access: kernel.ReadWrite},
	}}
	b, _, lo, hi := kernel.NewBuilder(k)
	b.For(lo, hi, nil, nil, func(i kernel.Value, _ []kernel.Value) ([]kernel.Value, kernel.Value) {
		x, at := b.Load(0, i), b.Load(1, i)
		least := b.Wrap(num.Lt, b.Wrap(num.Mul, b.Wrap(num.Add, x, x), x), b.Const(num.F64, num.FromFloat(num.F64, 1)))
		v := b.Select(least, b.Const(num.F64, 0), b.Const(num.F64, 1)) // 0 and the least float above
		b.Store(2, at, b.Wrap(num.Add, b.Load(2, at), v))
		return nil, kernel.None
	})
	return b.Finish()
}

// TestFloatsAreNotNarrowed keeps a float whole whose bits would fit into an integer of 32.
func TestFloatsAreNotNarrowed(t *testing.T) {
	k := sparse()
	eachWidth(t, func(t *testing.T, b *backend) {
		c := caseOf(k, []int64{300}, 1)
		for i := range int64(300) {
			column.Put(num.F64, c.Regions[0], i, num.FromFloat(num.F64, float64(i%3)))
			column.Put(num.I64, c.Regions[1], i, uint64(i*7%300))
		}
		if err := b.agree(t, c); err != nil {
			t.Error(err)
		}
	})
}

// TestNarrowSums adds up little but the values that are farthest from zero,
// over several leaves and a bit.
func TestNarrowSums(t *testing.T) {
	k := narrowSums()
	eachWidth(t, func(t *testing.T, b *backend) {
		rng := rand.New(rand.NewPCG(3, 4))
		for _, n := range []int64{0, 1, 31, 64, 4095, 4096, 9999} {
			for _, rare := range []int{1 << 40, 10, 2} { // one in so many is the greatest value
				c := caseOf(k, []int64{n}, 1)
				for r, region := range k.Regions[:3] {
					for i := range n {
						v := uint64(region.Elem.MinInt())
						if !region.Elem.IsSigned() || rng.IntN(rare) == 0 {
							v = region.Elem.MaxInt()
						}
						column.Put(region.Elem, c.Regions[r], i, v)
					}
				}
				if err := b.agree(t, c); err != nil {
					t.Errorf("%d slots, one in %d positive: %v", n, rare, err)
				}
			}
		}
	})
}
