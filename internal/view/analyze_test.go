package view

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
)

// TestAnalyze: what was expected stands beside what was measured, loops are indented, and the step that was off by most is named.
func TestAnalyze(t *testing.T) {
	expect := func(s float64) *godwit.Prediction {
		return &godwit.Prediction{P10: s / 2, P50: s, P90: s * 2, Most: "memory in order", Machine: "m", Measured: "2026-01-01T00:00:00Z"}
	}
	s := &godwit.Stats{Seconds: 0.5, Threads: 2, Predicted: expect(0.1), Plan: godwit.Plan{Steps: []godwit.Step{
		{Label: "map:1", Tier: "wasm", Runs: 1, Slices: 3, Threads: 2, Seconds: 0.01, Predicted: expect(0.01)},
		{Label: "sum:2", Tier: "native", Runs: 8, Slices: 8, Native: 8, Threads: 1, Depth: 1, Seconds: 0.4, Predicted: expect(0.05)},
	}}}
	got := Analyze(s)
	for _, want := range []string{"    sum:2", "50ms", "(25ms to 100ms)", "400ms", "8.00, outside", "Off most: sum:2 took 350ms longer than expected; most of its time was to go to memory in order."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	s.Plan.Steps[1].Seconds = 0.06
	if got = Analyze(s); !strings.Contains(got, "Every step took a time within its interval.") {
		t.Error(got)
	}
	s.Plan.Steps[0].Seconds = 0.001
	if got = Analyze(s); !strings.Contains(got, "Off most: map:1 took 9ms less than expected.") {
		t.Error(got)
	}
	for i := range s.Plan.Steps {
		s.Plan.Steps[i].Predicted = nil
	}
	if got = Analyze(s); !strings.Contains(got, "Other steps were expected") {
		t.Error(got)
	}
	if got = Analyze(&godwit.Stats{Engine: "interp"}); !strings.Contains(got, "Nothing was expected: the interpreter is not measured.") {
		t.Error(got)
	}
}
