package godwit_test

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/engine/llvm"
)

// Tests of what a process that lives for months does to its machine: go test . -run NAME -args -full has them as long as it takes
// to be sure; without the flag they take seconds.
var full = flag.Bool("full", false, "run tests of long lives in full")

// mappings is how many this process has.
func mappings(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip("SKIPPED: no /proc")
	}
	return bytes.Count(b, []byte("\n"))
}

// openFiles is how many descriptors this process has.
func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("SKIPPED: no /proc")
	}
	return len(list)
}

// TestCallsOfAllSizes: a function that is called with ever new lengths, whose results nobody closes, takes no more memory.
func TestCallsOfAllSizes(t *testing.T) {
	rt := godwit.NewRuntime()
	defer rt.Close()
	calls := 30_000
	if *full {
		calls = 1_000_000
	}
	f := fn(t, "fn f(x: &[f64; N]) -> [f64; N] { x.softmax() }")
	x := make([]float64, 10_000)
	call := func(from, to int) {
		for i := from; i < to; i++ {
			if _, err := f.Call(t.Context(), godwit.Args{"x": x[:i*7919%len(x)%(i%97*100+2)]}, godwit.WithRuntime(rt)); err != nil {
				t.Fatal(err)
			}
		}
	}
	call(0, calls/10)
	heap, _ := held()
	maps, routines := mappings(t), runtime.NumGoroutine()
	call(calls/10, calls)
	after, _ := held()
	if n := mappings(t); after > heap+2<<20 || n > maps+50 {
		t.Errorf("%d calls: %d bytes of heap and %d mappings, %d and %d after a tenth of them", calls, after, n, heap, maps)
	}
	settled(t, routines)
	t.Logf("%d calls: %d KiB of heap, %d mappings; after a tenth %d, %d", calls, after>>10, mappings(t), heap>>10, maps)
}

// TestFilesAgainAndAgain: runs over files leave no file open and nothing mapped.
func TestFilesAgainAndAgain(t *testing.T) {
	rt := godwit.NewRuntime()
	defer rt.Close()
	runs := 2000
	if *full {
		runs = 100_000
	}
	dir := t.TempDir()
	f := fn(t, "fn f(x: &[f64; N]) -> [f64; N] { x.map(|v| v + 1.0) }")
	big := fn(t, "fn f(x: &[f64; N], i: &[idx<N>; M]) -> f64 { i.map(|k| x[k]).sum() }")
	long, err := f.Call(t.Context(), godwit.Args{"x": make([]float64, 1_000_000)})
	if err != nil {
		t.Fatal(err)
	}
	var args []godwit.Args
	for _, ext := range []string{"npy", "arrow", "parquet", "csv"} {
		short, err := f.Call(t.Context(), godwit.Args{"x": []float64{1, 2, 3}})
		if err == nil {
			err = short.WriteFile(dir + "/short." + ext)
		}
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, godwit.Args{"x": godwit.File(dir + "/short." + ext)})
	}
	if err := long.WriteFile(dir + "/long.npy"); err != nil {
		t.Fatal(err)
	}
	mapped := godwit.Args{"x": godwit.File(dir + "/long.npy"), "i": []uint32{0, 999_999}}
	run := func(from, to int) {
		for i := from; i < to; i++ {
			var err error
			switch {
			case i%100 == 99:
				_, err = big.Call(t.Context(), mapped, godwit.WithRuntime(rt))
			case i%50 == 49:
				if _, err := f.Call(t.Context(), godwit.Args{"x": godwit.File(dir + "/none.npy")}, godwit.WithRuntime(rt)); err == nil {
					t.Fatal("a file that is not there was read")
				}
			case i%25 == 24:
				_, err = f.Call(t.Context(), args[i%4], godwit.WithRuntime(rt), godwit.WithFile(dir+"/out.npy"))
			default:
				_, err = f.Call(t.Context(), args[i%4], godwit.WithRuntime(rt))
			}
			if err != nil {
				t.Fatal(i, err)
			}
		}
	}
	run(0, 200)
	files, maps, routines := openFiles(t), mappings(t), runtime.NumGoroutine()
	heap, _ := held()
	run(200, runs)
	settled(t, routines)
	after, _ := held()
	if n, m := openFiles(t), mappings(t); n > files || m > maps+50 || after > heap+2<<20 {
		t.Errorf("%d runs: %d files are open, %d mappings, %d bytes of heap; %d, %d and %d after 200", runs, n, m, after, files, maps, heap)
	}
	t.Logf("%d runs: %d files are open, %d mappings, %d KiB of heap; %d, %d and %d after 200", runs, openFiles(t), mappings(t), after>>10, files, maps, heap>>10)
}

// TestSharedByMany: 200 goroutines call on one runtime, which is closed under them: each call has its result or says that the
// runtime is closed.
func TestSharedByMany(t *testing.T) {
	sum, sorted := fn(t, "fn f(x: &[f64; N]) -> f64 { x.sum() }"), fn(t, "fn f(x: &[f64; N]) -> [f64; N] { x.sort() }")
	before := runtime.NumGoroutine()
	for range 3 {
		rt := godwit.NewRuntime()
		var all sync.WaitGroup
		var good, refused atomic.Int64
		x := make([]float64, 50_000)
		for i := range x {
			x[i] = float64(len(x) - i)
		}
		for g := range 200 {
			all.Go(func() {
				for i := range 20 {
					f, n := sum, (g*i)%len(x)+1
					if g%3 == 0 {
						f = sorted
					}
					r, err := f.Call(context.Background(), godwit.Args{"x": x[len(x)-n:]}, godwit.WithRuntime(rt))
					if err != nil {
						if err.Error() != "the runtime is closed" {
							t.Error(err)
						}
						refused.Add(1)
						continue
					}
					good.Add(1)
					if v, err := r.Float64(); f == sum && (err != nil || v != float64(n)*float64(n+1)/2) {
						t.Errorf("the sum of 1 to %d is %v, %v", n, v, err)
					}
					r.Close()
				}
			})
		}
		for good.Load() < 500 {
			time.Sleep(time.Millisecond)
		}
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
		if err := rt.Close(); err != nil {
			t.Errorf("closed twice: %v", err)
		}
		all.Wait()
		t.Logf("%d calls had results, %d came too late", good.Load(), refused.Load())
	}
	settled(t, before)
}

// TestFileThatStreams: what is walked over in order is never in memory as a whole.
func TestFileThatStreams(t *testing.T) {
	const n = 128 << 20 // of 4 bytes, which take no place on the disk
	path := t.TempDir() + "/x.npy"
	head := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }", n)
	head = "\x93NUMPY\x01\x00\x76\x00" + head + strings.Repeat(" ", 128-10-1-len(head)) + "\n"
	if err := cmp.Or(os.WriteFile(path, []byte(head), 0o600), os.Truncate(path, 128+4*n)); err != nil {
		t.Fatal(err)
	}
	debug.FreeOSMemory()
	before := resident(t)
	for _, src := range []string{"fn f(x: &[f32; N]) -> f32 { x.sum() }", "fn f(x: &[f32; N]) -> f64 { x.mean(|v| v as f64) }", "fn f(x: &[f32; N]) -> f32 { x.filter(|v| v > 30.0).sum() }"} {
		most, told := int64(0), 0
		watch := godwit.WithProgress(func(done, total int64) { most, told = max(most, resident(t)), told+1 })
		r, err := fn(t, src).Call(t.Context(), godwit.Args{"x": godwit.File(path)}, watch)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := r.Float64(); err != nil || v != 0 {
			t.Errorf("%s: %v, %v", src, v, err)
		}
		if most-before > 100<<20 || told == 0 {
			t.Errorf("%s: %d bytes more than before, of a file of %d; looked %d times", src, most-before, 4*n, told)
		}
	}
}

// resident is the memory of this process that no file has, in bytes.
func resident(t *testing.T) int64 {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("SKIPPED: no /proc")
	}
	_, rest, _ := bytes.Cut(b, []byte("RssAnon:"))
	n, err := strconv.ParseInt(string(bytes.Fields(rest)[0]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}

// TestManyFunctions: from the point on where kernels have the memory they may, further functions take none, neither as WebAssembly
// nor as native code. It looks at the memory of a process, so it runs in one of its own: beside other tests a few MiB come and go.
func TestManyFunctions(t *testing.T) {
	const alone = "GODWIT_TEST_MANY_FUNCTIONS"
	if os.Getenv(alone) == "" {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run=^TestManyFunctions$", fmt.Sprintf("-full=%t", *full))
		child.Env = append(os.Environ(), alone+"=1")
		out, err := child.CombinedOutput()
		t.Logf("%s", out)
		if err != nil || !bytes.Contains(out, []byte("\n--- PASS: TestManyFunctions")) {
			t.Errorf("in a process of its own: %v", err)
		}
		return
	}
	engines := map[string][]godwit.Option{"wasm": nil}
	if _, err := llvm.Load(); err == nil {
		engines["native"] = []godwit.Option{godwit.WithEngine("native"), godwit.WithCompiler("", "/usr/bin/env", compilerChild+"=1", os.Args[0])}
	}
	steps, memory := []int{100, 200, 400}, int64(2<<20)
	if *full {
		steps, memory = []int{1000, 2500, 5000}, 16<<20
	}
	for name, opts := range engines {
		rt := godwit.NewRuntime(append(opts, godwit.WithKernelMemory(memory))...)
		var heap, rss [3]int64
		var maps [3]int
		at := 0
		for i, n := range steps {
			for ; at < n; at++ {
				if _, err := oneOfMany(t, at).Call(t.Context(), godwit.Args{"x": []float64{1, 2}}, godwit.WithRuntime(rt)); err != nil {
					t.Fatal(err)
				}
			}
			heap[i], _ = held()
			debug.FreeOSMemory()
			rss[i], maps[i] = resident(t), mappings(t)
			t.Logf("%s, %d functions: %d KiB of heap, %d KiB resident, %d mappings", name, n, heap[i]>>10, rss[i]>>10, maps[i])
		}
		if heap[2] > heap[1]+memory/4 || rss[2] > rss[1]+max(memory, 4<<20) || maps[2] > maps[1]+60 {
			t.Errorf("%s: functions beyond number %d take memory", name, steps[1])
		}
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCrowdOfCalls: calls that do not fit into the kernels' memory beside each other wait for it; one that a deadline ends
// meanwhile says what it waited for.
func TestCrowdOfCalls(t *testing.T) {
	small, big := 1<<18, 3<<18 // of 2 and 6 MiB
	if *full {
		small, big = 16<<20, 48<<20
	}
	rt := godwit.NewRuntime()
	defer rt.Close()
	sorted, mapped := fn(t, "fn f(x: &[f64; N]) -> [f64; N] { x.sort() }"), fn(t, "fn f(x: &[f64; N]) -> [f64; N] { x.map(|v| v + 1.0) }")
	x, y := godwit.Make[float64](small), godwit.Make[float64](big)
	for i := range x {
		x[i] = float64((i*7919 + 5) % small) // each number once, for lengths that are powers of two
	}
	for i := range y {
		y[i] = float64(i)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var all sync.WaitGroup
	call := func(f *godwit.Func, x []float64, first float64) {
		r, err := f.Call(ctx, godwit.Args{"x": x}, godwit.WithRuntime(rt))
		if err != nil {
			t.Error(err)
			return
		}
		v, err := godwit.As[[]float64](r)
		if err != nil || len(v) != len(x) {
			t.Errorf("%d elements, %v", len(v), err)
			return
		}
		for i := range v {
			if v[i] != first+float64(i) {
				t.Errorf("element %d is %v", i, v[i])
				return
			}
		}
		r.Close()
	}
	for range 8 {
		all.Go(func() { call(sorted, x, 0) })
	}
	for range 12 {
		all.Go(func() { call(mapped, y, 1) })
	}
	all.Wait()
}
