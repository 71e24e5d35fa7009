package engine

import (
	"fmt"

	"github.com/godwit-run/godwit/kernel"
)

// TEMPORARY until package verify is there.
type Safe struct{ Kernel *kernel.Kernel }
type Limits struct{}

func check(k *kernel.Kernel) (*Safe, error) { return &Safe{k}, nil }

// Admit decides whether a run with these arguments is safe and within
// limits.
func (c *Compiled) Admit(sizes []int64, scalars []uint64, limits Limits) error {
	for i, s := range c.Kernel.Sizes {
		if sizes[i] < s.Lo || sizes[i] > s.Hi {
			return fmt.Errorf("size %d", i)
		}
	}
	return nil
}

// Outer is the number of outer indices of a run.
func (c *Compiled) Outer(sizes []int64) int64 {
	n, _ := kernel.EvalPoly(c.Kernel.Outer, sizes)
	return max(n, 0)
}

// steps bounds the instructions of a whole run.
func (c *Compiled) steps(sizes []int64) int64 {
	n, _ := kernel.EvalPoly(c.Kernel.Count, sizes)
	return 4 * n
}

// Streams reports that outer indices touch a region piece by piece.
func (c *Compiled) Streams(region int) bool {
	ok := c.Kernel.Regions[region].Len.Equal(c.Kernel.Count)
	slots := map[kernel.Value]bool{}
	var walk func(b *kernel.Block)
	walk = func(b *kernel.Block) {
		for i := range b.Instrs {
			in := &b.Instrs[i]
			if (in.Code == kernel.Load || in.Code == kernel.Store) && in.Region == region {
				ok = ok && slots[in.Args[0]]
			}
			p := c.Kernel.Body.Params
			if (in.Code == kernel.For || in.Code == kernel.Fold) && in.Args[0] == p[1] && in.Args[1] == p[2] {
				slots[in.Blocks[0].Params[0]] = true
			}
			for k := range in.Blocks {
				walk(&in.Blocks[k])
			}
		}
	}
	walk(&c.Kernel.Body)
	return ok
}

// Reach is the run of a region's elements that outer indices lo..hi touch;
// all of them if Streams does not hold.
func (c *Compiled) Reach(region int, sizes []int64, lo, hi int64) (first, end int64) {
	n, _ := kernel.EvalPoly(c.Kernel.Regions[region].Len, sizes)
	if !c.Streams(region) {
		return 0, n
	}
	g, _ := kernel.EvalPoly(c.Kernel.Grain, sizes)
	return min(lo*g, n), min(hi*g, n)
}
