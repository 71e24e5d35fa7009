package godwit_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/engine/llvm"
)

// natively is a runtime of native code.
func natively(tb testing.TB) *godwit.Runtime {
	tb.Helper()
	if _, err := llvm.Load(); err != nil {
		tb.Skipf("SKIPPED: no native code: %v", err)
	}
	r := godwit.NewRuntime(godwit.WithCompiler(tb.TempDir(), "/usr/bin/env", compilerChild+"=1", os.Args[0]), godwit.WithEngine("native"))
	tb.Cleanup(func() { _ = r.Close() })
	return r
}

// BenchmarkNativeCall is whole calls on native code by one thread, over 10⁴ numbers, whose results are given back: what is around the
// work counts as much as the work.
func BenchmarkNativeCall(b *testing.B) {
	const rows, columns = 100, 100
	flat, matrix, weights := make([]float64, rows*columns), make([][]float64, rows), make([]float64, columns)
	for i := range flat {
		flat[i] = float64(i*7919%10007)/5000 - 1
	}
	for i := range matrix {
		matrix[i] = flat[i*columns : (i+1)*columns]
	}
	copy(weights, flat)
	index := make([]int64, len(flat))
	for i := range index {
		index[i] = int64(i * 7919 % len(flat))
	}
	r := natively(b)
	for _, c := range []struct{ name, src string }{
		{"sum of ten", "fn f(t: &[f64; N]) -> f64 { t.sum() }"},
		{"sum", "fn f(x: &[f64; N]) -> f64 { x.sum() }"},
		{"dot", "fn f(x: &[f64; N], y: &[f64; N]) -> f64 { x.dot(y) }"},
		{"maximum", "fn f(x: &[f64; N]) -> f64 where N: Range<1, 1_000_000_000> { x.max() }"},
		{"argmax", "fn f(x: &[f64; N]) -> idx<N> where N: Range<1, 1_000_000_000> { x.argmax() }"},
		{"count", "fn f(x: &[f64; N]) -> i64 { x.count(|e| e > 0.5) }"},
		{"add", "fn f(x: &[f64; N], y: &[f64; N]) -> [f64; N] { x + y }"},
		{"take", "fn f(x: &[f64; N], k: &[idx<N>; N]) -> [f64; N] { x.gather(k) }"},
		{"concatenate", "fn f(x: &[f64; N], y: &[f64; N]) -> [f64; N + N] { concat(x, y) }"},
		{"reverse", "fn f(x: &[f64; N]) -> [f64; N] { x.reverse() }"},
		{"transposition", "fn f(m: &[f64; R, C]) -> [f64; C, R] { m.transpose() }"},
		{"sums of columns", "fn f(m: &[f64; R, C]) -> [f64; C] { m.sum() }"},
		{"sums of rows", "fn f(m: &[f64; R, C]) -> [f64; R] { m.map(|e| e.sum()) }"},
		{"matrix times vector", "fn f(m: &[f64; R, C], c: &[f64; C]) -> [f64; R] { m.matmul(c) }"},
	} {
		b.Run(strings.ReplaceAll(c.name, " ", "_"), func(b *testing.B) {
			f := fn(b, c.src)
			args := godwit.Args{}
			for _, name := range f.Params() {
				args[name] = map[string]any{"t": flat[:10], "x": flat, "y": slices.Clone(flat), "k": index, "c": weights}[name]
			}
			if _, ok := args["m"]; ok {
				whole, err := fn(b, "fn f(m: &[f64; R, C]) -> [f64; R, C] { m }").Call(b.Context(), godwit.Args{"m": matrix})
				if err != nil {
					b.Fatal(err)
				}
				args["m"] = whole.Value()
			}
			opts := []godwit.Option{godwit.WithRuntime(r), godwit.WithThreads(1)}
			kernels := math.Inf(1)
			call := func(look bool) {
				res, err := f.Call(b.Context(), args, opts...)
				if err != nil {
					b.Fatal(err)
				}
				if look {
					sum := 0.0
					for _, s := range res.Stats().Plan.Steps {
						sum += s.Seconds
					}
					kernels = min(kernels, sum)
				}
				res.Close()
			}
			for range 1000 {
				call(true)
			}
			b.ReportAllocs()
			least := time.Duration(math.MaxInt64)
			for b.Loop() {
				start := time.Now()
				call(false)
				least = min(least, time.Since(start))
			}
			b.ReportMetric(kernels*1e9, "kernel-ns")
			b.ReportMetric(float64(least), "least-ns")
		})
	}
}

// BenchmarkProduct is whole products of matrices, by one thread and by two.
func BenchmarkProduct(b *testing.B) {
	r := natively(b)
	for _, n := range []int{512, 1024} {
		x := make([]float32, n*n)
		for i := range x {
			x[i] = float32(i*7919%10007)/5000 - 1
		}
		square, err := fn(b, fmt.Sprintf("fn f(x: &[f32; %d]) -> [f32; %d, %d] { x.reshape() }", n*n, n, n)).Call(b.Context(), godwit.Args{"x": x})
		if err != nil {
			b.Fatal(err)
		}
		f := fn(b, "#[fused]\nfn f(x: &[f32; N, K], y: &[f32; K, M]) -> [f32; N, M]\nwhere N: Range<1, 100_000>, K: Range<1, 100_000>, M: Range<1, 100_000> { x.matmul(y) }")
		for threads := 1; threads <= 2; threads++ {
			b.Run(fmt.Sprintf("%d/%d", n, threads), func(b *testing.B) {
				args := godwit.Args{"x": square.Value(), "y": square.Value()}
				var steps []godwit.Step
				call := func() {
					res, err := f.Call(b.Context(), args, godwit.WithRuntime(r), godwit.WithThreads(threads))
					if err != nil {
						b.Fatal(err)
					}
					if now := res.Stats().Plan.Steps; steps == nil || now[1].Seconds < steps[1].Seconds {
						steps = now
					}
					res.Close()
				}
				call()
				for b.Loop() {
					call()
				}
				for _, s := range steps {
					b.Logf("%s: %.0f µs, %d slices, %d threads", s.Label, s.Seconds*1e6, s.Slices, s.Threads)
				}
				b.ReportMetric(2*float64(n*n*n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
			})
		}
	}
}
