package verify

import (
	"math/bits"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/prove"
)

// arith describes the result of integer arithmetic. Faults do not matter
// here: what a fault leaves behind is within the description too.
func (c *checker) arith(in *kernel.Instr) {
	v, a, b := in.Out[0], c.form[in.Args[0]], size.Poly{}
	if len(in.Args) == 2 {
		b = c.form[in.Args[1]]
	}
	switch in.Op {
	case num.Add, num.SatAdd:
		c.result(v, a.Add(b))
	case num.Sub:
		c.result(v, a.Sub(b))
	case num.Mul:
		c.result(v, a.Mul(b))
	case num.Neg:
		c.result(v, size.Const(0).Sub(a))
	case num.Abs:
		c.abs(v, a)
	case num.Min:
		c.extreme(v, a, b, prove.Above)
	case num.Max:
		c.extreme(v, a, b, prove.Below)
	case num.Div:
		c.quotient(v, a, b)
	case num.Rem:
		c.remainder(v, a, b)
	case num.And:
		c.and(v, a, b)
	case num.Or, num.Xor:
		c.or(v, a, b)
	case num.Shl, num.Shr:
		c.shift(in.Op, v, a, b)
	default:
		c.unknown(v)
	}
}

func (c *checker) abs(v kernel.Value, a size.Poly) {
	if needs, ok := c.Sees(a); ok {
		c.is(v, a, needs...)
		return
	}
	c.unknown(v)
}

// extreme is Min, which both operands bound from above, or Max, which both
// bound from below. On the other side it has the bounds that both have.
func (c *checker) extreme(v kernel.Value, a, b size.Poly, d prove.Direction) {
	if needs, ok := c.Sees(prove.Gap(b, a, d)); ok {
		c.is(v, a, needs...)
		return
	}
	if needs, ok := c.Sees(prove.Gap(a, b, d)); ok {
		c.is(v, b, needs...)
		return
	}
	own, other := prove.Claims(a, b), c.Shared(-d, int(v), a, b, c.Known, c.Known)
	if d == prove.Above {
		c.within(v, other, own)
	} else {
		c.within(v, own, other)
	}
	c.either(v, prove.Choice{Form: a, Given: []size.Poly{prove.Gap(b, a, d)}}, prove.Choice{Form: b, Given: []size.Poly{prove.Gap(a, b, d)}})
}

// quotient is exact where the divisor divides visibly: (i·m + r) / m with
// 0 ≤ r < m is i. Otherwise upper bounds are divided.
func (c *checker) quotient(v kernel.Value, a, m size.Poly) {
	needs, ok := c.Sees(a, m.AddConst(-1))
	if !ok {
		c.unknown(v)
		return
	}
	if q, _, more, ok := c.divide(a, m); ok {
		c.is(v, q, prove.Join(needs, more)...)
		return
	}
	hi := prove.Claims(a)
	for _, u := range c.Bounds(a, prove.Above, 0) {
		if q, ok := c.ceiling(u, m); ok {
			hi = append([]prove.Claim{q}, hi...)
		}
	}
	c.within(v, claim1(size.Const(0), needs), needing(hi, needs))
	c.Symbols[name(v)].Quotient = &prove.Quotient{Num: a, Den: m, Needs: needs}
}

// divide finds q and r with p = q·m + r and shows 0 ≤ r < m.
func (c *checker) divide(p, m size.Poly) (q, r size.Poly, needs []int, ok bool) {
	q, r, ok = splitBy(p, m)
	if ok {
		needs, ok = c.Sees(r, m.AddConst(-1).Sub(r))
	}
	return q, r, needs, ok
}

// ceiling is an upper bound of ⌊u/m⌋, for m ≥ 1.
func (c *checker) ceiling(u prove.Claim, m size.Poly) (prove.Claim, bool) {
	q, r, ok := splitBy(u.P, m)
	if !ok {
		return prove.Claim{}, false
	}
	if needs, ok := c.Sees(size.Const(-1).Sub(r)); ok { // r < 0
		return prove.Claim{P: q.AddConst(-1), Needs: prove.Join(u.Needs, needs)}, true
	}
	if needs, ok := c.Sees(m.AddConst(-1).Sub(r)); ok { // r < m
		return prove.Claim{P: q, Needs: prove.Join(u.Needs, needs)}, true
	}
	n, isConst := r.Const()
	return prove.Claim{P: q.AddConst(n), Needs: u.Needs}, isConst
}

// splitBy divides the terms of p that the single term m divides, with what
// is left of a constant as the remainder.
func splitBy(p, m size.Poly) (q, r size.Poly, ok bool) {
	var den int64
	var factors []string
	count := 0
	m.Terms(func(coef int64, names []string, plain bool) {
		den, factors = coef, names
		count++
	})
	if count != 1 || den < 1 {
		return q, r, false
	}
	p.Terms(func(coef int64, names []string, _ bool) {
		left, divides := without(names, factors)
		t := size.Const(1)
		for _, n := range left {
			t = t.Mul(size.Var(n))
		}
		whole := int64(0)
		if divides {
			whole = floorDiv(coef, den)
		}
		q = q.Add(t.MulConst(whole))
		if !divides {
			r = r.Add(t.MulConst(coef))
			return
		}
		for _, n := range factors {
			t = t.Mul(size.Var(n))
		}
		r = r.Add(t.MulConst(coef - whole*den))
	})
	return q, r, true
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// without removes factors from names, each once.
func without(names, factors []string) (left []string, ok bool) {
	left = append(left, names...)
	for _, f := range factors {
		found := false
		for i, n := range left {
			if n == f {
				left = append(left[:i], left[i+1:]...)
				found = true
				break
			}
		}
		if !found {
			return names, false
		}
	}
	return left, true
}

// remainder has the sign of a and is 0 for the divisor 0.
func (c *checker) remainder(v kernel.Value, a, m size.Poly) {
	fromM, positive := c.Sees(m.AddConst(-1))
	fromA, natural := c.Sees(a)
	least, most := size.Const(1).Sub(m), m.AddConst(-1)
	switch {
	case positive && natural:
		needs := prove.Join(fromM, fromA)
		if _, r, more, ok := c.divide(a, m); ok {
			c.is(v, r, prove.Join(needs, more)...)
			return
		}
		c.within(v, claim1(size.Const(0), fromA), append(claim1(most, fromM), claim1(a, fromA)...))
	case positive:
		c.within(v, claim1(least, fromM), claim1(most, fromM))
	case natural:
		c.within(v, claim1(size.Const(0), fromA), claim1(a, fromA))
	default:
		c.unknown(v)
	}
}

// and is at most each operand that is not negative.
func (c *checker) and(v kernel.Value, a, b size.Poly) {
	var lo, hi []prove.Claim
	for _, p := range []size.Poly{a, b} {
		if needs, ok := c.Sees(p); ok {
			lo, hi = append(lo, prove.Claim{P: size.Const(0), Needs: needs}), append(hi, prove.Claim{P: p, Needs: needs})
		}
	}
	c.within(v, lo, hi)
}

// or (and xor) of numbers below a power of two stays below it.
func (c *checker) or(v kernel.Value, a, b size.Poly) {
	needs, ok := c.Sees(a, b)
	if !ok {
		c.unknown(v)
		return
	}
	var hi []prove.Claim
	m, ok := c.most(a)
	n, ok2 := c.most(b)
	if ok && ok2 {
		hi = claim1(size.Const(1<<bits.Len64(uint64(m|n))-1), needs)
	}
	c.within(v, claim1(size.Const(0), needs), hi)
}

// most is a number that p, which is not negative, never exceeds.
func (c *checker) most(p size.Poly) (int64, bool) {
	for _, u := range c.Bounds(p, prove.Above, 0) {
		if _, hi := c.Facts.Bounds(u.P); len(u.Needs) == 0 && hi >= 0 && hi <= prove.Limit {
			return hi, true
		}
	}
	return 0, false
}

// shift knows constant amounts.
func (c *checker) shift(op num.Op, v kernel.Value, a, b size.Poly) {
	n, ok := b.Const()
	if !ok || n < 0 || n >= int64(min(c.kinds[v].Bits(), 62)) {
		c.unknown(v)
		return
	}
	if op == num.Shl {
		c.result(v, a.MulConst(1<<n))
		return
	}
	c.quotient(v, a, size.Const(1<<n))
}
