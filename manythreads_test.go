package godwit_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
)

// TestManyThreads: whoever asks for a million threads has as many as are of use, and pays for those alone.
func TestManyThreads(t *testing.T) {
	f := fn(t, "fn f(x: &[f64; N]) -> f64 { x.map(|v| v.sin().exp()).sum() }")
	g := fn(t, "fn f(x: &[i64; N]) -> i64 { x.map(|v| v % 7).sum() }")
	rt := godwit.NewRuntime()
	defer rt.Close()
	x := make([]float64, 1_000_000)
	calls := func(threads int) (took time.Duration, bytes uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		for range 3 {
			r, err := f.Call(t.Context(), godwit.Args{"x": x}, godwit.WithRuntime(rt), godwit.WithThreads(threads))
			if err != nil {
				t.Fatal(err)
			}
			if got, most := r.Stats().Threads, 8*runtime.GOMAXPROCS(0); got > most {
				t.Fatalf("%d of %d threads, at most %d are of use", got, threads, most)
			}
			if r, err = g.Call(t.Context(), godwit.Args{"x": squares{200_000}}, godwit.WithRuntime(rt), godwit.WithThreads(threads)); err != nil {
				t.Fatal(err)
			}
			if n, err := r.Int64(); err != nil || n != 399_999 {
				t.Fatalf("the sum of squares modulo 7 is %d, %v", n, err)
			}
		}
		took = time.Since(start)
		runtime.ReadMemStats(&after)
		return took, after.TotalAlloc - before.TotalAlloc
	}
	calls(2)
	few, little := calls(2)
	many, much := calls(1_000_000)
	if many > 10*few+2*time.Second || much > little+32<<20 {
		t.Errorf("a million threads took %v and %d bytes, two %v and %d", many, much, few, little)
	}
}
