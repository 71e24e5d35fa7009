package prove

import "github.com/godwit-run/godwit/internal/front/size"

// Arithmetic on values is exact where the results fit. Some fit only for sizes that are
// not absurd; then the proof needs a range, and whoever runs the program checks it.

// Limit is how far values may get for arithmetic on them to be taken as
// exact, with room for the sum of two.
const Limit = 1 << 61

const (
	// maxWidth and maxPower bound the polynomials that describe values.
	maxWidth = 24
	maxPower = 6
)

// TooWide reports a form that has grown too much.
func TooWide(p size.Poly) bool {
	return p.Overflowed() || p.Degree() > maxPower || Width(p) > maxWidth
}

// Fits reports what p needs to stay within ±Limit.
func (v *Prover) Fits(p size.Poly) (needs []int, ok bool) {
	high, ok := v.inRange(v.Bounds(p, Above, 0), Above)
	if !ok {
		return nil, false
	}
	low, ok := v.inRange(v.Bounds(p, Below, 0), Below)
	return Join(high, low), ok
}

// inRange picks a bound over the sizes alone that stays within the limit,
// for all sizes if there is one, otherwise for some.
func (v *Prover) inRange(bounds []Claim, d Direction) (needs []int, ok bool) {
	for _, b := range bounds {
		lo, hi := v.Facts.Bounds(b.P)
		if len(b.Needs) == 0 && (d == Above && hi <= Limit || d == Below && lo >= -Limit) {
			return nil, true
		}
	}
	for _, b := range bounds {
		lo, hi := v.Facts.Bounds(b.P)
		if d == Above && lo > Limit || d == Below && hi < -Limit {
			continue
		}
		if d == Above && hi <= Limit || d == Below && lo >= -Limit {
			return b.Needs, true
		}
		if !modest(b.P) {
			continue
		}
		return Join(b.Needs, []int{v.rangeOf(b.P)}), true
	}
	return nil, false
}

// modest reports coefficients as strides and offsets have them. A product
// with a large one is the kind of arithmetic that means to wrap, as hashes
// do, and no reason to keep large sizes out.
func modest(p size.Poly) bool {
	ok := true
	p.Terms(func(coef int64, _ []string, _ bool) { ok = ok && coef <= 1<<24 && coef >= -1<<24 })
	return ok
}

// MustFit makes whoever runs the program check that p stays within ±Limit.
func (v *Prover) MustFit(p size.Poly) {
	if lo, hi := v.Facts.Bounds(p); lo < -Limit || hi > Limit {
		v.used[v.rangeOf(p)] = true
	}
}

// rangeOf gives the number of the need that p stay within ±Limit.
func (v *Prover) rangeOf(p size.Poly) int {
	v.Spend(len(v.ranges))
	for i, q := range v.ranges {
		if q.Equal(p) {
			return i
		}
	}
	v.ranges = append(v.ranges, p)
	return len(v.ranges) - 1
}

// Rely notes that a proof made use of needs.
func (v *Prover) Rely(needs []int) {
	for _, n := range needs {
		v.used[n] = true
	}
}

// Required lists the polynomials that proofs relied on to stay within ±Limit.
func (v *Prover) Required() []size.Poly {
	var ps []size.Poly
	for i, p := range v.ranges {
		if v.used[i] {
			ps = append(ps, p)
		}
	}
	return ps
}
