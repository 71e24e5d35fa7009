package plan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

const (
	follows = "fn f(x: &[f64; N]) -> f64 " + ranged + " { let mut at = 0; let mut s = 0.0; for _ in 0..1000 { s += x[at.clamp_idx()]; at = (at *% 1103515245 +% 12345) & 0xFF_FFFF; } s }"
	passes  = "fn f(x: &[f64; N]) -> f64 " + ranged + " { x.sum() }"
)

// expected is what one step of a program takes.
func expected(t *testing.T, source string, n int64, opt plan.Options) (*plan.Prediction, plan.Step) {
	t.Helper()
	p := bound(t, source, int(n))
	opt.Machine, opt.Threads = machine.Default(), 2
	out, err := plan.Predict(p.Schedule, p.Inputs.Sizes, opt)
	if err != nil {
		t.Fatal(err)
	}
	return out, out.Steps[0]
}

// What is needed as a whole beyond the bytes that WebAssembly reaches is interpreted, unless there is native code; what passes by is not.
func TestInterpreted(t *testing.T) {
	const reach = 1 << 20
	for _, c := range []struct {
		source, engine string
		n              int64
		interpreted    bool
	}{
		{follows, "wasm", reach/8 - 8, false}, {follows, "wasm", reach/8 + 1, true}, {follows, "native", reach, false}, {follows, "auto", reach, false}, {passes, "wasm", reach, false},
	} {
		out, step := expected(t, c.source, c.n, plan.Options{Engine: c.engine, Reach: reach})
		if got := strings.HasPrefix(step.Most, "interpreting"); c.engine != "auto" && got != c.interpreted || c.engine == "auto" && out.Engine == "wasm" && !got {
			t.Errorf("%d elements of %q on %s: %q", c.n, c.source, c.engine, step.Most)
		}
	}
	_, short := expected(t, follows, 1<<22, plan.Options{Engine: "wasm"})
	_, long := expected(t, follows, 1<<22, plan.Options{Engine: "wasm", Reach: reach})
	if long.Time.P50 <= short.Time.P50 {
		t.Errorf("interpreted it takes %v, and %v else", long.Time.P50, short.Time.P50)
	}
	out, _ := expected(t, "fn f(x: &[f64; N]) -> f64 "+ranged+" { let n = x.map(|v| v * 0.5).sum(); (0..N).map(|i| x[i] * n + x[(i *% 7919).clamp_idx()]).sum() }", 1<<22, plan.Options{Engine: "wasm", Reach: reach})
	for _, lanes := range out.Steps { // what code computes in lanes takes an interpreter a time, too
		if !(lanes.Time.P50 > 0 && lanes.Time.P50 < 1e12) {
			t.Errorf("%s takes %v", lanes.Most, lanes.Time)
		}
	}
	if !slices.ContainsFunc(out.Steps, func(s plan.Step) bool { return strings.HasPrefix(s.Most, "interpreting") }) {
		t.Errorf("nothing is interpreted of %+v", out.Steps)
	}
}

// A file that is read here and there adds the pages that are mapped, and its indices are compared with their bound once.
func TestFilesHereAndThere(t *testing.T) {
	inFile := plan.Options{Engine: "native", Places: func(*schedule.Input) cost.Place { return cost.File }}
	_, memory := expected(t, follows, 1<<22, plan.Options{Engine: "native"})
	_, file := expected(t, follows, 1<<22, inFile)
	if memory.Parts.Mapped != 0 || file.Parts.Mapped <= 0 || file.Parts.Looked != 0 || file.Time.P50 <= memory.Time.P50 {
		t.Errorf("in memory %+v, in a file %+v", memory.Parts, file.Parts)
	}
	if _, by := expected(t, passes, 1<<22, inFile); by.Parts.Mapped != 0 || by.Parts.Looked != 0 {
		t.Errorf("of a file that passes by: %+v", by.Parts)
	}
}
