package totals

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a block with parameters of which each counts as a state. Out: of every value, what it has to do with the states.
// Invariant: a value of class {j, op} is state j ⊕ f, where ⊕ is op, which is exact and associative, and f the same
// whatever the states are; a free value is the same whatever the states are.

// class is what a value has to do with the states.
type class struct {
	state int        // whose it is; or free, mixed, unknown
	op    num.FoldOp // BadFold where it is the state as it was
}

const (
	free    = -1
	mixed   = -2 // it depends on states in another way
	unknown = -3 // not seen yet
)

// mostRounds is how often a kernel is looked through at most. A loop takes as many rounds as its
// carried values need to reach each other, and one more; what takes longer has no law.
const mostRounds = 64

// classes of the values of a kernel.
type classes struct {
	k  *kernel.Kernel
	of []class
	// tainted are the Scratch regions in which something depends on a state.
	tainted map[int]bool
	changed bool
}

// classesOf looks through a kernel with its states.
func classesOf(k *kernel.Kernel) (*classes, error) {
	c := &classes{k: k, of: make([]class, k.Values()), tainted: map[int]bool{}}
	for v := range c.of {
		c.of[v].state = unknown
	}
	for i, v := range k.Body.Params {
		if c.of[v].state = free; i >= 3 {
			c.of[v].state = i - 3
		}
	}
	if !c.settle(&k.Body) {
		return nil, refuse("what is carried goes too many ways")
	}
	return c, nil
}

// turn looks through the body of a loop in which what the loop carries counts as the states. What depends on states
// outside is mixed.
func (c *classes) turn(b *kernel.Block) (*classes, bool) {
	in := &classes{k: c.k, of: slices.Clone(c.of), tainted: c.tainted}
	for v := range in.of {
		if in.of[v].state >= 0 {
			in.of[v].state = mixed
		}
	}
	in.forget(b)
	in.of[b.Params[0]].state = free
	for i, v := range b.Params[1:] {
		in.of[v] = class{state: i}
	}
	return in, in.settle(b)
}

// forget makes the values that a block defines unknown.
func (c *classes) forget(b *kernel.Block) {
	for _, v := range b.Params {
		c.of[v] = class{state: unknown}
	}
	for i := range b.Instrs {
		for _, v := range b.Instrs[i].Out {
			c.of[v] = class{state: unknown}
		}
		for j := range b.Instrs[i].Blocks {
			c.forget(&b.Instrs[i].Blocks[j])
		}
	}
}

// settle looks through a block until nothing changes; false if that takes too long.
func (c *classes) settle(b *kernel.Block) bool {
	for range mostRounds {
		c.changed = false
		if c.block(b, true); !c.changed {
			return true
		}
	}
	return false
}

// block looks through a block once. sure says that whether it runs does not depend on states.
func (c *classes) block(b *kernel.Block, sure bool) {
	for i := range b.Instrs {
		c.instr(&b.Instrs[i], sure)
	}
}

func (c *classes) instr(in *kernel.Instr, sure bool) {
	switch in.Code {
	case kernel.Store:
		if c.k.Regions[in.Region].Access == kernel.Scratch && !c.tainted[in.Region] && !(sure && c.free(in.Args...)) {
			c.tainted[in.Region], c.changed = true, true
		}
	case kernel.Fault:
	case kernel.If:
		c.branch(in, sure)
	case kernel.For:
		c.loop(in, sure)
	case kernel.Fold:
		c.raise(in.Blocks[0].Params[0], class{state: free})
		c.block(&in.Blocks[0], sure && c.free(in.Args...))
		c.all(in, c.free(in.Args...) && c.free(in.Blocks[0].Results...))
	case kernel.Load:
		a := c.k.Regions[in.Region].Access
		c.all(in, c.free(in.Args...) && (a == kernel.Read || a == kernel.Scratch && !c.tainted[in.Region]))
	case kernel.Arith:
		c.raise(in.Out[0], c.arith(in))
	case kernel.Select:
		c.raise(in.Out[0], c.chosen(in.Args[0], c.of[in.Args[1]], c.of[in.Args[2]]))
	default:
		c.all(in, c.free(in.Args...))
	}
}

// free reports values that do not depend on states.
func (c *classes) free(vs ...kernel.Value) bool {
	return !slices.ContainsFunc(vs, func(v kernel.Value) bool { return c.of[v].state != free })
}

// all makes the results free, or mixed.
func (c *classes) all(in *kernel.Instr, isFree bool) {
	got := class{state: mixed}
	if isFree {
		got.state = free
	}
	for _, v := range in.Out {
		c.raise(v, got)
	}
}

// raise adds to what a value can be.
func (c *classes) raise(v kernel.Value, got class) {
	if now := either(c.of[v], got); now != c.of[v] {
		c.of[v], c.changed = now, true
	}
}

// either is what a value is that is one of two.
func either(a, b class) class {
	switch {
	case a == b || b.state == unknown:
		return a
	case a.state == unknown:
		return b
	case a.state != b.state || a.state < 0 || a.op != b.op && a.op != num.BadFold && b.op != num.BadFold:
		return class{state: mixed}
	}
	return class{a.state, max(a.op, b.op)}
}

func (c *classes) chosen(cond kernel.Value, a, b class) class {
	if !c.free(cond) {
		return class{state: mixed}
	}
	return either(a, b)
}

// joining is the exact associative operation of an instruction, BadFold if it is none. A difference joins what is
// subtracted, negated.
func joining(in *kernel.Instr) num.FoldOp {
	op := num.FoldOf(in.Op)
	if in.Op == num.Sub {
		op = num.FoldAdd
	}
	if op == num.BadFold || !op.Takes(in.Kind) || op.IsOrdered(in.Kind) {
		return num.BadFold
	}
	return op
}

func (c *classes) arith(in *kernel.Instr) class {
	if c.free(in.Args...) {
		return class{state: free}
	}
	op := joining(in)
	if op == num.BadFold || len(in.Args) != 2 {
		return class{state: mixed}
	}
	a, b := c.of[in.Args[0]], c.of[in.Args[1]]
	if a.state == free && in.Op != num.Sub {
		a, b = b, a
	}
	switch {
	case a.state == unknown || b.state == unknown:
		return class{state: unknown}
	case a.state < 0 || b.state != free || a.op != num.BadFold && a.op != op:
		return class{state: mixed}
	}
	return class{a.state, op}
}

func (c *classes) branch(in *kernel.Instr, sure bool) {
	sure = sure && c.free(in.Args[0])
	for j := range in.Blocks {
		c.block(&in.Blocks[j], sure)
	}
	for i, v := range in.Out {
		c.raise(v, c.chosen(in.Args[0], c.of[in.Blocks[0].Results[i]], c.of[in.Blocks[1].Results[i]]))
	}
}

func (c *classes) loop(in *kernel.Instr, sure bool) {
	b, fixed := &in.Blocks[0], c.free(in.Args[:2]...)
	if in.Stop {
		stop := c.of[b.Results[len(b.Results)-1]].state
		fixed = fixed && (stop == free || stop == unknown)
	}
	c.raise(b.Params[0], class{state: free})
	for i, v := range b.Params[1:] {
		c.raise(v, c.of[in.Args[2+i]])
	}
	c.block(b, sure && fixed)
	for i, v := range in.Out {
		next := c.of[b.Results[i]]
		c.raise(b.Params[1+i], next)
		if c.raise(v, either(c.of[in.Args[2+i]], next)); !fixed {
			c.raise(v, class{state: mixed})
		}
	}
}
