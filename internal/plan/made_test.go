package plan_test

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// TestMade: native code of a large kernel takes longer to be made than that of a small one, as much longer as it has instructions, and as it took before.
func TestMade(t *testing.T) {
	const sort, sum = "{ x.sort() }", "{ x.map(|v| v * 3.0).sum() }"
	made := func(body string, past *seen.Memory) float64 {
		result := "[f64; N]"
		if body == sum {
			result = "f64"
		}
		p := bound(t, "fn f(x: &[f64; N]) -> "+result+" "+ranged+" "+body, 1)
		out, err := plan.Predict(p.Schedule, map[string]int64{"N": 1}, plan.Options{Machine: machine.Default(), Engine: "native", Threads: 1, Ready: func(*schedule.Launch) bool { return false },
			Past: plan.Past{Seen: past, Program: p.Program.ID, Name: p.Program.Name}})
		if err != nil {
			t.Fatal(err)
		}
		return out.Steps[0].Wait.P50
	}
	small, large := made(sum, nil), made(sort, nil)
	if large < 8*small || large < 8*machine.Default().Engines["native"].Compile {
		t.Errorf("a sort is made in %v ns, a sum in %v", large, small)
	}
	past := seen.New("")
	p := bound(t, "fn f(x: &[f64; N]) -> [f64; N] "+ranged+" "+sort, 1)
	n := 0
	schedule.Launches(p.Schedule.Steps, func(l *schedule.Launch) { n = max(n, kernel.Instructions(l.Kernel)) })
	took := 2 * machine.Here().Engines["native"].Making(n)
	past.Note(seen.OfMaking(), seen.Point{Sizes: []int64{int64(n), 0}}, took)
	if again := made(sort, past); again < 1.99*large || again > 2.01*large {
		t.Errorf("it took twice as long to make a sort as the %v ns that were expected, and then %v are expected", large, again)
	}
}

// TestMadeElsewhere: what it took to make native code here tells as much of it on another machine, with the start of the compiler or without; not if nobody
// knows what it takes here, or a point is none of the making.
func TestMadeElsewhere(t *testing.T) {
	p := bound(t, "fn f(x: &[f64; N]) -> [f64; N] "+ranged+" { x.sort() }", 1)
	n := 0
	schedule.Launches(p.Schedule.Steps, func(l *schedule.Launch) { n = max(n, kernel.Instructions(l.Kernel)) })
	defer machine.Adopt(nil)
	here, bare, other := *machine.Default(), *machine.Default(), *machine.Default()
	machine.Adopt(&here)
	bare.Engines = map[string]*machine.Engine{"wasm": here.Engines["wasm"]}
	native := *here.Engines["native"]
	native.Compile *= 3
	other.Engines = map[string]*machine.Engine{"wasm": here.Engines["wasm"], "native": &native}
	made := func(starts bool, past *seen.Memory) float64 {
		out, err := plan.Predict(p.Schedule, map[string]int64{"N": 1}, plan.Options{Machine: &other, Engine: "native", Threads: 1, Cold: starts, Ready: func(*schedule.Launch) bool { return false },
			Past: plan.Past{Seen: past, Program: p.Program.ID, Name: p.Program.Name}})
		if err != nil {
			t.Fatal(err)
		}
		return out.Steps[0].Wait.P50
	}
	for _, starts := range []bool{false, true} {
		took, start := here.Engines["native"].Making(n), int64(0)
		if starts {
			took, start = took+made(true, nil)/3-made(false, nil)/3, 1
		}
		point := func(sizes ...int64) *seen.Memory {
			past := seen.New("")
			past.Note(seen.OfMaking(), seen.Point{Sizes: sizes}, 5*took)
			return past
		}
		cold := made(starts, nil)
		if got := made(starts, point(int64(n), start)); got < 4.99*cold || got > 5.01*cold {
			t.Errorf("the compiler starts: %v: it took five times as long here as was expected, and elsewhere %v ns are expected, which were %v", starts, got, cold)
		}
		// Of the other kind of making this is another time, which is less or more than five times what was expected.
		if got := made(!starts, point(int64(n), start)) / made(!starts, nil); got < 4.99 || got > 5.01 {
			t.Errorf("the compiler starts: %v: it took five times as long here as was expected, and without, or with it, %v times as long is expected", starts, got)
		}
		for _, sizes := range [][]int64{{}, {int64(n)}, {int64(n), start, 1}} {
			if got := made(starts, point(sizes...)); math.Abs(got-cold) > 1 {
				t.Errorf("a point with sizes %v is taken for one of making: %v ns, not %v", sizes, got, cold)
			}
		}
		machine.Adopt(&bare)
		if got := made(starts, point(int64(n), start)); got != cold {
			t.Errorf("nobody knows what it takes here, and %v ns are expected elsewhere, not %v", got, cold)
		}
		machine.Adopt(&here)
	}
}

// TestMadeOnce: of kernels that are alike code is made once, the compiler is started once, and the interval counts each wait once, however many steps there are.
func TestMadeOnce(t *testing.T) {
	for _, tt := range []struct {
		name   string
		factor func(i int) string
	}{
		{"alike", func(int) string { return "0.5" }},
		{"different", func(i int) string { return fmt.Sprintf("0.%d", i+10) }},
	} {
		body := "{ let a0 = x.sort();"
		for i := range 20 {
			body += fmt.Sprintf(" let a%d = a%d.scan(0.0, |s, v| s * 0.5 + v).map(|v| v * %s);", i+1, i, tt.factor(i))
		}
		p := bound(t, "fn f(x: &[f64; N]) -> f64 "+ranged+body+" a20.sum() }", 1)
		for _, engine := range []string{"wasm", "native"} {
			e, ids, steps := machine.Default().Engines[engine], map[kernel.ID]bool{}, 0
			want := 0.0
			if engine == "native" { // the start
				want = 2 * e.Compile
			}
			schedule.Launches(p.Schedule.Steps, func(l *schedule.Launch) {
				id, _ := p.Program.Name(l)
				if steps++; !ids[id] {
					ids[id] = true
					want += e.Making(kernel.Instructions(l.Kernel))
				}
			})
			out, err := plan.Predict(p.Schedule, map[string]int64{"N": 1}, plan.Options{Machine: machine.Default(), Engine: engine, Threads: 1, Cold: true, Ready: func(*schedule.Launch) bool { return false }})
			if err != nil {
				t.Fatal(err)
			}
			if got := out.Wait; got.P50 > want || got.P50 < 0.3*want || engine == "native" && got.P50 < 0.9*want || got.P90 > 2.01*want || got.P10 > got.P50 {
				t.Errorf("%s: code of %d kernels for %d steps is made on %s in %+v ns, for %v alone", tt.name, len(ids), steps, engine, got, want)
			}
		}
	}
}

// TestKept: native code on disk takes what calibration says to be brought here, and then what it took before, here or in another process: that makes
// the forecast of a short call a warm one.
func TestKept(t *testing.T) {
	p := bound(t, "fn f(x: &[f64; N]) -> f64 "+ranged+" { x.map(|v| v * 3.0).sum() }", 1)
	m, all := machine.Default(), func(*schedule.Launch) bool { return true }
	predict := func(past *seen.Memory, fresh bool) *plan.Prediction {
		out, err := plan.Predict(p.Schedule, map[string]int64{"N": 1}, plan.Options{Machine: m, Engine: "native", Threads: 1, Ready: all, Native: all, Unrun: func(*schedule.Launch) bool { return fresh },
			Past: plan.Past{Seen: past, Program: p.Program.ID, Name: p.Program.Name}})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	file := filepath.Join(t.TempDir(), "seen")
	past := seen.New(file)
	kept := m.Engines["native"].Kept
	here, cold := predict(past, false), predict(past, true)
	if here.Wait.P50 != 0 || kept <= 0 || cold.Wait.P50 < kept || cold.Wait.P50 > 1.5*kept || cold.Warm {
		t.Errorf("%+v if the code is here, %+v if it is on disk, warm: %v; calibration says %v", here.Wait, cold.Wait, cold.Warm, kept)
	}
	id, _ := p.Program.Name(p.Schedule.Steps[0].(*schedule.Launch))
	for range 3 {
		past.Note(seen.OfReadying(id, "native"), seen.Point{}, 5*kept)
	}
	if err := past.Save(); err != nil {
		t.Fatal(err)
	}
	if warm := predict(seen.New(file), true); warm.Wait.P50 < 4.9*kept || warm.Wait.P50 > 5.5*kept || !warm.Warm || !warm.Steps[0].Warm {
		t.Errorf("it took %v, and %+v are expected, warm: %v", 5*kept, warm.Wait, warm.Warm)
	}
	if here := predict(seen.New(file), false); here.Wait.P50 != 0 || here.Warm {
		t.Errorf("the code is here, and %+v are expected for it, warm: %v", here.Wait, here.Warm)
	}
}

// TestOneLongPiece: a step that is one piece goes over to native code in its middle never: it waits for it, or is over as WebAssembly.
func TestOneLongPiece(t *testing.T) {
	p := bound(t, "fn f(x: &[f64; N]) -> [f64; N] "+ranged+" { x.sort() }", 10)
	opt := plan.Options{Machine: machine.Default(), Threads: 1}
	of := func(engine string, n int64) float64 {
		opt.Engine = engine
		out, err := plan.Predict(p.Schedule, map[string]int64{"N": n}, opt)
		if err != nil {
			t.Fatal(err)
		}
		return out.Time.P50
	}
	made := making(p)
	for n := int64(1000); n < 1e9; n *= 4 {
		slow, quick, auto := of("wasm", n), of("native", n), of("auto", n)
		if want := min(slow, quick+made); auto < 0.999*want || auto > 1.001*want {
			t.Errorf("a sort of %d takes WebAssembly %v ns, native code %v after %v: %v are expected", n, slow, quick, made, auto)
		}
	}
}
