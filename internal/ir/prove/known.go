package prove

import (
	"maps"

	"github.com/godwit-run/godwit/internal/front/size"
)

// maxFacts is how many polynomials are kept at hand as known to be ≥ 0; the
// latest are kept, which are about the loops and branches around.
const maxFacts = 8

// Learn adds the fact p ≥ 0, p over sizes alone. Divided by what all its terms have in
// common it says more: of 4·(N/4) - 1 ≥ 0 that N/4 is at least 1.
func (v *Prover) Learn(p size.Poly) {
	p = p.Reduced()
	if p.Overflowed() || v.decide(p) {
		return
	}
	v.Spend(len(v.Facts.Lo))
	known := v.Facts.NonNeg
	known = known[max(0, len(known)+1-maxFacts):]
	f := &size.Facts{Lo: maps.Clone(v.Facts.Lo), Hi: v.Facts.Hi, NonNeg: append(known[:len(known):len(known)], p)}
	raise(f.Lo, p)
	v.Facts = f
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

// Assuming calls f where each p is known to be at least 0; p may contain
// symbols.
func (v *Prover) Assuming(ps []size.Poly, f func()) { v.Where(v.And(ps), f) }

// And is what is known where each p is at least 0, too.
func (v *Prover) And(ps []size.Poly) (k Known) {
	if len(ps) == 0 {
		return v.Known
	}
	v.Where(v.Known, func() {
		v.Assume(ps)
		k = v.Known
	})
	return k
}

// Where calls f where this is known.
func (v *Prover) Where(k Known, f func()) {
	before := v.Known
	v.Known = k
	f()
	v.Known = before
}

// Assume adds that each p is at least 0 to what is known.
func (v *Prover) Assume(ps []size.Poly) {
	for _, p := range ps {
		v.Dead = v.Dead || v.impossible(p)
		if _, symbolic := Latest(p, 0); symbolic {
			v.Guards = append(v.Guards[:len(v.Guards):len(v.Guards)], p)
		}
		for _, b := range v.Bounds(p, Above, 0) {
			if len(b.Needs) == 0 {
				v.Learn(b.P)
			}
		}
	}
}

// impossible reports that p ≥ 0 contradicts what is known, alone or together
// with a guard. What follows cannot run, and its accesses need no proof.
func (v *Prover) impossible(p size.Poly) bool {
	never := size.Const(-1).Sub(p)
	others := v.Guards[max(0, len(v.Guards)-maxGuards):]
	for _, q := range append([]size.Poly{{}}, others...) {
		if needs, ok := v.Search(never.Sub(q)); ok && len(needs) == 0 {
			return true
		}
	}
	return false
}

// Relation compares two integers.
type Relation int

const (
	Equal Relation = iota
	Unequal
	Less
	AtMost
	Greater
	AtLeast
)

// Not is the relation that holds where r does not.
func (r Relation) Not() Relation {
	return [...]Relation{Equal: Unequal, Unequal: Equal, Less: AtLeast, AtMost: Greater, Greater: AtMost, AtLeast: Less}[r]
}

// Compared lists what is at least 0 when a stands in relation r to b. What is not equal to
// its bound lies beyond it.
func (v *Prover) Compared(r Relation, a, b size.Poly) []size.Poly {
	switch r {
	case Equal:
		return []size.Poly{a.Sub(b), b.Sub(a)}
	case Less:
		return []size.Poly{b.Sub(a).AddConst(-1)}
	case AtMost:
		return []size.Poly{b.Sub(a)}
	case Greater:
		return []size.Poly{a.Sub(b).AddConst(-1)}
	case AtLeast:
		return []size.Poly{a.Sub(b)}
	}
	for _, d := range []size.Poly{a.Sub(b), b.Sub(a)} {
		if needs, ok := v.NonNegative(d, MinGoal); ok && len(needs) == 0 {
			return []size.Poly{d.AddConst(-1)}
		}
	}
	return nil
}
