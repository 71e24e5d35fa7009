package calibrate

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// A calibration gives a description that can be read, in which nothing is left at its prior that
// was measured.
func TestRun(t *testing.T) {
	m, err := Run(context.Background(), Options{Most: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	text, err := m.Text()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := machine.Parse(text); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	e := m.Engines["wasm"]
	for _, c := range []cost.Class{cost.Simple, cost.Float, cost.Near, cost.Root} {
		if got, first := e.Classes[cost.Names[c]].Vector, prior[c][1]*m.Cycle; math.Abs(math.Log(got/first)) < 1e-9 {
			t.Errorf("%s takes %v, as it was before anything was measured", cost.Names[c], got)
		}
	}
}

// A fit finds the times that launches were made of, though they are noisy.
func TestFit(t *testing.T) {
	eng, err := engine.New(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Close()
	r := rand.New(rand.NewPCG(7, 7))
	w := &workbench{eng: eng, name: "wasm", vector: 16, threads: 1, weave: alone, random: r}
	truth := machine.Default()
	var samples []sample
	for _, p := range operations() {
		j, err := w.over(p.source, p.args, nil)
		if err != nil {
			t.Fatal(err)
		}
		mixes := w.mixes(j)
		schedule.Launches(j.plan.Schedule.Steps, func(l *schedule.Launch) { // in order: a map would give others the noise
			mix := mixes[l]
			if mix == nil {
				return
			}
			took := mix.On(truth, "wasm", 1, nil).Total() * math.Exp(0.02*r.NormFloat64())
			samples = append(samples, sample{mix, took, []float64{took}})
		})
		w.clear()
	}
	m := *truth
	m.Engines = map[string]*machine.Engine{"wasm": {VectorBytes: 16, Call: 1, Launch: truth.Engines["wasm"].Launch, Compile: 1, Classes: map[string]machine.Class{}}}
	fit(&m, "wasm", samples)
	if e := m.Engines["wasm"].Error; e > 1.5 { // of launches that the fit did not know, some of which alone have operations of a class
		t.Errorf("what was made of known times is off by a factor of %.2f", e)
	}
}

func TestSolve(t *testing.T) {
	x := solve([][]float64{{4, 2}, {2, 3}}, []float64{10, 8})
	if math.Abs(x[0]-1.75) > 1e-12 || math.Abs(x[1]-1.5) > 1e-12 {
		t.Errorf("%v", x)
	}
}

// The generator goes through all places before it comes back.
func TestCycle(t *testing.T) {
	b := make([]byte, 4<<12)
	cycle(b)
	at, n := 0, 0
	for {
		at = int(b[4*at]) | int(b[4*at+1])<<8
		if n++; at == 0 {
			break
		}
	}
	if n != 1<<12 {
		t.Errorf("the cycle has %d places", n)
	}
}
