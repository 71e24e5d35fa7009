package llvmir

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// quotients is a kernel that divides by constants.
func quotients(kind num.Kind, by []uint64) string {
	var regions, consts, body strings.Builder
	for i, c := range by {
		fmt.Fprintf(&regions, "region write %s s0\nregion write %s s0\n", kind, kind)
		text := fmt.Sprint(c)
		if kind.IsSigned() {
			text = fmt.Sprint(int64(c))
		}
		fmt.Fprintf(&consts, "  c%d = const %s %s\n", i, kind, text)
		fmt.Fprintf(&body, "    q%d = div %s x c%d\n    store r%d i q%d\n    m%d = rem %s x c%d\n    store r%d i m%d\n", i, kind, i, 1+2*i, i, i, kind, i, 2+2*i, i)
	}
	return fmt.Sprintf("kernel\nsize s0 1..1000000000\nsize s1 1..244141\nregion read %s s0\n%ssites 0\nouter s1\ngrain 4096\ncount s0\nbody o lo hi\n%s  for i in lo..hi {\n    x = load r0 i\n%s    yield\n  }\n  end\n", kind, regions.String(), consts.String(), body.String())
}

// TestQuotientsByConstants divides by constants, beside the multiples of each and beside the ends.
func TestQuotientsByConstants(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	fixed := []uint64{3, 5, 7, 9, 10, 24, 60, 100, 641, 3600, 86400, 1e9, 1<<31 - 1, 1<<32 + 1, 1<<63 - 1, 1<<62 + 1, 6700417, 1<<33 - 3}
	for range 14 {
		fixed = append(fixed, rng.Uint64()>>rng.IntN(62)|3)
	}
	eachWidth(t, func(t *testing.T, b *backend) {
		for _, kind := range []num.Kind{num.I64, num.U64} {
			for at := 0; at < len(fixed); at += 4 {
				by := fixed[at : at+4 : at+4]
				if kind == num.I64 {
					by = append(by[:2:2], -by[2], -by[3], math.MaxUint64, 1<<63, 1)
				} else {
					by = append(by, math.MaxUint64, 1<<63+1, 1<<63, 1)
				}
				code, err := b.compile(parseText(t, quotients(kind, by)))
				if err != nil {
					t.Fatal(err)
				}
				defer code.close()
				const n = 4096
				c := caseOf(code.k, []int64{n, 1}, 1)
				for i := range n {
					x := rng.Uint64() >> rng.IntN(64)
					switch d := by[rng.IntN(len(by))]; rng.IntN(4) {
					case 0: // about a multiple
						x = x/max(d, 1)*d + uint64(rng.IntN(3)) - 1
					case 1: // about an end
						x = []uint64{0, 1 << 63, math.MaxInt64, math.MaxUint64}[rng.IntN(4)] + uint64(rng.IntN(5)) - 2
					case 2:
						x = -x
					}
					binary.LittleEndian.PutUint64(c.Regions[0][8*i:], x)
				}
				if err := code.agrees(t, c); err != nil {
					t.Errorf("%s by %d: %v", kind, by, err)
				}
			}
		}
		text, err := Emit(parseText(t, quotients(num.I64, []uint64{7})), b.t)
		if err != nil {
			t.Fatal(err)
		}
		if divides := strings.Contains(text, "sdiv <"); divides != (b.t.VectorBytes < loops.LeastQuotient) {
			t.Errorf("a division in lanes: %v\n%s", divides, text)
		}
	})
}
