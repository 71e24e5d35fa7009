package verify

import (
	"maps"

	"github.com/godwit-run/godwit/kernel"
	"github.com/godwit-run/godwit/num"
	"github.com/godwit-run/godwit/size"
)

// maxFacts is how many polynomials are kept at hand as known to be ≥ 0; the
// latest are kept, which are about the loops and branches around.
const maxFacts = 8

// startProofs sets up what is known everywhere: the ranges of sizes, and
// what admission looks at in the header.
func (c *checker) startProofs() {
	c.symbols = map[string]*symbol{}
	c.used = map[int]bool{}
	c.decided = map[question]bool{}
	c.form = make([]size.Poly, len(c.kinds))
	c.def = make([]*kernel.Instr, len(c.kinds))
	c.scalars = map[int]size.Poly{}
	c.tooLong = func() { c.refuse("the proof takes too long") }
	c.facts = &size.Facts{Lo: map[string]int64{}, Hi: map[string]int64{}}
	for i, s := range c.k.Sizes {
		name, _ := kernel.SizeVar(i).IsVar()
		c.facts.Lo[name], c.facts.Hi[name] = s.Lo, s.Hi
	}
	c.mustFit(c.k.Outer.Mul(c.k.Grain).Add(c.k.Grain))
	for _, p := range []size.Poly{c.k.Outer, c.k.Count, c.k.Grain.AddConst(-1)} {
		c.mustFit(p)
		c.learn(p)
	}
	for _, r := range c.k.Regions {
		c.mustFit(r.Len)
		c.mustFit(r.Bound)
		c.learn(r.Len)
	}
	for _, s := range c.k.Scalars {
		c.mustFit(s.Bound)
	}
}

// mustFit makes admission check that p stays within ±limit.
func (c *checker) mustFit(p size.Poly) {
	if p.Overflowed() {
		c.refuse("a polynomial is too large")
	}
	if lo, hi := c.facts.Bounds(p); lo < -limit || hi > limit {
		c.used[c.rangeOf(p)] = true
	}
}

// learn adds the fact p ≥ 0, p over sizes alone.
func (c *checker) learn(p size.Poly) {
	if p.Overflowed() || c.decide(p) {
		return
	}
	c.spend(len(c.facts.Lo))
	known := c.facts.NonNeg
	known = known[max(0, len(known)+1-maxFacts):]
	f := &size.Facts{Lo: maps.Clone(c.facts.Lo), Hi: c.facts.Hi, NonNeg: append(known[:len(known):len(known)], p)}
	raise(f.Lo, p)
	c.facts = f
}

// raise draws least sizes from k·s·t − n ≥ 0 with k, n ≥ 1: no factor is 0,
// and a single one is at least ⌈n/k⌉.
func raise(lo map[string]int64, p size.Poly) {
	var factors []string
	var k, n int64
	terms := 0
	p.Terms(func(coef int64, names []string, _ bool) {
		terms++
		if len(names) == 0 {
			n = -coef
		} else {
			k, factors = coef, names
		}
	})
	if terms != 2 || k < 1 || n < 1 {
		return
	}
	for _, s := range factors {
		least := int64(1)
		if len(factors) == 1 {
			least = 1 + (n-1)/k
		}
		lo[s] = max(lo[s], least)
	}
}

// assuming calls f where each p is known to be at least 0; p may contain
// symbols.
func (c *checker) assuming(ps []size.Poly, f func()) {
	facts, guards, dead := c.facts, c.guards, c.dead
	for _, p := range ps {
		c.dead = c.dead || c.impossible(p)
		if _, symbolic := latest(p, 0); symbolic {
			c.guards = append(c.guards[:len(c.guards):len(c.guards)], p)
		}
		for _, b := range c.bounds(p, above, 0) {
			if len(b.needs) == 0 {
				c.learn(b.p)
			}
		}
	}
	f()
	c.facts, c.guards, c.dead = facts, guards, dead
}

// impossible reports that p ≥ 0 contradicts what is known, alone or together
// with a guard. What follows cannot run, and its accesses need no proof.
func (c *checker) impossible(p size.Poly) bool {
	never := size.Const(-1).Sub(p)
	others := c.guards[max(0, len(c.guards)-maxGuards):]
	for _, q := range append([]size.Poly{{}}, others...) {
		if needs, ok := c.search0(never.Sub(q)); ok && len(needs) == 0 {
			return true
		}
	}
	return false
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
		return comparison(in.Op, holds, c.form[in.Args[0]], c.form[in.Args[1]])
	case in.Kind != num.Bool:
		return nil
	case in.Op == num.Not:
		return c.condition(in.Args[0], !holds, depth+1)
	case in.Op == num.And && holds, in.Op == num.Or && !holds:
		return append(c.condition(in.Args[0], holds, depth+1), c.condition(in.Args[1], holds, depth+1)...)
	}
	return nil
}

// comparison lists what is at least 0 when a op b is as given.
func comparison(op num.Op, holds bool, a, b size.Poly) []size.Poly {
	if !holds {
		op = map[num.Op]num.Op{num.Eq: num.Ne, num.Ne: num.Eq, num.Lt: num.Ge, num.Ge: num.Lt, num.Le: num.Gt, num.Gt: num.Le}[op]
	}
	switch op {
	case num.Eq:
		return []size.Poly{a.Sub(b), b.Sub(a)}
	case num.Lt:
		return []size.Poly{b.Sub(a).AddConst(-1)}
	case num.Le:
		return []size.Poly{b.Sub(a)}
	case num.Gt:
		return []size.Poly{a.Sub(b).AddConst(-1)}
	case num.Ge:
		return []size.Poly{a.Sub(b)}
	}
	return nil
}
