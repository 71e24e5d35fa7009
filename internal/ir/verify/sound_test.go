package verify_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// TestSound spoils good kernels. Whatever verify still accepts must run
// without an access out of bounds, and stay within all that was promised.
func TestSound(t *testing.T) {
	accepted, run, refused := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		k := kerneltest.Gen().Draw(t, "case").Kernel
		kerneltest.Mutate(kerneltest.Choices(t), k)
		s, err := verify.Check(k)
		if err != nil {
			if e := new(verify.Error); !errors.As(err, &e) {
				t.Fatalf("%v", err)
			}
			refused++
			return
		}
		accepted++
		c, ok := kerneltest.Arguments(t, k)
		if !ok || s.Admit(c.Sizes, c.Scalars, c.Lens(), verify.Limits{Steps: 1 << 20}) != nil {
			return
		}
		run++
		if c.Outer == mustEval(k, c) {
			hold(t, s, c)
			if len(k.State) == 0 {
				backwards(t, c)
			}
		}
	})
	t.Logf("%d refused, %d accepted, %d run", refused, accepted, run)
}

func mustEval(k *kernel.Kernel, c *kerneltest.Case) int64 {
	n, _ := kernel.EvalPoly(k.Outer, c.Sizes)
	return n
}

// backwards runs outer indices of a kernel without state from the last to
// the first, which must give the same as from the first to the last. Each
// index is a slice of its own, so that both see fresh scratch.
func backwards(t *rapid.T, c *kerneltest.Case) {
	up, down := c.Clone(), c.Clone()
	for i := range c.Outer {
		for run, o := range map[*kerneltest.Case]int64{up: i, down: c.Outer - 1 - i} {
			if _, err := stepper.Run(c.Kernel, arguments(run), o, o+1); err != nil {
				t.Fatalf("%v", err)
			}
		}
	}
	for r := range up.Regions {
		if string(up.Regions[r]) != string(down.Regions[r]) {
			t.Fatalf("region r%d depends on the order of outer indices\n%s", r, kernel.Text(c.Kernel))
		}
	}
}
