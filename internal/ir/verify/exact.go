package verify

import (
	"math"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/prove"
)

// is describes v as p, if needs hold. Forms that have grown too much are
// forgotten but for the range.
func (c *checker) is(v kernel.Value, p size.Poly, needs ...int) {
	switch {
	case prove.TooWide(p):
		c.unknown(v)
	case len(needs) > 0:
		same := claim1(p, needs)
		c.within(v, same, same)
	default:
		c.form[v] = p
	}
}

func claim1(p size.Poly, needs []int) []prove.Claim { return []prove.Claim{{P: p, Needs: needs}} }

// needing adds needs to claims.
func needing(cs []prove.Claim, needs []int) []prove.Claim {
	if len(needs) == 0 {
		return cs
	}
	out := make([]prove.Claim, len(cs))
	for i, c := range cs {
		out[i] = prove.Claim{P: c.P, Needs: prove.Join(c.Needs, needs)}
	}
	return out
}

// within makes v a symbol with these bounds, and those of its kind.
func (c *checker) within(v kernel.Value, lo, hi []prove.Claim) {
	if !c.kinds[v].IsInt() {
		return
	}
	kindLo, kindHi := kindRange(c.kinds[v])
	s := &prove.Symbol{Lo: append(lo[:len(lo):len(lo)], kindLo...), Hi: append(hi[:len(hi):len(hi)], kindHi...)}
	c.Describe(name(v), s)
	c.form[v] = size.Var(name(v))
}

func (c *checker) unknown(v kernel.Value) { c.within(v, nil, nil) }

// kindRange leaves out the ends of 64-bit kinds, which no proof could use.
func kindRange(k num.Kind) (lo, hi []prove.Claim) {
	if k != num.I64 {
		lo = prove.Claims(size.Const(k.MinInt()))
	}
	if k.MaxInt() < math.MaxInt64 {
		hi = prove.Claims(size.Const(int64(k.MaxInt())))
	}
	return lo, hi
}

// result sets v to p, which is what an operation gives on unbounded
// integers, if that fits into v's kind. Where it fits only for sizes that
// are not absurd, v becomes a symbol that equals p on the condition that
// admission finds the sizes so.
func (c *checker) result(v kernel.Value, p size.Poly) {
	k := c.kinds[v]
	needs, ok := []int(nil), false
	switch {
	case prove.TooWide(p):
	case k.Bits() < 64:
		needs, ok = c.Sees(size.Const(int64(k.MaxInt())).Sub(p), p.AddConst(-k.MinInt()))
	default:
		needs, ok = c.Fits(p)
		if k == num.U64 && ok {
			var more []int
			more, ok = c.Sees(p)
			needs = prove.Join(needs, more)
		}
	}
	if !ok {
		c.unknown(v)
		return
	}
	c.is(v, p, needs...)
}

// name is the symbol for v.
func name(v kernel.Value) string { return prove.Name(int(v)) }
