package llvmir

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

const nearestText = `kernel
size s0 1..10000000000
size s1 1..1099511627776
region read KIND s0
region read KIND 16
region write KIND s0
region write i64 s0
sites 0
outer s1
grain 4096
count s0
body v0 v1 v2
  v3 = const i64 0
  v4 = const i64 16
  v13 = const KIND MINUS (-0)
  for v5 in v1..v2 {
    v6 = load r0 v5
    v11 v12 = fold v7 in v3..v4, argmin KIND {
      v8 = load r1 v7
      v9 = sub KIND v8 v6
      v10 = mul KIND v9 v9
      yield v10
    }
    store r2 v5 v11
    store r3 v5 v12
    yield
  }
  end
`

func nearestKernel(t *testing.T, kind num.Kind, old, new string) *kernel.Kernel {
	t.Helper()
	minus := "0x80000000"
	if kind == num.F64 {
		minus = "0x8000000000000000"
	}
	k, err := kernel.ParseText(strings.Replace(strings.NewReplacer("KIND", kind.String(), "MINUS", minus).Replace(nearestText), old, new, 1))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// The place of the least or greatest of what is never -0, with NaN, infinities, zeros and what is equal among it, is that of the reference.
func TestComparedFolds(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1, 1, -1, math.MaxFloat64, 5e-324}
	eachWidth(t, func(t *testing.T, b *backend) {
		for _, kind := range []num.Kind{num.F32, num.F64} {
			for _, op := range []string{"argmin", "argmax"} {
				for _, value := range []string{"mul KIND v9 v9", "abs KIND v9", "add KIND v9 v4", "mul KIND v9 v8"} {
					value = strings.ReplaceAll(value, "KIND", kind.String())
					k := nearestKernel(t, kind, "argmin", op)
					text := strings.Replace(kernel.Text(k), "mul "+kind.String()+" v9 v9", value, 1)
					text = strings.ReplaceAll(text, "add "+kind.String()+" v9 v4", "add "+kind.String()+" v9 v13")
					k, err := kernel.ParseText(text)
					if err != nil {
						t.Fatal(err)
					}
					n, err := b.compile(k)
					if err != nil {
						t.Fatal(err)
					}
					for range 20 {
						sizes, outer := leaves(700)
						c := caseOf(k, sizes, outer)
						for region := range 2 {
							all := r.IntN(3) // none is odd, some are, or all
							for i := range len(c.Regions[region]) / kind.Size() {
								x := float64(r.IntN(9)) - 4
								if all == 2 || all == 1 && r.IntN(6) == 0 {
									x = odd[r.IntN(len(odd))]
								}
								var bits [8]byte
								binary.LittleEndian.PutUint64(bits[:], num.FromFloat(kind, x))
								copy(c.Regions[region][i*kind.Size():], bits[:kind.Size()])
							}
						}
						if err := n.agrees(t, c); err != nil {
							t.Errorf("%s of %s: %v", op, value, err)
						}
					}
					n.close()
				}
			}
		}
	})
}

// Only what is proved to be never -0 is compared as it is.
func TestComparedNeedsProof(t *testing.T) {
	for _, tt := range []struct {
		value    string
		compared bool
	}{
		{"mul f32 v9 v9", true},
		{"abs f32 v9", true},
		{"convert i64 f32 v7", true},
		{"mul f32 v9 v8", false},
		{"add f32 v9 v13", false},
		{"sub f32 v6 v8", false},
		{"min f32 v9 v8", false},
		{"sqrt f32 v9", false},
		{"neg f32 v9", false},
		{"add f32 v20 v8", true},
		{"add f32 v8 v20", true},
		{"min f32 v20 v20", true},
		{"min f32 v20 v9", false},
		{"min f32 v9 v20", false},
		{"max f32 v20 v9", false},
		{"select f32 v21 v20 v20", true},
		{"select f32 v21 v9 v20", false},
		{"select f32 v21 v20 v9", false},
		{"sqrt f32 v20", true},
		{"convert f64 f32 v22", false},
	} {
		k := nearestKernel(t, num.F32, "v10 = mul f32 v9 v9", "v20 = abs f32 v9\n      v21 = lt f32 v8 v9\n      v22 = convert f32 f64 v9\n      v10 = "+tt.value)
		text, err := Emit(k, Target{Arch: "amd64", VectorBytes: 64, Fma: true})
		if err != nil {
			t.Fatal(err)
		}
		if compared := strings.Contains(text, "fcmp ult"); compared != tt.compared {
			t.Errorf("%s: compared is %v, expected %v", tt.value, compared, tt.compared)
		}
	}
}

// A sum is never -0 if it has a slot, and none of its slots is.
func TestComparedSums(t *testing.T) {
	for _, tt := range []struct {
		of, to   string
		compared bool
	}{
		{"abs f32 v24", "v4", true},
		{"neg f32 v24", "v4", false},
		{"abs f32 v24", "v3", false},
	} {
		k := nearestKernel(t, num.F32, "v10 = mul f32 v9 v9", "v10 = fold v23 in v3.."+tt.to+", add f32 {\n v27 = load r1 v23\n v24 = sub f32 v27 v6\n v25 = "+tt.of+"\n yield v25\n }")
		text, err := Emit(k, Target{Arch: "amd64", VectorBytes: 64, Fma: true})
		if err != nil {
			t.Fatal(err)
		}
		if compared := strings.Contains(text, "fcmp ult"); compared != tt.compared {
			t.Errorf("sum of %s up to %s: compared is %v, expected %v", tt.of, tt.to, compared, tt.compared)
		}
	}
}

// A fold inside of one does not take its comparisons from it.
func TestComparedRestored(t *testing.T) {
	k := nearestKernel(t, num.F32, "v10 = mul f32 v9 v9", "v30 v31 = fold v23 in v3..v4, argmin f32 {\n v27 = load r1 v23\n v24 = sub f32 v27 v6\n v25 = abs f32 v24\n yield v25\n }\n v32 = sub f32 v8 v30\n v10 = mul f32 v32 v32")
	eachWidth(t, func(t *testing.T, b *backend) {
		sizes, outer := leaves(300)
		if err := b.agree(t, caseOf(k, sizes, outer)); err != nil {
			t.Error(err)
		}
	})
	text, err := Emit(k, Target{Arch: "amd64", VectorBytes: 64, Fma: true})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text, "fcmp ult"); n < 2 {
		t.Errorf("%d folds compare, expected both", n)
	}
}
