package llvmir

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// eachWidth tests with all widths of vectors. LLVM makes do with what the
// processor has.
func eachWidth(t *testing.T, test func(t *testing.T, b *backend)) {
	for _, width := range []int{16, 32, 64} {
		t.Run(fmt.Sprint(width), func(t *testing.T) { test(t, newBackend(t, width)) })
	}
}

// overSlots tells the operations on elements from the folds.
func overSlots(c *kerneltest.Case) bool {
	grain, _ := c.Kernel.Grain.Const()
	return grain > 1
}

// TestEveryOperation has folds in all widths (a third of them in each of the wider ones), and
// operations in grains too short for the wider ones.
func TestEveryOperation(t *testing.T) {
	eachWidth(t, func(t *testing.T, b *backend) {
		for i, c := range kerneltest.Every() {
			if wide := b.t.VectorBytes / 32; wide > 0 && (overSlots(c) || i%3 != wide) {
				continue
			}
			if err := b.agree(t, c); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
	})
}

// TestEveryOperationInVectors makes one loop over all slots, whose stores go past
// the caches where they begin where a vector does.
func TestEveryOperationInVectors(t *testing.T) {
	eachWidth(t, func(t *testing.T, b *backend) {
		b.past = 0
		seen := 0
		for _, c := range kerneltest.Every() {
			if !overSlots(c) {
				continue
			}
			seen++
			c.Outer = (c.Sizes[0] + num.Leaf - 1) / num.Leaf
			c.Kernel.Grain, c.Sizes[1] = size.Const(num.Leaf), c.Outer
			if err := b.agree(t, c); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
		if seen < 200 {
			t.Errorf("only %d operations", seen)
		}
	})
}

func TestRandomKernels(t *testing.T) {
	eachWidth(t, func(t *testing.T, b *backend) {
		rapid.Check(t, func(r *rapid.T) {
			c := kerneltest.Gen().Draw(r, "kernel")
			b.lanes = rapid.SampledFrom([]int{2, 4, maxLanes}).Draw(r, "lanes")
			b.past = rapid.SampledFrom([]int64{0, 1000, usual.past}).Draw(r, "past")
			b.weave = rapid.SampledFrom([]int{0, 1, 3, MostWeave}).Draw(r, "weave")
			var cuts []int64
			if c.Outer > 1 && rapid.Bool().Draw(r, "cut") {
				cuts = append(cuts, rapid.Int64Range(0, c.Outer).Draw(r, "at"))
			}
			if err := b.agree(t, c, cuts...); err != nil {
				r.Fatal(err)
			}
		})
	})
}

// TestStop: a run that is told to stop ends before its work is done.
func TestStop(t *testing.T) {
	b := newBackend(t, 32)
	for _, c := range []struct {
		name  string
		sizes []int64
		outer int64
		out   int // a region whose last element is written last
	}{
		{"sum", []int64{1 << 14, 4}, 4, 1},
		{"axpy", []int64{1 << 14, 4}, 4, 2},
		{"histogram", []int64{1 << 12, 4, 1 << 14}, 4, 1},
		{"matmul", []int64{1 << 10, 1 << 6, 64, 1 << 10}, 64, 1},
	} {
		arguments := caseOf(parse(t, c.name), c.sizes, c.outer)
		n, err := b.compile(arguments.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		l := n.load(t, arguments)
		last := l.regions[c.out][len(l.regions[c.out])-8:]
		before := bytes.Clone(last)
		l.put(n.lay.Stop, 1)
		l.run(0, c.outer)
		if !bytes.Equal(last, before) {
			t.Errorf("%s ran to its end though it was told to stop", c.name)
		}
		l.put(n.lay.Stop, 0)
		l.run(0, c.outer)
		if bytes.Equal(last, before) {
			t.Errorf("%s did not run to its end", c.name)
		}
		n.close()
	}
}
