package godwit_test

import (
	"context"
	"testing"

	"github.com/godwit-run/godwit"
)

// BenchmarkCall is whole calls on ten numbers, from Go to Go.
func BenchmarkCall(b *testing.B) {
	for name, src := range map[string]string{
		"sum":     "fn f(x: &[f64; N]) -> f64 { x.sum() }",
		"softmax": "fn f(x: &[f64; N]) -> [f64; N] { x.softmax() }",
	} {
		b.Run(name, func(b *testing.B) {
			f := fn(b, src)
			x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.Call(context.Background(), godwit.Args{"x": x}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
