package godwit_test

import (
	"bytes"
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
)

// BenchmarkCall is whole calls on ten numbers, from Go to Go: one after the other, and from eight goroutines at once.
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
		b.Run(name+"/8", func(b *testing.B) {
			f := fn(b, src)
			b.SetParallelism(max(1, 8/runtime.GOMAXPROCS(0)))
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
				for pb.Next() {
					if _, err := f.Call(context.Background(), godwit.Args{"x": x}); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}

// TestCallsAtOnce: eight goroutines that call with ten numbers get what each would get alone, and make no more garbage
// than one of them.
func TestCallsAtOnce(t *testing.T) {
	const callers, calls = 8, 500
	for src, most := range map[string]float64{
		"fn f(x: &[f64; N]) -> f64 { x.sum() }":          2,
		"fn f(x: &[f64; N]) -> [f64; N] { x.softmax() }": 4,
	} {
		f := fn(t, src)
		var all sync.WaitGroup
		took := make([][]time.Duration, callers)
		round := func() {
			for g := range callers {
				all.Go(func() {
					x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, float64(g)}
					args := godwit.Args{"x": x}
					want, err := f.Call(context.Background(), args, godwit.WithEngine("interp"))
					if err != nil {
						t.Error(err)
						return
					}
					for range calls {
						start := time.Now()
						r, err := f.Call(context.Background(), args)
						took[g] = append(took[g], time.Since(start))
						if err != nil || !bytes.Equal(r.Value().Columns[0].Data, want.Value().Columns[0].Data) {
							t.Errorf("%v, %v, interpreted %v", r, err, want)
							return
						}
					}
				})
			}
			all.Wait()
		}
		round()
		n := math.Inf(1)
		for range 3 { // in one of them native code may be made, which allocates beside the calls
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			round()
			runtime.ReadMemStats(&after)
			n = min(n, float64(after.Mallocs-before.Mallocs)/(callers*calls))
		}
		if n > most+1 && !raced {
			t.Errorf("%s: %.1f allocations in a call, expected at most %.0f", src, n, most)
		}
		list := slices.Sorted(slices.Values(slices.Concat(took...)))
		if m := list[len(list)/2]; m > 100*time.Microsecond {
			t.Errorf("%s: half of the calls take more than %v", src, m)
		} else {
			t.Logf("%s: half of the calls take less than %v, nine in ten less than %v", src, m, list[len(list)/10*9])
		}
	}
}
