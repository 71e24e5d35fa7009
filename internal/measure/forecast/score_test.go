package forecast

import (
	"math"
	"strings"
	"testing"
)

func call(program string, took, said float64) *Call {
	return &Call{Program: program, Kind: "maps", Cold: &Said{P10: said / 2, P50: said, P90: 2 * said}, Times: []float64{took, took, 10 * took}, Again: []float64{took}}
}

// Figures weigh by program, say both errors, and count single runs.
func TestSum(t *testing.T) {
	calls := []*Call{call("a", 1, 1), call("a", 1, 1), call("a", 1, 1), call("b", 1, 3), call("c", 1, 0.25)}
	f := Sum("all", calls, func(c *Call) *Said { return c.Cold })
	if f.Programs != 3 || f.Calls != 5 || f.Median != 2 || f.P90 != 3 || f.OffMedian != 0.75 || f.OffP90 != 2 {
		t.Errorf("%+v", f)
	}
	if want := (2.0/3 + 0 + 0) / 3; math.Abs(f.Inside-want) > 1e-9 {
		t.Errorf("%v lie inside, expected %v", f.Inside, want)
	}
	if f := Sum("none", calls, func(*Call) *Said { return nil }); f.Calls != 0 || f.Programs != 0 {
		t.Errorf("%+v", f)
	}
	if f := Sum("floor", calls, Floor); f.P90 != 0 {
		t.Errorf("the same call again is off: %+v", f)
	}
}

func TestRegret(t *testing.T) {
	r := Regret([]Choice{{Program: "a", Auto: 1, Best: 1}, {Program: "a", Auto: 3, Best: 1, N: 7}, {Program: "b", Auto: 1, Best: 2}})
	if r.Calls != 3 || r.Worst != 2 || r.Of != "a" || r.N != 7 || math.Abs(r.Mean-0.25) > 1e-9 {
		t.Errorf("%+v", r)
	}
}

// The report has both halves, and fits on a screen.
func TestReport(t *testing.T) {
	held := call("b", 1, 3)
	held.Held = true
	short := call("c", Short/10, 1)
	loops := call("d", 1, 1)
	loops.Ends = true
	r := &Report{Calls: []*Call{call("a", 1, 1), held, short, loops}, Choices: []Choice{{Program: "a", Auto: 1.5, Best: 1}}}
	r.Sum()
	text := r.Text()
	for _, want := range []string{"4 programs, of which 1 were held out", "cold, held out", "cold, tuned on", "cold, loops that data ends", "cold, below 100 µs", "floor", "maps", "50.0 % longer"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "\n"); n > 40 {
		t.Errorf("%d lines", n)
	}
	if r.Figures[0].Median != 2 || r.Figures[1].Median != 0 || r.Figures[0].Calls != 1 || r.Figures[1].Calls != 1 {
		t.Errorf("%+v", r.Figures)
	}
}
