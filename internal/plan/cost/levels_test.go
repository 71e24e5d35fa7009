package cost_test

import (
	"math"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// TestLevels: places that double or halve from turn to turn are told from those that may be anywhere.
func TestLevels(t *testing.T) {
	x, q, at := data.FromSlice(make([]float64, n)), data.FromSlice(make([]float64, 100)), data.FromSlice(make([]uint32, n))
	const sizes = "where N: Range<1, 1_000_000_000>"
	for _, c := range []struct {
		name, source string
		in           []data.Source
		want         bool
	}{
		{"down a heap", "fn f(t: &[f64; N], q: &[f64; M]) -> [i64; M] " + sizes + " { q.map(|e| { let mut at = 0; for _ in 0..24 { at = if t[at.clamp_idx()] < e { 2 * at + 1 } else { 2 * at + 2 }; at = at.min(N - 1); } at }) }", []data.Source{x, q}, true},
		{"half of what is left", "fn f(t: &[f64; N], q: &[f64; M]) -> [i64; M] " + sizes + " { q.map(|e| { let mut lo = 0; let mut hi = N; for _ in 0..30 { let mid = (lo + hi) / 2; if t[mid.clamp_idx()] < e { lo = mid + 1; } else { hi = mid; } } lo }) }", []data.Source{x, q}, true},
		{"by references", "fn f(p: &[idx<N>; N], s: &[idx<N>; M]) -> [idx<N>; M] " + sizes + " { s.map(|a| { let mut at = a; for _ in 0..32 { at = p[at]; } at }) }", []data.Source{at, data.FromSlice(make([]uint32, 100))}, false},
	} {
		m, chased := mix(t, c.source, 32, c.in...), 0
		for _, touch := range m.Touches {
			if touch.Pattern != cost.Chased {
				continue
			}
			if chased++; touch.Levels != c.want {
				t.Errorf("%s: levels %v", c.name, touch.Levels)
			}
		}
		if chased == 0 {
			t.Errorf("%s: nothing is chased: %+v", c.name, m.Touches)
		}
	}
}

// TestChasesAhead: short chases that follow each other overlap, one long one does not, and none beyond what a core waits for at a time.
func TestChasesAhead(t *testing.T) {
	const bytes = 64 << 20
	took := func(outer int64, turns, operations float64, levels bool) float64 {
		m := &cost.Mix{Outer: outer, Regions: []cost.Region{{Elem: 8, Bytes: bytes}},
			Touches: []cost.Touch{{Pattern: cost.Chased, Count: float64(outer) * turns, Levels: levels}}}
		m.Counts[cost.Simple].One = float64(outer) * operations
		return m.On(machine.Default(), "native", 1, nil).Chased / float64(outer) / turns
	}
	alone := took(1, 1000, 10_000, false)
	if long := took(1000, 1000, 10_000, false); math.Abs(long-alone) > 1e-9*alone {
		t.Errorf("long chases take %v a turn, one alone %v", long, alone)
	}
	short := took(1000, 16, 100, false)
	if short >= alone/4 || short < alone/10 {
		t.Errorf("short chases take %v a turn, a long one %v", short, alone)
	}
	if down := took(1, 1000, 10_000, true); down >= alone/2 {
		t.Errorf("down the levels a turn takes %v, anywhere %v", down, alone)
	}
}

// TestFused: a sum of products that rounds once is an operation of its own, which WebAssembly has to make of many.
func TestFused(t *testing.T) {
	x := data.FromSlice(make([]float64, n))
	for name, source := range map[string]string{
		"a map":  "fn f(x: &[f64; N]) -> [f64; N] " + ranged + " { x.map(|v| v * 2.0 + 1.0) }",
		"a fold": "fn f(x: &[f64; N]) -> f64 " + ranged + " { x.fold(0.0, |s, e| s + e * e) }",
	} {
		plain, fused := mix(t, source, 16, x), mix(t, "#[fused] "+source, 16, x)
		near(t, name, 2*fused.Counts[cost.Fused].Vector+fused.Counts[cost.Fused].One, n)
		on := func(m *cost.Mix, engine string) float64 { return m.On(machine.Default(), engine, 1, nil).Core }
		if on(fused, "wasm") < 2*on(plain, "wasm") || on(fused, "native") > 1.5*on(plain, "native") {
			t.Errorf("%s: rounded once %v ns on WebAssembly, else %v; natively %v and %v", name, on(fused, "wasm"), on(plain, "wasm"), on(fused, "native"), on(plain, "native"))
		}
	}
}
