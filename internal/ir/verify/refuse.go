package verify

import (
	"fmt"
	"strings"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// refuse ends the check at the current instruction.
func (c *checker) refuse(need string, args ...any) {
	c.refuseKnowing("", need, args...)
}

func (c *checker) refuseKnowing(known, need string, args ...any) {
	e := &Error{Path: "body", Need: fmt.Sprintf(need, args...), Known: known}
	if len(c.path) > 0 {
		e.Path = "body > " + strings.Join(c.path, " > ")
	}
	if c.at != nil {
		e.Instr = kernel.InstrText(c.at)
	}
	panic(e)
}

// refuseHeader ends the check at a part of the header.
func refuseHeader(part, need string, args ...any) {
	panic(&Error{Path: part, Need: fmt.Sprintf(need, args...)})
}

// each calls visit for the instructions of a block, with the path set.
func (c *checker) each(b *kernel.Block, visit func(in *kernel.Instr)) {
	outer := c.at
	for i := range b.Instrs {
		c.at = &b.Instrs[i]
		c.path = append(c.path, fmt.Sprintf("%d %s", i, c.at.Code))
		visit(c.at)
		c.path = c.path[:len(c.path)-1]
		c.at = outer
	}
}
