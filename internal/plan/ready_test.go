package plan_test

import (
	"math"
	"testing"

	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// chain is a program of kernels that are not alike, with its launches.
func chain(t *testing.T) (*compile.Plan, []*schedule.Launch) {
	p := bound(t, "fn f(x: &[f64; N]) -> f64 "+ranged+" { let a = x.sort(); let b = a.scan(0.0, |s, v| s * 0.5 + v); let c = b.scan(1.0, |s, v| s * 0.25 + v); c.sum() }", 1)
	var list []*schedule.Launch
	ids := map[kernel.ID]bool{}
	schedule.Launches(p.Schedule.Steps, func(l *schedule.Launch) {
		list = append(list, l)
		id, _ := p.Program.Name(l)
		ids[id] = true
	})
	if len(list) < 4 || len(ids) != len(list) {
		t.Fatalf("%d launches of %d kernels; expected four or more, of as many", len(list), len(ids))
	}
	return p, list
}

// TestFirstRun: a kernel that is ready, and never ran, takes a little longer than one that did.
func TestFirstRun(t *testing.T) {
	p := bound(t, "fn f(x: &[f64; N]) -> f64 "+ranged+" { x.map(|v| v * 3.0).sum() }", 1)
	wait := func(unrun bool) machine.Spread {
		out, err := plan.Predict(p.Schedule, map[string]int64{"N": 1}, plan.Options{Machine: machine.Default(), Engine: "wasm", Threads: 1,
			Ready: func(*schedule.Launch) bool { return true }, Unrun: func(*schedule.Launch) bool { return unrun }})
		if err != nil {
			t.Fatal(err)
		}
		return out.Wait
	}
	whole := machine.Default().Engines["wasm"].Compile
	if ran, unrun := wait(false), wait(true); ran.P50 != 0 || unrun.P50 <= whole/100 || unrun.P50 >= whole/10 {
		t.Errorf("%+v if it ran, %+v if it never did; to make it takes %v", ran, unrun, whole)
	}
}

// TestWasmLeavesDisk: a call that is forced to WebAssembly makes it, though there is native code on disk, and takes what is in the process.
func TestWasmLeavesDisk(t *testing.T) {
	p := bound(t, "fn f(x: &[f64; N]) -> f64 "+ranged+" { x.map(|v| v * 3.0).sum() }", 1)
	all := func(*schedule.Launch) bool { return true }
	wait := func(unrun bool) float64 {
		out, err := plan.Predict(p.Schedule, map[string]int64{"N": 1}, plan.Options{Machine: machine.Default(), Engine: "wasm", Threads: 1, Ready: all, Native: all, Unrun: func(*schedule.Launch) bool { return unrun }})
		if err != nil {
			t.Fatal(err)
		}
		return out.Steps[0].Wait.P50
	}
	making := machine.Default().Engines["wasm"].Making(kernel.Instructions(p.Schedule.Steps[0].(*schedule.Launch).Kernel))
	if here, disk := wait(false), wait(true); here != 0 || disk < making || disk > 1.1*making {
		t.Errorf("%v ns if the native code is here, %v if it is on disk; WebAssembly is made in %v", here, disk, making)
	}
}

// TestWaitIsWarm: what a launch waits is known from earlier processes if what all take that are readied before it is known.
func TestWaitIsWarm(t *testing.T) {
	p, list := chain(t)
	making := machine.Default().Engines["wasm"].Making(kernel.Instructions(list[1].Kernel))
	for _, c := range []struct {
		known [2]bool // the second, and the third
		warm  bool
	}{{[2]bool{true, true}, true}, {[2]bool{false, true}, false}, {[2]bool{true, false}, false}} {
		past := seen.New("")
		for i, known := range c.known {
			id, _ := p.Program.Name(list[1+i])
			for range 3 {
				if known {
					past.Note(seen.OfReadying(id, "wasm"), seen.Point{}, 10*making)
				}
			}
		}
		out, err := plan.Predict(p.Schedule, map[string]int64{"N": 1}, plan.Options{Machine: machine.Default(), Engine: "wasm", Threads: 1,
			Ready: func(l *schedule.Launch) bool { return l != list[1] && l != list[2] },
			Past:  plan.Past{Seen: past, Program: p.Program.ID, Name: p.Program.Name}})
		if err != nil {
			t.Fatal(err)
		}
		if st := out.Steps[2]; st.Wait.P50 < st.Time.P50/2 || st.Warm != c.warm {
			t.Errorf("known: %v: %s waits %v ns of %v, warm: %v, expected %v", c.known, st.Label, st.Wait.P50, st.Time.P50, st.Warm, c.warm)
		}
	}
}

// TestShortReadying: one short time does not say what it takes to ready a kernel, three do.
func TestShortReadying(t *testing.T) {
	p := bound(t, "fn f(x: &[f64; N]) -> f64 "+ranged+" { x.map(|v| v * 3.0).sum() }", 1)
	m := *machine.Default()
	native := *m.Engines["native"]
	native.Kept = 1e4
	m.Engines = map[string]*machine.Engine{"wasm": m.Engines["wasm"], "native": &native}
	all := func(*schedule.Launch) bool { return true }
	id, _ := p.Program.Name(p.Schedule.Steps[0].(*schedule.Launch))
	wait := func(times int) float64 {
		past := seen.New("")
		for range times {
			past.Note(seen.OfReadying(id, "native"), seen.Point{}, 4*native.Kept)
		}
		out, err := plan.Predict(p.Schedule, map[string]int64{"N": 1}, plan.Options{Machine: &m, Engine: "native", Threads: 1, Ready: all, Native: all, Unrun: all,
			Past: plan.Past{Seen: past, Program: p.Program.ID, Name: p.Program.Name}})
		if err != nil {
			t.Fatal(err)
		}
		return out.Steps[0].Wait.P50
	}
	if none, once, often := wait(0), wait(1), wait(3); once != none || math.Abs(often-none-3*native.Kept) > 1 {
		t.Errorf("%v ns, after one run of %v it is %v, after three %v", none, 4*native.Kept, once, often)
	}
}

// TestReadyAt: the first kernel is waited for, while those after it are readied one after the other. If it was readied before the call began, those after it
// take as long, and if one of these was, those after that are ready sooner, by what it takes alone.
func TestReadyAt(t *testing.T) {
	p, list := chain(t)
	e := machine.Default().Engines["wasm"]
	for _, prepared := range [][]int{{}, {0}, {0, 2}} {
		of, beside := map[*schedule.Launch]bool{}, 0.0
		for _, i := range prepared {
			of[list[i]] = true
		}
		out, err := plan.Predict(p.Schedule, map[string]int64{"N": 1}, plan.Options{Machine: machine.Default(), Engine: "wasm", Threads: 1, Ready: func(*schedule.Launch) bool { return false },
			Away: &ahead{going{plan.Going{Way: "fetch", Time: machine.Exactly(1000)}}, of}})
		if err != nil {
			t.Fatal(err)
		}
		now := 0.0
		for i, st := range out.Steps {
			takes := e.Making(kernel.Instructions(list[i].Kernel))
			readyAt := takes
			switch {
			case of[list[i]]:
				readyAt = 0
			case i > 0:
				beside += takes
				readyAt = beside
			}
			if want := max(0, readyAt-now); math.Abs(st.Wait.P50-want) > 1 {
				t.Errorf("prepared: %v: %s waits %v ns at %v, expected %v", prepared, st.Label, st.Wait.P50, now, want)
			}
			now += st.Time.P50
		}
	}
}
