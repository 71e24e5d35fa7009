package lower_test

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/difftest"
	"github.com/godwit-run/godwit/internal/front/progen"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// TestStoredAheadOfKeys: what is much work for each element is a launch of its own ahead of a keyed fold, whose leaves are long, where
// that takes little memory, and a part of the fold elsewhere.
func TestStoredAheadOfKeys(t *testing.T) {
	source := `fn f(x: &[f32; N]) -> [i64; 4] where N: Range<1, 1_000_000_000> { x.map(|v| (0..40).map(|i| v * i as f32).sum() as i64 % 4).map(|k| k.clamp(0, 3)).histogram::<4>() }`
	for _, pad := range []string{"", " "} {
		c, err := difftest.Prepare(&progen.Program{Source: source + pad, Sizes: map[string]int64{"N": 3},
			Params: []progen.Param{{Name: "x", Columns: []progen.Column{{Kind: num.F32, Bits: []uint64{0, 0, 0}}}}}})
		if err != nil {
			t.Fatal(err)
		}
		maps := 0
		schedule.Launches(c.Plan.Steps, func(l *schedule.Launch) {
			if strings.HasPrefix(l.Label, "map ") {
				maps++
			}
		})
		if want := 1 - len(source+pad)%2; maps != want {
			t.Errorf("%d maps are launches of their own, expected %d", maps, want)
		}
	}
}
