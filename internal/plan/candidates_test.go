package plan_test

import (
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// TestCandidates: numbers mean the same whatever the sizes; what is chosen is what is predicted.
func TestCandidates(t *testing.T) {
	m := machine.Default()
	var names []string
	for _, c := range plan.Candidates(m, "auto", 6, true) {
		names = append(names, c.String())
	}
	want := "WebAssembly on 1 thread, WebAssembly on 2 threads, WebAssembly on 4 threads, WebAssembly on 6 threads, native code on 1 thread, native code on 2 threads, native code on 4 threads, native code on 6 threads"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("%s", got)
	}
	for _, c := range []struct {
		engine string
		native bool
		want   int
	}{{"auto", true, 4}, {"auto", false, 2}, {"native", true, 2}, {"native", false, 0}, {"wasm", true, 2}} {
		if got := plan.Candidates(m, c.engine, 2, c.native); len(got) != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	opt := plan.Options{Machine: m, Engine: "auto", Threads: 2}
	for _, c := range []struct{ n, want int }{{100, 1}, {100_000, 2}, {1 << 24, 4}} {
		p := bound(t, heavy, c.n)
		all, err := plan.Consider(p.Schedule, p.Inputs.Sizes, plan.Candidates(m, "auto", 2, true), opt)
		if err != nil {
			t.Fatal(err)
		}
		best, err := plan.Predict(p.Schedule, p.Inputs.Sizes, opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range all {
			if x.Chosen != (x.Number == c.want) || x.Chosen && math.Abs(x.Time.P50-best.Time.P50) > 1e-3*best.Time.P50 || x.Time.P50 < 0.999*best.Time.P50 {
				t.Errorf("%d elements: plan %d takes %v (chosen: %v), expected plan %d, which takes %v", c.n, x.Number, x.Time, x.Chosen, c.want, best.Time)
			}
		}
	}
}

// TestWhyNot: whoever makes a change that is named sees the strategy chosen, and half of it is not enough.
func TestWhyNot(t *testing.T) {
	ask := func(t *testing.T, p *compile.Plan, strategy string) *plan.Instead {
		m := machine.Default()
		out, err := plan.WhyNot(strategy, p.Schedule, p.Inputs.Sizes, &plan.Range{Name: "N", Lo: 1, Hi: 1_000_000_000}, plan.Candidates(m, "auto", 2, true), plan.Options{Machine: m, Engine: "auto", Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	changed := map[string]func(m *machine.Machine, x float64){
		"wake_ns":                    func(m *machine.Machine, x float64) { m.Wake = x },
		"[engine.native] compile_ns": func(m *machine.Machine, x float64) { m.Engines["native"].Compile = x },
	}
	for _, c := range []struct {
		strategy string
		n        int
		is       bool
		changes  string
	}{
		{"native", 100_000, false, "N calls [engine.native] compile_ns"},
		{"wasm", 1 << 24, false, "N [engine.native] compile_ns"},
		{"threads", 8000, false, "N wake_ns"},
		{"threads", 1000, false, "N"},
		{"alone", 100_000, false, "N wake_ns"},
		{"threads", 100_000, true, ""},
		{"windows", 1000, true, ""},
	} {
		p := bound(t, heavy, c.n)
		out := ask(t, p, c.strategy)
		var names []string
		for _, x := range out.Changes {
			names = append(names, x.What)
			if x.What == "calls" {
				made := making(p)
				if saved := out.Chosen.P50 - (out.Time.P50 - made); x.Needs*saved < made || (x.Needs-1)*saved > made {
					t.Errorf("%s: %v calls save %v each of %v", c.strategy, x.Needs, saved, made)
				}
				continue
			}
			sizes, m := maps.Clone(p.Inputs.Sizes), edited(t, func(*machine.Machine) {})
			chosen := func(at float64) bool {
				if x.What == "N" {
					sizes["N"] = int64(at)
				} else {
					changed[x.What](m, at)
				}
				out, err := plan.Predict(p.Schedule, sizes, plan.Options{Machine: m, Engine: "auto", Threads: 2})
				if err != nil {
					t.Fatal(err)
				}
				return map[string]bool{"native": out.Engine == "native", "wasm": out.Engine == "wasm", "threads": out.Threads > 1, "alone": out.Threads == 1}[c.strategy]
			}
			if !chosen(x.Needs) || math.Abs(x.Needs-x.Now) > 0.03*x.Now && chosen((x.Now+x.Needs)/2) {
				t.Errorf("%s for %d elements: it does not cross at %s = %v (now %v)", c.strategy, c.n, x.What, x.Needs, x.Now)
			}
		}
		if got := strings.Join(names, " "); out.Is != c.is || got != c.changes || out.Time.P50 < out.Chosen.P50 {
			t.Errorf("%s for %d elements: it is that: %v, changes %q, takes %v where %v was chosen", c.strategy, c.n, out.Is, got, out.Time, out.Chosen)
		}
	}
	p := bound(t, "fn f(x: &[f64; N]) -> [f64; N] where N: Range<1, 1_000_000_000> { x.map(|v| x[(v as i64).clamp_idx()]) }", 1000)
	if out := ask(t, p, "windows"); out.Is || !strings.Contains(out.Reason, "`x`") || out.Time.P50 != 0 {
		t.Errorf("%+v", out)
	}
	if _, err := plan.WhyNot("native", p.Schedule, p.Inputs.Sizes, nil, plan.Candidates(machine.Default(), "auto", 2, false), plan.Options{Machine: machine.Default(), Engine: "wasm", Threads: 2}); err == nil || !strings.Contains(err.Error(), "1 is WebAssembly on 1 thread") {
		t.Errorf("%v", err)
	}
}

// TestCurves: each candidate has its time at every size that is looked at.
func TestCurves(t *testing.T) {
	p := bound(t, heavy, 1000)
	opt := plan.Options{Machine: machine.Default(), Engine: "auto", Threads: 2}
	curves, err := plan.Curves(p.Schedule, p.Inputs.Sizes, "N", 1, 1<<20, plan.Candidates(opt.Machine, "auto", 2, true), opt)
	if err != nil || len(curves) != 4 {
		t.Fatalf("%d curves, %v", len(curves), err)
	}
	for _, c := range curves {
		first, last := c.Points[0], c.Points[len(c.Points)-1]
		if first.Size != 1 || last.Size != 1<<20 || !(first.Time > 0 && first.Time < last.Time) {
			t.Errorf("%v: from %v to %v", c.Candidate, first, last)
		}
	}
}
