package compile

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
)

func eq(arg string, p size.Poly, got int64) *equation {
	return &equation{poly: p, got: got, arg: arg, says: func() string { return along("`"+arg+"`", 0, got) }, typ: "[f32; " + p.String() + "]"}
}

func TestSolve(t *testing.T) {
	n, m := size.Var("N"), size.Var("M")
	for _, c := range []struct {
		name string
		list []*equation
		want string // sizes, or part of the error
	}{
		{"one", []*equation{eq("a", n, 5)}, "N=5"},
		{"twice", []*equation{eq("a", n, 5), eq("b", n, 5)}, "N=5"},
		{"linear", []*equation{eq("a", n.MulConst(2).AddConst(1), 7)}, "N=3"},
		{"later", []*equation{eq("a", n.Add(m), 7), eq("b", m, 3)}, "N=4 M=3"},
		{"product", []*equation{eq("a", n.Mul(m), 12), eq("b", m, 3)}, "N=4 M=3"},
		{"quotient", []*equation{eq("a", size.Div(n, 2), 3), eq("b", n, 7)}, "N=7"},
		{"constant", []*equation{eq("a", size.Const(3), 3), eq("b", n, 0)}, "N=0"},
		{"conflict", []*equation{eq("a", n, 5), eq("b", n, 7)}, "`b` has 7 elements, but is declared [f32; N]: N = 5 (`a` has 5 elements)"},
		{"conflict by one", []*equation{eq("a", n, 5), eq("b", n.AddConst(1), 5)}, "where N + 1 is 6: N = 5 (`a` has 5 elements)"},
		{"odd", []*equation{eq("a", n.MulConst(2), 7)}, "no size N with 2*N = 7"},
		{"negative", []*equation{eq("a", n.AddConst(3), 1)}, "no size N with N + 3 = 1"},
		{"two unknown", []*equation{eq("a", n.Add(m), 7)}, "M, N"},
		{"quotient alone", []*equation{eq("a", size.Div(n, 2), 3)}, "no size N"},
		{"wrong constant", []*equation{eq("a", size.Const(3), 4)}, "`a` has 4 elements, but is declared [f32; 3]: 3 expected"},
	} {
		s := newSizes()
		err := s.solve(c.list)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.name, err, c.want)
			}
			continue
		}
		for _, part := range strings.Fields(c.want) {
			name, want, ok := strings.Cut(part, "=")
			if got := diag.Prose(s.known[name]); !ok || got != want {
				t.Errorf("%s: %s is %s, want %s", c.name, name, got, c.want)
			}
		}
	}
}

func TestInequality(t *testing.T) {
	n, m := size.Var("N"), size.Var("M")
	for want, p := range map[string]size.Poly{
		"M <= N":       n.Sub(m),
		"M + 1 <= N":   n.Sub(m).AddConst(-1),
		"4 <= N":       n.AddConst(-4),
		"2*N <= M + 9": m.Sub(n.MulConst(2)).AddConst(9),
		"N <= 0":       size.Const(0).Sub(n),
	} {
		if got := inequality(p); got != want {
			t.Errorf("%s >= 0 is written %s, want %s", p, got, want)
		}
	}
}
