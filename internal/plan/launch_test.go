package plan_test

import (
	"testing"

	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// TestChooseBySeen: a launch has as many threads as took less before; what only one way took says how wrong the model is of both.
func TestChooseBySeen(t *testing.T) {
	m := machine.Default()
	c := coming(t, bound(t, heavy, 1<<20))
	cold := plan.Choose(m, c)
	for _, x := range []struct {
		name    string
		took    map[int]float64 // by threads, as a part of what was expected
		threads int
		expect  float64
	}{
		{"as expected", map[int]float64{1: 2, 2: 1}, 2, 1},
		{"the second thread made it slower", map[int]float64{1: 2, 2: 3}, 1, 2},
		{"all threads took longer than expected", map[int]float64{2: 3}, 2, 3},
		{"too little for a second thread", map[int]float64{1: m.Wake / cold.Time.P50 / 2}, 1, m.Wake / cold.Time.P50 / 2},
	} {
		c := *c
		c.Seen = func(engine string, threads int) []seen.Point {
			if took := x.took[threads]; engine == "wasm" && took > 0 {
				took *= cold.Time.P50
				return []seen.Point{{Sizes: c.Sizes, Scalars: nil, Took: []float64{took, took, took}}}
			}
			return nil
		}
		got := plan.Choose(m, &c)
		if got.Threads != x.threads || got.Time.P50 < 0.99*x.expect*cold.Time.P50 || got.Time.P50 > 1.01*x.expect*cold.Time.P50 {
			t.Errorf("%s: %d threads, %.3g ns; expected %d, %.3g", x.name, got.Threads, got.Time.P50, x.threads, x.expect*cold.Time.P50)
		}
		if got.Asleep == nil || got.Asleep.Next() != x.threads-1 {
			t.Errorf("%s: runs do not begin the way that is planned", x.name)
		}
	}
}
