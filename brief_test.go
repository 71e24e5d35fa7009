package godwit_test

import (
	"testing"

	"github.com/godwit-run/godwit"
)

// TestBriefReductions: reductions over few numbers are one launch, over more one for the leaves and one that joins them, with the
// same bits as the interpreter; what is much work for each number is left to threads.
func TestBriefReductions(t *testing.T) {
	x := make([]float64, 100_000)
	for i := range x {
		x[i] = float64(i*7919%10007)/5000 - 1.1
	}
	for _, c := range []struct {
		src   string
		n     int
		steps int
	}{
		{"fn f(x: &[f64; N]) -> f64 { x.sum() }", 10_000, 1},
		{"fn f(x: &[f64; N]) -> f64 { x.sum() }", 16_384, 1},
		{"fn f(x: &[f64; N]) -> f64 { x.sum() }", 16_385, 2},
		{"fn f(x: &[f64; N]) -> f64 { x.sum() }", 100_000, 2},
		{"fn f(x: &[f64; N]) -> (f64, f64, f64) where N: Range<1, 1_000_000> { (x.min(), x.max(), x.map(|e| e * e).sum()) }", 10_000, 2},
		{"fn f(x: &[f64; N]) -> idx<N> where N: Range<1, 1_000_000> { x.argmax() }", 10_000, 1},
		{"fn f(x: &[f64; N]) -> f64 { x.filter(|e| e > 0.5).map(|e| e * 2.0).max() }", 10_000, 1},
		{"fn f(x: &[f64; N]) -> [f64; ?K <= 10] { x.top_k::<10>() }", 10_000, 1},
		{"fn f(x: &[f64; N]) -> [f64; ?K <= 10] { x.top_k::<10>() }", 16_385, 2},
		{"fn f(x: &[f64; N]) -> [f64; ?K <= 10] { x.top_k::<10>() }", 7, 1},
		{"fn f(x: &[f64; N]) -> f64 { x.map(|e| (0..N).map(|i| i as f64 * e).sum()).sum() }", 500, 2},
	} {
		f := fn(t, c.src)
		args := godwit.Args{"x": x[:c.n]}
		want, wrong := f.Call(t.Context(), args, godwit.WithEngine("interp"))
		got, err := f.Call(t.Context(), args)
		if err != nil || wrong != nil {
			t.Fatalf("%s: %v, interpreted %v", c.src, err, wrong)
		}
		if string(got.JSON()) != string(want.JSON()) {
			t.Errorf("%s of %d: %s, interpreted %s", c.src, c.n, got.JSON(), want.JSON())
		}
		if steps := got.Stats().Plan.Steps; len(steps) != c.steps {
			t.Errorf("%s of %d: %d steps, expected %d: %+v", c.src, c.n, len(steps), c.steps, steps)
		}
	}
}
