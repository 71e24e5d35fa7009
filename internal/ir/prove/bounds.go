package prove

import (
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
)

// split is a polynomial sorted by what bounds it when a symbol x goes: terms
// that want the lower bound of x, terms that want the upper one, and terms
// free of x. Powers of x that want the lower bound have none better than 0
// and are dropped.
type split struct {
	low, high, rest size.Poly
	needs           []int
	ok              bool
}

// split needs every factor besides x to be at least 0, and x too where it
// stands in a power.
func (v *Prover) split(p size.Poly, x string, d Direction) split {
	s := split{ok: true}
	const none, low, high, rest = -1, 0, 1, 2
	parts := p.Deal(func(coef int64, names []string) int {
		power := 0
		for _, n := range names {
			if n == x {
				power++
			}
		}
		if power == 0 {
			return rest
		}
		for _, n := range names {
			if n == x && power == 1 {
				continue
			}
			needs, ok := v.natural(n)
			s.ok = s.ok && ok
			s.needs = Join(s.needs, needs)
		}
		switch {
		case (coef > 0) == (d == Above):
			return high
		case power == 1:
			return low
		}
		return none
	})
	s.low, s.high, s.rest = parts[low], parts[high], parts[rest]
	return s
}

// replace gives bounds of p in direction d that are free of the symbol x.
func (v *Prover) replace(p size.Poly, x string, d Direction) []Claim {
	sym := v.Symbols[x]
	if sym == nil {
		return nil
	}
	out := append(v.factored(p, x, d, sym), v.termwise(p, x, d, sym)...)
	left := make([]int, len(out))
	for i, c := range out {
		left[i] = symbolCount(c.P)
		for j := i; j > 0 && left[j] < left[j-1]; j-- {
			out[j], out[j-1] = out[j-1], out[j]
			left[j], left[j-1] = left[j-1], left[j]
		}
	}
	return out
}

// termwise bounds each term with x by itself.
func (v *Prover) termwise(p size.Poly, x string, d Direction, sym *Symbol) (out []Claim) {
	s := v.split(p, x, d)
	if !s.ok {
		return nil
	}
	for _, low := range options(s.low, sym.Lo) {
		for _, high := range options(s.high, sym.Hi) {
			q := s.rest.Add(s.low.Replace(x, low.P)).Add(s.high.Replace(x, high.P))
			if !v.Spend(Width(q)) {
				return out
			}
			out = append(out, Claim{q, Join(Join(s.needs, low.Needs), high.Needs)})
		}
	}
	return out
}

// factored bounds p = c·x + rest by the bounds of x, where the sign of c is known. It is
// for a c of both signs; termwise does the others. Rows of n - 1 elements begin at
// x·(n - 1) = x·n - x: bounds of single terms are of no use there, and what counts is
// whether n - 1 is below 0.
func (v *Prover) factored(p size.Poly, x string, d Direction, sym *Symbol) (out []Claim) {
	if plus, minus := p.Signs(x); !plus || !minus {
		return nil
	}
	c, rest, ok := p.Linear(x)
	if !ok {
		return nil
	}
	for _, side := range []Direction{Below, Above} {
		signed := c
		if side != d {
			signed = size.Const(0).Sub(c)
		}
		needs, ok := v.search(signed)
		if !ok {
			continue
		}
		bounds := sym.Lo
		if side == Above {
			bounds = sym.Hi
		}
		for _, b := range bounds {
			q := rest.Add(c.Mul(b.P))
			if q.Overflowed() || !v.Spend(Width(q)) {
				return out
			}
			out = append(out, Claim{q, Join(needs, b.Needs)})
		}
	}
	return out
}

// symbolCount is how much is left to do: what is nearly done comes first.
func symbolCount(p size.Poly) int {
	var room [16]string
	seen := room[:0]
	p.EachVar(func(name string) {
		if order(name) >= 0 && !slices.Contains(seen, name) {
			seen = append(seen, name)
		}
	})
	return len(seen)
}

// options are the bounds to try for a part; an empty part needs none.
func options(part size.Poly, bounds []Claim) []Claim {
	if part.Equal(size.Const(0)) {
		return nothing
	}
	return bounds
}

var nothing = []Claim{{}}

// Bounds gives up to maxClaims bounds of p in direction d without symbols of
// values from mark on, best guess first.
func (v *Prover) Bounds(p size.Poly, d Direction, mark int) []Claim {
	v.goal = MaxGoal
	var out []Claim
	v.collect(Claim{P: p}, d, mark, &out)
	return out
}

func (v *Prover) collect(c Claim, d Direction, mark int, out *[]Claim) {
	if c.P.Overflowed() || len(*out) >= maxClaims || !v.Spend(Width(c.P)) {
		return
	}
	name, ok := Latest(c.P, mark)
	if !ok {
		if !slices.ContainsFunc(*out, func(o Claim) bool { return o.P.Equal(c.P) }) {
			*out = append(*out, c)
		}
		return
	}
	for _, q := range v.replace(c.P, name, d) {
		v.collect(Claim{q.P, Join(c.Needs, q.Needs)}, d, mark, out)
	}
}

// Shared finds bounds of both a, where yes is known, and b, where no is.
func (v *Prover) Shared(d Direction, mark int, a, b size.Poly, yes, no Known) []Claim {
	var candidates, out []Claim
	for _, m := range []int{mark, 0} {
		v.Where(yes, func() { candidates = append(candidates, v.numbers(v.Bounds(a, d, m), d)...) })
		v.Where(no, func() { candidates = append(candidates, v.numbers(v.Bounds(b, d, m), d)...) })
	}
	until := v.effort + 4*MinGoal
	for i, q := range candidates {
		if len(out) == maxClaims || v.effort > until {
			break
		}
		if slices.ContainsFunc(candidates[:i], func(o Claim) bool { return o.P.Equal(q.P) }) {
			continue
		}
		var first, second []int
		var ok, ok2 bool
		v.Where(yes, func() { first, ok = v.NonNegative(Gap(q.P, a, d), MinGoal) })
		if ok {
			v.Where(no, func() { second, ok2 = v.NonNegative(Gap(q.P, b, d), MinGoal) })
		}
		if ok && ok2 {
			out = append(out, Claim{q.P, Join(first, second)})
		}
	}
	return out
}

// numbers adds, to bounds over sizes, what they are at most or at least for
// all sizes.
func (v *Prover) numbers(bounds []Claim, d Direction) []Claim {
	for _, b := range bounds {
		if _, symbolic := Latest(b.P, 0); symbolic {
			continue
		}
		n, hi := v.Facts.Bounds(b.P)
		if d == Above {
			n = hi
		}
		if n >= -Limit && n <= Limit {
			bounds = append(bounds[:len(bounds):len(bounds)], Claim{size.Const(n), b.Needs})
		}
	}
	return bounds
}

// Gap is at least 0 when q bounds p in direction d.
func Gap(q, p size.Poly, d Direction) size.Poly {
	if d == Above {
		return q.Sub(p)
	}
	return p.Sub(q)
}
