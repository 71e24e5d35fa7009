package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/verify"
)

// TestEvilDemands has kernels that are safe and ask for more than anyone has:
// Check accepts them, and admission refuses them by the numbers.
func TestEvilDemands(t *testing.T) {
	const g = 1 << 30
	limits := verify.Limits{Steps: 1e9, OuterSteps: 1e8, ScratchBytes: 64 << 20, RegionBytes: g}
	loops := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "for i%d in zero..n {\n", i)
		}
		return b.String() + strings.Repeat("yield\n}\n", n)
	}
	for _, c := range []struct {
		name, regions, outer, body string
		sizes                      []int64
		want                       string
	}{
		{"one endless loop", "", "1", loops(1), []int64{1 << 47}, "steps, the limit is 1000000000"},
		{"loops in loops", "", "1", loops(3), []int64{5000}, "steps, the limit is 1000000000"},
		{"loops as deep as they go", "", "1", loops(20), []int64{1000}, "it may need 9223372036854775807 steps, the limit is 1000000000"},
		{"outer indices", "", "s0", "", []int64{1 << 40}, "steps, the limit is 1000000000"},
		{"one long outer index", "", "1", loops(1), []int64{300_000_000}, "steps for one outer index, the limit is 100000000"},
		{"outer indices beyond 2^53", "", "s0*s0", "", []int64{1 << 30}, "outer s0*s0 is 1152921504606846976, outside 0..2^53"},
		{"outer indices beyond 2^63", "", "s0*s0*s0*s0", "", []int64{1 << 20}, "with these sizes s0*s0*s0*s0 + 1 is too large"},
		{"fewer than no outer indices", "", "s0 - 9", "", []int64{8}, "outer s0 - 9 is -1, outside 0..2^53"},
		{"scratch", "region scratch i64 s0\n", "1", "store r0 zero zero", []int64{16 << 20}, "134217728 bytes of scratch, the limit is 67108864"},
		{"scratch squared", "region scratch u8 s0*s0\n", "1", "", []int64{1 << 20}, "1099511627776 bytes of scratch"},
		{"scratch beyond 2^53", "region scratch u8 s0*s0\n", "1", "", []int64{1 << 30}, "region r0: the length s0*s0 is 1152921504606846976"},
		{"much scratch in many", strings.Repeat("region scratch i64 s0\n", 100), "1", "", []int64{1 << 20}, "838860800 bytes of scratch"},
		{"regions", "region read f64 s0\n", "1", "", []int64{g}, "8589934592 bytes of regions, the limit is 1073741824"},
		{"many regions", strings.Repeat("region write u8 s0\n", 200), "1", "", []int64{8 << 20}, "1677721600 bytes of regions"},
		{"a region of fewer than none", "region read u8 s0 - 5\n", "1", "", []int64{4}, "region r0: the length s0 - 5 is -1"},
		{"a fold of everything", "region read i64 s0\n", "1", "a = fold i in zero..n, add i64 {\nx = load r0 i\nyield x\n}", []int64{128 << 20}, "402653188 steps for one outer index"},
		{"a branch that costs", "", "1", "c = eq i64 n zero\nif c {\n" + loops(2) + "yield\n} else {\nyield\n}", []int64{1 << 20}, "steps, the limit is"},
	} {
		s := safe(t, "kernel\nsize s0 1..281474976710656\n"+c.regions+"sites 0\nouter "+c.outer+"\ngrain 1\ncount 1\nbody o lo hi\nzero = const i64 0\nn = size s0\n"+c.body+"\nend")
		lens := make([]int64, len(s.Kernel.Regions))
		for i := range lens {
			lens[i] = 1 << 53
		}
		if err := s.Admit(c.sizes, nil, lens, limits); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
