package view

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
)

// sample is a call with two plans, of which the second is taken for many elements.
func sample() *godwit.Stats {
	expect := func(s float64) *godwit.Prediction {
		return &godwit.Prediction{P10: s / 2, P50: s, P90: s * 2, Most: "operations", Engine: "wasm", Machine: "m"}
	}
	return &godwit.Stats{Predicted: expect(1), Threads: 2, Plan: godwit.Plan{
		Sizes: map[string]int64{"N": 7}, Number: 1, Steps: []godwit.Step{{Label: "map:1", Predicted: expect(0.25)}, {Label: "sum:2", Predicted: expect(0.75)}},
		Candidates: []godwit.Candidate{{Number: 1, Engine: "wasm", Threads: 1, Predicted: expect(1), Chosen: true}, {Number: 2, Engine: "native", Threads: 2, Predicted: expect(3)}},
		By: &godwit.BySize{Name: "N", Rows: []godwit.Way{{From: 1, Engine: "wasm", Threads: 1, Seconds: 1e-3, Number: 1}, {From: 4000, Engine: "native", Threads: 2, Seconds: 2e-3, Number: 2}},
			Curves: []godwit.Curve{{Number: 1, Engine: "wasm", Threads: 1, Sizes: []int64{1, 4000, 1e9}, Seconds: []float64{1e-3, 2e-3, 7}}, {Number: 2, Engine: "native", Threads: 2, Sizes: []int64{1, 4000, 1e9}, Seconds: []float64{2e-3, 2e-3, 3e-3}}}},
		WhyNot: &godwit.WhyNot{Strategy: "native", Predicted: expect(3), Least: expect(1), Changes: []godwit.Change{{What: "N", Now: 7, Needs: 4000}, {What: "calls", Now: 1, Needs: 12}, {What: "[engine.native] compile_ns", Now: 7e6, Needs: 500}}}}}
}

// TestPlan: the plan in words, its rivals, the plan by size, each row up to where the next one begins, and what the time is made of.
func TestPlan(t *testing.T) {
	var b strings.Builder
	if err := Plan(&b, sample(), Style{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Plan 1 of 2: WebAssembly on 1 thread\n", "1s expected (500ms to 2s)", "  1  WebAssembly on 1 thread   1s  (500ms to 2s)  chosen", "  2  native code on 2 threads  3s",
		"Plan by N (here 7)", "from 1 to 3999", "from 4000 on    plan 2  native code on 2 threads  2ms at first", "sum:2  750ms", "Why not native",
		"It would take 3s (1.5s to 6s), where what was chosen takes 1s", "It would be chosen for N from 4000 on (now 7).", "for 12 such calls", "with [engine.native] compile_ns up to 500 (now 7000000, which is 7ms)."} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	if strings.Index(b.String(), "sum:2") > strings.Index(b.String(), "map:1") {
		t.Error("the longest step is not the first")
	}
	if n := strings.Count(b.String(), "\n"); n > 40 {
		t.Errorf("%d lines are more than a screen", n)
	}
	b.Reset()
	if err := Plan(&b, nil, Style{}); err != nil || b.Len() > 0 {
		t.Errorf("%v, %q of nothing", err, b.String())
	}
	for want, w := range map[string]*godwit.WhyNot{
		"That is what is chosen.":                      {Strategy: "wasm", Chosen: true},
		"The sky is blue.":                             {Strategy: "windows", Reason: "the sky is blue"},
		"No other way to the nodes would change that":  {Strategy: "fetch", Step: "sum:1", Predicted: &godwit.Prediction{P50: 2}, Least: &godwit.Prediction{P50: 1}},
		"Nothing that was looked at would change that": {Strategy: "wasm", Predicted: &godwit.Prediction{P50: 2}, Least: &godwit.Prediction{P50: 1}},
	} {
		if got := WhyNot(&godwit.Stats{Plan: godwit.Plan{WhyNot: w}}); !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}

// TestManySteps: of many steps the longest are listed, and the others added up.
func TestManySteps(t *testing.T) {
	s := sample()
	for range 20 {
		s.Plan.Steps = append(s.Plan.Steps, godwit.Step{Label: "short", Predicted: &godwit.Prediction{P50: 0.001}})
	}
	var b strings.Builder
	if err := Plan(&b, s, Style{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "14 shorter steps, 14ms together") {
		t.Error(b.String())
	}
}

// TestLeftOut: where no table was made it is said why.
func TestLeftOut(t *testing.T) {
	s := sample()
	s.Plan.By = &godwit.BySize{Name: "N", LeftOut: "one size takes 40ms to predict"}
	var b strings.Builder
	if err := Plan(&b, s, Style{}); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "Left out: one size takes 40ms to predict.") || strings.Contains(text, "from 1 to") {
		t.Error(text)
	}
}

// TestCurves: the drawing is well-formed, has one line a plan within its frame, and marks where the plan changes.
func TestCurves(t *testing.T) {
	text := Curves(sample().Plan.By, 7)
	counts := map[string]int{}
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range e.Attr {
			if a.Name.Local == "class" {
				counts[a.Value]++
			}
			if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
				t.Errorf("%s has %s", e.Name.Local, a.Value)
			}
		}
	}
	if counts["plan"] != 2 || counts["breakpoint"] != 1 {
		t.Errorf("%v", counts)
	}
	for _, want := range []string{"from 4000 on plan 2, native code on 2 threads", "here 7", "prefers-color-scheme:dark", ">1e9<", ">1 s<"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	// a size that has one value
	if text = Curves(&godwit.BySize{Name: "a<b", Curves: []godwit.Curve{{Sizes: []int64{1}, Seconds: []float64{1}}}}, 0); strings.Contains(text, "NaN") || !strings.Contains(text, "a&lt;b") {
		t.Error(text)
	}
}
