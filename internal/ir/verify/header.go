package verify

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// MaxSize is the greatest size that a kernel may declare.
const MaxSize = 1 << 48

func (c *checker) header() {
	for i, s := range c.k.Sizes {
		if s.Lo < 0 || s.Lo > s.Hi || s.Hi > MaxSize {
			refuseHeader(fmt.Sprintf("size s%d", i), "a size needs a range 0 ≤ lo ≤ hi ≤ 2^48, not %d..%d", s.Lo, s.Hi)
		}
	}
	for i, s := range c.k.Scalars {
		part := fmt.Sprintf("scalar %d", i)
		if lo, hi := num.IntRange(s.Kind); s.Kind.IsInt() && (s.Lo > s.Hi || s.Lo < lo || s.Hi > hi) {
			refuseHeader(part, "%s needs a range lo ≤ hi inside %d..%d, not %d..%d", s.Kind, lo, hi, s.Lo, s.Hi)
		}
	}
	for i, r := range c.k.Regions {
		part := fmt.Sprintf("region r%d", i)
		if r.Bounded && !r.Elem.IsInt() {
			refuseHeader(part, "only integers have a bound, not %s", r.Elem)
		}
	}
	c.states()
}

// states: each carried value rests in a region of its own.
func (c *checker) states() {
	taken := map[int]bool{}
	for i, s := range c.k.State {
		part, r := fmt.Sprintf("state %d", i), c.k.Regions[s.Region]
		switch {
		case taken[s.Region]:
			refuseHeader(part, "region r%d already holds another state", s.Region)
		case r.Access != kernel.ReadWrite:
			refuseHeader(part, "it rests in region r%d, which must be readwrite, not %s", s.Region, r.Access)
		case r.Elem != s.Kind:
			refuseHeader(part, "it is a %s, but region r%d holds %s", s.Kind, s.Region, r.Elem)
		}
		taken[s.Region] = true
	}
}

// isState reports that a region is where a state rests. The body may not
// touch it: while a slice runs, its content is behind.
func (c *checker) isState(region int) bool {
	for _, s := range c.k.State {
		if s.Region == region {
			return true
		}
	}
	return false
}
