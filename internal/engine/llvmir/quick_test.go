package llvmir

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// bestKernel folds grains of an array of floats to their extreme, to that and its place, or to several things at once.
func bestKernel(op, kind string, grain int64) string {
	place, more, out, op, values := "", "", "", op+" "+kind, "v4"
	switch {
	case strings.HasPrefix(op, "all"):
		place, more, out = "region write i64 s1\nregion write K s1\nregion write K s1\n", " v6 v7 v8", "  store r2 v0 v6\n  store r3 v0 v7\n  store r4 v0 v8\n"
		op, values = "argmin K, add K, max K", "v4 v4 v4"
	case strings.HasPrefix(op, "arg"):
		place, more, out = "region write i64 s1\n", " v6", "  store r2 v0 v6\n"
	}
	place, op = strings.ReplaceAll(place, "K", kind), strings.ReplaceAll(op, "K", kind)
	return fmt.Sprintf(`kernel
size s0 0..1099511627776
size s1 0..1099511627776
region read %[2]s s0
region write %[2]s s1
%[3]ssites 0
outer s1
grain %[6]d
count s0
body v0 v1 v2
  v5%[4]s = fold v3 in v1..v2, %[1]s {
    v4 = load r0 v3
    yield %[7]s
  }
  store r1 v0 v5
%[5]s  end
`, op, kind, place, more, out, grain, values)
}

// TestBestOfStrangeFloats folds arrays that are ordinary but for a few elements, with which comparisons of floats have no say.
func TestBestOfStrangeFloats(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	nan, inf := math.NaN(), math.Inf(1)
	strange := [][]float64{nil, {nan}, {nan, nan}, {0, math.Copysign(0, -1)}, {math.Copysign(0, -1), 0}, {inf}, {-inf}, {inf, -inf, nan}, {inf, inf}, {math.MaxFloat64, math.MaxFloat64, -inf}}
	fills := []func() float64{
		func() float64 { return 1 + rng.Float64() }, func() float64 { return -1 - rng.Float64() }, func() float64 { return 0 },
		func() float64 { return -float64(rng.IntN(2)) }, func() float64 { return float64(rng.IntN(3)) - 1 }, func() float64 { return -inf }, func() float64 { return inf },
	}
	eachWidth(t, func(t *testing.T, b *backend) {
		for _, op := range []string{"max", "min", "argmax", "argmin", "all"} {
			for _, form := range []struct {
				kind  string
				grain int64
			}{{"f32", num.Leaf}, {"f64", num.Leaf}, {"f32", 4 * num.Leaf}, {"f64", 4 * num.Leaf}} {
				kind, grain := form.kind, form.grain
				k, err := kernel.ParseText(bestKernel(op, kind, grain))
				if err != nil {
					t.Fatal(err)
				}
				n, err := b.compile(k)
				if err != nil {
					t.Fatal(err)
				}
				one := caseOf(k, []int64{1, 1}, 1)
				if err := n.agrees(t, one); err != nil {
					t.Errorf("%s of one %s: %v", op, kind, err)
				}
				for turn := range 2 * len(fills) * len(strange) {
					length := []int64{9000, 300, 4096}[rng.IntN(3)]
					outer := (length + grain - 1) / grain
					c := caseOf(k, []int64{length, outer}, outer)
					fill, special := fills[turn%len(fills)], strange[turn/len(fills)%len(strange)]
					put := func(i int64, x float64) {
						if kind == "f32" {
							binary.LittleEndian.PutUint32(c.Regions[0][4*i:], math.Float32bits(float32(x)))
						} else {
							binary.LittleEndian.PutUint64(c.Regions[0][8*i:], math.Float64bits(x))
						}
					}
					for i := range length {
						put(i, fill())
					}
					for _, x := range special {
						put(rng.Int64N(length), x)
					}
					if err := n.agrees(t, c); err != nil {
						t.Errorf("%s of %d %s in grains of %d, turn %d, with %v: %v", op, length, kind, grain, turn, special, err)
					}
				}
				n.close()
			}
		}
	})
}

// TestBestOfFew folds a constant number of floats, which may be fewer than a vector has.
func TestBestOfFew(t *testing.T) {
	eachWidth(t, func(t *testing.T, b *backend) {
		for _, op := range []string{"max", "argmin", "all"} {
			for _, n := range []int{1, 2, 3, 5, 17, 40} {
				text := strings.Replace(bestKernel(op, "f64", 4096), "fold v3 in v1..v2", "fold v3 in v90..v91", 1)
				text = strings.Replace(text, "body v0 v1 v2\n", fmt.Sprintf("body v0 v1 v2\n  v90 = const i64 0\n  v91 = const i64 %d\n", n), 1)
				text = strings.Replace(text, "size s0 0..", fmt.Sprintf("size s0 %d..", n), 1)
				k, err := kernel.ParseText(text)
				if err != nil {
					t.Fatal(err)
				}
				if err := b.agree(t, caseOf(k, []int64{40, 1}, 1)); err != nil {
					t.Errorf("%s of %d: %v", op, n, err)
				}
			}
		}
	})
}
