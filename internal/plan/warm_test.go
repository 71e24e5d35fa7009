package plan

import (
	"math"
	"testing"

	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// A time that was seen is expected again; between two the factor lies between theirs; beyond the last it stays, and the interval grows
// with the way there.
func TestWarmer(t *testing.T) {
	e := &machine.Engine{Error: 4}
	past := []ratio{{at: 8000, log: math.Log(0.5)}, {at: 1000, log: math.Log(2)}, {at: 3000, log: math.NaN()}, {log: 1}}
	at := func(x float64) machine.Spread {
		got, ok := warmer(e, machine.Spread{P10: x / 4, P50: x, P90: 4 * x}, append([]ratio(nil), past...))
		if !ok || !(got.P10 < got.P50 && got.P50 < got.P90) {
			t.Fatalf("%v: %v, %v", x, got, ok)
		}
		return got
	}
	for x, want := range map[float64]float64{1000: 2, 8000: 0.5, 500: 2, 16000: 0.5, 1000 * math.Sqrt(8): 1} {
		if got := at(x).P50 / x; math.Abs(got-want) > 1e-9 {
			t.Errorf("%v takes %v times as long, expected %v", x, got, want)
		}
	}
	width := 0.0
	for _, x := range []float64{8000, 10_000, 16_000, 32_000, 64_000} {
		s := at(x)
		if w := s.P90 / s.P10; w <= width || w >= 16 {
			t.Errorf("at %v the interval is %v wide, before it was %v, and 16 where nothing was seen", x, w, width)
		} else {
			width = w
		}
	}
	cold := machine.Exactly(7)
	if got, ok := warmer(e, cold, nil); ok || got != cold {
		t.Errorf("nothing was seen: %v, %v", got, ok)
	}
	if _, ok := warmer(e, machine.Spread{}, past); ok {
		t.Error("a time of nothing cannot be scaled")
	}
}

// TestWarmerFar: a run of next to nothing, which took many times as long as its code says, makes long ones hardly longer.
func TestWarmerFar(t *testing.T) {
	e := &machine.Engine{Error: 2}
	past := func() []ratio { return []ratio{{at: 6000, log: math.Log(15)}} }
	for x, most := range map[float64]float64{6000: 15.01, 48000: 15.01, 6e6: 2.4, 6e9: 1.6} {
		got, ok := warmer(e, machine.Exactly(x), past())
		if by := got.P50 / x; !ok || by > most || by < 1 {
			t.Errorf("of a run that takes %v it takes %v times as long, expected at most %v", x, by, most)
		}
	}
}

// TestWarmerApart: where runs with the same arguments differed by more than a machine's error, the interval is as wide.
func TestWarmerApart(t *testing.T) {
	e := &machine.Engine{Error: 1.5}
	pt := &seen.Point{Took: []float64{40e6, 100e6, 100e6, 110e6, 300e6}}
	r, ok := against(pt, 50e6)
	got, warm := warmer(e, machine.Exactly(50e6), []ratio{r})
	if !ok || !warm || got.P50 != pt.Middle() || got.P10 > 41e6 || got.P90 < 299e6 {
		t.Errorf("%v, %v: expected 100 ms, from 40 to 300", got, r)
	}
}

// A time that is far off is believed when it was seen three times, one that is not at once.
func TestAgainst(t *testing.T) {
	for _, c := range []struct {
		took []float64
		want bool
	}{{[]float64{15e6}, false}, {[]float64{15e6, 15e6}, false}, {[]float64{15e6, 15e6, 15e6}, true}, {[]float64{20e3}, true}, {[]float64{100}, false}} {
		r, ok := against(&seen.Point{Took: c.took}, 2000)
		if ok != c.want || r.at != 2000 {
			t.Errorf("%v beside 2000: %v, %v", c.took, r, ok)
		}
	}
}
