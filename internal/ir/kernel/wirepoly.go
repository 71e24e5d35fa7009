package kernel

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/internal/front/size"
)

// sizeName is what size parameter i is called in polynomials.
func sizeName(i int) string { return "s" + strconv.Itoa(i) }

// SizeIndex is the number of the size parameter called name.
func SizeIndex(name string) (int, bool) {
	digits, ok := strings.CutPrefix(name, "s")
	if !ok || digits == "" || len(digits) > 9 || digits[0] == '0' && digits != "0" {
		return 0, false
	}
	i := 0
	for _, d := range []byte(digits) {
		if d < '0' || d > '9' {
			return 0, false
		}
		i = 10*i + int(d-'0')
	}
	return i, true
}

// SizeVar is the polynomial that is just size parameter i.
func SizeVar(i int) size.Poly { return size.Var(sizeName(i)) }

// polyTerm is a term as it lies in the bytes: sizes ascending, repeated for
// powers.
type polyTerm struct {
	coef  int64
	sizes []int
}

// compareTerms is the order of terms in the bytes: highest degree first,
// then by the numbers of the sizes. (size.Poly itself orders by name, where
// s10 comes before s2.)
func compareTerms(a, b polyTerm) int {
	if c := cmp.Compare(len(b.sizes), len(a.sizes)); c != 0 {
		return c
	}
	return slices.Compare(a.sizes, b.sizes)
}

func (f *format) poly(p *size.Poly) {
	var terms []polyTerm
	if !f.reading {
		terms = f.terms(*p)
	}
	list(f, &terms, MaxTerms, "terms", func(t *polyTerm) {
		f.signed(&t.coef, "coefficient")
		f.check(t.coef != 0 && t.coef != math.MinInt64, "coefficient %d", t.coef)
		list(f, &t.sizes, MaxDegree, "factors", func(i *int) { f.index(i, len(f.k.Sizes), "size") })
		f.check(slices.IsSorted(t.sizes), "the factors of a term are not in order")
	})
	if !f.reading || f.err != nil {
		return
	}
	for i := 1; i < len(terms); i++ {
		f.check(compareTerms(terms[i-1], terms[i]) < 0, "the terms of a polynomial are not in order")
	}
	set(f, p, polyOf(terms))
}

func polyOf(terms []polyTerm) size.Poly {
	sum := size.Const(0)
	for _, t := range terms {
		m := size.Const(t.coef)
		for _, i := range t.sizes {
			m = m.Mul(SizeVar(i))
		}
		sum = sum.Add(m)
	}
	return sum
}

func (f *format) terms(p size.Poly) []polyTerm {
	var terms []polyTerm
	f.check(!p.Overflowed(), "a polynomial is too large")
	p.Terms(func(coef int64, names []string, plain bool) {
		t := polyTerm{coef: coef}
		for _, name := range names {
			i, ok := SizeIndex(name)
			f.check(ok && plain, "%q in a polynomial is not a size", name)
			t.sizes = append(t.sizes, i)
		}
		slices.Sort(t.sizes)
		terms = append(terms, t)
	})
	slices.SortFunc(terms, compareTerms)
	return terms
}
