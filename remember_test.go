package godwit

import (
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
	"github.com/godwit-run/godwit/internal/run"
)

// TestRememberCrowded: a launch beside which native code was made for more than a tenth of its time tells nothing of its kernel on WebAssembly.
func TestRememberCrowded(t *testing.T) {
	eng, err := engine.New(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Close()
	for _, c := range []struct {
		crowded float64
		paces   map[engine.Tier]float64
		want    map[string]int
	}{
		{0, nil, map[string]int{"wasm": 1}},
		{0.005, nil, map[string]int{"wasm": 1}},
		{0.05, nil, map[string]int{}},
		{0.05, map[engine.Tier]float64{engine.Wasm: 0.3, engine.Native: 0.02}, map[string]int{"native": 1}},
		{0, map[engine.Tier]float64{engine.Wasm: 0.3, engine.Native: 0.02}, map[string]int{"native": 1, "wasm": 1}},
	} {
		known := seen.New("")
		l := run.LaunchStats{Hash: kernel.Hash([]byte("k")), Tier: engine.Wasm, Runs: 1, Slices: 9, Threads: 1, Seconds: 0.1, Crowded: c.crowded, Sizes: []int64{7}, Paces: c.paces}
		if c.paces != nil {
			l.Native, l.Tier = 5, engine.Native
		}
		remember(known, &compile.Plan{}, eng, &run.Stats{Seconds: 0.1, Schedule: &schedule.Schedule{}, Launches: []run.LaunchStats{l}, First: true}, 2, nil)
		for _, on := range []string{"wasm", "native"} {
			if got := len(known.Of(seen.Key{ID: l.Hash, Engine: on, Threads: 1})); got != c.want[on] {
				t.Errorf("%v beside the compiler, %v: %d are remembered on %s, expected %d", c.crowded, c.paces, got, on, c.want[on])
			}
		}
	}
}

// TestMostlyNative: the engine of a call is that of most of its time, and not of most slices.
func TestMostlyNative(t *testing.T) {
	long, short := run.LaunchStats{Seconds: 1, Slices: 2, Native: 2}, run.LaunchStats{Seconds: 0.1, Slices: 300}
	if s := (&run.Stats{Launches: []run.LaunchStats{long, short}}); !mostlyNative(s) {
		t.Error("a second of native code and a tenth of another are not mostly native")
	}
	if s := (&run.Stats{Launches: []run.LaunchStats{short}}); mostlyNative(s) || mostlyNative(&run.Stats{}) {
		t.Error("without native code a call is mostly native")
	}
}

// TestAsWhole: a plan that takes less as a whole than steps that are decided of one by one is named, if no strategy was asked for.
func TestAsWhole(t *testing.T) {
	e := &expectation{Prediction: &plan.Prediction{Time: machine.Exactly(30e6)}}
	list := []Candidate{{Number: 1, Predicted: &Prediction{P50: 0.03}}, {Number: 2, Predicted: &Prediction{P50: 0.02}}, {Number: 3}}
	if n := asWhole(list, e, Auto); n != 2 {
		t.Errorf("plan %d", n)
	}
	if n := asWhole(list, e, Fetch); n != 0 {
		t.Errorf("fetch was asked for, and plan %d is named", n)
	}
	if n := asWhole(list[:1], e, ""); n != 0 {
		t.Errorf("plan %d takes as long as the call", n)
	}
}

// TestRememberReadied: what it took until a kernel could run is remembered of the kernel, though no call before had made it; and nothing is noted
// any more that says what is known.
func TestRememberReadied(t *testing.T) {
	r := NewRuntime()
	defer r.Close()
	prog, err := Compile("fn f(x: &[f64; N]) -> f64 where N: Range<1, 1_000> { x.map(|v| v * 3.0).sum() }")
	if err != nil {
		t.Fatal(err)
	}
	f, err := prog.Func("")
	if err != nil {
		t.Fatal(err)
	}
	var list []seen.Point
	var key seen.Key
	x := make([]float64, 900)
	for late := time.Now().Add(time.Minute); len(list) == 0 && time.Now().Before(late); time.Sleep(time.Millisecond) { // it is interpreted at first
		res, err := f.Call(t.Context(), Args{"x": x}, WithRuntime(r))
		if err != nil {
			t.Fatal(err)
		}
		key = seen.OfReadying(res.told.ran.Stats.Launches[0].Hash, "wasm")
		list = r.shop().seen.Of(key)
	}
	if len(list) != 1 || len(list[0].Took) != 1 {
		t.Fatalf("%+v are remembered of a kernel that was made once", list)
	}
	took := list[0].Took[0]
	for range 2 {
		r.shop().seen.Note(key, seen.Point{}, took)
	}
	for _, c := range []struct {
		took float64
		told bool
	}{{took, true}, {1.4 * took, true}, {2 * took, false}, {took / 2, false}} {
		if got := r.shop().seen.Expects(key, c.took); got != c.told {
			t.Errorf("%v after three times %v: %v", c.took, took, got)
		}
	}
}

// TestRememberWays: what a launch took beside data is remembered of its way, unless nodes were sent its code, and made it ready, while it ran.
func TestRememberWays(t *testing.T) {
	eng, err := engine.New(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Close()
	launch := &schedule.Launch{}
	for _, code := range []bool{true, false} {
		known := seen.New("")
		l := run.LaunchStats{Hash: kernel.Hash([]byte("k")), Runs: 1, Beside: 1, Seconds: 0.1, Sizes: []int64{7}}
		st := &run.Stats{Seconds: 0.1, Schedule: &schedule.Schedule{Steps: []schedule.Step{launch}}, Launches: []run.LaunchStats{l}}
		remember(known, &compile.Plan{}, eng, st, 2, &travelled{func(*schedule.Launch) Strategy { return Ship }, code})
		if list := known.Of(seen.OfWay(l.Hash, string(Ship), run.Threads(0))); (len(list) == 0) != code {
			t.Errorf("code was sent: %v; %+v is remembered", code, list)
		}
	}
}
