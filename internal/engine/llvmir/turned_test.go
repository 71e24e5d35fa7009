package llvmir

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// downText stores row j of an array from column j of two others, of different kinds. Rows are s3 long and lie s2 apart.
const downText = `kernel
size s0 0..1099511627776
size s1 0..1099511627776
size s2 0..1099511627776
size s3 0..1099511627776
region write K s0*s2
region read K s0*s2
region read u16 s0*s2
sites 0
outer s1
grain 40
count s0
body v0 v1 v2
  v3 = const i64 0
  v4 = size s2
  v5 = size s0
  v20 = size s3
  v21 = min i64 v20 v4
  for v6 in v1..v2 {
    v7 = mul i64 v6 v4
    for v8 in v3..v21 {
      v9 = add i64 v7 v8
      v10 = mul i64 v8 v5
      v11 = add i64 v10 v6
      v12 = load r1 v11
      v13 = load r2 v11
      v14 = convert u16 K v13
      v15 = OP K v12 v14
      store r0 v9 v15
      yield
    }
    yield
  }
  end
`

// TestTurned: nests that go down a column, with whole blocks and turns left over on both sides, give what one turn after
// the other gives.
func TestTurned(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	eachWidth(t, func(t *testing.T, b *backend) {
		for _, k := range []num.Kind{num.U8, num.I16, num.F32, num.I64, num.F64} {
			n, err := b.compile(downKernel(t, k))
			if err != nil {
				t.Fatal(err)
			}
			for _, side := range [][2]int64{{0, 5}, {1, 1}, {7, 9}, {8, 8}, {16, 16}, {41, 3}, {83, 37}, {120, 64}} {
				rows, columns := side[0], side[1]
				for _, length := range []int64{columns, columns - 1} {
					c := caseOf(n.k, []int64{rows, (rows + 39) / 40, columns, length}, (rows+39)/40)
					for region, kind := range map[int]num.Kind{1: k, 2: num.U16} {
						for i := range rows * columns {
							putElement(c.Regions[region][int(i)*kind.Size():], kind, r)
						}
					}
					if err := n.agrees(t, c); err != nil {
						t.Errorf("%d × %d of %s, rows of %d: %v", rows, columns, k, length, err)
					}
				}
			}
			n.close()
		}
	})
}

func downKernel(t *testing.T, k num.Kind) *kernel.Kernel {
	t.Helper()
	op := "add"
	if k == num.U8 {
		op = "xor"
	}
	parsed, err := kernel.ParseText(strings.NewReplacer("OP", op, "K", k.String()).Replace(downText))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// TestTurnedInVectors: a transposition has no load of a single element in its blocks, and one whose rows may meet none at all.
func TestTurnedInVectors(t *testing.T) {
	whole := strings.NewReplacer("OP", "add", "K", "f64").Replace(downText)
	for _, c := range []struct {
		text string
		want bool
	}{
		{whole, true},
		{strings.Replace(whole, "v7 = mul i64 v6 v4", "v7 = and i64 v6 v4", 1), false},
		{strings.Replace(whole, "v11 = add i64 v10 v6", "v11 = sub i64 v10 v6", 1), false},
	} {
		k, err := kernel.ParseText(c.text)
		if err != nil {
			t.Fatal(err)
		}
		text, err := Emit(k, Target{Arch: "amd64", VectorBytes: 64})
		if err != nil {
			t.Fatal(err)
		}
		zip := "<8 x double> %v"
		if got := strings.Contains(text, "shufflevector "+zip) && strings.Contains(text, "i32 0, i32 8, i32 1, i32 9"); got != c.want {
			t.Errorf("turned around is %v, expected %v:\n%s", got, c.want, c.text)
		}
	}
}

// TestTurnedAsks: each row of a block asks for one of a later block.
func TestTurnedAsks(t *testing.T) {
	for _, bytes := range []int{16, 32, 64} {
		text, err := Emit(parse(t, "transpose"), Target{Arch: "amd64", VectorBytes: bytes, Fma: true})
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(text, "call void @llvm.prefetch.p0("); n != bytes/4 {
			t.Errorf("with vectors of %d bytes %d rows are asked for, expected %d", bytes, n, bytes/4)
		}
	}
}
