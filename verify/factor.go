package verify

import "github.com/godwit-run/godwit/size"

// In: a polynomial and one symbol x in it. Out: bounds without x. Rows of n - 1 elements
// begin at x·(n - 1) = x·n - x. Bounds of single terms are of no use there: the two belong
// together, and what counts is whether n - 1 is below 0.

// factored bounds p = c·x + rest by the bounds of x, where the sign of c is known. It is
// for a c of both signs; termwise does the others.
func (v *prover) factored(p size.Poly, x string, d direction, sym *symbol) (out []claim) {
	c, rest, ok := p.Linear(x)
	if !ok || positive(c) || positive(size.Const(0).Sub(c)) {
		return nil
	}
	for _, side := range []direction{below, above} {
		signed := c
		if side != d {
			signed = size.Const(0).Sub(c)
		}
		needs, ok := v.search(signed)
		if !ok {
			continue
		}
		bounds := sym.lo
		if side == above {
			bounds = sym.hi
		}
		for _, b := range bounds {
			q := rest.Add(c.Mul(b.p))
			if q.Overflowed() || !v.spend(width(q)) {
				return out
			}
			out = append(out, claim{q, join(needs, b.needs)})
		}
	}
	return out
}
