package codegen

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/engine/llvmir"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
)

// kernels are every nth of the kernels that cover all instructions.
func kernels(t testing.TB, n int) (names []string, jobs []Job) {
	t.Helper()
	for i, c := range kerneltest.Every() {
		if i%n != 0 {
			continue
		}
		b, err := kernel.Encode(c.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		names, jobs = append(names, c.Name), append(jobs, Job{Form: Kernel, Source: b, Optimise: true})
	}
	return names, jobs
}

func TestKernels(t *testing.T) {
	s := compiling(t, Options{})
	names, jobs := kernels(t, 29)
	if len(jobs) < 10 {
		t.Fatalf("only %d kernels", len(jobs))
	}
	for i, j := range jobs {
		r, err := s.Compile(t.Context(), j)
		if err != nil {
			t.Errorf("%s: %v", names[i], err)
			continue
		}
		defines(t, r.Object, llvmir.Function)
		j.Target = Target{Arch: []string{"amd64", "arm64", "riscv64"}[i%3]}
		j.Assembly = true
		if r, err = s.Compile(t.Context(), j); err != nil || !bytes.Contains(r.Object, []byte(llvmir.Function+":")) {
			t.Errorf("%s for %s: %v", names[i], j.Target.Arch, err)
		}
	}
}

// The text gets the widest vectors that the target runs.
func TestWidth(t *testing.T) {
	for want, of := range map[int][]Target{
		16: {{Arch: "amd64"}, {Arch: "amd64", Features: "+avx,-avx2"}, {Arch: "arm64", Features: "+neon"}, {Arch: "arm64", Features: "+sve"}, {Arch: "arm64", VectorBytes: 64}, {Arch: "riscv64", Features: "+v"}},
		32: {{Arch: "amd64", Features: "+sse2,+avx2"}, {Arch: "amd64", Features: "+avx2,+avx512f,+avx512vl"}, {Arch: "arm64", Features: "+neon,+sve", VectorBytes: 32}},
		64: {{Arch: "amd64", Features: "+avx2,+avx512f,+avx512vl,+avx512bw,+avx512dq"}, {Arch: "arm64", Features: "+sve", VectorBytes: 256}},
	} {
		for _, target := range of {
			if got := target.Width(); got != want {
				t.Errorf("%+v: %d, expected %d", target, got, want)
			}
		}
	}
}

// BenchmarkKernels is a request for a kernel to a warm child.
func BenchmarkKernels(b *testing.B) {
	s := compiling(b, Options{})
	s.Warm()
	_, jobs := kernels(b, 7)
	var whole []time.Duration
	for i := 0; b.Loop(); i++ {
		j := jobs[i%len(jobs)]
		start := time.Now()
		if _, err := s.Compile(context.Background(), j); err != nil {
			b.Fatal(fmt.Errorf("kernel %d: %w", i, err))
		}
		whole = append(whole, time.Since(start))
	}
	b.ReportMetric(p50(whole), "p50-ms")
}
