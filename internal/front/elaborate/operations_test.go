package elaborate

import "testing"

// TestRefusedOperations has uses of operations on ranges, rows and constants that are not in
// order, each with the code that says so.
func TestRefusedOperations(t *testing.T) {
	for text, want := range map[string]string{
		"fn f(x: &[i64; N], k: i64) -> i64 { (0..N).step(k).sum() }":                                              "B08: 1 <= k is not known",
		"fn f(x: &[i64; N]) -> i64 { (0..N).step(0).sum() }":                                                      "B08: 1 <= 0 is not known",
		"fn f(x: &[i64; N], k: i64) -> i64 { let mut s = 0; for i in (0..N).step(k) { s += 1; } s }":              "B08: 1 <= k is not known",
		"fn f(x: &[i64; N], k: f64) -> i64 { (0..N).step(k).sum() }":                                              "T05: expected i64, found f64",
		"fn f(x: &[i64; N]) -> i64 { (3..N).step(2).sum() }":                                                      "B01: N - 3 >= 0 is not known",
		"fn f(x: &[i64; N, M]) -> [i64; M + 1, N] { x.reshape() }":                                                "T06: M*N elements become M*N + N",
		"fn f(x: &[i64; N, M]) -> i64 { x.reshape().sum() }":                                                      "T11: expected ::<…>, or a context that says which",
		"fn f(x: &[i64; N]) -> i64 { x.flatten().sum() }":                                                         "T29: found [i64; N]",
		"fn f(x: &[i64; N, M]) -> i64 { let mut s = 0; for t in 0..N * M { s += x[t % M][t / M]; } s }":           "B02: expected idx<N>, found i64, at most M - 1",
		"fn f(x: &[i64; N, M]) -> i64 { let mut s = 0; for t in 0..N * M + 1 { s += x[t / M][t % M]; } s }":       "B02: expected idx<N>, found i64, maybe negative",
		"fn f(x: &[i64; N], k: i64) -> i64 { const K = k; K }":                                                    "T19: found a value known only at run time",
		"fn f(x: &[i64; N]) -> i64 { const K = N; K }":                                                            "T19: found a value known only at run time",
		"fn f(x: &[i64; N]) -> i64 { const K: u8 = 200 + 100; K as i64 }":                                         "F07: it overflows, or divides by zero",
		"fn g() -> i64 { 3 } fn f(x: &[i64; N]) -> i64 { const K = g(); K }":                                      "T19: a call",
		"fn f(x: &[i64; N]) -> i64 { const K = [1, 2]; K.sum() }":                                                 "T19: found [i64; 2]",
		"fn f(x: &[i64; N]) -> i64 { const K = 1; K = 2; K }":                                                     "O03: declared without `mut`",
		"fn f(x: &[i64; N]) -> [i64; N] { x.sqrt() }":                                                             "T29: found i64",
		"fn f(x: &[(i64, i64); N]) -> i64 { x.abs() }":                                                            "N06: not defined on [(i64, i64); N]",
		"fn f(x: &[i64; N], y: &[i64; M]) -> [(i64, i64); N] { x.zip_short(y) }":                                  "B03: expected [(i64, i64); N], found [(i64, i64); ?K <= N]",
		"fn f(x: &[i64; N], k: i64) -> i64 { let o = x.get(k).map(|e| x.filter(|d| d > e)); o.is_some() as i64 }": "T07: each would be [i64; ?M <= N], whose size is known only at run time",
	} {
		_, msgs := checkText("f.gw", text)
		got := ""
		if len(msgs.Messages) > 0 {
			got = msgs.Messages[0].Code + ": " + msgs.Messages[0].Note
		}
		if got != want || len(msgs.Messages) > 1 {
			t.Errorf("%s\ngot  %v\nwant %s", text, msgs.Err(), want)
		}
	}
}
