package prove_test

import (
	"testing"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/prove"
)

// TestRowsAndColumns asks about t/m and t%m for t below n·m, and a given m ≥ 1 only where it is
// needed.
func TestRowsAndColumns(t *testing.T) {
	n, m, x, q, r := size.Var("N"), size.Var("M"), size.Var(prove.Name(1)), size.Var(prove.Name(2)), size.Var(prove.Name(3))
	zero := prove.Claims(size.Const(0))
	v := prove.New(&size.Facts{Lo: map[string]int64{}, Hi: map[string]int64{}}, func() { t.Fatal("the proof takes too long") })
	v.Describe(prove.Name(1), &prove.Symbol{Lo: zero, Hi: prove.Claims(n.Mul(m).AddConst(-1))})
	v.Describe(prove.Name(2), &prove.Symbol{Lo: zero, Hi: prove.Claims(x), Quotient: &prove.Quotient{Num: x, Den: m}})
	v.Describe(prove.Name(3), &prove.Symbol{Lo: zero, Hi: prove.Claims(m.AddConst(-1), x)})
	for _, c := range []struct {
		what string
		p    size.Poly
		want bool
	}{
		{"N - 1 - t/M", n.AddConst(-1).Sub(q), true},
		{"N - 2 - t/M", n.AddConst(-2).Sub(q), false},
		{"t - t/M*M", x.Sub(q.Mul(m)), true},
		{"t/M*M + M - 1 - t", q.Mul(m).Add(m).AddConst(-1).Sub(x), true},
		{"t/M*M + M - 2 - t", q.Mul(m).Add(m).AddConst(-2).Sub(x), false},
		{"M - 1 - t%M", m.AddConst(-1).Sub(r), true},
		{"N*M - 1 - t/M*M - t%M", n.Mul(m).AddConst(-1).Sub(q.Mul(m)).Sub(r), false}, // would need that they go together
		{"t/M - 1", q.AddConst(-1), false},
	} {
		if got := v.Proves(c.p); got != c.want {
			t.Errorf("%s >= 0: %v, want %v", c.what, got, c.want)
		}
	}
}

// TestGuards asks about i with 0 ≤ i < N, under conditions, and about values made of it.
func TestGuards(t *testing.T) {
	n, i, q, c := size.Var("N"), size.Var(prove.Name(1)), size.Var(prove.Name(2)), size.Var(prove.Name(3))
	zero := size.Const(0)
	v := prove.New(&size.Facts{Lo: map[string]int64{}, Hi: map[string]int64{}}, func() { t.Fatal("the proof takes too long") })
	v.Describe(prove.Name(1), &prove.Symbol{Lo: prove.Claims(zero), Hi: prove.Claims(n.AddConst(-1))})
	// q = ⌊(i + N) / 2⌋, and c is i + 1 or i - 1.
	v.Describe(prove.Name(2), &prove.Symbol{Lo: prove.Claims(zero), Quotient: &prove.Quotient{Num: i.Add(n), Den: size.Const(2)}})
	v.Describe(prove.Name(3), &prove.Symbol{Cases: []prove.Choice{
		{Form: i.AddConst(1), Given: []size.Poly{n.AddConst(-2).Sub(i)}},
		{Form: i.AddConst(-1), Given: []size.Poly{i.AddConst(1).Sub(n)}},
	}})
	for _, x := range []struct {
		what  string
		given []size.Poly
		p     size.Poly
		want  bool
	}{
		{"N - 1 - i", nil, n.AddConst(-1).Sub(i), true},
		{"N - 2 - i", nil, n.AddConst(-2).Sub(i), false},
		{"i - 1", nil, i.AddConst(-1), false},
		{"i - 1 where i > 0", v.Compared(prove.Greater, i, zero), i.AddConst(-1), true},
		{"i - 1 where i != 0", v.Compared(prove.Unequal, i, zero), i.AddConst(-1), true},
		{"i - 1 where not i == 0", v.Compared(prove.Equal.Not(), i, zero), i.AddConst(-1), true},
		{"i - 1 where i != 1", v.Compared(prove.Unequal, i, size.Const(1)), i.AddConst(-1), false},
		{"N - 2 - i where i != N - 1", v.Compared(prove.Unequal, i, n.AddConst(-1)), n.AddConst(-2).Sub(i), true},
		{"N - 1 - q", nil, n.AddConst(-1).Sub(q), true},
		{"N - 2 - q", nil, n.AddConst(-2).Sub(q), false},
		{"q - i", nil, q.Sub(i), true},
		{"q - i - 1", nil, q.Sub(i).AddConst(-1), false},
		{"N - 1 - c", nil, n.AddConst(-1).Sub(c), true},
		{"c where N > 1", []size.Poly{n.AddConst(-2)}, c, true},
		{"c", nil, c, false},
	} {
		v.Assuming(x.given, func() {
			if got := v.Proves(x.p); got != x.want {
				t.Errorf("%s >= 0: %v, want %v", x.what, got, x.want)
			}
		})
	}
}
