package size

import "math"

// Facts is what is known about sizes: a lower bound each (0 when not given),
// an upper bound for some, and polynomials known to be ≥ 0.
type Facts struct {
	Lo, Hi map[string]int64
	NonNeg []Poly
}

func (f *Facts) lo(name string) int64 {
	if f == nil {
		return 0
	}
	return f.Lo[name]
}

func (f *Facts) hi(name string) (int64, bool) {
	if f == nil {
		return 0, false
	}
	h, ok := f.Hi[name]
	return h, ok
}

// Proves reports that p ≥ 0 for all sizes that satisfy the facts. It is
// sound and incomplete: false means "not shown".
//
// A polynomial whose coefficients are all ≥ 0 after moving each size to its
// lower bound is non-negative, or one of which every term is bounded by interval
// arithmetic. Otherwise known facts are subtracted, at most two deep, quotients are
// multiplied out, and what one size is multiplied with is looked at by itself.
func (f *Facts) Proves(p Poly) bool { return f.proves(p, 2) }

// ProvesLe reports that a ≤ b is shown.
func (f *Facts) ProvesLe(a, b Poly) bool { return f.Proves(b.Sub(a)) }

// ProvesLt reports that a < b is shown.
func (f *Facts) ProvesLt(a, b Poly) bool { return f.Proves(b.Sub(a).AddConst(-1)) }

func (f *Facts) proves(p Poly, depth int) bool {
	if p.over {
		return false
	}
	p = p.Reduced()
	if f.shifted(p) || f.interval(p) {
		return true
	}
	if f == nil || depth == 0 {
		return false
	}
	for _, g := range f.NonNeg {
		if !p.meets(g) {
			continue
		}
		if f.proves(p.Sub(g), depth-1) {
			return true
		}
		if r := g.Reduced(); !r.Equal(g) && f.proves(p.Sub(r), depth-1) { // as p is
			return true
		}
	}
	if q, ok := p.withoutQuotient(); ok && f.proves(q, depth) {
		return true
	}
	return f.factored(p, depth)
}

// meets reports that a size stands in both, be it in a quotient: what is known of other sizes alone says nothing of p.
func (p Poly) meets(q Poly) bool {
	for _, t := range p.terms {
		for _, a := range t.atoms {
			if a.div != nil || q.has(a.Name) {
				return true
			}
		}
	}
	return false
}

// has reports that a size stands in p, or that p has quotients, which are not looked into.
func (p Poly) has(name string) bool {
	for _, t := range p.terms {
		for _, a := range t.atoms {
			if a.div != nil || a.Name == name {
				return true
			}
		}
	}
	return false
}

// factored shows p = c·x + rest ≥ 0 where terms of both signs have the size x as a
// factor: if c ≥ 0, then x may be taken for its least value.
func (f *Facts) factored(p Poly, depth int) bool {
	if p.Degree() < 2 {
		return false
	}
	for _, x := range p.Vars() {
		c, rest, ok := p.Linear(x)
		if !ok || !c.mixed() || !f.proves(c, depth-1) {
			continue
		}
		if f.proves(rest.Add(c.MulConst(f.lo(x))), depth-1) {
			return true
		}
	}
	return false
}

// shifted substitutes lo + v for each size and looks at the signs. A
// quotient atom is ≥ 0 because sizes are.
func (f *Facts) shifted(p Poly) bool {
	q := p.Subst(func(name string) (Poly, bool) {
		if lo := f.lo(name); lo != 0 {
			return Var(name).AddConst(lo), true
		}
		return Poly{}, false
	})
	return !q.over && q.Positive()
}

// interval bounds each term from below on its own.
func (f *Facts) interval(p Poly) bool {
	low := int64(0)
	for _, t := range p.terms {
		m := t.coef
		for _, a := range t.atoms {
			v, most := f.atom(a)
			if t.coef < 0 {
				if most == math.MaxInt64 {
					return false
				}
				v = most
			}
			var ok bool
			if m, ok = mul64(m, v); !ok {
				return false
			}
		}
		var ok bool
		if low, ok = add64(low, m); !ok {
			return false
		}
	}
	return low >= 0
}

// atom bounds a size or a quotient, which is ≥ 0 because sizes are; hi is MaxInt64 when it is not bounded above.
func (f *Facts) atom(a Atom) (lo, hi int64) {
	if a.div != nil {
		if _, hi = f.Bounds(a.div.num); hi != math.MaxInt64 {
			hi = max(hi, 0) / a.div.den
		}
		return 0, hi
	}
	hi, ok := f.hi(a.Name)
	if !ok {
		hi = math.MaxInt64
	}
	return f.lo(a.Name), hi
}

// Bounds gives an interval that contains p; hi is MaxInt64 when p is not
// bounded above by the facts.
func (f *Facts) Bounds(p Poly) (lo, hi int64) {
	lo, hi = 0, 0
	for _, t := range p.terms {
		a, b := int64(1), int64(1)
		for _, at := range t.atoms {
			l, h := f.atom(at)
			a, b = mulSat(a, l), mulSat(b, h)
		}
		if t.coef < 0 {
			a, b = b, a
		}
		lo, hi = addSat(lo, mulSat(a, t.coef)), addSat(hi, mulSat(b, t.coef))
	}
	if p.over {
		return math.MinInt64, math.MaxInt64
	}
	return lo, hi
}

// mulSat treats MaxInt64 as unbounded: times a negative it is MinInt64.
func mulSat(a, b int64) int64 {
	unbounded := (a == math.MaxInt64 || b == math.MaxInt64) && a != 0 && b != 0
	if n, ok := mul64(a, b); ok && !unbounded {
		return n
	}
	if (a < 0) != (b < 0) {
		return math.MinInt64
	}
	return math.MaxInt64
}

// addSat keeps an infinite end infinite.
func addSat(a, b int64) int64 {
	for _, end := range []int64{math.MaxInt64, math.MinInt64} {
		if a == end || b == end {
			return end
		}
	}
	if n, ok := add64(a, b); ok {
		return n
	}
	if a < 0 {
		return math.MinInt64
	}
	return math.MaxInt64
}
