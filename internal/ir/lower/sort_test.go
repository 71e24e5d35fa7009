package lower_test

import (
	"testing"

	"github.com/godwit-run/godwit/difftest"
	"github.com/godwit-run/godwit/internal/front/progen"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// TestSortPassesOverBytes: the loop over the bytes of integer keys may leave the keys where they are.
func TestSortPassesOverBytes(t *testing.T) {
	c, err := difftest.Prepare(&progen.Program{Source: `fn f(x: &[i64; N]) -> [i64; N] { x.sort() }`, Sizes: map[string]int64{"N": 3},
		Params: []progen.Param{{Name: "x", Columns: []progen.Column{{Kind: num.I64, Bits: []uint64{3, 1, 2}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	chooses := false
	schedule.Launches(c.Plan.Steps, func(l *schedule.Launch) {
		for _, loop := range l.Kernel.Body.Instrs {
			if loop.Code != kernel.For {
				continue
			}
			for _, in := range loop.Blocks[0].Instrs {
				chooses = chooses || in.Code == kernel.If && len(in.Out) == 1 && len(in.Blocks[1].Instrs) == 0
			}
		}
	})
	if !chooses {
		t.Error("every byte is sorted by, whether it differs or not")
	}
}
