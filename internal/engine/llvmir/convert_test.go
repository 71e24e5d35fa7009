package llvmir

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/num"
)

const conversion = `kernel
size s0 1..1000000000
size s1 1..244141
region read %[1]s s0
region write %[2]s s0
sites 1
outer s1
grain 4096
count s0
body o lo hi
  for i in lo..hi {
    x = load r0 i
    y = convert %[1]s %[2]s x%[3]s
    store r1 i y
    yield
  }
  end
`

// TestFloatsToIntegers converts numbers on both sides of the ends of integers in lanes: all at once where nothing is checked, and each alone
// beside small ones where it is, as only the least place of a fault is seen.
func TestFloatsToIntegers(t *testing.T) {
	var odd []float64
	for _, bits := range []int{0, 7, 8, 15, 16, 31, 32, 53, 63, 64} {
		p := math.Ldexp(1, bits)
		for _, x := range []float64{p - 1, p - 0.5, math.Nextafter(p, 0), p, math.Nextafter(p, 1e30), p + 0.5, p + 1} {
			odd = append(odd, x, -x)
		}
	}
	odd = append(odd, 0, math.Copysign(0, -1), 0.99, -0.99, 1e300, -1e300, math.Inf(1), math.Inf(-1), math.NaN(), 5e-324)
	eachWidth(t, func(t *testing.T, b *backend) {
		for _, from := range []num.Kind{num.F64, num.F32} {
			for _, to := range []num.Kind{num.I8, num.U8, num.I16, num.U16, num.I32, num.U32, num.I64, num.U64} {
				put := func(region []byte, i int, x float64) {
					if from == num.F32 {
						binary.LittleEndian.PutUint32(region[4*i:], math.Float32bits(float32(x)))
					} else {
						binary.LittleEndian.PutUint64(region[8*i:], math.Float64bits(x))
					}
				}
				code, err := b.compile(parseText(t, fmt.Sprintf(conversion, from, to, "")))
				if err != nil {
					t.Fatal(err)
				}
				c := caseOf(code.k, []int64{int64(len(odd)), 1}, 1)
				for i, x := range odd {
					put(c.Regions[0], i, x)
				}
				if err := code.agrees(t, c); err != nil {
					t.Errorf("%s to %s: %v", from, to, err)
				}
				code.close()
				if code, err = b.compile(parseText(t, fmt.Sprintf(conversion, from, to, " site 0 at i"))); err != nil {
					t.Fatal(err)
				}
				c = caseOf(code.k, []int64{128, 1}, 1)
				for _, x := range odd {
					for i := range 128 {
						put(c.Regions[0], i, float64(i%100)+0.5)
					}
					put(c.Regions[0], 77, x)
					if err := code.agrees(t, c); err != nil {
						t.Errorf("%s to %s of %v: %v", from, to, x, err)
					}
				}
				code.close()
			}
		}
	})
}
