package compile

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/front/diag"
)

// TestFoldsOfProducts says where products are fused, and where that would pay.
func TestFoldsOfProducts(t *testing.T) {
	for text, want := range map[string]string{
		"#[fused]\nfn f(a: &[f32; N, M], b: &[f32; M, P]) -> [f32; N, P] { a.matmul(b) }":                     "fused_sum on line 2 canonical order, each product added in one rounding (#[fused])",
		"fn f(a: &[f32; N, M], b: &[f32; M, P]) -> [f32; N, P] { a.matmul(b) }":                               "sum on line 1 canonical order; #[fused] above the function would add each product in one step instead of two",
		"fn f(x: &[f64; N], k: &[f64; 9]) -> [f64; N - 8] where N >= 9 { x.window::<9>().map(|w| w.dot(k)) }": "sum on line 1 canonical order; #[fused] above the function would add each product in one step instead of two",
		"fn f(x: &[f32; N], y: &[f32; N]) -> f32 { x.dot(y) }":                                                "sum on line 1 canonical order",
		"fn f(x: &[f32; N, M]) -> [f32; N] { x.map(|r| r.sum()) }":                                            "sum on line 1 canonical order",
	} {
		p, err := Check(diag.NewSource("f.gw", text))
		if err != nil {
			t.Fatal(err)
		}
		f, err := p.Func("f")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range folds(f.Graph) {
			got = append(got, n.Operation+" "+n.Law)
		}
		if all := strings.Join(got, "\n"); all != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, all, want)
		}
	}
}
