package verify

import (
	"slices"

	"github.com/godwit-run/godwit/kernel"
	"github.com/godwit-run/godwit/num"
	"github.com/godwit-run/godwit/size"
)

// scalar describes the result of an instruction without blocks.
func (c *checker) scalar(in *kernel.Instr) {
	v := in.Out[0]
	switch in.Code {
	case kernel.SizeOf, kernel.Positive, kernel.Bound:
		c.mustFit(in.Poly)
	}
	if !c.kinds[v].IsInt() {
		return
	}
	switch in.Code {
	case kernel.Const:
		if in.Kind == num.U64 && int64(in.Bits) < 0 {
			c.unknown(v)
		} else {
			c.is(v, size.Const(int64(in.Bits)))
		}
	case kernel.SizeOf:
		c.is(v, in.Poly)
	case kernel.ScalarArg:
		c.scalarArg(v, in.Index)
	case kernel.Arith:
		c.arith(in)
	case kernel.Convert:
		c.convert(in)
	case kernel.Bitcast:
		c.bitcast(in)
	case kernel.Select:
		c.merge(v, in.Args[0], v, c.form[in.Args[1]], c.form[in.Args[2]])
	case kernel.Bound:
		c.bound(in)
	}
}

// scalarArg gives every mention of a scalar the same form.
func (c *checker) scalarArg(v kernel.Value, i int) {
	if p, ok := c.scalars[i]; ok {
		c.is(v, p)
		return
	}
	s := c.k.Scalars[i]
	lo, hi := claims(size.Const(s.Lo)), claims(size.Const(s.Hi))
	if s.Bounded {
		lo, hi = append(claims(size.Const(0)), lo...), append(claims(s.Bound.AddConst(-1)), hi...)
	}
	c.within(v, lo, hi)
	c.scalars[i] = c.form[v]
}

// bound needs its polynomial to be positive, for otherwise there is no value
// that it could give.
func (c *checker) bound(in *kernel.Instr) {
	if !c.proves(in.Poly.AddConst(-1)) {
		c.refuseKnowing(c.knownOf(in.Poly), "%s must be at least 1 here", in.Poly)
	}
	p := c.form[in.Args[0]]
	if needs, ok := c.sees(p, in.Poly.AddConst(-1).Sub(p)); ok && len(needs) == 0 {
		// The value is p; the plain bounds save later proofs from finding out
		// again why it lies between them.
		c.within(in.Out[0], claims(size.Const(0), p), claims(in.Poly.AddConst(-1), p))
		return
	}
	c.below(in.Out[0], in.Poly)
}

// below makes v a symbol in 0..p.
func (c *checker) below(v kernel.Value, p size.Poly) {
	c.within(v, claims(size.Const(0)), claims(p.AddConst(-1)))
}

func (c *checker) convert(in *kernel.Instr) {
	v, p := in.Out[0], c.form[in.Args[0]]
	switch {
	case in.From == num.Bool:
		c.below(v, size.Const(2))
	case !in.From.IsInt():
		c.unknown(v)
	default:
		c.same(v, p, in.Kind)
	}
}

// same describes v as p if kind k has all values of p.
func (c *checker) same(v kernel.Value, p size.Poly, k num.Kind) {
	var inside []size.Poly
	_, hi := num.IntRange(k)
	if k != num.I64 {
		inside = append(inside, p.AddConst(-k.MinInt()))
	}
	// Forms of I64 values are at most MaxInt64 as they are; those of U64
	// values need not be.
	if k != num.U64 {
		inside = append(inside, size.Const(hi).Sub(p))
	}
	if needs, ok := c.sees(inside...); ok {
		c.is(v, p, needs...)
		return
	}
	c.unknown(v)
}

// bitcast keeps numbers that have no sign bit.
func (c *checker) bitcast(in *kernel.Instr) {
	v, p := in.Out[0], c.form[in.Args[0]]
	_, hi := num.IntRange(in.Kind)
	if in.From.IsInt() {
		_, from := num.IntRange(in.From)
		hi = min(hi, from)
		if needs, ok := c.sees(p, size.Const(hi).Sub(p)); ok {
			c.is(v, p, needs...)
			return
		}
	}
	c.unknown(v)
}

// merge describes v, which is a if the Bool cond holds and b otherwise, by
// bounds that both have, over symbols of values before mark.
func (c *checker) merge(v, cond, mark kernel.Value, a, b size.Poly) {
	if a.Equal(b) {
		if _, inner := latest(a, mark); !inner {
			c.is(v, a)
			return
		}
	}
	yes, no := c.condition(cond, true, 0), c.condition(cond, false, 0)
	c.within(v, c.shared(below, mark, a, b, yes, no), c.shared(above, mark, a, b, yes, no))
	c.either(v, choice{a, yes}, choice{b, no})
}

// either notes that v is one of two forms. Bounds that both have are not
// all that follows from that: max(i-1, 0) is below n if i is.
func (c *checker) either(v kernel.Value, cases ...choice) {
	c.symbols[symbolName(v)].cases = cases
}

// shared finds bounds of both a, where yes holds, and b, where no does.
func (c *checker) shared(d direction, mark kernel.Value, a, b size.Poly, yes, no []size.Poly) []claim {
	var candidates, out []claim
	for _, m := range []kernel.Value{mark, 0} {
		c.assuming(yes, func() { candidates = append(candidates, c.numbers(c.bounds(a, d, m), d)...) })
		c.assuming(no, func() { candidates = append(candidates, c.numbers(c.bounds(b, d, m), d)...) })
	}
	until := c.effort + 4*minGoal
	for i, q := range candidates {
		if len(out) == maxClaims || c.effort > until {
			break
		}
		if slices.ContainsFunc(candidates[:i], func(o claim) bool { return o.p.Equal(q.p) }) {
			continue
		}
		var first, second []int
		var ok, ok2 bool
		c.assuming(yes, func() { first, ok = c.nonNegative(gap(q.p, a, d), minGoal) })
		if ok {
			c.assuming(no, func() { second, ok2 = c.nonNegative(gap(q.p, b, d), minGoal) })
		}
		if ok && ok2 {
			out = append(out, claim{q.p, join(first, second)})
		}
	}
	return out
}

// numbers adds, to bounds over sizes, what they are at most or at least for
// all sizes.
func (c *checker) numbers(bounds []claim, d direction) []claim {
	for _, b := range bounds {
		if _, symbolic := latest(b.p, 0); symbolic {
			continue
		}
		n, hi := c.facts.Bounds(b.p)
		if d == above {
			n = hi
		}
		if n >= -limit && n <= limit {
			bounds = append(bounds[:len(bounds):len(bounds)], claim{size.Const(n), b.needs})
		}
	}
	return bounds
}

// gap is at least 0 when q bounds p in direction d.
func gap(q, p size.Poly, d direction) size.Poly {
	if d == above {
		return q.Sub(p)
	}
	return p.Sub(q)
}
