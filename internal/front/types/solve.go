package types

import "github.com/godwit-run/godwit/internal/front/size"

// Solve finds the size called name from the equation pattern = value, where
// pattern is linear in name: coef·name + rest with a constant coef ≠ 0. It
// fails when no polynomial with integer coefficients solves it.
func Solve(pattern size.Poly, name string, value size.Poly) (size.Poly, bool) {
	at := func(v size.Poly) size.Poly {
		return pattern.Subst(func(n string) (size.Poly, bool) { return v, n == name })
	}
	rest := at(size.Const(0))
	coef, ok := at(size.Const(1)).Sub(rest).Const()
	if !ok || coef == 0 || !size.Var(name).MulConst(coef).Add(rest).Equal(pattern) {
		return size.Poly{}, false
	}
	diff := value.Sub(rest)
	if coef < 0 {
		coef, diff = -coef, diff.MulConst(-1)
	}
	if coef == 1 {
		return diff, !diff.Overflowed()
	}
	q := size.Div(diff, coef)
	return q, q.MulConst(coef).Equal(diff)
}

// maxDegree and maxTerms keep sizes readable and their arithmetic fast.
const (
	maxDegree = 8
	maxTerms  = 40
)

// Small reports that a size is one that the language allows; the product of
// two that are so can still be computed to find out.
func Small(p size.Poly) bool {
	return !p.Overflowed() && p.Degree() <= maxDegree && p.Len() <= maxTerms
}
