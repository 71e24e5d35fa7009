package compile

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/front/diag"
)

// The type that a reader is shown for a result can be pasted as the result's type, and says no less than was declared.
func TestShownResultsCanBeDeclared(t *testing.T) {
	const head = "record R { id: i64, k: i64, v: f64, name: Str, w: [f32; 3] }\n"
	for _, c := range []struct{ params, body, want string }{
		{"x: &[R; N]", "x.group_by(|r| r.k).agg(|g| (g.key(), g.count()))", "[(i64, i64); ?M <= N]"},
		{"x: &[R; N]", "x.group_by(|r| r.name).agg(|g| (g.key(), g.count()))", "[(Str, i64)]"},
		{"x: &[R; M]", "x.filter(|r| r.k > 3)", "[R; ?K <= M]"},
		{"x: &[R; N]", "x.filter(|r| r.k > 3).distinct(|r| r.id)", "[R; ?M <= N]"},
		{"x: &[R]", "x.filter(|r| r.k > 3)", "[R]"},
		{"x: &[R; N]", "x.filter(|r| r.k > 3).map(|r| r.w)", "[f32; ?M <= N, 3]"},
		{"x: &[f32; N], y: &[f32; N]", "(x.filter(|e| e > 0.0), y.filter(|e| e > 1.0))", "([f32; ?M <= N], [f32; ?K <= N])"},
		{"x: &[f32; N]", "x.filter(|e| e > 0.0).window::<3>()", "[f32; ?M <= N, 3]"},
		{"x: &[i64; N], d: &[R; M]", "x.filter(|e| e > 0).join_all::<4>(d.index_by(|r| r.id), |e| e).map(|p| p.0)", "[i64; ?K <= 4*N]"},
		{"x: &[i64; N + 1]", "x.filter(|e| e > 0)", "[i64; ?M <= N + 1]"},
		{"x: &[i64; N]", "x.map(|e| e + 1)", "[i64; N]"},
	} {
		result := c.want
		for range 2 { // as it is expected, then as it is shown
			f := function(t, head+"fn f("+c.params+") -> "+result+" { "+c.body+" }\n")
			if result = f.Graph.Declared(f.Graph.ResultType()); result != c.want {
				t.Errorf("%s: shown as %s, want %s", c.body, result, c.want)
			}
		}
		_, err := Check(diag.NewSource("f.gw", head+"fn f("+c.params+") { "+c.body+" }\n"))
		if err == nil || !strings.Contains(err.Error(), "fn f("+c.params+") -> "+c.want) {
			t.Errorf("%s: a function without a result's type is not offered %s: %v", c.body, c.want, err)
		}
	}
}

// Explanations show results so, too.
func TestExplanationsShowResultsAsDeclared(t *testing.T) {
	p := program(t, "fn f(x: &[i64; N]) -> [(i64, i64)] { x.group_by(|e| e).agg(|g| (g.key(), g.count())) }\n")
	e, err := p.Explain("f", nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := "[(i64, i64); ?M <= N]"; e.Result.Type != want {
		t.Errorf("the result is shown as %s, want %s", e.Result.Type, want)
	}
}
