package godwit_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
)

// TestPlans: each plan gives the same bits and says that it was it; the best is among them.
func TestPlans(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	ctx := context.Background()
	f := fn(t, "fn f(x: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> { x.map(|v| v.exp().sin()).sum() }")
	x := make([]float64, 200_000)
	for i := range x {
		x[i] = float64(i%1000) / 100
	}
	args := godwit.Args{"x": x}
	s, err := f.Predict(ctx, args, godwit.WithThreads(2))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Plan.Candidates) != 2 || s.Plan.Number != 2 || !s.Plan.Candidates[1].Chosen || len(s.Plan.By.Curves) != 2 || s.Plan.By.Rows[0].Number != 1 {
		t.Errorf("%+v, %+v", s.Plan.Candidates, s.Plan.By)
	}
	want, err := f.Call(ctx, args)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Plan.Candidates {
		res, err := f.Call(ctx, args, godwit.WithThreads(2), godwit.WithPlan(c.Number), godwit.WithPrediction(""))
		if err != nil {
			t.Fatal(err)
		}
		st := res.Stats()
		most := 0
		for _, step := range st.Plan.Steps {
			most = max(most, step.Threads)
		}
		if res.String() != want.String() || st.Plan.Number != c.Number || most != c.Threads || st.Predicted == nil || st.Predicted.Kind == "cold" && st.Predicted.P50 > 2*c.Predicted.P50 {
			t.Errorf("plan %d: %s on %d threads, number %d, %+v; expected %s on %d, %+v", c.Number, res, most, st.Plan.Number, st.Predicted, want, c.Threads, c.Predicted)
		}
	}
	// what is little has all threads if a plan says so
	few, err := f.Call(ctx, godwit.Args{"x": x[:20_000]}, godwit.WithThreads(2), godwit.WithPlan(2), godwit.WithPrediction(""))
	if err != nil || few.Stats().Plan.Number != 2 {
		t.Errorf("%+v, %v", few.Stats().Plan, err)
	}
	for _, k := range []int{0, -1, 3} {
		var input *godwit.InputError
		if _, err := f.Call(ctx, args, godwit.WithThreads(2), godwit.WithPlan(k)); !errors.As(err, &input) || !strings.Contains(err.Error(), "1 is WebAssembly on 1 thread, 2 is WebAssembly on 2 threads") {
			t.Errorf("plan %d: %v", k, err)
		}
	}
	if _, err := f.Call(ctx, args, godwit.WithEngine("interp"), godwit.WithPlan(1)); err == nil {
		t.Error("the interpreter has plans")
	}
	rt := godwit.NewRuntime() // which knows of no earlier run
	defer rt.Close()
	res, err := f.Call(ctx, args, godwit.WithThreads(2), godwit.WithWhyNot("alone"), godwit.WithRuntime(rt))
	if err != nil {
		t.Fatal(err)
	}
	if w := res.Stats().Plan.WhyNot; w == nil || w.Chosen || len(w.Changes) == 0 || w.Predicted.P50 < w.Least.P50 {
		t.Errorf("%+v", w)
	}
	for _, name := range []string{"quick", "ship"} {
		if _, err := f.Call(ctx, args, godwit.WithWhyNot(name)); err == nil || !strings.Contains(err.Error(), "windows") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPlanShares: by a plan of two threads they share a sort, and what is expected of its steps is said beside what those took that ran.
func TestPlanShares(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	f := fn(t, "fn f(x: &[f64; N]) -> [f64; N] where N: Range<1, 1_000_000_000> { x.sort() }")
	x := make([]float64, 20_000)
	for i := range x {
		x[i] = float64(i * 7919 % 20_011)
	}
	for k, merges := range map[int]bool{1: false, 2: true} {
		opts := []godwit.Option{godwit.WithThreads(2), godwit.WithPlan(k), godwit.WithPrediction("")}
		res, err := f.Call(context.Background(), godwit.Args{"x": x}, opts...)
		if err != nil {
			t.Fatal(err)
		}
		merged := false
		for _, step := range res.Stats().Plan.Steps {
			merged = merged || strings.HasPrefix(step.Label, "merge into")
			if step.Predicted == nil {
				t.Errorf("plan %d: nothing is expected of `%s`", k, step.Label)
			}
		}
		if merged != merges {
			t.Errorf("plan %d: threads share the sort: %v", k, merged)
		}
	}
}

// TestEnsured: a bound on memory is kept or is an error; one on time is said to hold or not, with what takes the time.
func TestEnsured(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	ctx := context.Background()
	f := fn(t, "fn f(x: &[f64; N]) -> [f64; N] where N: Range<1, 1_000_000_000> ensures time <= 0.5 s, mem <= 1 MB { x.map(|v| v.exp()) }")
	res, err := f.Call(ctx, godwit.Args{"x": make([]float64, 1000)})
	if err != nil {
		t.Fatal(err)
	}
	if list := res.Stats().Ensured; len(list) != 2 || !list[0].Holds || !list[1].Holds || list[0].Bound != 0.5 || list[1].Bound != 1e6 || list[1].Expected < 8000 || list[0].Warning() != "" {
		t.Errorf("%+v", list)
	}
	var input *godwit.InputError
	if _, err := f.Call(ctx, godwit.Args{"x": make([]float64, 200_000)}); !errors.As(err, &input) || !strings.Contains(err.Error(), "`mem <= 1 MB` does not hold") || !strings.Contains(err.Error(), "1600000 bytes for") {
		t.Errorf("%v", err)
	}
	slow := fn(t, "fn f(x: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> ensures time <= N { x.map(|v| v.exp().sin()).sum() }")
	s, err := slow.Predict(ctx, godwit.Args{"x": make([]float64, 100)})
	if err != nil {
		t.Fatal(err)
	}
	if list := s.Ensured; len(list) != 1 || list[0].Holds || list[0].Bound != 1e-7 || list[0].Most == "" || !strings.Contains(list[0].Warning(), "`time <= N` is not expected to hold") {
		t.Errorf("%+v", list)
	}
}

// TestWays: over a data set the ways are the plans, and nothing runs for their times.
func TestWays(t *testing.T) {
	ctx, c := context.Background(), started(t, 2)
	file := filepath.Join(t.TempDir(), "v.npy")
	res, err := fn(t, "fn f(x: &[f64; N]) -> [f64; N] { x.map(|v| v + 1.0) }").Call(ctx, godwit.Args{"x": make([]float64, 100_000)})
	if err == nil {
		err = res.WriteFile(file)
	}
	if err != nil {
		t.Fatal(err)
	}
	stored(t, c, file, "v", godwit.LoadOptions{})
	f := fn(t, "fn f(v: &[f64; N]) -> f64 { v.sum() }")
	args := godwit.Args{"v": godwit.Text("@v")}
	s, err := f.Predict(ctx, args, godwit.WithCluster(c), godwit.WithWhyNot("fetch"))
	if err != nil {
		t.Fatal(err)
	}
	list := s.Plan.Candidates
	if len(list) != 3 || list[0].Strategy != godwit.Fetch || list[1].Strategy != godwit.Ship || list[0].Predicted == nil || list[1].Predicted == nil || list[2].Predicted != nil ||
		s.Plan.Number < 1 || s.Plan.Number > 2 || !list[s.Plan.Number-1].Chosen || s.Predicted == nil || len(s.Plan.WhyNotSteps) != 1 {
		t.Errorf("%+v", s.Plan)
	}
	for k, want := range map[int]string{1: "rows are fetched", 2: "beside 2 shards of @v"} {
		res, err := f.Call(ctx, args, godwit.WithCluster(c), godwit.WithPlan(k))
		if err != nil {
			t.Fatal(err)
		}
		if st := res.Stats(); st.Plan.Number != k || !strings.Contains(strings.Join(st.Places, ";"), want) {
			t.Errorf("plan %d: %+v", k, st)
		}
	}
	res, err = f.Call(ctx, args, godwit.WithCluster(c)) // may go another way than was said: the link was measured meanwhile
	if err != nil {
		t.Fatal(err)
	}
	went := map[int]string{1: "rows are fetched", 2: "beside 2 shards of @v"}[res.Stats().Plan.Number]
	if went == "" || !strings.Contains(strings.Join(res.Stats().Places, ";"), went) {
		t.Errorf("%+v", res.Stats())
	}
	if _, err := f.Call(ctx, args, godwit.WithCluster(c), godwit.WithPlan(4)); err == nil || !strings.Contains(err.Error(), "1 is fetch, 2 is ship, 3 is gather") {
		t.Errorf("%v", err)
	}
	if _, err := f.Predict(ctx, args, godwit.WithCluster(c), godwit.WithWhyNot("native")); err == nil || !strings.Contains(err.Error(), "fetch, ship, gather") {
		t.Errorf("%v", err)
	}
}

// TestEnsuredLine: a bound on memory that does not hold names the line that makes the largest array, where that has no name.
func TestEnsuredLine(t *testing.T) {
	for src, want := range map[string]string{
		"fn f(v: &[f32; N]) -> f64 ensures mem <= 100\n{\n    let mut s = [0.0; N];\n    for t in 0..3 {\n        let mut out = [0.0; N];\n        for i in 0..N { out[i] = s[i] * 0.5 + v[i] as f64; }\n        s = out;\n    }\n    s.sum()\n}": "bytes for what line 4 computes: `for t in 0..3 {`",
		"fn f(v: &[f32; N]) -> f64 where N >= 1 ensures mem <= 100 {\n    v.map(|e| e as f64 * 2.0).sort()[0]\n}":                                                                                                                                 "bytes for what line 2 computes: `v.map(|e| e as f64 * 2.0).sort()[0]`",
		"fn f(v: &[f32; N]) -> f64 where N >= 1 ensures mem <= 100 {\n    let sorted = v.map(|e| e as f64).sort();\n    sorted[0]\n}":                                                                                                             "bytes for `sorted`",
	} {
		_, err := fn(t, src).Call(t.Context(), godwit.Args{"v": make([]float32, 200)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
}
