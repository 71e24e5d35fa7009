package verify

import (
	"fmt"
	"strings"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/prove"
)

// access is where one instruction touches a region, seen from outside the
// outer index: bounds over sizes and the symbol of o.
type access struct {
	region    int
	store     bool
	low, high []prove.Claim
	facts     *size.Facts // about sizes, true if it happens at all
	in        *kernel.Instr
	path      []string
	row       row // of a store with a position; see Separate
}

// afterOuter is the first value that is not the outer index itself.
const afterOuter = 1

// access proves one load or store in bounds and notes its place.
func (c *checker) access(in *kernel.Instr) {
	r, index := c.k.Regions[in.Region], in.Args[0]
	store := in.Code == kernel.Store
	switch {
	case c.isState(in.Region):
		c.refuse("region r%d holds a state and cannot be touched in the body", in.Region)
	case store && r.Access == kernel.Read:
		c.refuse("region r%d can only be read", in.Region)
	case !store && r.Access == kernel.Write:
		c.refuse("region r%d can only be written", in.Region)
	}
	c.inside(index, r.Len, "the index")
	if store {
		c.keeps(in.Args[1], r)
	} else if c.kinds[in.Out[0]].IsInt() {
		c.restored(in.Out[0], r)
	}
	if r.Access == kernel.Scratch {
		c.scratch(in.Region)
		return
	}
	c.accesses = append(c.accesses, access{
		region: in.Region, store: store, in: in, facts: c.Facts, path: append([]string(nil), c.path...),
		low:  c.Bounds(c.form[index], prove.Below, afterOuter),
		high: c.Bounds(c.form[index], prove.Above, afterOuter),
		row:  c.rowOf(in),
	})
}

// scratch begins as zeros, which must keep the bound too.
func (c *checker) scratch(region int) {
	if r := c.k.Regions[region]; r.Bounded && !c.Proves(r.Bound.AddConst(-1)) {
		c.refuse("scratch region r%d begins as zeros, so its bound %s must be at least 1", region, r.Bound)
	}
}

// knownOf says what is known about a form: what it is, and between what.
func (c *checker) knownOf(p size.Poly) string {
	text := fmt.Sprintf("it is %s, at least %s and at most %s", p, boundText(c.Bounds(p, prove.Below, 0)), boundText(c.Bounds(p, prove.Above, 0)))
	return strings.ReplaceAll(text, prove.Prefix, "v") // values have the names that they have in the kernel
}

func boundText(cs []prove.Claim) string {
	if len(cs) == 0 {
		return "(nothing)"
	}
	var parts []string
	for _, c := range cs {
		parts = append(parts, c.P.String())
	}
	return strings.Join(parts, " or ")
}
