package llvmir

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// In come checked products of 64-bit integers in lanes; out go products whose checks are for lanes, too. No processor has the upper half of
// such a product for lanes, so what LLVM makes of a check takes each lane out of its vector. The factor of a constant is compared with what
// it may be; of two other factors it is asked whether all fit into 32 bits, as most numbers do, and their products then into 64.

// wideProduct is such a product.
func (a arithmetic) wideProduct() string {
	for i, other := range []string{a.x, a.y} {
		if c, ok := a.Const(a.in.Args[1-i]); ok {
			r := a.two("mul", a.t, a.x, a.y)
			a.noteFactor(other, c)
			return r
		}
	}
	states := []state{{a.t, ""}, {a.t.bool(), ""}}
	got := a.oneOf(a.anyLane(a.large(), a.t.n), states, func() []string {
		r, over := a.withOverflow("mul", a.x, a.y)
		return []string{r, over}
	}, func() []string { return []string{a.two("mul", a.t, a.x, a.y), a.t.bool().zero()} })
	a.note(a.in, got[1], a.t.n)
	return got[0]
}

// noteFactor notes a fault where a factor times a constant does not fit.
func (a arithmetic) noteFactor(x string, c uint64) {
	least, most := factors(a.in.Kind, c)
	if least == uint64(a.in.Kind.MinInt()) && most == a.in.Kind.MaxInt() {
		return
	}
	above := a.two("sub", a.t, x, a.t.constant(least))
	a.note(a.in, a.two("icmp ugt", a.t, above, a.t.constant(most-least)), a.t.n)
}

// factors are the least and the greatest 64-bit integer whose product with c fits.
func factors(k num.Kind, c uint64) (least, most uint64) {
	least, most = uint64(k.MinInt()), k.MaxInt()
	switch by := int64(c); {
	case c == 0 || c == 1:
	case !k.IsSigned():
		most /= c
	case by == -1:
		least++
	case by > 0:
		least, most = uint64(math.MinInt64/by), uint64(math.MaxInt64/by)
	default:
		least, most = uint64(math.MaxInt64/by), uint64(math.MinInt64/by)
	}
	return least, most
}

// large reports the lanes in which a factor takes more than 32 bits.
func (a arithmetic) large() string {
	x, y := a.x, a.y
	if a.in.Kind.IsSigned() {
		half := a.t.constant(1 << 31)
		x, y = a.two("add", a.t, x, half), a.two("add", a.t, y, half)
	}
	return a.two("icmp ugt", a.t, a.two("or", a.t, x, y), a.t.constant(math.MaxUint32))
}
