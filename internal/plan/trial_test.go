package plan_test

import (
	"math"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// What a run takes without code is waited for as code is, or it is interpreted, which takes less.
func TestOnTrial(t *testing.T) {
	never := func(*schedule.Launch) bool { return false }
	making := machine.Default().Engines["wasm"].Compile
	for _, c := range []struct {
		name, source string
		n            int64
		interpreted  bool
	}{
		{"few", passes, 1000, true},
		{"many", passes, 1_000_000, false},
		{"with memory of its own", "fn f(x: &[f64; N]) -> [f64; N] " + ranged + " { x.sort() }", 100, false},
	} {
		out, step := expected(t, c.source, c.n, plan.Options{Engine: "wasm", Ready: never, Trial: true})
		if got := strings.HasPrefix(step.Most, "interpreting"); got != c.interpreted || (out.Wait.P50 == 0) != c.interpreted {
			t.Errorf("%s: %q, a wait of %v", c.name, step.Most, out.Wait)
		}
		if took := step.Time.P50; c.interpreted && !(took > 0 && took < making) {
			t.Errorf("%s: interpreted it takes %v, code %v to be made", c.name, took, making)
		}
		for _, opt := range []plan.Options{{Engine: "wasm", Ready: never}, {Engine: "wasm", Trial: true}, {Engine: "wasm", Ready: func(*schedule.Launch) bool { return true }, Trial: true}} {
			if _, step := expected(t, c.source, c.n, opt); strings.HasPrefix(step.Most, "interpreting") {
				t.Errorf("%s: interpreted with %+v", c.name, opt)
			}
		}
	}
}

// A step that runs again and again is interpreted until its code is made beside it.
func TestOnTrialAgain(t *testing.T) {
	never := func(*schedule.Launch) bool { return false }
	took := func(turns string, opt plan.Options) float64 {
		out, _ := expected(t, "fn f(x: &[f64; N]) -> [f64; N] "+ranged+" { let mut a = x.map(|v| v); for _ in 0.."+turns+" { a = a.map(|v| v * 0.5 + 1.0); } a }", 1000, opt)
		return out.Time.P50
	}
	tried := plan.Options{Engine: "wasm", Ready: never, Trial: true}
	one, some, many, code := took("1", tried), took("1000", tried), took("2000", tried), took("2000", plan.Options{Engine: "wasm"})
	making := machine.Default().Engines["wasm"].Compile
	if !(one < some && some < many && many < code+4*making) || math.Abs((many-some)-code/2) > code/10 {
		t.Errorf("one turn %v, 1000 turns %v, 2000 turns %v, with code %v", one, some, many, code)
	}
}

// What interpreting took before is what it is expected to take.
func TestOnTrialWarm(t *testing.T) {
	p := bound(t, passes, 1000)
	past := seen.New("")
	predict := func() plan.Step {
		out, err := plan.Predict(p.Schedule, p.Inputs.Sizes, plan.Options{Engine: "wasm", Machine: machine.Default(), Threads: 1, Trial: true,
			Ready: func(*schedule.Launch) bool { return false }, Past: plan.Past{Seen: past, Program: p.Program.ID, Name: p.Program.Name}})
		if err != nil {
			t.Fatal(err)
		}
		return out.Steps[0]
	}
	cold := predict()
	id, _ := p.Program.Name(p.Schedule.Steps[0].(*schedule.Launch))
	for range 3 {
		past.Note(seen.Key{ID: id, Engine: seen.Stepper, Threads: 1}, seen.Point{Sizes: []int64{1000}}, 2*cold.Time.P50)
	}
	if warm := predict(); cold.Warm || !warm.Warm || math.Abs(warm.Time.P50/cold.Time.P50-2) > 0.01 {
		t.Errorf("%+v, and after it took twice as long %+v", cold, warm)
	}
}

// TestOnTrialTogether: where a kernel has short runs and a long one, its code is waited for, whichever comes first.
func TestOnTrialTogether(t *testing.T) {
	never := func(*schedule.Launch) bool { return false }
	for _, text := range []string{"x.map(|v| v * 0.5).sum() + y.map(|v| v * 0.5).sum()", "y.map(|v| v * 0.5).sum() + x.map(|v| v * 0.5).sum()"} {
		p := bound(t, "fn f(x: &[f64; N], y: &[f64; M]) -> f64 where N: Range<1, 1_000_000_000>, M: Range<1, 1_000_000_000> { "+text+" }", 100,
			compile.Args{"y": compile.Table{Source: data.FromSlice(make([]float64, 1_000_000))}})
		out, err := plan.Predict(p.Schedule, p.Inputs.Sizes, plan.Options{Machine: machine.Default(), Engine: "wasm", Threads: 1, Ready: never, Trial: true})
		if err != nil {
			t.Fatal(err)
		}
		if making := machine.Default().Engines["wasm"].Compile; out.Wait.P50 < making/10 {
			t.Errorf("%s: a wait of %v, code takes %v", text, out.Wait, making)
		}
	}
}
