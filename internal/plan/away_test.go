package plan_test

import (
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
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
		out, err := plan.Predict(p.Schedule, map[string]int64{"N": 1}, plan.Options{Machine: machine.Default(), Engine: "wasm", Threads: 1, Ready: never, Unrun: func(*schedule.Launch) bool { return true },
			Away: &going{plan.Going{Way: c.way, Warm: c.warm, Time: machine.Exactly(1000)}}})
		if err != nil {
			t.Fatal(err)
		}
		if waits := out.Wait.P50 > 0; waits != c.waits {
			t.Errorf("%s, warm: %v: %v ns for its code", c.way, c.warm, out.Wait.P50)
		}
	}
}

// ahead has launches with this kernel fetch what they read, and leaves the others here.
type ahead struct {
	going
	of map[*schedule.Launch]bool
}

func (a *ahead) Launch(l *plan.Leaving) (*plan.Going, error) {
	if !a.of[l.Launch] {
		return nil, nil
	}
	return a.going.Launch(l)
}

// TestReadyWaitsForNone: a kernel that is ready is not waited for, whatever is made beside it, and one that is made after kernels that the call finds
// ready is not waited for any longer than it takes alone.
func TestReadyWaitsForNone(t *testing.T) {
	p := bound(t, "fn f(x: &[f64; N]) -> f64 "+ranged+" { let a = x.scan(0.0, |s, v| s * 0.5 + v); let b = a.sort(); let c = b.scan(1.0, |s, v| s * 0.25 + v); c.sum() }", 1)
	var list []*schedule.Launch
	schedule.Launches(p.Schedule.Steps, func(l *schedule.Launch) { list = append(list, l) })
	first := map[*schedule.Launch]bool{list[0]: true, list[1]: true}
	predict := func(ready func(l *schedule.Launch) bool) []plan.Step {
		out, err := plan.Predict(p.Schedule, map[string]int64{"N": 1}, plan.Options{Machine: machine.Default(), Engine: "wasm", Threads: 1, Ready: ready,
			Away: &ahead{going{plan.Going{Way: "fetch", Time: machine.Exactly(1000)}}, first}})
		if err != nil {
			t.Fatal(err)
		}
		return out.Steps
	}
	for _, st := range predict(func(l *schedule.Launch) bool { return !first[l] }) {
		if st.Wait.P50 != 0 {
			t.Errorf("%s is ready, or was made before: %+v", st.Label, st.Wait)
		}
	}
	steps := predict(func(l *schedule.Launch) bool { return !first[l] && l != list[2] })
	if most := machine.Default().Engines["wasm"].Making(kernel.Instructions(list[2].Kernel)); steps[2].Wait.P50 > most {
		t.Errorf("%s takes %v to make, and is waited for %v", steps[2].Label, most, steps[2].Wait.P50)
	}
}
