package godwit_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/godwit-run/godwit"
)

// TestTopKSkims: what passes over dozens of elements by their greatest key finds the best of all, however they lie: in order, turned
// round, equal, with NaN and both zeros, and with as many as fill the dozens, one more and one less.
func TestTopKSkims(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	orders := map[string]func(i, n int) float64{
		"rising":  func(i, _ int) float64 { return float64(i) },
		"falling": func(i, _ int) float64 { return float64(-i) },
		"equal":   func(int, int) float64 { return 1 },
		"random":  func(int, int) float64 { return r.NormFloat64() },
		"few":     func(int, int) float64 { return float64(r.IntN(4)) },
		"odd": func(int, int) float64 {
			return []float64{math.NaN(), math.Copysign(0, -1), 0, math.Inf(-1), 1}[r.IntN(5)]
		},
		"late": func(i, n int) float64 { return float64(i / max(1, n-3)) },
	}
	sources := []string{
		"fn f(x: &[f64; N], y: &[i32; N]) -> [f64; ?K <= 10] { x.top_k::<10>() }",
		"fn f(x: &[f64; N], y: &[i32; N]) -> [i32; ?K <= 3] { y.top_k::<3>(|v| v % 7) }",
		"fn f(x: &[f64; N], y: &[i32; N]) -> [(f64, i32); ?K <= 5] { x.zip(y).top_k::<5>(|(a, b)| a) }",
		"fn f(x: &[f64; N], y: &[i32; N]) -> [f64; ?K <= 4] { x.filter(|v| v > 0.0).top_k::<4>() }",
	}
	for _, src := range sources {
		f := fn(t, src)
		for _, n := range []int{1, 9, 10, 63, 64, 65, 128, 1000, 16_385, 70_000} {
			if n > 1000 && src != sources[0] {
				continue
			}
			for name, at := range orders {
				x, y := make([]float64, n), make([]int32, n)
				for i := range x {
					x[i], y[i] = at(i, n), int32(i)
				}
				args := godwit.Args{"x": x, "y": y}
				want, wrong := f.Call(t.Context(), args, godwit.WithEngine("interp"))
				got, err := f.Call(t.Context(), args)
				if err != nil || wrong != nil {
					t.Fatalf("%s: %v, interpreted %v", src, err, wrong)
				}
				if string(got.JSON()) != string(want.JSON()) {
					t.Errorf("%s of %d, %s: %s, interpreted %s", src, n, name, got.JSON(), want.JSON())
				}
			}
		}
	}
}

// TestNativeTopKSkims is the same of native code.
func TestNativeTopKSkims(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	runtime := natively(t)
	f := fn(t, "fn f(x: &[f64; N]) -> [f64; ?K <= 10] { x.top_k::<10>() }")
	for _, n := range []int{5, 64, 1000, 10_000, 100_000} {
		x := make([]float64, n)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		res, err := f.Call(t.Context(), godwit.Args{"x": x}, godwit.WithRuntime(runtime))
		if err != nil {
			t.Fatal(err)
		}
		got, err := godwit.As[[]float64](res)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(x, func(a, b float64) int { return int(math.Copysign(1, b-a)) })
		equal(t, got, x[:min(n, 10)])
	}
}
