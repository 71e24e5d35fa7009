package size

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var n, m, k = Var("N"), Var("M"), Var("K")

func TestText(t *testing.T) {
	for _, c := range []struct {
		p    Poly
		want string
	}{
		{Const(0), "0"},
		{n.Sub(n), "0"},
		{n.Mul(m).MulConst(2).Sub(n).AddConst(1), "2*M*N - N + 1"},
		{n.Sub(m).AddConst(-3), "-M + N - 3"},
		{Div(n, 4), "(N)/4"},
		{Div(n.MulConst(8), 4), "2*N"},
		{Div(Const(9), 4), "2"},
	} {
		if got := c.p.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestProves(t *testing.T) {
	f := &Facts{Lo: map[string]int64{"W": 1, "N": 8}, Hi: map[string]int64{"M": 100, "N": 1000}, NonNeg: []Poly{n.Sub(k)}}
	w := Var("W")
	for _, c := range []struct {
		p    Poly
		want bool
	}{
		{n, true},
		{n.AddConst(-8), true},
		{n.AddConst(-9), false},
		{n.Mul(w).Sub(n), true},
		{Const(100).Sub(m), true},
		{Const(99).Sub(m), false},
		{n.Sub(k), true},
		{n.MulConst(2).Sub(k.MulConst(2)), true},
		{k.Sub(n), false},
		{Div(m, 3), true},
		{Const(math.MaxInt64).Mul(n).Mul(Const(2)), false},
	} {
		if got := f.Proves(c.p); got != c.want {
			t.Errorf("%s >= 0: %v, want %v", c.p, got, c.want)
		}
	}
}

// Rows of n - k elements begin at multiples of n - k, and a half is not the whole.
// TestProvesByWhatMeets: facts about other sizes cost a proof nothing, however many there are, and one that shares a size with what another fact leads to is used.
func TestProvesByWhatMeets(t *testing.T) {
	few := &Facts{NonNeg: []Poly{n.Sub(m), m.Sub(k)}}
	many := &Facts{NonNeg: slices.Clone(few.NonNeg)}
	for i := range 200 {
		many.NonNeg = append(many.NonNeg, Var("A"+strings.Repeat("x", i)).Sub(Var("B"+strings.Repeat("x", i))))
	}
	for _, c := range []struct {
		p    Poly
		want bool
	}{{n.Sub(k), true}, {n.Sub(k).AddConst(-1), false}, {k.Sub(n), false}} {
		if got := many.Proves(c.p); got != c.want {
			t.Errorf("%s >= 0: %v, expected %v", c.p, got, c.want)
		}
		alone, beside := testing.AllocsPerRun(10, func() { few.Proves(c.p) }), testing.AllocsPerRun(10, func() { many.Proves(c.p) })
		if beside > alone {
			t.Errorf("%s: %.0f allocations beside facts about other sizes, %.0f without", c.p, beside, alone)
		}
	}
}

func TestProvesProducts(t *testing.T) {
	r := Var("R")
	f := &Facts{Lo: map[string]int64{"N": 1}, NonNeg: []Poly{n.Sub(k), r.Sub(m).AddConst(-1)}}
	for _, c := range []struct {
		p    Poly
		want bool
	}{
		{m.Mul(n.Sub(k)), true},
		{m.Mul(n.Sub(k)).AddConst(-1), false},
		{m.Mul(k.Sub(n)), false},
		{n.Mul(r.Sub(m)).AddConst(-1), true},
		{n.Sub(Div(n, 2)).AddConst(-1), true},
		{n.Sub(Div(n, 2)).AddConst(-2), false},
		{Div(n.AddConst(1), 2).AddConst(-1), true},
		{Div(n, 2).AddConst(-1), false},
		{n.Sub(Div(n.MulConst(3), 4)), true},
		{Div(n, 2).Add(Div(n.AddConst(1), 2)).Sub(n), true},
		{n.Sub(Div(n, 2)).Sub(Div(n.AddConst(1), 2)), true},
	} {
		if got := f.Proves(c.p); got != c.want {
			t.Errorf("%s >= 0: %v, want %v", c.p, got, c.want)
		}
	}
}

// TestProvesSoundly compares what is proved with the values that polynomials have, over
// all small sizes.
func TestProvesSoundly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, fact := withQuotients.Draw(t, "p"), withQuotients.Draw(t, "fact")
		lo := rapid.Int64Range(0, 2).Draw(t, "lo")
		f := &Facts{Lo: map[string]int64{"N": lo}, NonNeg: []Poly{fact}}
		if !f.Proves(p) {
			return
		}
		for i := range int64(7 * 7 * 7) {
			env := map[string]int64{"N": lo + i%7, "M": i / 7 % 7, "K": i / 49}
			at := func(p Poly) int64 {
				v, _ := p.Eval(func(s string) (int64, bool) { v, ok := env[s]; return v, ok })
				return v
			}
			if at(fact) >= 0 && at(p) < 0 {
				t.Fatalf("%s was proved from %s and N >= %d, and is %d for %v", p, fact, lo, at(p), env)
			}
		}
	})
}

func TestBounds(t *testing.T) {
	f := &Facts{Lo: map[string]int64{"N": 2}, Hi: map[string]int64{"N": 10}}
	if lo, hi := f.Bounds(n.MulConst(3).AddConst(-1)); lo != 5 || hi != 29 {
		t.Errorf("got [%d, %d]", lo, hi)
	}
	if lo, hi := f.Bounds(n.Sub(m)); lo != math.MinInt64 || hi != 10 {
		t.Errorf("got [%d, %d]", lo, hi)
	}
}

// TestRing checks the normal form against evaluation on random polynomials.
func TestRing(t *testing.T) {
	poly := rapid.Custom(func(t *rapid.T) Poly {
		p := Const(0)
		for range rapid.IntRange(0, 4).Draw(t, "terms") {
			q := Const(rapid.Int64Range(-9, 9).Draw(t, "coef"))
			for range rapid.IntRange(0, 3).Draw(t, "degree") {
				q = q.Mul(Var(rapid.SampledFrom([]string{"N", "M", "K"}).Draw(t, "name")))
			}
			p = p.Add(q)
		}
		return p
	})
	rapid.Check(t, func(t *rapid.T) {
		p, q := poly.Draw(t, "p"), poly.Draw(t, "q")
		env := map[string]int64{"N": rapid.Int64Range(0, 50).Draw(t, "N"), "M": rapid.Int64Range(0, 50).Draw(t, "M"), "K": rapid.Int64Range(0, 50).Draw(t, "K")}
		at := func(p Poly) int64 {
			v, ok := p.Eval(func(s string) (int64, bool) { v, ok := env[s]; return v, ok })
			if !ok {
				t.Fatalf("%s does not evaluate", p)
			}
			return v
		}
		if at(p.Add(q)) != at(p)+at(q) || at(p.Mul(q)) != at(p)*at(q) || at(p.Sub(q)) != at(p)-at(q) {
			t.Fatalf("arithmetic of %s and %s", p, q)
		}
		if !p.Add(q).Sub(q).Equal(p) || !p.Mul(q).Equal(q.Mul(p)) {
			t.Fatalf("normal form of %s and %s", p, q)
		}
		replaced := p.Subst(func(name string) (Poly, bool) { return q, name == "M" })
		if want, _ := p.Eval(func(s string) (int64, bool) {
			if s == "M" {
				return at(q), true
			}
			return env[s], true
		}); at(replaced) != want {
			t.Fatalf("%s with %s for M is %s", p, q, replaced)
		}
		c, rest, linear := p.Linear("M")
		if linear && !c.Mul(m).Add(rest).Equal(p) {
			t.Fatalf("%s is not (%s)*M + %s", p, c, rest)
		}
		parts := p.Deal(func(_ int64, names []string) int { return len(names) - 1 })
		if constant, _ := p.Sub(parts[0]).Sub(parts[1]).Sub(parts[2]).Const(); constant != at(p)-at(parts[0])-at(parts[1])-at(parts[2]) {
			t.Fatalf("%s was dealt out as %s", p, parts)
		}
		for _, p := range append(parts[:], p.Add(q), p.Sub(q), p.Mul(q), replaced, c, rest) {
			if !normal(p) {
				t.Fatalf("%s is not in order", p)
			}
		}
		if (&Facts{}).Proves(p) && at(p) < 0 {
			t.Fatalf("%s was proved non-negative", p)
		}
		lo, hi := (&Facts{Hi: env, Lo: env}).Bounds(p)
		if at(p) < lo || at(p) > hi {
			t.Fatalf("%s = %d outside [%d, %d]", p, at(p), lo, hi)
		}
	})
}

// normal reports that terms are in order, each once, and none is 0.
func normal(p Poly) bool {
	for i, t := range p.terms {
		if t.coef == 0 || !slices.IsSortedFunc(t.atoms, func(a, b Atom) int { return strings.Compare(a.Name, b.Name) }) ||
			i > 0 && compareAtoms(p.terms[i-1].atoms, t.atoms) >= 0 {
			return false
		}
	}
	return true
}

var sizes = []string{"N", "M", "K"}

var withQuotients = rapid.Custom(func(t *rapid.T) Poly {
	p := Const(rapid.Int64Range(-4, 4).Draw(t, "constant"))
	for range rapid.IntRange(1, 4).Draw(t, "terms") {
		q := Const(rapid.SampledFrom([]int64{-3, -2, -1, 1, 2, 3}).Draw(t, "coef"))
		for range rapid.IntRange(1, 2).Draw(t, "degree") {
			v := Var(rapid.SampledFrom(sizes).Draw(t, "name"))
			if rapid.Bool().Draw(t, "quotient") {
				v = Div(v.MulConst(rapid.Int64Range(1, 3).Draw(t, "times")).AddConst(rapid.Int64Range(0, 2).Draw(t, "plus")), rapid.Int64Range(2, 4).Draw(t, "den"))
			}
			q = q.Mul(v)
		}
		p = p.Add(q)
	}
	return p
})

// TestReplace holds the short way for one name to that for many.
func TestReplace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, by := withQuotients.Draw(t, "p"), withQuotients.Draw(t, "by")
		x := rapid.SampledFrom(sizes).Draw(t, "x")
		want := p.Subst(func(name string) (Poly, bool) { return by, name == x })
		if got := p.Replace(x, by); !got.Equal(want) {
			t.Fatalf("%s with %s for %s: expected %s, found %s", p, by, x, want, got)
		}
	})
}
