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

// scanText is a scan by an operation, from the state that the grain before left, which stores the state and half of what
// it and the element differ by.
const scanText = `kernel
size s0 0..1099511627776
size s1 0..1099511627776
region readwrite K 1
region write K s0
region read K s0
region write K s0
sites 0
outer s1
grain 100
count s0
state K r0
body v0 v1 v2 v3
  v9 = for v4 in v1..v2, v5 K = v3 {
    v6 = load r2 v4
    v7 = OP K v5 v6
    v8 = OTHER K v6 v7
    store r1 v4 v7
    store r3 v4 v8
    yield v7
  }
  end v9
`

func scanKernel(t *testing.T, k num.Kind, op, other string) *kernel.Kernel {
	t.Helper()
	parsed, err := kernel.ParseText(strings.NewReplacer("OP", op, "OTHER", other, "K", k.String()).Replace(scanText))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// TestPrefixes: scans by every exact operation, of lengths around whole groups, cut between grains, with floats of all
// kinds among the elements.
func TestPrefixes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	eachWidth(t, func(t *testing.T, b *backend) {
		for _, k := range []num.Kind{num.I8, num.U8, num.I16, num.U32, num.I32, num.I64, num.U64, num.F32, num.F64} {
			ops := []string{"min", "max"}
			if k.IsInt() {
				ops = append(ops, "add", "mul", "and", "or", "xor")
			}
			for _, op := range ops {
				n, err := b.compile(scanKernel(t, k, op, "sub"))
				if err != nil {
					t.Fatal(err)
				}
				for _, length := range []int64{0, 1, 3, 8, 33, 100, 164, 531} {
					outer := (length + 99) / 100
					c := caseOf(n.k, []int64{length, outer}, outer)
					for i := range length {
						putElement(c.Regions[2][int(i)*k.Size():], k, r)
					}
					putElement(c.Regions[0], k, r)
					if err := n.agrees(t, c, outer/2); err != nil {
						t.Errorf("%s of %d %s: %v", op, length, k, err)
					}
				}
				n.close()
			}
		}
	})
}

// putElement writes a random element; among floats are zeros, infinities and NaNs of both signs.
func putElement(b []byte, k num.Kind, r *rand.Rand) {
	x := r.Uint64()
	if k.IsFloat() {
		x = num.FromFloat(k, r.NormFloat64())
		if r.IntN(40) == 0 {
			strange := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(math.NaN(), -1)}
			x = num.FromFloat(k, strange[r.IntN(len(strange))])
		}
	}
	var whole [8]byte
	binary.LittleEndian.PutUint64(whole[:], x)
	copy(b[:k.Size()], whole[:])
}

// TestPrefixesAreInLanes: what each form of such a loop is written as.
func TestPrefixesAreInLanes(t *testing.T) {
	for _, c := range []struct {
		kind  num.Kind
		op    string
		width int
		want  string
	}{
		{num.F64, "max", 64, "@llvm.smax.v8i64"},
		{num.F64, "max", 32, "@llvm.smax.v4i64"},
		{num.F32, "min", 16, "@llvm.smin.v4i32"},
		{num.I64, "add", 64, "add <8 x i64>"},
		{num.F64, "max", 16, ""},
		{num.F64, "add", 64, ""},
	} {
		text, err := Emit(scanKernel(t, c.kind, c.op, "sub"), Target{Arch: "amd64", VectorBytes: c.width})
		if err != nil {
			t.Fatal(err)
		}
		if found := strings.Contains(text, fmt.Sprintf("shufflevector <%d", c.width/c.kind.Size())); found != (c.want != "") || !strings.Contains(text, c.want) {
			t.Errorf("%s of %s in %d bytes: in lanes is %v, expected %q", c.op, c.kind, c.width, found, c.want)
		}
	}
}
