package lower

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// Windows are the sums of the parts that keep chooses, in the order of the reference, to the bit.
func TestWindowParts(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, kind := range []num.Kind{num.F32, num.F64} {
		for _, width := range []int64{1, 2, 3, 15, 16, 17, 20, 31, 32, 33, 63, 64, 65, 100, 252, 1000, 4095, 4096, 1 + r.Int64N(num.Leaf)} {
			x := make([]uint64, width+5)
			for i := range x {
				x[i] = num.FromFloat(kind, r.NormFloat64()*math.Exp2(float64(r.IntN(40))))
			}
			p := windowParts(width, kind)
			kept, total := p.keep(1)
			if as := 2*width + 1; total > as {
				t.Errorf("%v, %d wide: %d instructions, and %d one by one", kind, width, total, as)
			}
			for n := range p.list {
				if kept[n] && p.work(n, kept, 1) > mostJoined {
					t.Errorf("%v, %d wide: the pass of part %d has %d instructions", kind, width, n, p.work(n, kept, 1))
				}
			}
			for at := range int64(5) {
				f := num.NewFolder(num.FoldAdd, kind, false, 0)
				for i := range width {
					f.Add(i, x[at+i])
				}
				if got, want := p.eval(kind, x, partAt{p.whole(), at}), f.Result()[0]; got != want {
					t.Fatalf("%v, %d wide: found %#x, expected %#x", kind, width, got, want)
				}
			}
		}
	}
}

func (p *windowSum) eval(kind num.Kind, x []uint64, at partAt) uint64 {
	if at.part == 0 {
		return x[at.at]
	}
	in := p.list[at.part]
	first, second := p.eval(kind, x, partAt{in.first, at.at}), p.eval(kind, x, partAt{in.second, at.at + in.gap})
	return num.FoldAdd.Combine(kind, num.Partial{first}, num.Partial{second})[0]
}

// What windows have in common is worked out once: the instructions grow with the logarithm of the lanes and a sixteenth of the width.
func TestWindowsShare(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		width, element, most int64
		passes               int
	}{
		{20, 1, 18, 1},
		{100, 1, 38, 2},
		{100, 30, 70, 3}, // exponentials are kept: one for each element
		{1000, 1, 150, 4},
		{4096, 1, 600, 8},
	} {
		kept, total := windowParts(tt.width, num.F64).keep(tt.element)
		passes := 0
		for _, k := range kept {
			if k {
				passes++
			}
		}
		if total > tt.most || passes > tt.passes {
			t.Errorf("%d wide, elements of %d: %d instructions in %d passes before the last, at most %d in %d are expected", tt.width, tt.element, total, passes, tt.most, tt.passes)
		}
	}
}
