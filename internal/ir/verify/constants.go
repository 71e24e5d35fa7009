package verify

import (
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/prove"
)

// In: choices among constants, such as the elements of a literal. Out: the range that they
// are in. A table of a thousand numbers is a thousand choices in each other: to look at each
// of them again for the ones around it would take too long.

// constants is what is known of a value that is one of so many constants.
type constants struct {
	count  int
	lo, hi int64
}

// fewConstants are looked at one by one in proofs.
const fewConstants = 8

// constantsOf tells which constants a form can be.
func (c *checker) constantsOf(p size.Poly) (constants, bool) {
	if n, ok := p.Const(); ok {
		return constants{1, n, n}, true
	}
	name, _ := p.IsVar()
	k, ok := c.choices[name]
	return k, ok
}

// mergeConstants describes v, which is a if the Bool cond holds and b otherwise, if both
// are among constants.
func (c *checker) mergeConstants(v, cond kernel.Value, a, b size.Poly) bool {
	x, ok := c.constantsOf(a)
	y, ok2 := c.constantsOf(b)
	if !ok || !ok2 || !c.kinds[v].IsInt() {
		return false
	}
	k := constants{x.count + y.count, min(x.lo, y.lo), max(x.hi, y.hi)}
	c.choices[name(v)] = k
	c.within(v, prove.Claims(size.Const(k.lo)), prove.Claims(size.Const(k.hi)))
	if k.count <= fewConstants {
		c.either(v, prove.Choice{Form: a, Given: c.side(cond, true).given}, prove.Choice{Form: b, Given: c.side(cond, false).given})
	}
	return true
}
