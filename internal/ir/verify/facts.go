package verify

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/prove"
)

// startProofs sets up what is known everywhere: the ranges of sizes, and
// what admission looks at in the header.
func (c *checker) startProofs() {
	c.form = make([]size.Poly, len(c.kinds))
	c.def = make([]*kernel.Instr, len(c.kinds))
	c.choices = map[string]constants{}
	c.scalars = map[int]size.Poly{}
	facts := &size.Facts{Lo: map[string]int64{}, Hi: map[string]int64{}}
	c.Prover = prove.New(facts, func() { c.refuse("the proof takes too long") })
	c.Values = len(c.kinds)
	for i, s := range c.k.Sizes {
		name, _ := kernel.SizeVar(i).IsVar()
		facts.Lo[name], facts.Hi[name] = s.Lo, s.Hi
	}
	c.mustFit(c.k.Outer.Mul(c.k.Grain).Add(c.k.Grain))
	for _, p := range []size.Poly{c.k.Outer, c.k.Count, c.k.Grain.AddConst(-1)} {
		c.mustFit(p)
		c.Learn(p)
	}
	for _, r := range c.k.Regions {
		c.mustFit(r.Len)
		c.mustFit(r.Bound)
		c.Learn(r.Len)
	}
	for _, s := range c.k.Scalars {
		c.mustFit(s.Bound)
	}
}

// mustFit makes admission check that p stays within ±prove.Limit.
func (c *checker) mustFit(p size.Poly) {
	if p.Overflowed() {
		c.refuse("a polynomial is too large")
	}
	c.MustFit(p)
}

// condition lists what is at least 0 when the Bool v has the given value.
func (c *checker) condition(v kernel.Value, holds bool, depth int) []size.Poly {
	in := c.def[v]
	if in == nil || depth > 4 {
		return nil
	}
	switch {
	case in.Code == kernel.Positive && holds:
		return []size.Poly{in.Poly.AddConst(-1)}
	case in.Code == kernel.Positive:
		return []size.Poly{size.Const(0).Sub(in.Poly)}
	case in.Code != kernel.Arith:
		return nil
	case in.Kind.IsInt() && in.Op.IsCompare():
		r := relations[in.Op]
		if !holds {
			r = r.Not()
		}
		return c.Compared(r, c.form[in.Args[0]], c.form[in.Args[1]])
	case in.Kind != num.Bool:
		return nil
	case in.Op == num.Not:
		return c.condition(in.Args[0], !holds, depth+1)
	case in.Op == num.And && holds, in.Op == num.Or && !holds:
		return append(c.condition(in.Args[0], holds, depth+1), c.condition(in.Args[1], holds, depth+1)...)
	}
	return nil
}

// side is what a Bool says on one of its sides: what is at least 0 there, and what is known with it.
type side struct {
	given []size.Poly
	known prove.Known
}

// sideOf names a side at a place, which is as good as what is known there.
type sideOf struct {
	cond   kernel.Value
	holds  bool
	facts  *size.Facts
	guard  *size.Poly // the latest
	guards int
}

// side is found once for all that choose by the Bool at the same place.
func (c *checker) side(cond kernel.Value, holds bool) side {
	at := sideOf{cond: cond, holds: holds, facts: c.Facts, guards: len(c.Guards)}
	if at.guards > 0 {
		at.guard = &c.Guards[at.guards-1]
	}
	if s, ok := c.sides[at]; ok && !c.Dead {
		return s
	}
	given := c.condition(cond, holds, 0)
	s := side{given, c.And(given)}
	if !c.Dead {
		c.sides[at] = s
	}
	return s
}

var relations = map[num.Op]prove.Relation{
	num.Eq: prove.Equal, num.Ne: prove.Unequal, num.Lt: prove.Less,
	num.Le: prove.AtMost, num.Gt: prove.Greater, num.Ge: prove.AtLeast,
}
