package size

// Linear takes p apart as c·x + rest with c and rest free of the plain size x; it is not
// ok where x stands in a power or in a quotient.
func (p Poly) Linear(x string) (c, rest Poly, ok bool) {
	c.over, rest.over = p.over, p.over
	for _, t := range p.terms {
		switch at, power, inside := t.find(x); {
		case inside || power > 1:
			return Poly{}, Poly{}, false
		case power == 0:
			rest.terms = appendOf(rest.terms, t, len(p.terms))
		default: // without it, terms stay in order
			c.terms = append(c.terms, t.without(at))
		}
	}
	return c, rest, true
}

// Signs tells whether terms with the plain size x have coefficients above 0, and below.
func (p Poly) Signs(x string) (plus, minus bool) {
	for _, t := range p.terms {
		if _, power, _ := t.find(x); power > 0 {
			plus, minus = plus || t.coef > 0, minus || t.coef < 0
		}
	}
	return plus, minus
}

func (a Atom) mentions(x string) bool {
	found := false
	a.div.num.EachVar(func(name string) { found = found || name == x })
	return found
}

// mixed reports that p has coefficients of both signs.
func (p Poly) mixed() bool {
	plus, minus := false, false
	for _, t := range p.terms {
		plus, minus = plus || t.coef > 0, minus || t.coef < 0
	}
	return plus && minus
}

// withoutQuotient gives a q such that p ≥ 0 follows from q ≥ 0, with one quotient less. A
// quotient ⌊n/d⌋ lies between (n - d + 1)/d and n/d; and p is an integer, so that
// d·p > -d is enough. It is not ok if no quotient of p stands by itself.
func (p Poly) withoutQuotient() (q Poly, ok bool) {
	for i, t := range p.terms {
		if len(t.atoms) != 1 || t.atoms[0].div == nil {
			continue
		}
		d := t.atoms[0].div
		bound := d.num
		if t.coef > 0 {
			bound = bound.AddConst(1 - d.den)
		}
		rest := Poly{terms: append(append([]term{}, p.terms[:i]...), p.terms[i+1:]...), over: p.over}
		return rest.MulConst(d.den).Add(bound.MulConst(t.coef)).AddConst(d.den - 1), true
	}
	return Poly{}, false
}

// Reduced gives a polynomial that is at least 0 where p is, and only there: p divided by
// what divides all its coefficients but the constant, which is rounded down.
func (p Poly) Reduced() Poly {
	var g int64
	for _, t := range p.terms {
		if len(t.atoms) > 0 {
			g = gcd(g, t.coef)
		}
	}
	if g <= 1 || p.over {
		return p
	}
	q := Poly{terms: make([]term, 0, len(p.terms))}
	for _, t := range p.terms {
		n := t.coef / g
		if t.coef%g < 0 {
			n--
		}
		if n != 0 {
			q.terms = append(q.terms, term{n, t.atoms})
		}
	}
	return q
}

// gcd is the greatest common divisor; 0 stands for no number yet, and for one that is
// too large.
func gcd(a, b int64) int64 {
	a, b = max(a, -a), max(b, -b)
	for b > 0 {
		a, b = b, a%b
	}
	return max(a, 0)
}
