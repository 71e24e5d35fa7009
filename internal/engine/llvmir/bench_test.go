package llvmir

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/cpu"
	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/engine/llvm"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/engine/object"
	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/engine/wasm"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
)

// contest is a kernel beside the same in C, whose arguments are these regions
// and numbers.
type contest struct {
	name    string
	n       int64
	sizes   func(n int64) ([]int64, int64)
	regions []int
	numbers []int64
}

var contests = []contest{
	{"sum", 1 << 13, leaves, []int{0, 1}, []int64{1 << 13}},
	{"sum", 1 << 24, leaves, []int{0, 1}, []int64{1 << 24}},
	{"dot", 1 << 13, leaves, []int{0, 1, 2}, []int64{1 << 13}},
	{"axpy", 1 << 13, leaves, []int{0, 1, 2}, []int64{1 << 13}},
	{"filteredmean", 1 << 20, leaves, []int{0, 1}, []int64{1 << 20}},
	{"max", 1 << 20, leaves, []int{0, 1}, []int64{1 << 20}},
	{"exp", 1 << 20, leaves, []int{0, 1}, []int64{1 << 20}},
	{"histogram", 1 << 20, func(n int64) ([]int64, int64) { return []int64{1 << 16, n >> 16, n}, n >> 16 }, []int{0, 1}, []int64{1 << 20}},
	{"kmeans", 1 << 16, func(n int64) ([]int64, int64) { return kmeansSizes(n, 16, 16) }, []int{0, 3, 1, 2}, []int64{1 << 16, 16, 16}},
	{"kmeans", 1 << 16, func(n int64) ([]int64, int64) { return kmeansSizes(n, 8, 32) }, []int{0, 3, 1, 2}, []int64{1 << 16, 8, 32}},
	{"kmeans", 1 << 16, func(n int64) ([]int64, int64) { return kmeansSizes(n, 4, 8) }, []int{0, 3, 1, 2}, []int64{1 << 16, 4, 8}},
	{"window", 1 << 16, func(n int64) ([]int64, int64) { return []int64{n, (n - 19 + 15) / 16}, (n - 19 + 15) / 16 }, []int{2, 0, 1}, []int64{1 << 16}},
	{"pick", 1 << 22, func(n int64) ([]int64, int64) { s, o := leaves(n); return append(s, n), o }, []int{0, 2, 1}, []int64{1 << 22}},
	{"matmul", 512, func(n int64) ([]int64, int64) { return []int64{n, n / 16, n, n}, n / 16 }, []int{0, 2, 1}, []int64{512}},
	{"matmul", 2048, func(n int64) ([]int64, int64) { return []int64{n, n / 16, n, n}, n / 16 }, []int{0, 2, 1}, []int64{2048}},
}

// BenchmarkKernels runs native code, WebAssembly and C in turn.
func BenchmarkKernels(b *testing.B) {
	width := 32
	if cpu.X86.HasAVX512F {
		width = 64
	}
	back := newBackend(b, width)
	lib := reference(b)
	for _, c := range contests {
		b.Run(fmt.Sprintf("%s/%d", c.name, c.n), func(b *testing.B) {
			sizes, outer := c.sizes(c.n)
			rival, err := purego.Dlsym(lib, "c_"+c.name)
			if err != nil {
				b.Fatal(err)
			}
			arguments := caseOf(parse(b, c.name), sizes, outer)
			n, err := back.compile(arguments.Kernel)
			if err != nil {
				b.Fatal(err)
			}
			defer n.close()
			l := n.load(b, arguments)
			var args []uintptr
			for _, r := range c.regions {
				args = append(args, uintptr(unsafe.Pointer(unsafe.SliceData(l.regions[r]))))
			}
			for _, x := range c.numbers {
				args = append(args, uintptr(x))
			}
			b.ReportMetric(0, "ns/op")
			compete(b, func() { l.run(0, outer) }, slower(b, arguments), func() { object.Call(rival, args...) })
		})
	}
}

// compete reports ratios above 1 where the first is faster. Each takes its
// turn, and the best time of each counts: other work on the machine only adds.
func compete(b *testing.B, rivals ...func()) {
	turns := 1 + int(5*time.Millisecond/(1+timed(1, rivals[0])))
	best := make([]time.Duration, len(rivals))
	for range 25 {
		for i, f := range rivals {
			if t := timed(turns, f); best[i] == 0 || t < best[i] {
				best[i] = t
			}
		}
	}
	b.ReportMetric(float64(best[0])/float64(turns)/1e3, "µs")
	b.ReportMetric(float64(best[1])/float64(best[0]), "×wasm")
	b.ReportMetric(float64(best[2])/float64(best[0]), "×C")
}

func timed(n int, f func()) time.Duration {
	start := time.Now()
	for range n {
		f()
	}
	return time.Since(start)
}

// slower is the same case on WebAssembly.
func slower(b *testing.B, c *kerneltest.Case) func() {
	ctx := context.Background()
	arena, err := mem.NewArena(4 << 30)
	if err != nil {
		b.Fatal(err)
	}
	rt, err := wasm.NewRuntime(ctx, arena)
	if err != nil {
		b.Fatal(err)
	}
	f, err := rt.Compile(ctx, c.Kernel)
	if err != nil {
		b.Fatal(err)
	}
	in, err := f.Instance(ctx)
	if err != nil {
		b.Fatal(err)
	}
	args := &wasm.Args{Sizes: c.Sizes, Scalars: c.Scalars, Faults: stepper.NewFaults(c.Kernel.Sites)}
	for _, r := range c.Regions {
		span, err := arena.Alloc(int64(len(r)))
		if err != nil {
			b.Fatal(err)
		}
		copy(arena.Bytes(span.Off, span.Len), r)
		args.Bases = append(args.Bases, span.Off)
	}
	b.Cleanup(func() {
		_ = rt.Close(ctx)
		_ = arena.Close()
	})
	return func() {
		if err := in.Run(ctx, args, 0, c.Outer); err != nil {
			b.Fatal(err)
		}
	}
}

func reference(b testing.TB) uintptr {
	clang, err := exec.LookPath("clang-19")
	if err != nil {
		b.Skip("SKIPPED: clang-19 is not installed (Debian: clang-19)")
	}
	so := filepath.Join(b.TempDir(), "reference.so")
	cmd := exec.Command(clang, "-O3", "-march=native", "-ffast-math", "-mprefer-vector-width=512", "-shared", "-fPIC", "-o", so, "testdata/reference.c", "-lm")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	lib, err := purego.Dlopen(so, purego.RTLD_NOW)
	if err != nil {
		b.Fatal(err)
	}
	if blas, err := purego.Dlopen("libopenblas.so.0", purego.RTLD_NOW); err == nil {
		use, _ := purego.Dlsym(lib, "c_use")
		function, _ := purego.Dlsym(blas, "cblas_sgemm")
		threads, _ := purego.Dlsym(blas, "openblas_set_num_threads")
		object.Call(threads, 1)
		object.Call(use, function)
	} else {
		b.Log("matmul is compared with loops in C: libopenblas is not installed (Debian: libopenblas0-pthread)")
	}
	return lib
}

// BenchmarkCompile is the way from a kernel to an object, in time of the
// processor.
func BenchmarkCompile(b *testing.B) {
	back := newBackend(b, 32)
	files, err := filepath.Glob("testdata/kernels/*.txt")
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".txt")
		k := parse(b, name)
		b.Run(name, func(b *testing.B) {
			var emit time.Duration
			text, before := "", busy()
			for b.Loop() {
				start := busy()
				if text, err = Emit(k, back.t); err != nil {
					b.Fatal(err)
				}
				emit += busy() - start
				if _, err := back.m.Compile([]byte(text), llvm.Options{Form: llvm.Text, Passes: passes}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(busy()-before)/float64(b.N)/1e6, "cpu-ms")
			b.ReportMetric(float64(emit)/float64(b.N)/1e6, "emit-ms")
			b.ReportMetric(float64(len(text)), "text-bytes")
		})
	}
}

// busy is the processor time that the process has used.
func busy() time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
