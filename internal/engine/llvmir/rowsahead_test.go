package llvmir

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

const rowsApartText = `kernel
size s0 1..100000
size s1 1..100000
size s2 1..100000
region read f64 s0*s1
region write f64 s0
region scratch f64 256
sites 0
outer s2
grain 256
count s0
body v0 v1 v2
  v3 = const i64 0
  v4 = size s1
  v5 = size s0
  v6 = const f64 0xfff0000000000000 (-Inf)
  v7 = const i64 256
  for v8 in v3..v7 {
    store r2 v8 v6
    yield
  }
  for v9 in v3..v4 {
    v10 = mul i64 v9 v5
    for v11 in v1..v2 {
      v12 = add i64 v10 v11
      v13 = load r0 v12
      v14 = sub i64 v11 v1
      v15 = load r2 v14
      v16 = max f64 v15 v13
      store r2 v14 v16
      yield
    }
    yield
  }
  for v17 in v1..v2 {
    v18 = sub i64 v17 v1
    v19 = load r2 v18
    store r1 v17 v19
    yield
  }
  end
`

// Some columns of rows that lie apart are asked for before their rows' turns; the numbers are the same, at the last rows as well.
func TestRowsAreAskedFor(t *testing.T) {
	k, err := kernel.ParseText(rowsApartText)
	if err != nil {
		t.Fatal(err)
	}
	eachWidth(t, func(t *testing.T, b *backend) {
		for _, size := range [][2]int64{{1, 1}, {255, 3}, {600, 7}, {5000, 40}} {
			if err := b.agree(t, caseOf(k, []int64{size[0], size[1], (size[0] + 255) / 256}, (size[0]+255)/256)); err != nil {
				t.Errorf("%d columns of %d rows: %v", size[0], size[1], err)
			}
		}
	})
	for _, tt := range []struct {
		old, new string
		asked    bool
	}{
		{"mul i64 v9 v5", "mul i64 v9 v5", true},
		{"mul i64 v9 v5", "mul i64 v5 v9", true},
		{"mul i64 v9 v5", "mul i64 v3 v5", false},
		{"    for v11 in v1..v2 {", "    v30 = fold v31 in v3..v4, add i64 {\n      yield v31\n    }\n    for v11 in v1..v2 {", true}, // beside another loop
		{"for v11 in v1..v2", "for v11 in v3..v10", false},
		{"add i64 v10 v11", "add i64 v10 v3", false},
	} {
		k, err := kernel.ParseText(strings.Replace(rowsApartText, tt.old, tt.new, 1))
		if err != nil {
			t.Fatal(err)
		}
		text, err := Emit(k, Target{Arch: "amd64", VectorBytes: 64, Fma: true})
		if err != nil {
			t.Fatal(err)
		}
		if asked := strings.Contains(text, "call void @llvm.prefetch"); asked != tt.asked {
			t.Errorf("with %s: asked for is %v, expected %v", tt.new, asked, tt.asked)
		}
	}
}
