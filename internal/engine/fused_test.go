package engine

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/engine/codegen/codegentest"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// TestFusedBesideExtremes: products and sums in one rounding whose factors are also those of a minimum or maximum become native
// code. LLVM 19 crashes at them, unless it is kept from looking.
func TestFusedBesideExtremes(t *testing.T) {
	const text = `kernel
size s0 1..100000
size s1 1..1099511627776
region read f32 s0
region write f32 s0
region read f32 1
sites 0
outer s1
grain 4096
count s0
body v0 v1 v2
  v3 = const i64 0
  v4 = load r2 v3
  for v5 in v1..v2 {
    v6 = load r0 v5
    BODY
    yield
  }
  end
`
	e := engineWith(t, Options{Codegen: codegentest.Service(t, "")})
	for _, body := range []string{
		"v7 = fma f32 v6 v4 v6\n v8 = min f32 v6 v4\n v9 = min f32 v7 v8\n store r1 v5 v9",
		"v7 = fma f32 v6 v4 v6\n v8 = max f32 v4 v6\n v9 = max f32 v8 v7\n store r1 v5 v9",
		"v7 = neg f32 v6\n v8 = fma f32 v6 v4 v7\n v9 = min f32 v6 v4\n v10 = max f32 v8 v9\n store r1 v5 v10",
	} {
		k, err := kernel.ParseText(strings.Replace(text, "BODY", body, 1))
		if err != nil {
			t.Fatal(err)
		}
		c, err := e.Kernel(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Promote(t.Context(), c); err != nil {
			t.Errorf("%s:\n%.300s", body, err)
		}
	}
}
