package llvmir

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/num"
)

const divisionText = `kernel
size s0 1..10000000000
size s1 1..1099511627776
region read KIND s0
region read KIND 1
region write KIND s0
sites 0
outer s1
grain 4096
count s0
body v0 v1 v2
  v3 = const i64 0
  v4 = load r1 v3
  for v5 in v1..v2 {
    v6 = load r0 v5
    v7 = div KIND v6 v4
    store r2 v5 v7
    yield
  }
  end
`

func divisionKernel(t *testing.T, k num.Kind) *kernel.Kernel {
	t.Helper()
	out, err := kernel.ParseText(strings.ReplaceAll(divisionText, "KIND", k.String()))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// divisors are of ordinary size mostly: at the ends of that, beside powers of two, with hard mantissas, and others.
func divisors(k num.Kind, r *rand.Rand) (list []uint64) {
	_, most := ordinarySizes(k)
	ulps := func(x float64, n int) uint64 { return num.FromFloat(k, x) + uint64(n) }
	for _, x := range []float64{1, 2, math.Ldexp(1, most), math.Ldexp(1, -most), math.Ldexp(1, most-1)} {
		list = append(list, ulps(x, -1), ulps(x, 0), ulps(x, 1), ulps(x, 2))
	}
	for _, x := range []float64{3, 7, 10, -3, 0, math.Inf(1), math.NaN(), 5e-324, math.MaxFloat64, 20} {
		list = append(list, num.FromFloat(k, x))
	}
	list = append(list, ulps(2, -2), ulps(2, -3), 1) // the most ones, and a subnormal number
	for range 20 {
		list = append(list, num.FromFloat(k, math.Exp2(r.Float64()*40-20)))
	}
	return list
}

// dividends are products of the divisor and their neighbours, whose quotients are near floats and midpoints, and any bits.
func dividends(k num.Kind, d uint64, r *rand.Rand) (list []uint64) {
	most, _ := ordinarySizes(k)
	neighbours := func(bits uint64) {
		for n := range uint64(5) {
			list = append(list, num.Canon(k, bits+n-2))
		}
	}
	for _, e := range []int{0, -most, most, -most - 1, most + 1, -126, 127, -149, 60, -60, -1022, 1023} {
		neighbours(num.FromFloat(k, math.Ldexp(1, e)))
		neighbours(num.FromFloat(k, -math.Ldexp(1, e)))
	}
	neighbours(2)
	neighbours(num.FromFloat(k, math.Copysign(0, -1)) + 2)
	neighbours(num.FromFloat(k, math.Inf(1)) - 3)
	for range 400 {
		q := num.FromFloat(k, math.Exp2(r.Float64()*20-10))
		p, _ := num.Eval(num.Mul, k, q, d)
		neighbours(p)
	}
	for range 600 {
		list = append(list, num.Canon(k, r.Uint64()))
	}
	return list
}

// quotientCase divides a few dividends among ordinary ones, or all one behind the other.
func quotientCase(k *kernel.Kernel, d uint64, xs []uint64) *kerneltest.Case {
	sizes, outer := leaves(int64(len(xs)))
	c := caseOf(k, sizes, outer)
	put := func(to []byte, v uint64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], v)
		copy(to, b[:k.Regions[0].Elem.Size()])
	}
	for i, x := range xs {
		put(c.Regions[0][i*k.Regions[0].Elem.Size():], x)
	}
	put(c.Regions[1], d)
	return c
}

// Quotients by multiplications are those of the division, to the bit, whatever is divided by whatever.
func TestQuotients(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	eachWidth(t, func(t *testing.T, b *backend) {
		for _, kind := range []num.Kind{num.F32, num.F64} {
			n, err := b.compile(divisionKernel(t, kind))
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range divisors(kind, r) {
				xs := dividends(kind, d, r)
				for range 2 {
					if err := n.agrees(t, quotientCase(n.k, d, xs)); err != nil {
						t.Errorf("%v by %v: %v", kind, num.ToFloat(kind, d), err)
					}
					var ordinary []uint64 // so that all lanes of most groups are
					for _, x := range xs {
						if a := math.Abs(num.ToFloat(kind, x)); a == 0 || a > 1e-12 && a < 1e12 {
							ordinary = append(ordinary, x)
						}
					}
					xs = ordinary
				}
			}
			n.close()
		}
	})
}

// Divisions by what is the same for all are multiplications, with a division for the reciprocal; those by powers of two, and by what is not
// of ordinary size, are left to LLVM.
func TestQuotientsAreFound(t *testing.T) {
	for _, tt := range []struct {
		old, new string
		found    bool
	}{
		{"load r1 v3", "load r1 v3", true},
		{"load r1 v3", "const f64 0x4008000000000000 (3)", true},
		{"load r1 v3", "const f64 0x4010000000000000 (4)", false},
		{"load r1 v3", "const f64 0xc008000000000000 (-3)", false},
		{"load r1 v3", "const f64 0x7fe0000000000000 (8.98846567431158e+307)", false},
		{"div f64 v6 v4", "div f64 v4 v6", false},
		{"div f64 v6 v4", "div f64 v6 v6", false},
	} {
		k, err := kernel.ParseText(strings.Replace(strings.ReplaceAll(divisionText, "KIND", "f64"), tt.old, tt.new, 1))
		if err != nil {
			t.Fatal(err)
		}
		for _, fuses := range []bool{true, false} {
			text, err := Emit(k, Target{Arch: "amd64", VectorBytes: 64, Fma: fuses})
			if err != nil {
				t.Fatal(err)
			}
			if found := strings.Contains(text, "@llvm.copysign"); found != (tt.found && fuses) {
				t.Errorf("%s for %s, with fused operations %v: multiplications are found: %v", tt.new, tt.old, fuses, found)
			}
		}
	}
}
