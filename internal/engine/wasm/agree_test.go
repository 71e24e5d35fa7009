package wasm

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
)

func TestEveryOperation(t *testing.T) {
	b := newBench(t)
	for _, c := range kerneltest.Every() {
		if err := b.agree(c); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

func TestRandomKernels(t *testing.T) {
	b := newBench(t)
	rapid.Check(t, func(t *rapid.T) {
		c := kerneltest.Gen().Draw(t, "kernel")
		var cuts []int64
		if c.Outer > 1 && rapid.Bool().Draw(t, "cut") {
			cuts = append(cuts, rapid.Int64Range(0, c.Outer).Draw(t, "at"))
		}
		if err := b.agree(c, cuts...); err != nil {
			t.Fatal(err)
		}
	})
}
