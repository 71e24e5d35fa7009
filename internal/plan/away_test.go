package plan_test

import (
	"testing"

	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// going answers that all launches go a way.
type going struct{ plan.Going }

func (*going) Anew()                                       {}
func (g *going) Launch(*plan.Leaving) (*plan.Going, error) { out := g.Going; return &out, nil }
func (*going) Settle(int) machine.Spread                   { return machine.Spread{} }

// TestPrepared: who decides of a launch beside data makes its kernel ready before the call begins, which waits for none; nodes that may never have had the
// code still have to make it.
func TestPrepared(t *testing.T) {
	p := bound(t, "fn f(x: &[f64; N]) -> f64 "+ranged+" { x.map(|v| v * 3.0).sum() }", 1)
	for _, c := range []struct {
		way   string
		warm  bool
		waits bool
	}{{"fetch", false, false}, {"ship", true, false}, {"ship", false, true}} {
		never := func(*schedule.Launch) bool { return false }
		out, err := plan.Predict(p.Schedule, map[string]int64{"N": 1}, plan.Options{Machine: machine.Default(), Engine: "wasm", Threads: 1, Ready: never, Fresh: func(*schedule.Launch) bool { return true },
			Away: &going{plan.Going{Way: c.way, Warm: c.warm, Time: machine.Exactly(1000)}}})
		if err != nil {
			t.Fatal(err)
		}
		if waits := out.Compile.P50 > 0; waits != c.waits {
			t.Errorf("%s, warm: %v: %v ns for its code", c.way, c.warm, out.Compile.P50)
		}
	}
}
