package cost_test

import (
	"math"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// TestEvenly: outer indices are not cut, so two threads take as long for three of them as for four.
func TestEvenly(t *testing.T) {
	mc := *machine.Default()
	mc.Processors, mc.Together = 2, 2
	for outer, want := range map[int]float64{1: 1, 2: 1. / 2, 3: 2. / 3, 4: 1. / 2, 25: 13. / 25, 1000: 1. / 2} {
		m := mix(t, `fn f(x: &[f64; N]) -> [f64; N] where N: Range<1, 1_000_000_000> { x.map(|v| (v * 0.5).exp()) }`, 64, data.FromSlice(make([]float64, outer*4096)))
		if m.Outer != int64(outer) {
			t.Fatalf("%d outer indices, expected %d", m.Outer, outer)
		}
		core := func(threads int) float64 { return m.On(&mc, "native", threads, []cost.Place{}).Core }
		if got := core(2) / core(1); math.Abs(got-want) > 1e-9 {
			t.Errorf("%d outer indices: two threads take %.3f of one, expected %.3f", outer, got, want)
		}
	}
}
