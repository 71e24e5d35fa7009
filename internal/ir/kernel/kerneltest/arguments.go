package kerneltest

import (
	"math"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// maxDrawn is how many elements a drawn region has at most.
const maxDrawn = 1 << 12

// Arguments draws small sizes and fitting contents for any kernel. ok is
// false where the kernel leaves no room for them.
func Arguments(t *rapid.T, k *kernel.Kernel) (c *Case, ok bool) {
	c = &Case{Name: "drawn", Kernel: k}
	for _, s := range k.Sizes {
		if s.Lo > maxDrawn {
			return nil, false
		}
		c.Sizes = append(c.Sizes, s.Lo+int64(even(t, int(min(s.Hi-s.Lo, 7))+1, "size")))
	}
	n, ok := kernel.EvalPoly(k.Outer, c.Sizes)
	c.Outer = min(n, 40)
	return c, ok && n >= 0 && c.fill(t)
}

// fill draws scalars and contents within what the kernel declares.
func (c *Case) fill(t *rapid.T) bool {
	for _, s := range c.Kernel.Scalars {
		v, ok := c.draw(t, s.Kind, s.Lo, s.Hi, s.Bounded, s.Bound)
		if !ok {
			return false
		}
		c.Scalars = append(c.Scalars, v)
	}
	c.Regions = make([][]byte, len(c.Kernel.Regions))
	for i, n := range c.Lens() {
		r := c.Kernel.Regions[i]
		if n < 0 || n > maxDrawn {
			return false
		}
		if r.Access == kernel.Scratch {
			continue
		}
		lo, hi := num.IntRange(r.Elem)
		values := make([]uint64, n)
		for j := range values {
			v, ok := c.draw(t, r.Elem, lo, hi, r.Bounded, r.Bound)
			if !ok {
				return false
			}
			values[j] = v
		}
		c.Regions[i] = pack(r.Elem, values)
	}
	return true
}

// draw makes a value of kind k in lo..hi and, if bounded, below the bound.
func (c *Case) draw(t *rapid.T, k num.Kind, lo, hi int64, bounded bool, bound size.Poly) (uint64, bool) {
	if bounded {
		n, ok := kernel.EvalPoly(bound, c.Sizes)
		if !ok || n < 1 || hi < 0 {
			return 0, false
		}
		lo, hi = max(lo, 0), min(hi, n-1)
	}
	if !k.IsInt() || !bounded && lo == k.MinInt() && hi == math.MaxInt64 {
		return drawBits(t, k), true
	}
	if lo > hi {
		return 0, false
	}
	return uint64(rapid.Int64Range(lo, hi).Draw(t, "value")), true
}
