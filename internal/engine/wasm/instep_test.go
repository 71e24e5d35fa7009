package wasm

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// walkKernel is a kernel that follows references, accepted by verify, with so many slots to an outer index.
func walkKernel(t testing.TB, w kerneltest.Walk, grain string) *kernel.Kernel {
	t.Helper()
	k, err := kernel.ParseText(strings.Replace(w.Text(), "grain 7", "grain "+grain, 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verify.Check(k); err != nil {
		t.Fatal(err)
	}
	return k
}

// inStepLoops counts the loops of a kernel whose iterations go in step.
func inStepLoops(k *kernel.Kernel) int {
	return len(newTree(k).Weaves())
}

// TestInStep holds iterations in step to the stepper's: fewer than go together, as many, one more, and many; with walks that end at once,
// early or late, and faults in the middle of them.
func TestInStep(t *testing.T) {
	b := newBench(t)
	some := 0
	for _, w := range kerneltest.Walks {
		t.Run(w.Name, func(t *testing.T) {
			k := walkKernel(t, w, "40")
			some += inStepLoops(k)
			rapid.Check(t, func(r *rapid.T) {
				slots := rapid.OneOf(rapid.Int64Range(0, 3), rapid.Int64Range(6, 18), rapid.Int64Range(0, 200)).Draw(r, "slots")
				rows := rapid.OneOf(rapid.Int64Range(1, 3), rapid.Int64Range(1, 3000)).Draw(r, "rows")
				c := kerneltest.WalkCase(k, slots, rows, rapid.Uint64Range(0, 100).Draw(r, "turns"), rapid.Bool().Draw(r, "large"), rapid.Uint64().Draw(r, "seed"))
				b.inStep = rapid.Bool().Draw(r, "in step")
				if err := b.agree(c); err != nil {
					r.Fatal(err)
				}
			})
		})
	}
	if some < 7 {
		t.Errorf("%d of %d kernels have code in step", some, len(kerneltest.Walks))
	}
}

// BenchmarkInStep: a hop in tables that fit into caches, and in one that does not.
func BenchmarkInStep(b *testing.B) {
	bench := newBench(b)
	ctx := context.Background()
	for _, w := range kerneltest.Walks {
		k := walkKernel(b, w, "1024")
		if inStepLoops(k) == 0 {
			continue
		}
		f, err := bench.rt.Compile(ctx, k)
		if err != nil {
			b.Fatal(err)
		}
		in, err := f.Instance(ctx)
		if err != nil {
			b.Fatal(err)
		}
		for _, rows := range []int64{1 << 10, 1 << 16, 1 << 24} {
			l, err := bench.load(kerneltest.WalkCase(k, 8192, rows, 24, false, 1))
			if err != nil {
				b.Fatal(err)
			}
			for _, way := range []string{"alone", "in step"} {
				l.args.InStep = way == "in step"
				b.Run(strings.ReplaceAll(w.Name, " ", "-")+"/"+way, func(b *testing.B) {
					b.ReportMetric(float64(rows), "rows")
					for b.Loop() {
						if err := in.Run(ctx, l.args, 0, l.c.Outer); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			l.free()
		}
		_ = in.Close(ctx)
		_ = f.Close(ctx)
	}
}
