package calibrate

import (
	"math"
	"testing"

	"github.com/godwit-run/godwit/internal/plan/machine"
)

// Eight of ten residuals lie between the factors of their kind; a kind of which there are few has none.
func TestSpreads(t *testing.T) {
	var list []residual
	for i := range 100 {
		list = append(list, residual{machine.Steady, float64(i-50) / 100}, residual{machine.Guessed, float64(i) / 50})
	}
	list = append(list, residual{machine.Random, 9})
	all, by := spreads(list)
	for kind, want := range map[string][2]float64{machine.Steady: {math.Exp(-0.4), math.Exp(0.4)}, machine.Guessed: {1, math.Exp(1.8)}} {
		for i, got := range by[kind] {
			if math.Abs(math.Log(got/want[i])) > 1e-9 {
				t.Errorf("%s: %v, expected %v", kind, by[kind], want)
			}
		}
	}
	if _, ok := by[machine.Random]; ok || all < math.Exp(1.2) || all > math.Exp(2) {
		t.Errorf("%v, all within %v", by, all)
	}
	if all, by := spreads(nil); all != 1 || len(by) != 0 {
		t.Errorf("nothing is off by %v, %v", all, by)
	}
}
