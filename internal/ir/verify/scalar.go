package verify

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/prove"
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
	lo, hi := prove.Claims(size.Const(s.Lo)), prove.Claims(size.Const(s.Hi))
	if s.Bounded {
		lo, hi = append(prove.Claims(size.Const(0)), lo...), append(prove.Claims(s.Bound.AddConst(-1)), hi...)
	}
	c.within(v, lo, hi)
	c.scalars[i] = c.form[v]
}

// bound needs its polynomial to be positive, for otherwise there is no value
// that it could give.
func (c *checker) bound(in *kernel.Instr) {
	if !c.Proves(in.Poly.AddConst(-1)) {
		c.refuseKnowing(c.knownOf(in.Poly), "%s must be at least 1 here", in.Poly)
	}
	p := c.form[in.Args[0]]
	if needs, ok := c.Sees(p, in.Poly.AddConst(-1).Sub(p)); ok && len(needs) == 0 {
		// The value is p; the plain bounds save later proofs from finding out
		// again why it lies between them.
		c.within(in.Out[0], prove.Claims(size.Const(0), p), prove.Claims(in.Poly.AddConst(-1), p))
		return
	}
	c.below(in.Out[0], in.Poly)
}

// below makes v a symbol in 0..p.
func (c *checker) below(v kernel.Value, p size.Poly) {
	c.within(v, prove.Claims(size.Const(0)), prove.Claims(p.AddConst(-1)))
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
	if needs, ok := c.Sees(inside...); ok {
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
		if needs, ok := c.Sees(p, size.Const(hi).Sub(p)); ok {
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
		if _, inner := prove.Latest(a, int(mark)); !inner {
			c.is(v, a)
			return
		}
	}
	if c.mergeConstants(v, cond, a, b) {
		return
	}
	yes, no := c.side(cond, true), c.side(cond, false)
	c.within(v, c.Shared(prove.Below, int(mark), a, b, yes.known, no.known), c.Shared(prove.Above, int(mark), a, b, yes.known, no.known))
	c.either(v, prove.Choice{Form: a, Given: yes.given}, prove.Choice{Form: b, Given: no.given})
}

// either notes that v is one of two forms. Bounds that both have are not
// all that follows from that: max(i-1, 0) is below n if i is.
func (c *checker) either(v kernel.Value, cases ...prove.Choice) {
	c.Symbols[name(v)].Cases = cases
}
