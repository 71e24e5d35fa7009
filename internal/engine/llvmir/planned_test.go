package llvmir

import (
	"regexp"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/loops"
)

// TestPlansAreWritten: whoever asks for the plans of a kernel's loops, as the cost model does, knows whether its text has vectors.
// Folds are left out, which have vectors for their lanes in any case.
func TestPlansAreWritten(t *testing.T) {
	vector := regexp.MustCompile(`<\d+ x `)
	target := Target{Arch: "amd64", VectorBytes: 32, Fma: true}
	planned, plain := 0, 0
	look := func(k *kernel.Kernel) {
		if holds(k, kernel.Fold) {
			return
		}
		text, err := Emit(k, target)
		if err != nil {
			t.Fatal(err)
		}
		want := anyPlan(loops.Of(k, target.Engine()), &k.Body)
		if vector.MatchString(text) != want {
			t.Fatalf("a plan: %v, vectors: %v\n%s", want, !want, kernel.Text(k))
		}
		if want {
			planned++
		} else {
			plain++
		}
	}
	manyKernels(t, look)
	if planned < 100 || plain < 20 {
		t.Errorf("%d kernels with plans, %d without", planned, plain)
	}
}

func holds(k *kernel.Kernel, code kernel.Code) (found bool) {
	k.Body.Each(func(in *kernel.Instr) { found = found || in.Code == code })
	return found
}

func anyPlan(a *loops.Analysis, b *kernel.Block) bool {
	for i := range b.Instrs {
		in := &b.Instrs[i]
		if loops.IsLoop(in) {
			if p, _ := a.Plan(in); p != nil {
				return true
			}
		}
		for j := range in.Blocks {
			if anyPlan(a, &in.Blocks[j]) {
				return true
			}
		}
	}
	return false
}

// manyKernels shows what there is of kernels, and 500 random ones.
func manyKernels(t *testing.T, look func(k *kernel.Kernel)) {
	t.Helper()
	for _, c := range kerneltest.Every() {
		look(c.Kernel)
	}
	for _, s := range settings {
		look(parse(t, s.name))
	}
	for i := range 500 {
		look(kerneltest.Gen().Example(i).Kernel)
	}
}
