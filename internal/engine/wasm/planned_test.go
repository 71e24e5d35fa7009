package wasm

import (
	"bytes"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/loops"
)

// TestPlansAreEmitted: whoever asks for the plans of a kernel's loops, as the cost model does, knows whether its code has vectors.
func TestPlansAreEmitted(t *testing.T) {
	planned, plain := 0, 0
	look := func(k *kernel.Kernel) {
		any, err := emit(k, false)
		if err != nil {
			t.Fatal(err)
		}
		scalar, err := emit(k, true)
		if err != nil {
			t.Fatal(err)
		}
		a, want := loops.Of(k, Lanes()), false
		k.Body.Each(func(in *kernel.Instr) {
			if loops.IsLoop(in) {
				p, _ := a.Plan(in)
				want = want || p != nil
			}
		})
		if bytes.Equal(any.buf, scalar.buf) == want {
			t.Fatalf("a plan: %v, vectors: %v\n%s", want, !want, kernel.Text(k))
		}
		if want {
			planned++
		} else {
			plain++
		}
	}
	for _, c := range kerneltest.Every() {
		look(c.Kernel)
	}
	for i := range 500 {
		look(kerneltest.Gen().Example(i).Kernel)
	}
	if planned < 100 || plain < 100 {
		t.Errorf("%d kernels with plans, %d without", planned, plain)
	}
}
