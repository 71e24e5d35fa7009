package wasm

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/kernel/kerneltest"
	"github.com/godwit-run/godwit/size"
)

// TestEveryOperationInBlocks runs the operations in grains that are long
// enough for vector code.
func TestEveryOperationInBlocks(t *testing.T) {
	b := newBench(t)
	for _, c := range kerneltest.Every() {
		if len(c.Sizes) != 2 {
			continue
		}
		grain := int64(333)
		c.Kernel.Grain = size.Const(grain)
		c.Outer = (c.Sizes[0] + grain - 1) / grain
		c.Sizes[1] = c.Outer
		if err := b.agree(c); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

func TestStraightLoops(t *testing.T) {
	b := newBench(t)
	rapid.Check(t, func(t *rapid.T) {
		if err := b.agree(drawStraight(t)); err != nil {
			t.Fatal(err)
		}
	})
}
