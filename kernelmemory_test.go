package godwit_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/engine/llvm"
)

// oneOfMany is a function like many others, which differ in a number.
func oneOfMany(t testing.TB, i int) *godwit.Func {
	return fn(t, fmt.Sprintf("fn f(x: &[f64; N]) -> [f64; N] { x.map(|e| e * %d.5 + 1.0) }", i))
}

// Memory does not grow with the number of functions that were ever called: it would by 20 MB of heap and 8 MB of
// machine code for the last 1,000.
func TestMemoryOfKernelsIsFlat(t *testing.T) {
	rt := godwit.NewRuntime(godwit.WithKernelMemory(4 << 20))
	defer rt.Close()
	call := func(from, to int) {
		for i := from; i < to; i++ {
			if _, err := oneOfMany(t, i).Call(context.Background(), godwit.Args{"x": []float64{1, 2}}, godwit.WithRuntime(rt)); err != nil {
				t.Fatal(err)
			}
		}
	}
	call(0, 500)
	heap, code := held()
	call(500, 1500)
	heap2, code2 := held()
	if heap2-heap > 1<<20 || code2-code > 1<<20 {
		t.Errorf("1,000 more functions take %d bytes of the heap and %d of code", heap2-heap, code2-code)
	}
}

// held is what the heap holds, and how much code is mapped of no file, where Linux tells.
func held() (heap, code int64) {
	var m runtime.MemStats
	for range 3 { // code is unmapped by finalizers
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	maps, _ := os.ReadFile("/proc/self/maps")
	for line := range strings.Lines(string(maps)) {
		if f := strings.Fields(line); len(f) == 5 && f[1] == "r-xp" {
			var from, to int64
			if _, err := fmt.Sscanf(f[0], "%x-%x", &from, &to); err == nil {
				code += to - from
			}
		}
	}
	return int64(m.HeapAlloc), code
}

// With memory for no kernel at all, each is dropped when nobody uses it any more, and calls at the same
// time drop each other's: results are the same.
func TestCallsWithoutKernelMemory(t *testing.T) {
	sources := []string{
		"fn f(x: &[f64; N]) -> f64 { x.sum() }",
		"fn f(x: &[f64; N]) -> [f64; N] { x.softmax() }",
		"fn f(x: &[f64; N]) -> [f64; N] { x.sort() }",
		"fn f(x: &[f64; N]) -> [f64; N] { if x.sum() > 3.0 { x.map(|e| e * 2.0) } else { x.map(|e| -e) } }",
		"fn f(x: &[f64; N]) -> [f64; N] { let mut y = x.map(|e| e); for _ in 0..3 { y = (if y.sum() > 9.0 { y.softmax() } else { y }); } y }",
	}
	short, long := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, make([]float64, 100_000)
	for i := range long {
		long[i] = float64(i*7919%1009) / 64
	}
	opts, engines := []godwit.Option{godwit.WithKernelMemory(1)}, []string{"auto", "wasm"}
	if _, err := llvm.Load(); err == nil {
		opts = append(opts, godwit.WithCompiler(t.TempDir(), "/usr/bin/env", compilerChild+"=1", os.Args[0]))
		engines = append(engines, "native")
	}
	rt := godwit.NewRuntime(opts...)
	defer rt.Close()
	var funcs []*godwit.Func
	want := map[string]string{}
	call := func(i int, x []float64, opts ...godwit.Option) string {
		r, err := funcs[i].Call(context.Background(), godwit.Args{"x": x}, opts...)
		if err != nil {
			t.Error(err)
			return ""
		}
		return string(r.JSON())
	}
	for i, src := range sources {
		funcs = append(funcs, fn(t, src))
		for _, x := range [][]float64{short, long} {
			want[fmt.Sprint(i, len(x))] = call(i, x)
		}
	}
	var done sync.WaitGroup
	for g := range 8 {
		done.Go(func() {
			for n := range 20 {
				i, x := (g+n)%len(funcs), short
				if n%5 == 4 {
					x = long
				}
				if got := call(i, x, godwit.WithRuntime(rt), godwit.WithEngine(engines[g%len(engines)])); got != want[fmt.Sprint(i, len(x))] {
					t.Errorf("%s differs for %d numbers", sources[i], len(x))
				}
			}
		})
	}
	done.Wait()
}

func TestNegativeKernelMemory(t *testing.T) {
	rt := godwit.NewRuntime(godwit.WithKernelMemory(-1))
	_, err := oneOfMany(t, 0).Call(context.Background(), godwit.Args{"x": []float64{1}}, godwit.WithRuntime(rt))
	if err == nil || !strings.Contains(err.Error(), "WithKernelMemory(-1)") {
		t.Error(err)
	}
}
