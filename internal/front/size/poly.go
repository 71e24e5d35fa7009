// Package size does arithmetic on array sizes: polynomials with integer
// coefficients over named sizes, kept in one normal form so that equal
// polynomials are equal values.
package size

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Poly is a sum of terms, sorted by their atoms, without zero coefficients.
// The zero Poly is the number 0. A Poly is immutable.
type Poly struct {
	terms []term
	// over is set when a coefficient left the range of int64. Such a
	// polynomial equals nothing, proves nothing and evaluates to no number.
	over bool
}

type term struct {
	coef  int64
	atoms []Atom // sorted by Name, repeated for powers
}

// Atom is a named size, or the floor of a polynomial divided by a positive
// constant (whose Name is its text).
type Atom struct {
	Name string
	div  *division
}

type division struct {
	num Poly
	den int64
}

// Const is the polynomial n.
func Const(n int64) Poly {
	if n == 0 {
		return Poly{}
	}
	return Poly{terms: []term{{coef: n}}}
}

// Var is the polynomial that is just the size called name.
func Var(name string) Poly {
	return Poly{terms: []term{{coef: 1, atoms: []Atom{{Name: name}}}}}
}

// Div is ⌊p/den⌋ for den ≥ 1; exact quotients are simplified.
func Div(p Poly, den int64) Poly {
	if n, ok := p.Const(); ok && n >= 0 {
		return Const(n / den)
	}
	if q, ok := p.exactDiv(den); ok {
		return q
	}
	name := "(" + p.String() + ")/" + strconv.FormatInt(den, 10)
	return Poly{terms: []term{{coef: 1, atoms: []Atom{{Name: name, div: &division{p, den}}}}}, over: p.over}
}

func (p Poly) exactDiv(den int64) (Poly, bool) {
	q := Poly{terms: make([]term, len(p.terms)), over: p.over}
	for i, t := range p.terms {
		if t.coef%den != 0 {
			return Poly{}, false
		}
		q.terms[i] = term{t.coef / den, t.atoms}
	}
	return q, true
}

// Const gives the value of a polynomial without atoms.
func (p Poly) Const() (int64, bool) {
	switch {
	case p.over:
		return 0, false
	case len(p.terms) == 0:
		return 0, true
	case len(p.terms) == 1 && len(p.terms[0].atoms) == 0:
		return p.terms[0].coef, true
	}
	return 0, false
}

// IsVar gives the name of a polynomial that is one plain size.
func (p Poly) IsVar() (string, bool) {
	if !p.over && len(p.terms) == 1 && p.terms[0].coef == 1 && len(p.terms[0].atoms) == 1 && p.terms[0].atoms[0].div == nil {
		return p.terms[0].atoms[0].Name, true
	}
	return "", false
}

// Overflowed reports that a coefficient did not fit; see Poly.
func (p Poly) Overflowed() bool { return p.over }

func (p Poly) Add(q Poly) Poly { return combine(p, q, 1) }
func (p Poly) Sub(q Poly) Poly { return combine(p, q, -1) }

// combine is p + sign·q by merging the sorted terms.
func combine(p, q Poly, sign int64) Poly {
	switch {
	case len(q.terms) == 0:
		return Poly{p.terms, p.over || q.over}
	case len(p.terms) == 0 && sign == 1:
		return Poly{q.terms, p.over || q.over}
	}
	r := Poly{terms: make([]term, 0, len(p.terms)+len(q.terms)), over: p.over || q.over}
	i, j := 0, 0
	for i < len(p.terms) || j < len(q.terms) {
		switch c := compareAt(p.terms, i, q.terms, j); {
		case c < 0:
			r.terms = append(r.terms, p.terms[i])
			i++
		case c > 0:
			n, ok := mul64(q.terms[j].coef, sign)
			r.over = r.over || !ok
			r.terms = append(r.terms, term{n, q.terms[j].atoms})
			j++
		default:
			n, ok := mul64(q.terms[j].coef, sign)
			s, ok2 := add64(p.terms[i].coef, n)
			r.over = r.over || !ok || !ok2
			if s != 0 {
				r.terms = append(r.terms, term{s, p.terms[i].atoms})
			}
			i, j = i+1, j+1
		}
	}
	return r
}

func compareAt(a []term, i int, b []term, j int) int {
	switch {
	case i == len(a):
		return 1
	case j == len(b):
		return -1
	}
	return compareAtoms(a[i].atoms, b[j].atoms)
}

// compareAtoms orders by degree, highest first, then by name, so that a
// polynomial prints the way people write it. Terms of polynomials that were made from each other often share their atoms.
func compareAtoms(a, b []Atom) int {
	if len(a) != len(b) {
		return cmp.Compare(len(b), len(a))
	}
	if len(a) == 0 || &a[0] == &b[0] {
		return 0
	}
	return slices.CompareFunc(a, b, func(x, y Atom) int { return cmp.Compare(x.Name, y.Name) })
}

// Mul is p·q.
func (p Poly) Mul(q Poly) Poly {
	if len(q.terms) == 1 {
		p, q = q, p
	}
	r := Poly{over: p.over || q.over}
	for _, a := range p.terms {
		r = combine(r, q.times(a), 1)
	}
	return r
}

// times is p·t. To multiply all terms with the same atoms leaves them in order: a product of higher degree stays before others, and of
// two lists of equal length the one with the smaller first difference stays the smaller.
func (p Poly) times(t term) Poly {
	r := Poly{terms: make([]term, len(p.terms)), over: p.over}
	for i, u := range p.terms {
		n, ok := mul64(u.coef, t.coef)
		r.over = r.over || !ok
		r.terms[i] = term{n, mergeAtoms(t.atoms, u.atoms)}
	}
	return r
}

func mergeAtoms(a, b []Atom) []Atom {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	r := make([]Atom, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].Name <= b[0].Name {
			r, a = append(r, a[0]), a[1:]
		} else {
			r, b = append(r, b[0]), b[1:]
		}
	}
	return append(append(r, a...), b...)
}

// AddConst is p + n; MulConst is p·n.
func (p Poly) AddConst(n int64) Poly { return p.Add(Const(n)) }
func (p Poly) MulConst(n int64) Poly { return p.Mul(Const(n)) }

// Equal reports that p and q are the same polynomial.
func (p Poly) Equal(q Poly) bool {
	if p.over || q.over || len(p.terms) != len(q.terms) {
		return false
	}
	for i := range p.terms {
		if p.terms[i].coef != q.terms[i].coef || compareAtoms(p.terms[i].atoms, q.terms[i].atoms) != 0 {
			return false
		}
	}
	return true
}

// Vars lists the names of all plain sizes in p, sorted, each once.
func (p Poly) Vars() []string {
	var names []string
	p.EachVar(func(name string) { names = append(names, name) })
	slices.Sort(names)
	return slices.Compact(names)
}

// EachVar yields the name of a plain size as often as it stands in p, in no order.
func (p Poly) EachVar(yield func(name string)) {
	for _, t := range p.terms {
		for _, a := range t.atoms {
			if a.div != nil {
				a.div.num.EachVar(yield)
			} else {
				yield(a.Name)
			}
		}
	}
}

// Subst replaces each plain size by the polynomial that f gives for it.
func (p Poly) Subst(f func(name string) (Poly, bool)) Poly {
	same := Poly{over: p.over} // terms without such a size
	var r Poly
	for _, t := range p.terms {
		if !t.changes(f) {
			same.terms = appendOf(same.terms, t, len(p.terms))
			continue
		}
		m := Const(t.coef)
		for _, a := range t.atoms {
			m = m.Mul(a.subst(f))
		}
		r = r.Add(m)
	}
	return same.Add(r)
}

// Replace puts a polynomial in the place of one plain size, which is what Subst does for many.
func (p Poly) Replace(x string, by Poly) Poly {
	var r Poly
	kept := 0
	for _, t := range p.terms {
		switch at, power, inside := t.find(x); {
		case power == 0 && !inside:
			kept++
		case power == 1 && !inside:
			r = r.Add(by.times(t.without(at)))
		default:
			return p.Subst(func(name string) (Poly, bool) { return by, name == x })
		}
	}
	switch kept {
	case 0:
		return Poly{r.terms, r.over || p.over}
	case len(p.terms):
		return p
	}
	same := Poly{terms: make([]term, 0, kept), over: p.over}
	for _, t := range p.terms {
		if _, power, _ := t.find(x); power == 0 {
			same.terms = append(same.terms, t)
		}
	}
	return same.Add(r)
}

// find says where among the atoms of t the plain size x stands last, how often it does, and whether it stands inside of a quotient.
func (t term) find(x string) (at, power int, inside bool) {
	for i, a := range t.atoms {
		if a.div != nil {
			inside = inside || a.mentions(x)
		} else if a.Name == x {
			at, power = i, power+1
		}
	}
	return at, power, inside
}

// without is t without one of its atoms.
func (t term) without(at int) term {
	if len(t.atoms) == 1 {
		return term{coef: t.coef}
	}
	atoms := make([]Atom, 0, len(t.atoms)-1)
	return term{t.coef, append(append(atoms, t.atoms[:at]...), t.atoms[at+1:]...)}
}

// changes reports that f has something for a size of t.
func (t term) changes(f func(name string) (Poly, bool)) bool {
	found := false
	for _, a := range t.atoms {
		if a.div == nil {
			_, ok := f(a.Name)
			found = found || ok
			continue
		}
		a.div.num.EachVar(func(name string) {
			_, ok := f(name)
			found = found || ok
		})
	}
	return found
}

func (a Atom) subst(f func(string) (Poly, bool)) Poly {
	if a.div != nil {
		return Div(a.div.num.Subst(f), a.div.den)
	}
	if q, ok := f(a.Name); ok {
		return q
	}
	return Var(a.Name)
}

// Eval computes p; ok is false when a size is unknown or a value leaves the
// range of int64.
func (p Poly) Eval(value func(name string) (int64, bool)) (n int64, ok bool) {
	if p.over {
		return 0, false
	}
	for _, t := range p.terms {
		m := t.coef
		for _, a := range t.atoms {
			v, ok := a.eval(value)
			if !ok {
				return 0, false
			}
			if m, ok = mul64(m, v); !ok {
				return 0, false
			}
		}
		if n, ok = add64(n, m); !ok {
			return 0, false
		}
	}
	return n, true
}

func (a Atom) eval(value func(string) (int64, bool)) (int64, bool) {
	if a.div == nil {
		return value(a.Name)
	}
	n, ok := a.div.num.Eval(value)
	if !ok {
		return 0, false
	}
	q := n / a.div.den
	if n%a.div.den < 0 {
		q--
	}
	return q, true
}

// Degree is the largest number of atoms multiplied in one term.
func (p Poly) Degree() int {
	if len(p.terms) == 0 {
		return 0
	}
	return len(p.terms[0].atoms)
}

// Len is the number of terms.
func (p Poly) Len() int { return len(p.terms) }

// Positive reports that no coefficient is below 0.
func (p Poly) Positive() bool {
	for _, t := range p.terms {
		if t.coef < 0 {
			return false
		}
	}
	return true
}

// Terms calls yield for each term with its coefficient and the names of its
// atoms; plain is false when one of the atoms is a quotient.
func (p Poly) Terms(yield func(coef int64, names []string, plain bool)) {
	n := 0
	for _, t := range p.terms {
		n += len(t.atoms)
	}
	all := make([]string, 0, n)
	for _, t := range p.terms {
		first := len(all)
		var plain bool
		all, plain = t.names(all)
		yield(t.coef, all[first:len(all):len(all)], plain)
	}
}

// names appends the names of the atoms to a list.
func (t term) names(list []string) (_ []string, plain bool) {
	plain = true
	for _, a := range t.atoms {
		list, plain = append(list, a.Name), plain && a.div == nil
	}
	return list, plain
}

// Deal gives each term to one of three polynomials, or to none at -1, as part says, which must not keep the names. What a quotient is of
// cannot be seen in them: its name becomes that of a size.
func (p Poly) Deal(part func(coef int64, names []string) int) (parts [3]Poly) {
	var buffer [8]string
	var room [32]int
	to, count := room[:0], [3]int{}
	for _, t := range p.terms {
		names, _ := t.names(buffer[:0])
		i := part(t.coef, names)
		if to = append(to, i); i >= 0 {
			count[i]++
		}
	}
	all := make([]term, count[0]+count[1]+count[2])
	for i, n := range count {
		parts[i].terms, all = all[:0:n], all[n:]
	}
	for n, t := range p.terms {
		if i := to[n]; i >= 0 {
			if t.hasQuotient() {
				t.atoms = opaque(t.atoms)
			}
			parts[i].terms = append(parts[i].terms, t)
		}
	}
	return parts
}

func (t term) hasQuotient() bool {
	return slices.ContainsFunc(t.atoms, func(a Atom) bool { return a.div != nil })
}

// appendOf appends to a list of up to n terms.
func appendOf(list []term, t term, n int) []term {
	if list == nil {
		list = make([]term, 0, n)
	}
	return append(list, t)
}

func opaque(atoms []Atom) []Atom {
	plain := make([]Atom, len(atoms))
	for i, a := range atoms {
		plain[i].Name = a.Name
	}
	return plain
}

// String writes p in source form: 2*N*M - N + 1.
func (p Poly) String() string {
	if p.over {
		return "(too large)"
	}
	if len(p.terms) == 0 {
		return "0"
	}
	var b strings.Builder
	for i, t := range p.terms {
		sign, mag := "", strconv.FormatInt(t.coef, 10)
		if t.coef < 0 {
			sign, mag = "-", mag[1:]
		} else if i > 0 {
			sign = "+"
		}
		if i > 0 {
			sign = " " + sign + " "
		}
		b.WriteString(sign)
		b.WriteString(t.text(mag))
	}
	return b.String()
}

func (t term) text(mag string) string {
	if len(t.atoms) == 0 {
		return mag
	}
	var parts []string
	if mag != "1" {
		parts = append(parts, mag)
	}
	for _, a := range t.atoms {
		parts = append(parts, a.Name)
	}
	return strings.Join(parts, "*")
}

func add64(a, b int64) (int64, bool) {
	s := a + b
	return s, (a^s)&(b^s) >= 0
}

func mul64(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(abs64(a), abs64(b))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int64(lo), true
	}
	return int64(lo), true
}

func abs64(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

// MapAtoms replaces each atom, quotients included, by the polynomial that f
// gives for it; f sees the atom as a polynomial of its own.
func (p Poly) MapAtoms(f func(atom Poly) Poly) Poly {
	r := Poly{over: p.over}
	for _, t := range p.terms {
		m := Const(t.coef)
		for _, a := range t.atoms {
			m = m.Mul(f(Poly{terms: []term{{coef: 1, atoms: []Atom{a}}}}))
		}
		r = r.Add(m)
	}
	return r
}
