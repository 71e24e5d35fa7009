package lower_test

import (
	"testing"

	"github.com/godwit-run/godwit/difftest"
	"github.com/godwit-run/godwit/internal/front/progen"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// TestSortPassesOverDigits: the loop over the digits of keys may leave them where they are.
func TestSortPassesOverDigits(t *testing.T) {
	c, err := difftest.Prepare(&progen.Program{Source: `fn f(x: &[i64; N]) -> [i64; N] { x.sort() }`, Sizes: map[string]int64{"N": 3},
		Params: []progen.Param{{Name: "x", Columns: []progen.Column{{Kind: num.I64, Bits: []uint64{3, 1, 2}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	chooses := 0
	var walk func(b *kernel.Block, looped bool)
	walk = func(b *kernel.Block, looped bool) {
		for i := range b.Instrs {
			in := &b.Instrs[i]
			if looped && in.Code == kernel.If && len(in.Out) == 1 && moves(&in.Blocks[0]) && !moves(&in.Blocks[1]) {
				chooses++
			}
			for j := range in.Blocks {
				walk(&in.Blocks[j], looped || in.Code == kernel.For)
			}
		}
	}
	schedule.Launches(c.Plan.Steps, func(l *schedule.Launch) { walk(&l.Kernel.Body, false) })
	if chooses == 0 {
		t.Error("keys are moved by every digit, whether it differs or not")
	}
}

// moves reports a loop that stores keys, not counts alone.
func moves(b *kernel.Block) bool {
	for _, in := range b.Instrs {
		for _, inner := range in.Blocks {
			for _, st := range inner.Instrs {
				if st.Code == kernel.Store && inner.Params != nil && storesKey(&inner, st) {
					return true
				}
			}
		}
	}
	return false
}

// storesKey reports a store of what was loaded from the same region.
func storesKey(b *kernel.Block, st kernel.Instr) bool {
	for _, in := range b.Instrs {
		if in.Code == kernel.Load && in.Region == st.Region && in.Out[0] == st.Args[1] {
			return true
		}
	}
	return false
}
