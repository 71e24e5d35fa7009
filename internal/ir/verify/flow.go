package verify

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/prove"
	"slices"
)

// body sets up the parameters: 0 ≤ o < Outer, lo = o·Grain and
// hi = min(lo + Grain, Count), which may be below lo.
func (c *checker) body() {
	b := &c.k.Body
	o, lo, hi := b.Params[0], b.Params[1], b.Params[2]
	c.Assuming([]size.Poly{c.k.Outer.AddConst(-1)}, func() {
		c.below(o, c.k.Outer)
		start := c.form[o].Mul(c.k.Grain)
		c.is(lo, start)
		c.within(hi, prove.Claims(size.Const(0)), prove.Claims(c.k.Count, start.Add(c.k.Grain)))
		c.next = hi + 1
		for i, s := range c.k.State {
			c.restored(b.Params[3+i], c.k.Regions[s.Region])
		}
		c.safe.Outer = c.block(b)
		c.safe.Outer.Fixed += kernel.OuterSteps
		for i, s := range c.k.State {
			c.keeps(b.Results[i], c.k.Regions[s.Region])
		}
	})
	for i, s := range c.k.State {
		if !c.Proves(c.k.Regions[s.Region].Len.AddConst(-1)) {
			c.refuse("region r%d must have an element for state %d", s.Region, i)
		}
	}
}

// restored is a value that comes out of a region.
func (c *checker) restored(v kernel.Value, r kernel.Region) {
	c.next = max(c.next, v+1)
	if r.Bounded {
		c.below(v, r.Bound)
	} else {
		c.unknown(v)
	}
}

// keeps refuses a value that may break the bound of the region it goes to.
func (c *checker) keeps(v kernel.Value, r kernel.Region) {
	if r.Bounded {
		c.inside(v, r.Bound, "the value stored")
	}
}

// inside refuses a value that may lie outside 0..p.
func (c *checker) inside(v kernel.Value, p size.Poly, what string) {
	switch form := c.form[v]; {
	case !c.Proves(form):
		c.refuseKnowing(c.knownOf(form), "%s v%d must be at least 0", what, v)
	case !c.Proves(p.AddConst(-1).Sub(form)):
		c.refuseKnowing(c.knownOf(form), "%s v%d must be below %s", what, v, p)
	}
}

// block describes every value in it and gives its work.
func (c *checker) block(b *kernel.Block) Work {
	work := Work{}
	c.each(b, func(in *kernel.Instr) {
		c.Spend(1)
		work.Fixed++
		for _, v := range in.Out {
			c.def[v] = in
		}
		switch in.Code {
		case kernel.Store, kernel.Load:
			c.access(in)
		case kernel.If:
			work.Parts = append(work.Parts, c.branch(in))
		case kernel.For:
			work.Parts = append(work.Parts, c.loop(in))
		case kernel.Fold:
			work.Parts = append(work.Parts, c.fold(in))
		case kernel.Fault:
		default:
			c.scalar(in)
		}
		for _, v := range in.Out {
			c.next = v + 1
		}
	})
	return work
}

func (c *checker) branch(in *kernel.Instr) Part {
	mark := c.next
	part := Part{Choices: make([]Work, 2)}
	for i, holds := range []bool{true, false} {
		c.Where(c.side(in.Args[0], holds).known, func() { part.Choices[i] = c.block(&in.Blocks[i]) })
	}
	for i, v := range in.Out {
		if c.kinds[v].IsInt() {
			c.merge(v, in.Args[0], mark, c.form[in.Blocks[0].Results[i]], c.form[in.Blocks[1].Results[i]])
		}
	}
	return part
}

// trips bounds the number of turns from lo to hi.
func (c *checker) trips(lo, hi kernel.Value) []size.Poly {
	var sure, all []size.Poly
	claims := c.gap(lo, hi)
	for _, b := range claims {
		if slices.ContainsFunc(all, b.P.Equal) {
			continue
		}
		all = append(all, b.P)
		if len(b.Needs) == 0 {
			sure = append(sure, b.P)
		}
	}
	switch {
	case len(all) == 0:
		c.refuseKnowing(c.knownOf(c.form[hi]), "the number of turns needs a bound over the sizes")
	case len(sure) > 0:
		return sure
	}
	c.Rely(claims[0].Needs)
	return all[:1]
}

// gap bounds hi - lo. A least of two is known as the one that it is shown to be; the other one bounds it, too, and may be far less.
func (c *checker) gap(lo, hi kernel.Value) []prove.Claim {
	claims := c.Bounds(c.form[hi].Sub(c.form[lo]), prove.Above, 0)
	if in := c.def[hi]; in != nil && in.Code == kernel.Arith && in.Op == num.Min && in.Kind.IsInt() {
		for _, v := range in.Args {
			claims = append(claims, c.Bounds(c.form[v].Sub(c.form[lo]), prove.Above, 0)...)
		}
	}
	return claims
}

// variable describes the variable of a loop whose body is running.
func (c *checker) variable(v, lo, hi kernel.Value) {
	c.next = v + 1
	c.within(v, prove.Claims(c.form[lo]), prove.Claims(c.form[hi].AddConst(-1)))
}

// loop proves the bounds of what is carried by induction.
func (c *checker) loop(in *kernel.Instr) Part {
	lo, hi, b := in.Args[0], in.Args[1], &in.Blocks[0]
	for i, carry := range in.Carry {
		if carry.Bounded {
			c.mustFit(carry.Bound)
			c.inside(in.Args[2+i], carry.Bound, "the first carried value")
		}
	}
	part := Part{Trips: c.trips(lo, hi), Turn: kernel.TurnSteps(in)}
	c.Assuming([]size.Poly{c.form[hi].Sub(c.form[lo]).AddConst(-1)}, func() {
		c.variable(b.Params[0], lo, hi)
		for i, carry := range in.Carry {
			c.carried(b.Params[1+i], carry)
		}
		part.Choices = []Work{c.block(b)}
		for i, carry := range in.Carry {
			if carry.Bounded {
				c.inside(b.Results[i], carry.Bound, "the next carried value")
			}
		}
	})
	for i, carry := range in.Carry {
		c.carried(in.Out[i], carry)
	}
	return part
}

func (c *checker) carried(v kernel.Value, carry kernel.Carry) {
	c.next = v + 1
	if carry.Bounded {
		c.below(v, carry.Bound)
	} else {
		c.unknown(v)
	}
}

func (c *checker) fold(in *kernel.Instr) Part {
	lo, hi, b := in.Args[0], in.Args[1], &in.Blocks[0]
	part := Part{Trips: c.trips(lo, hi), Turn: kernel.TurnSteps(in)}
	c.Assuming([]size.Poly{c.form[hi].Sub(c.form[lo]).AddConst(-1)}, func() {
		c.variable(b.Params[0], lo, hi)
		part.Choices = []Work{c.block(b)}
	})
	out := in.Out
	for i, a := range in.Accs {
		if a.Op == kernel.FoldMulAdd {
			c.product(in, b.Results[i], a.Kind)
		}
		for _, v := range out[:a.Op.Words()] {
			c.unknown(v)
		}
		switch {
		case a.Op == kernel.FoldArgMin || a.Op == kernel.FoldArgMax:
			c.position(out[1], lo, hi)
		case a.Op == kernel.FoldAdd && a.Kind == num.I64:
			c.total(out[0], c.form[b.Results[i]], part.Trips)
		}
		out = out[a.Op.Words():]
	}
	return part
}

// product makes sure that what FoldMulAdd folds has factors.
func (c *checker) product(in *kernel.Instr, v kernel.Value, k num.Kind) {
	d := c.def[v]
	if d == nil || d.Code != kernel.Arith || d.Op != num.Mul || d.Kind != k {
		c.refuse("v%d must be a product, because its factors are folded", v)
	}
	if in.Tree {
		c.refuse("a tree has no lanes, so nothing is added to a product of %s", k)
	}
}

// position describes where an ArgMin found its value: lo of an empty fold.
func (c *checker) position(v, lo, hi kernel.Value) {
	first, last := c.form[lo], c.form[hi].AddConst(-1)
	if needs, ok := c.Sees(last.Sub(first)); ok {
		c.within(v, prove.Claims(first), claim1(last, needs))
		return
	}
	full, empty := last.Sub(first), first.Sub(last).AddConst(-1)
	greatest := prove.LastName(int(v))
	c.Describe(greatest, &prove.Symbol{
		Lo: prove.Claims(first), Hi: c.Shared(prove.Above, int(v), first, last, c.And([]size.Poly{empty}), c.And([]size.Poly{full})),
		Cases: []prove.Choice{{Form: first, Given: []size.Poly{empty}}, {Form: last, Given: []size.Poly{full}}},
	})
	c.within(v, prove.Claims(first), prove.Claims(size.Var(greatest)))
}

// total describes a sum of numbers that are not negative, such as a count.
func (c *checker) total(v kernel.Value, term size.Poly, trips []size.Poly) {
	for _, most := range c.Bounds(term, prove.Above, 0) {
		for _, n := range trips {
			sum := most.P.Mul(n)
			exact, ok := c.Fits(sum)
			natural, ok2 := c.Sees(term, n, most.P)
			if ok && ok2 {
				needs := prove.Join(prove.Join(exact, natural), most.Needs)
				c.within(v, claim1(size.Const(0), needs), claim1(sum, needs))
				return
			}
		}
	}
}
