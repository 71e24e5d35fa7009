package godwit_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// aheadPrograms are calls over data sets, some of steps behind each other. open says that data decides how much is left for some step.
var aheadPrograms = []struct {
	name, text string
	open       bool
}{
	{"map", "fn f(v: &[f64; N]) -> [f64; N] where N: Range<1, 1_000_000_000> { v.map(|x| x * 2.0) }", false},
	{"fold", "fn f(v: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> { v.sum() }", false},
	{"filter", "fn f(v: &[f64; N]) -> [f64] where N: Range<1, 1_000_000_000> { v.filter(|x| x > 0.7) }", false},
	{"count of a filter", "fn f(v: &[f64; N], w: &[idx<N>; N]) -> i64 where N: Range<1, 1_000_000_000> { v.filter(|x| x > 0.7).count() }", false},
	{"sort", "fn f(v: &[f64; N]) -> [f64; N] where N: Range<1, 1_000_000_000> { v.sort() }", false},
	{"fold, then sort", "fn f(v: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> { let m = v.sum(); let s = v.sort(); s[0] + m }", false},
	{"sort, then fold", "fn f(v: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> { let s = v.sort(); s[0] + v.map(|x| x - s[N / 2]).sum() }", false},
	{"filter, then sort", "fn f(v: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> { v.filter(|x| x > 0.5).sort().sum() }", true},
	{"group", "fn f(v: &[f64; N]) -> [f64; 16] where N: Range<1, 1_000_000_000> { v.group_by::<16>(|x| ((x * 16.0) as u32).clamp(0, 15)).mean(|x| x) }", false},
	{"walk", "fn f(v: &[f64; N], w: &[idx<N>; N]) -> idx<N> where N: Range<1, 1_000_000_000> { let mut at = w[0]; for _ in 0..20 { at = w[at]; } at }", false},
	{"many walks", "fn f(v: &[f64; N], w: &[idx<N>; N]) -> [idx<N>; N] where N: Range<1, 1_000_000_000> { w.map(|i| { let mut at = i; for _ in 0..5 { at = w[at]; } at }) }", false},
	{"two folds in a loop", "fn f(v: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> { let mut c = 0.5; for _ in 0..6 { c = v.map(|x| x * c).sum() / 1_000_000.0; } c }", false},
	{"walks of what a filter keeps", "fn f(v: &[f64; N], w: &[idx<N>; N]) -> f64 where N: Range<1, 1_000_000_000> { w.filter(|i| (i as i64) % 997 == 3).map(|i| v[w[i]]).sum() }", false},
	{"walk that reads what is here, too", "fn f(w: &[idx<N>; N], u: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> { let mut at = w[0]; let mut s = 0.0; for _ in 0..5 { s = s + u[at]; at = w[at]; } s }", false},
	{"join", "fn f(v: &[f64; N], w: &[idx<N>; N]) -> f64 where N: Range<1, 1_000_000_000> { let by = w.index_by(|i| i as i64); w.join(by, |i| (i as i64) / 2).map(|(a, b)| (a as i64 + b as i64) as f64).sum() }", false},
}

// TestStepsAhead: how each step of a call over data sets is said to go beforehand is how it goes, and what the whole takes is what its steps do.
func TestStepsAhead(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	const rows = 60_000
	dir := t.TempDir()
	v, w := make([]float64, rows), make([]uint32, rows)
	for i := range v {
		v[i], w[i] = float64(i*7919%1000)/1000, uint32(i*7919%rows)
	}
	for name, text := range map[string]string{"v": "fn f(x: &[f64; N]) -> [f64; N] { x.map(|v| v) }", "w": "fn f(x: &[u32; N]) -> [u32; N] { x.map(|v| v) }"} {
		args := godwit.Args{"x": v}
		if name == "w" {
			args = godwit.Args{"x": w}
		}
		r, err := fn(t, text).Call(ctx, args)
		if err == nil {
			err = r.WriteFile(filepath.Join(dir, name+".npy"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	links := map[string]string{"as measured": ""}
	for name, l := range map[string]machine.Link{
		"quick": {RoundTrip: machine.Exactly(1000), Byte: machine.Exactly(0.001), Parcel: machine.Exactly(100)},
		"slow":  {RoundTrip: machine.Exactly(5e6), Byte: machine.Exactly(1000), Parcel: machine.Exactly(20_000)},
		"far":   {RoundTrip: machine.Exactly(1e9), Byte: machine.Exactly(0.001), Parcel: machine.Exactly(100)},
	} {
		m := *machine.Default()
		m.Link = l
		links[name] = filepath.Join(dir, name+".toml")
		if err := m.Save(links[name]); err != nil {
			t.Fatal(err)
		}
	}
	gone := map[godwit.Strategy]int{}
	for _, nodes := range []int{1, 4} {
		c := started(t, nodes)
		for _, name := range []string{"v", "w"} {
			stored(t, c, filepath.Join(dir, name+".npy"), name, godwit.LoadOptions{Shards: nodes})
		}
		for _, p := range aheadPrograms {
			f := fn(t, p.text)
			args, local := godwit.Args{}, godwit.Args{}
			for _, name := range f.Params() {
				switch args[name], local[name] = godwit.DataSet(name), v; name {
				case "w":
					local[name] = w
				case "u":
					args[name] = v
				}
			}
			want, err := f.Call(ctx, local)
			if err != nil {
				t.Fatalf("%s: %v", p.name, err)
			}
			for link, file := range links {
				t.Run(fmt.Sprintf("%s, %d nodes, %s", p.name, nodes, link), func(t *testing.T) {
					rt := godwit.NewRuntime() // which knows nothing of other calls
					defer rt.Close()
					opts := []godwit.Option{godwit.WithCluster(c), godwit.WithPrediction(file), godwit.WithThreads(2), godwit.WithRuntime(rt)}
					said, err := f.Predict(ctx, args, opts...)
					if err != nil {
						t.Fatal(err)
					}
					r, err := f.Call(ctx, args, opts...)
					if err != nil {
						t.Fatal(err)
					}
					if string(r.JSON()) != string(want.JSON()) {
						t.Errorf("another result than on one machine")
					}
					st := r.Stats()
					sums(t, said)
					if n := said.Plan.Number; n > 0 && link != "as measured" {
						if c := said.Plan.Candidates[n-1].Predicted; c == nil || math.Abs(c.P50/said.Predicted.P50-1) > 0.01 {
							t.Errorf("%+v is expected of the plan that is chosen, and %+v of the call", c, said.Predicted)
						}
					}
					if asked := st.Predicted.AtLeast != nil; asked != (said.Predicted.AtLeast != nil) {
						t.Errorf("data decides: %v while it runs, %v beforehand", asked, !asked)
					}
					if p.open && said.Predicted.AtLeast == nil {
						t.Errorf("nothing is said of what data decides")
					}
					for i, s := range st.Plan.Steps {
						e := said.Plan.Steps[i].Predicted
						if e == nil || s.Predicted == nil {
							t.Fatalf("nothing is expected of %s", s.Label)
						}
						if gone[s.Way]++; s.Runs > 0 && !went(s.Way, e) {
							t.Errorf("%s went %q, and was expected to go %q (%+v)\n%v", s.Label, s.Way, e.Way, e.Ways, st.Places)
						}
						if e.Way != s.Predicted.Way && link != "as measured" {
							t.Errorf("%s is said to go %q, and when it ran %q", s.Label, e.Way, s.Predicted.Way)
						}
					}
					t.Logf("expected %.3g s (%.3g to %.3g), took %.3g", said.Predicted.P50, said.Predicted.P10, said.Predicted.P90, st.Seconds)
				})
			}
		}
	}
	for _, way := range []godwit.Strategy{"", godwit.Fetch, godwit.Ship, godwit.Gather} {
		if gone[way] == 0 {
			t.Errorf("no step went %q", way)
		}
	}
}

// went reports that a step may go a way by what is expected of it. Where data decides how much there is for it, one of two ways.
func went(way godwit.Strategy, e *godwit.Prediction) bool {
	return way == e.Way || e.AtLeast != nil && (way == e.AtLeast.Way || way == e.AtMost.Way)
}

// sums checks that what is expected of a call is what is expected of its steps, and a little.
func sums(t *testing.T, s *godwit.Stats) {
	t.Helper()
	steps, least := 0.0, 0.0
	for _, st := range s.Plan.Steps {
		steps += st.Predicted.P50
		if p := st.Predicted; !(p.P10 <= p.P50*1.0001 && p.P50 <= p.P90*1.0001) {
			t.Errorf("%s: %+v", st.Label, p)
		}
		if a := st.Predicted.AtLeast; a != nil {
			least += a.P50
		}
	}
	p := s.Predicted
	if p.P50 < steps*0.9999 || p.P50 > steps+0.2 {
		t.Errorf("expected %v of the whole, and %v of its steps", p.P50, steps)
	}
	if a := p.AtLeast; a != nil && (p.P10 > a.P50*1.0001 || p.P90 < p.AtMost.P50*0.9999 || a.P50 < least*0.9999) {
		t.Errorf("%v to %v, where data may decide for %v and %v", p.P10, p.P90, a.P50, p.AtMost.P50)
	}
}

// TestFilterAhead: of a filter whose rows come here because that takes less, the other way is named with its time, and not called impossible.
func TestFilterAhead(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	v := make([]float64, 40_000)
	for i := range v {
		v[i] = float64(i % 1000)
	}
	made, err := fn(t, "fn f(v: &[f64; N]) -> [f64; N] where N: Range<0, 1_000_000> { v.map(|x| x + 0.0) }").Call(context.Background(), godwit.Args{"v": v})
	if err != nil {
		t.Fatal(err)
	}
	if err := made.WriteFile(filepath.Join(dir, "v.npy")); err != nil {
		t.Fatal(err)
	}
	c := started(t, 2)
	stored(t, c, filepath.Join(dir, "v.npy"), "v", godwit.LoadOptions{Shards: 2})
	m := *machine.Default()
	m.Link = machine.Link{RoundTrip: machine.Exactly(1e6), Byte: machine.Exactly(0.001), Parcel: machine.Exactly(1e5)}
	file := filepath.Join(dir, "m.toml")
	if err := m.Save(file); err != nil {
		t.Fatal(err)
	}
	f := fn(t, "fn f(v: &[f64; N]) -> [f64; ?K <= N] where N: Range<0, 1_000_000> { v.filter(|x| x > 500.0) }")
	rt := godwit.NewRuntime()
	defer rt.Close()
	s, err := f.Predict(context.Background(), godwit.Args{"v": godwit.DataSet("v")}, godwit.WithCluster(c), godwit.WithPrediction(file), godwit.WithRuntime(rt), godwit.WithWhyNot("ship"))
	if err != nil {
		t.Fatal(err)
	}
	fetched, names := 0, map[string]bool{}
	for _, st := range s.Plan.Steps {
		names[st.Label] = true
		if p := st.Predicted; p != nil && p.Way == godwit.Fetch {
			if fetched++; p.Only != "" || p.Ways[godwit.Ship] < p.Ways[godwit.Fetch] || len(p.Ways) < 2 {
				t.Errorf("%s is fetched: %+v", st.Label, p)
			}
		}
	}
	if fetched == 0 {
		t.Errorf("no rows come here: %+v", s.Plan.Steps)
	}
	for _, w := range s.Plan.WhyNotSteps {
		if !names[w.Step] || w.Reason != "" {
			t.Errorf("a reason for %q, which is no step, or for what can be: %+v", w.Step, w)
		}
	}
}
