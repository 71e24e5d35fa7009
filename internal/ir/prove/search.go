package prove

import "github.com/godwit-run/godwit/internal/front/size"

// maxGuards is how many of the latest guards a proof looks at.
const maxGuards = 6

// Proves reports that p ≥ 0 here, and if so notes what the proof relied on.
func (v *Prover) Proves(p size.Poly) bool {
	needs, ok := v.NonNegative(p, MaxGoal)
	if ok {
		v.Rely(needs)
	}
	return ok
}

// Sees tells whether every p is easily seen to be at least 0, and on which
// needs that rests. It is for describing values: the needs go into the
// description, and count only when a proof makes use of it.
func (v *Prover) Sees(ps ...size.Poly) (needs []int, ok bool) {
	for _, p := range ps {
		n, ok := v.NonNegative(p, MinGoal)
		if !ok {
			return nil, false
		}
		needs = Join(needs, n)
	}
	return needs, true
}

// NonNegative tries to show p ≥ 0, directly, with each guard, and with quotients
// multiplied out.
func (v *Prover) NonNegative(p size.Poly, goal int) ([]int, bool) {
	if v.Dead {
		return nil, true
	}
	if needs, ok := v.guarded(p, goal); ok {
		return needs, true
	}
	if q, ok := v.multiplied(p); ok {
		needs, ok := v.guarded(q.P, goal)
		return Join(needs, q.Needs), ok
	}
	return nil, false
}

func (v *Prover) guarded(p size.Poly, goal int) ([]int, bool) {
	v.goal, v.thorough = goal, goal > MinGoal
	if needs, ok := v.search(p); ok {
		return needs, true
	}
	for i := len(v.Guards) - 1; i >= max(0, len(v.Guards)-maxGuards); i-- {
		v.goal = goal
		if needs, ok := v.search(p.Sub(v.Guards[i])); ok {
			return needs, true
		}
		if m, ok := v.scaled(p, v.Guards[i]); ok {
			v.goal = goal
			if needs, ok := v.search(p.Sub(m.P)); ok {
				return Join(needs, m.Needs), true
			}
		}
	}
	if v.Deep {
		return v.withTwo(p, goal)
	}
	return nil, false
}

// withTwo tries two guards together, or one twice.
func (v *Prover) withTwo(p size.Poly, goal int) ([]int, bool) {
	guards := v.Guards[max(0, len(v.Guards)-maxGuards):]
	for i, g := range guards {
		for _, h := range guards[:i+1] {
			v.goal = goal / 4
			if needs, ok := v.search(p.Sub(g).Sub(h)); ok {
				return needs, true
			}
		}
	}
	return nil, false
}

// scaled is the multiple of a guard that frees p of the guard's latest symbol, if its factor
// is seen to be at least 0: i < N holds for rows, and p is about M·i.
func (v *Prover) scaled(p, guard size.Poly) (m Claim, ok bool) {
	x, symbolic := Latest(guard, 0)
	if !symbolic {
		return m, false
	}
	d, _, linear := guard.Linear(x)
	sign, plain := d.Const()
	factor, _, linear2 := p.Linear(x)
	if !linear || !linear2 || !plain || sign != 1 && sign != -1 {
		return m, false
	}
	factor = factor.MulConst(sign)
	if c, plain := factor.Const(); plain && c <= 1 || !factor.Positive() {
		return m, false
	}
	m.Needs, ok = v.naturals(factor)
	m.P = guard.Mul(factor)
	return m, ok && !m.P.Overflowed()
}

// multiplied gives a q such that p ≥ 0 follows from q ≥ 0, without symbols that are
// quotients. A quotient x = ⌊n/d⌋ lies between (n - d + 1)/d and n/d; and p is an
// integer, so that d·p > -d is enough, or p itself where x stands beside d already. Guards
// are about n rather than about x.
func (v *Prover) multiplied(p size.Poly) (q Claim, ok bool) {
	q.P = p
	for _, name := range p.Vars() {
		s := v.Symbols[name]
		if s == nil || s.Quotient == nil {
			continue
		}
		c, rest, linear := q.P.Linear(name)
		if !linear {
			continue
		}
		next, free := s.Quotient.replaced(c, rest)
		if free && !next.Overflowed() {
			q.P, q.Needs, ok = next, Join(q.Needs, s.Quotient.Needs), true
		}
	}
	return q, ok
}

// replaced gives a q, without the quotient x, such that c·x + rest ≥ 0 follows from q ≥ 0.
func (x *Quotient) replaced(c, rest size.Poly) (q size.Poly, ok bool) {
	bound := func(coef int64) size.Poly {
		if coef > 0 {
			return x.Num.Sub(x.Den).AddConst(1).MulConst(coef)
		}
		return x.Num.MulConst(coef)
	}
	if coef, plain := c.Const(); plain {
		return rest.Mul(x.Den).Add(bound(coef)).Add(x.Den).AddConst(-1), true
	}
	for _, coef := range []int64{-1, 1} {
		if c.Equal(x.Den.MulConst(coef)) {
			return rest.Add(bound(coef)), true
		}
	}
	return q, false
}

// Search tries to show p ≥ 0 without guards, with little work.
func (v *Prover) Search(p size.Poly) ([]int, bool) {
	v.goal, v.thorough = MinGoal, false
	return v.search(p)
}

func (v *Prover) search(p size.Poly) ([]int, bool) {
	if p.Overflowed() || !v.Spend(Width(p)) {
		return nil, false
	}
	if n, ok := p.Const(); ok {
		return nil, n >= 0
	}
	name, symbolic := Latest(p, 0)
	if !symbolic {
		return nil, v.decide(p)
	}
	if p.Positive() {
		if needs, ok := v.naturals(p); ok {
			return needs, true
		}
	}
	for _, q := range v.replace(p, name, Below) {
		if needs, ok := v.search(q.P); ok {
			return Join(needs, q.Needs), true
		}
	}
	if needs, ok := v.everyCase(p, name); ok || !v.Deep || !v.thorough {
		return needs, ok
	}
	return v.unquoted(p, name)
}

// unquoted shows p ≥ 0 with the quotient x multiplied out, and with what is given.
func (v *Prover) unquoted(p size.Poly, x string) (needs []int, ok bool) {
	s := v.Symbols[x]
	if s == nil || s.Quotient == nil {
		return nil, false
	}
	c, rest, linear := p.Linear(x)
	if !linear {
		return nil, false
	}
	q, free := s.Quotient.replaced(c, rest)
	if !free || q.Overflowed() {
		return nil, false
	}
	for _, g := range append([]size.Poly{{}}, v.given...) {
		if needs, ok = v.search(q.Sub(g)); ok {
			return Join(needs, s.Quotient.Needs), true
		}
	}
	return nil, false
}

// everyCase shows p ≥ 0 for every value that the symbol x can have.
func (v *Prover) everyCase(p size.Poly, x string) (needs []int, ok bool) {
	sym := v.Symbols[x]
	if sym == nil || len(sym.Cases) == 0 {
		return nil, false
	}
	// A guard may bring in symbols that went already; once on a path is
	// enough, and keeps this from going in circles.
	var guards []size.Poly
	if !v.guarding {
		guards = v.Guards[max(0, len(v.Guards)-maxGuards):]
		v.guarding = true
		defer func() { v.guarding = false }()
	}
	outer := v.given
	defer func() { v.given = outer }()
	for _, c := range sym.Cases {
		v.given = append(outer[:len(outer):len(outer)], c.Given...)
		n, ok := v.knowing(p.Replace(x, c.Form), append(c.Given[:len(c.Given):len(c.Given)], guards...), outer)
		if !ok {
			return nil, false
		}
		needs = Join(needs, n)
	}
	return needs, true
}

// knowing tries to show p ≥ 0, directly and with what is known: of this case, and of those
// around it, each once on a path. For descriptions that would be too much work: a choice
// among many is a deep nest of cases.
func (v *Prover) knowing(p size.Poly, known, outer []size.Poly) (needs []int, ok bool) {
	if needs, ok = v.search(p); ok {
		return needs, true
	}
	for _, g := range known {
		if needs, ok = v.search(p.Sub(g)); ok {
			return needs, true
		}
	}
	if !v.thorough {
		return nil, false
	}
	v.given = nil
	for _, g := range outer {
		if needs, ok = v.search(p.Sub(g)); ok {
			return needs, true
		}
	}
	return nil, false
}

// decide asks about a polynomial over sizes alone.
func (v *Prover) decide(p size.Poly) bool {
	if p.Positive() {
		return true
	}
	if v.More != nil {
		f := size.Facts{Lo: v.Facts.Lo, Hi: v.Facts.Hi, NonNeg: append(v.More(p), v.Facts.NonNeg...)}
		v.Spend(volume(p) * (len(f.NonNeg) + 1))
		v.toil(volume(p) * (len(f.NonNeg) + 1) * factoring(p))
		return f.Proves(p)
	}
	q := question{v.Facts, p.String()}
	if yes, asked := v.decided[q]; asked {
		return yes
	}
	known := len(v.Facts.NonNeg) + 1
	v.Spend(volume(p) * known * known)
	v.toil(volume(p) * known * known * factoring(p))
	yes := v.Facts.Proves(p)
	v.decided[q] = yes
	return yes
}

// naturals reports whether every size of p stands for something at least 0.
func (v *Prover) naturals(p size.Poly) (needs []int, ok bool) {
	ok = true
	p.EachVar(func(name string) {
		if ok {
			var n []int
			n, ok = v.natural(name)
			needs = Join(needs, n)
		}
	})
	return needs, ok
}

func (v *Prover) natural(name string) (needs []int, ok bool) {
	if order(name) < 0 {
		return nil, true
	}
	if s := v.Symbols[name]; s != nil && s.natural {
		return s.needs, true
	}
	return nil, false
}
