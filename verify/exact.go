package verify

import (
	"math"

	"github.com/godwit-run/godwit/kernel"
	"github.com/godwit-run/godwit/num"
	"github.com/godwit-run/godwit/size"
)

// is describes v as p, if needs hold. Forms that have grown too much are
// forgotten but for the range.
func (c *checker) is(v kernel.Value, p size.Poly, needs ...int) {
	switch {
	case tooWide(p):
		c.unknown(v)
	case len(needs) > 0:
		same := claim1(p, needs)
		c.within(v, same, same)
	default:
		c.form[v] = p
	}
}

func tooWide(p size.Poly) bool {
	return p.Overflowed() || p.Degree() > maxPower || width(p) > maxWidth
}

func claim1(p size.Poly, needs []int) []claim { return []claim{{p, needs}} }

// needing adds needs to claims.
func needing(cs []claim, needs []int) []claim {
	if len(needs) == 0 {
		return cs
	}
	out := make([]claim, len(cs))
	for i, c := range cs {
		out[i] = claim{c.p, join(c.needs, needs)}
	}
	return out
}

// within makes v a symbol with these bounds, and those of its kind.
func (c *checker) within(v kernel.Value, lo, hi []claim) {
	if !c.kinds[v].IsInt() {
		return
	}
	kindLo, kindHi := kindRange(c.kinds[v])
	s := &symbol{lo: append(lo[:len(lo):len(lo)], kindLo...), hi: append(hi[:len(hi):len(hi)], kindHi...)}
	for _, b := range s.lo {
		if needs, ok := c.search0(b.p); ok {
			s.natural, s.needs = true, join(needs, b.needs)
			break
		}
	}
	c.symbols[symbolName(v)] = s
	c.form[v] = size.Var(symbolName(v))
}

// search0 is nonNegative without guards: what holds only here must not
// become a property of the symbol, which may be looked at elsewhere.
func (v *prover) search0(p size.Poly) ([]int, bool) {
	v.goal = minGoal
	return v.search(p)
}

func (c *checker) unknown(v kernel.Value) { c.within(v, nil, nil) }

// kindRange leaves out the ends of 64-bit kinds, which no proof could use.
func kindRange(k num.Kind) (lo, hi []claim) {
	if k != num.I64 {
		lo = claims(size.Const(k.MinInt()))
	}
	if k.MaxInt() < math.MaxInt64 {
		hi = claims(size.Const(int64(k.MaxInt())))
	}
	return lo, hi
}

func claims(ps ...size.Poly) []claim {
	var cs []claim
	for _, p := range ps {
		cs = append(cs, claim{p: p})
	}
	return cs
}

// result sets v to p, which is what an operation gives on unbounded
// integers, if that fits into v's kind. Where it fits only for sizes that
// are not absurd, v becomes a symbol that equals p on the condition that
// admission finds the sizes so.
func (c *checker) result(v kernel.Value, p size.Poly) {
	k := c.kinds[v]
	needs, ok := []int(nil), false
	switch {
	case tooWide(p):
	case k.Bits() < 64:
		needs, ok = c.sees(size.Const(int64(k.MaxInt())).Sub(p), p.AddConst(-k.MinInt()))
	default:
		needs, ok = c.fits(p)
		if k == num.U64 && ok {
			var more []int
			more, ok = c.sees(p)
			needs = join(needs, more)
		}
	}
	if !ok {
		c.unknown(v)
		return
	}
	c.is(v, p, needs...)
}

// fits reports what p needs to stay within ±limit.
func (c *checker) fits(p size.Poly) (needs []int, ok bool) {
	high, ok := c.inRange(c.bounds(p, above, 0), above)
	if !ok {
		return nil, false
	}
	low, ok := c.inRange(c.bounds(p, below, 0), below)
	return join(high, low), ok
}

// inRange picks a bound over the sizes alone that stays within the limit,
// for all sizes if there is one, otherwise for some.
func (c *checker) inRange(bounds []claim, d direction) (needs []int, ok bool) {
	for _, b := range bounds {
		lo, hi := c.facts.Bounds(b.p)
		if len(b.needs) == 0 && (d == above && hi <= limit || d == below && lo >= -limit) {
			return nil, true
		}
	}
	for _, b := range bounds {
		lo, hi := c.facts.Bounds(b.p)
		if d == above && lo > limit || d == below && hi < -limit {
			continue
		}
		if d == above && hi <= limit || d == below && lo >= -limit {
			return b.needs, true
		}
		if !modest(b.p) {
			continue
		}
		return join(b.needs, []int{c.rangeOf(b.p)}), true
	}
	return nil, false
}

// modest reports coefficients as strides and offsets have them. A product
// with a large one is the kind of arithmetic that means to wrap, as hashes
// do, and no reason to keep large sizes out.
func modest(p size.Poly) bool {
	ok := true
	p.Terms(func(coef int64, _ []string, _ bool) { ok = ok && coef <= 1<<24 && coef >= -1<<24 })
	return ok
}

// rangeOf gives the number of the need that p stay within ±limit.
func (v *prover) rangeOf(p size.Poly) int {
	v.spend(len(v.ranges))
	for i, q := range v.ranges {
		if q.Equal(p) {
			return i
		}
	}
	v.ranges = append(v.ranges, p)
	return len(v.ranges) - 1
}
