package verify

import (
	"maps"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// carry finds out whether scratch memory has to be cleared for each outer index, which
// is work: a step for each element.
func (c *checker) carry() {
	if c.safe.Carries = c.carries(); !c.safe.Carries {
		return
	}
	for _, r := range c.k.Regions {
		if r.Access == kernel.Scratch {
			c.safe.Outer.Parts = append(c.safe.Outer.Parts, Part{Trips: []size.Poly{r.Len}, Turn: 1, Choices: []Work{{}}})
		}
	}
}

// carries reports that a load may see what an earlier outer index left in a Scratch
// region, because it is not plain that this one has stored there before. What goes
// in is a body that is typed and has its forms.
func (c *checker) carries() bool {
	return c.unfilled(&c.k.Body, map[int]bool{})
}

// unfilled looks for a load from a Scratch region that is not among the filled ones:
// those of which every element has been stored at this outer index. It adds what the
// block fills.
func (c *checker) unfilled(b *kernel.Block, filled map[int]bool) bool {
	for i := range b.Instrs {
		in := &b.Instrs[i]
		if in.Code == kernel.Load && c.k.Regions[in.Region].Access == kernel.Scratch && !filled[in.Region] {
			return true
		}
		for j := range in.Blocks {
			if c.unfilled(&in.Blocks[j], maps.Clone(filled)) {
				return true
			}
		}
		if in.Code == kernel.For && !in.Stop {
			c.fills(in, filled)
		}
	}
	return false
}

// fills notes regions of which a loop over all elements stores each, whatever its
// turns do besides.
func (c *checker) fills(in *kernel.Instr, filled map[int]bool) {
	body := &in.Blocks[0]
	if n, ok := c.form[in.Args[0]].Const(); !ok || n != 0 {
		return
	}
	for i := range body.Instrs {
		st := &body.Instrs[i]
		if st.Code == kernel.Store && st.Args[0] == body.Params[0] && c.form[in.Args[1]].Equal(c.k.Regions[st.Region].Len) {
			filled[st.Region] = true
		}
	}
}
