package godwit_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/godwit-run/godwit"
)

// TestAnalyzedAgain: whichever schedule a call goes by, of those that threads share and those that one carries out, each of its steps has what was
// expected of it, every time; and what is expected of the call is what is listed of its plan.
func TestAnalyzedAgain(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	f := fn(t, "fn f(x: &[f64; N]) -> [f64; ?K <= N] where N: Range<1, 1_000_000_000> { x.filter(|e| e > 0.25).map(|e| e * 2.0).sort() }")
	x := make([]float64, 300_000)
	for i := range x {
		x[i] = float64(i*7919%len(x)) / float64(len(x))
	}
	rt := godwit.NewRuntime(godwit.WithCompiler(filepath.Join(t.TempDir(), "native"), "no such program"))
	defer rt.Close()
	for i := range 57 {
		res, err := f.Call(context.Background(), godwit.Args{"x": x}, godwit.WithRuntime(rt), godwit.WithThreads(2), godwit.WithPrediction(""))
		if err != nil {
			t.Fatal(err)
		}
		s := res.Stats()
		sum := 0.0
		for _, st := range s.Plan.Steps {
			if st.Predicted == nil {
				t.Fatalf("call %d: nothing was expected of `%s`, of %d steps", i, st.Label, len(s.Plan.Steps))
			}
			sum += st.Predicted.P50
		}
		if sum <= 0 || sum > 1.000001*s.Predicted.P50 { // besides the steps there is what the call itself takes
			t.Errorf("call %d: %v is expected of the steps, %v of all", i, sum, s.Predicted.P50)
		}
		if i%5 != 1 {
			continue // a table by size takes a while
		}
		p, err := f.Predict(context.Background(), godwit.Args{"x": x}, godwit.WithRuntime(rt), godwit.WithThreads(2))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range p.Plan.Candidates {
			if c.Chosen != (c.Number == p.Plan.Number) || c.Chosen && c.Predicted.P50 != p.Predicted.P50 {
				t.Errorf("call %d: plan %d takes %v (chosen: %v), and plan %d, which takes %v, is shown", i, c.Number, c.Predicted.P50, c.Chosen, p.Plan.Number, p.Predicted.P50)
			}
		}
		one, err := f.Predict(context.Background(), godwit.Args{"x": x}, godwit.WithRuntime(rt), godwit.WithThreads(1))
		if err != nil || p.Predicted.P50 > 1.000001*one.Predicted.P50 {
			t.Errorf("call %d: %v with two threads, %v with one (%v)", i, p.Predicted.P50, one.Predicted.P50, err)
		}
		// Both ways have had two turns by then, after 4 runs of one, and after 8, and some that were interpreted; beside other work
		// a way may seem slow, and the other's turn come later.
		if i > 15 && p.Predicted.Kind == "warm" {
			return
		}
	}
	t.Error("nothing is remembered after so many calls that are alike")
}
