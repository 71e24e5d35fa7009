package plan_test

import (
	"testing"

	"github.com/godwit-run/godwit/internal/plan"
)

// TestPeak: arrays count while they are there, inputs only if they cannot pass by.
func TestPeak(t *testing.T) {
	const n = 100_000
	for _, c := range []struct {
		source      string
		least, most float64
		name        string
	}{
		{"fn f(x: &[f64; N]) -> f64 " + ranged + " { x.map(|v| v * 2.0).sum() }", 0, 4 * n, ""},
		{"fn f(x: &[f64; N]) -> [f64; N] " + ranged + " { x.map(|v| v * 2.0) }", 8 * n, 8*n + 4096, ""},
		{"fn f(x: &[f64; N]) -> [f64; N] " + ranged + " { x.map(|v| x[(v as i64).clamp_idx()]) }", 16 * n, 16*n + 4096, ""},
		// Four arrays are stored one after the other, and each reads only the one before.
		{"fn f(x: &[f64; N]) -> [f64; N] " + ranged + " { let a = x.sort(); let b = a.reverse().scan(0.0, |s, v| s + v); let c = b.sort(); c.reverse().scan(0.0, |s, v| s + v) }", 16 * n, 16*n + 4096, ""},
		{"fn f(x: &[f64; N]) -> [f64; ?M <= N] " + ranged + " { x.filter(|v| v > 1.0) }", 8 * n, 20 * n, ""},
	} {
		p := bound(t, c.source, n)
		if got := plan.LivesOf(p.Schedule).Peak(p.Inputs.Sizes, nil); got.Bytes < c.least || got.Bytes > c.most || got.Of > got.Bytes || got.Bytes > 0 && got.Most == "" {
			t.Errorf("%s: %+v, expected %v to %v", c.source, got, c.least, c.most)
		}
	}
}
