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

// TestLimitedConversions turns floats into integers behind limits from both sides, and a third one before these: NaN is told, gives 0, and hides no
// other number.
func TestLimitedConversions(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	limits := []float64{0, 0, math.Copysign(0, -1), 3, 63, 1e6, 2147483000}
	before := append(limits, -7, math.NaN(), math.Inf(1), math.Inf(-1))
	values := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), -5, 0.5, 3, 9.75, 62.99, 63, 64, 1e5, 1e30, -1e30}
	b := newBackend(t, 64)
	for turn := range 60 {
		kind := []num.Kind{num.F32, num.F64}[turn%2]
		ops := [][]string{{"max", "min"}, {"min", "max"}}[rng.IntN(2)]
		list := []string{fmt.Sprintf("  v5 = const %s %#x", kind, num.FromFloat(kind, limits[rng.IntN(len(limits))])),
			fmt.Sprintf("  v6 = const %s %#x", kind, num.FromFloat(kind, limits[rng.IntN(len(limits))])),
			fmt.Sprintf("  v7 = const %s %#x", kind, num.FromFloat(kind, before[rng.IntN(len(before))]))}
		third := fmt.Sprintf("    v10 = %s %s v9 v7", []string{"max", "min", "add"}[rng.IntN(3)], kind)
		text := fmt.Sprintf(`kernel
size s0 0..1099511627776
size s1 0..1099511627776
region read %[1]s s0
region write i64 s0
sites 1
outer s1
grain 4096
count s0
body v0 v1 v2
%[2]s
  for v8 in v1..v2 {
    v9 = load r0 v8
%[3]s
    v11 = %[4]s %[1]s v10 v5
    v12 = %[5]s %[1]s v11 v6
    v13 = convert %[1]s i64 v12 site 0 at v8
    store r1 v8 v13
    yield
  }
  end
`, kind, strings.Join(list, "\n"), third, ops[0], ops[1])
		k, err := kernel.ParseText(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		n, err := b.compile(k)
		if err != nil {
			t.Fatal(err)
		}
		sizes, outer := leaves(5000)
		c := caseOf(k, sizes, outer)
		for i := range 5000 {
			x := num.FromFloat(kind, values[rng.IntN(len(values))])
			if turn%3 == 0 { // without NaN and what is beyond
				x = num.FromFloat(kind, rng.Float64()*80-8)
			}
			if kind == num.F32 {
				binary.LittleEndian.PutUint32(c.Regions[0][4*i:], uint32(x))
			} else {
				binary.LittleEndian.PutUint64(c.Regions[0][8*i:], x)
			}
		}
		if err := n.agrees(t, c); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		n.close()
	}
}
