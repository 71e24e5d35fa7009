package llvmir

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// exact is a 64-bit integer of a kind.
func exact(k num.Kind, bits uint64) *big.Int {
	if k.IsSigned() {
		return big.NewInt(int64(bits))
	}
	return new(big.Int).SetUint64(bits)
}

// The products of the factors with a constant fit, and those of the integers beside them do not.
func TestFactors(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	list := []uint64{0, 1, 2, 3, 7, 10, math.MaxInt64, 1 << 63, 1<<63 + 1, math.MaxUint64, math.MaxUint64 - 1, 1 << 31, 1 << 32}
	for range 2000 {
		list = append(list, rng.Uint64()>>rng.IntN(64), -(rng.Uint64() >> rng.IntN(64)))
	}
	for _, k := range []num.Kind{num.I64, num.U64} {
		lowest, highest := exact(k, uint64(k.MinInt())), exact(k, k.MaxInt())
		fits := func(x *big.Int, c uint64) bool {
			p := new(big.Int).Mul(x, exact(k, c))
			return p.Cmp(lowest) >= 0 && p.Cmp(highest) <= 0
		}
		for _, c := range list {
			least, most := factors(k, c)
			lo, hi := exact(k, least), exact(k, most)
			if !fits(lo, c) || !fits(hi, c) {
				t.Errorf("%s %d: %s or %s does not fit", k, exact(k, c), lo, hi)
			}
			one := big.NewInt(1)
			if below := new(big.Int).Sub(lo, one); below.Cmp(lowest) >= 0 && fits(below, c) {
				t.Errorf("%s %d: %s fits, too", k, exact(k, c), below)
			}
			if above := new(big.Int).Add(hi, one); above.Cmp(highest) <= 0 && fits(above, c) {
				t.Errorf("%s %d: %s fits, too", k, exact(k, c), above)
			}
		}
	}
}

const wideProducts = `kernel
size s0 1..1000000000
size s1 1..244141
region read %[1]s s0
region read %[1]s s0
region write %[1]s s0
region write %[1]s s0
sites 2
outer s1
grain 4096
count s0
body v0 v1 v2
  v3 = const %[1]s %[2]s
  for v4 in v1..v2 {
    v5 = load r0 v4
    v6 = load r1 v4
    v7 = mul %[1]s v5 v6 site 0 at v4
    store r2 v4 v7
    v8 = mul %[1]s v3 v5 site 1 at v4
    store r3 v4 v8
    yield
  }
  end
`

// TestWideProducts multiplies factors on both sides of what fits, each pair beside small ones. Only the least place of a fault is seen, so a
// run has one pair; those with many large factors are for what the products are.
func TestWideProducts(t *testing.T) {
	eachWidth(t, func(t *testing.T, b *backend) {
		rng := rand.New(rand.NewPCG(7, 8))
		for _, kind := range []string{"i64", "u64"} {
			for _, by := range []uint64{3, 1000000007} {
				code, err := b.compile(parseText(t, fmt.Sprintf(wideProducts, kind, fmt.Sprint(by))))
				if err != nil {
					t.Fatal(err)
				}
				defer code.close()
				least, most := factors(code.k.Regions[0].Elem, by)
				edges := []uint64{least - 1, least, least + 1, most - 1, most, most + 1}
				for _, p := range []uint64{1 << 31, 1 << 32, 3 << 31} {
					edges = append(edges, p-1, p, p+1, -p-1, -p, 1-p)
				}
				c := caseOf(code.k, []int64{64, 1}, 1)
				put := func(i int, x, y uint64) {
					binary.LittleEndian.PutUint64(c.Regions[0][8*i:], x)
					binary.LittleEndian.PutUint64(c.Regions[1][8*i:], y)
				}
				for _, sign := range []uint64{1, math.MaxUint64} { // of the small ones
					if sign != 1 && kind == "u64" {
						continue
					}
					for i := range uint64(64) {
						put(int(i), sign*(i+1), sign*(65-i))
					}
					for _, x := range edges {
						for _, y := range edges {
							put(21, x, y)
							if err := code.agrees(t, c); err != nil {
								t.Fatalf("%d times %d, and by %d: %v", x, y, by, err)
							}
						}
					}
				}
				for range 20 {
					for i := range 64 {
						put(i, rng.Uint64()>>rng.IntN(64), -(rng.Uint64() >> rng.IntN(64)))
					}
					if err := code.agrees(t, c); err != nil {
						t.Errorf("by %d: %v", by, err)
					}
				}
			}
		}
	})
}

func parseText(tb testing.TB, text string) *kernel.Kernel {
	tb.Helper()
	k, err := kernel.ParseText(text)
	if err != nil {
		tb.Fatal(err)
	}
	return k
}
