package elaborate

import (
	"strings"
	"testing"
)

// TestShown checks programs whose indices are in bounds for a reason that takes more than one
// step, and their neighbours that may leave the array.
func TestShown(t *testing.T) {
	for _, c := range []struct{ name, good, bad string }{
		{"counter",
			"fn f(v: &[i64; N]) -> [i64; N] { let mut o = v; let mut n = 0; for e in v { if e > 3 { o[n] = e; n += 1; } } o }",
			"fn f(v: &[i64; N]) -> [i64; N] { let mut o = v; let mut n = 0; for e in v { n += 1; if e > 3 { o[n] = e; n += 1; } } o }"},
		{"counter, on one side each",
			"fn f(v: &[i64; N]) -> [i64; N] { let mut o = v; let mut n = 0; for e in v { o[n] = e; if e > 3 { n = n + 1; } else { n += 1; } } o }",
			"fn f(v: &[i64; N]) -> [i64; N] { let mut o = v; let mut n = 0; for e in v { o[n] = e; if e > 3 { n = n + 1; } n += 1; } o }"},
		{"counter from another start",
			"fn f(v: &[i64; N]) -> [i64; N + 2] { let mut o = [0; N + 2]; let mut n = 2; for e in v { o[n] = e; n += 1; } o }",
			"fn f(v: &[i64; N]) -> [i64; N + 1] { let mut o = [0; N + 1]; let mut n = 2; for e in v { o[n] = e; n += 1; } o }"},
		{"counter in two loops",
			"fn f(v: &[i64; H, W]) -> [i64; H * W] where H: Range<1, 999>, W: Range<1, 999> { let mut o = [0; H * W]; let mut n = 0; for i in 0..H { for j in 0..W { o[n] = v[i][j]; n += 1; } } o }",
			"fn f(v: &[i64; H, W]) -> [i64; H * W] where H: Range<1, 999>, W: Range<1, 999> { let mut o = [0; H * W]; let mut n = 0; for i in 0..H { n += 1; for j in 0..W { o[n] = v[i][j]; n += 1; } } o }"},
		{"counter in a loop over a hidden size",
			"fn f(v: &[i64; N]) -> [i64; N * 2] where N: Range<1, 999> { let mut o = [0; N * 2]; let mut n = 0; for e in v { for _ in 0..2 { o[n] = e; n += 1; } } o }",
			"fn f(v: &[i64; N], K: i64) -> [i64; N * N] where N: Range<1, 999>, K: Range<0, 9999> { let mut o = [0; N * N]; let mut n = 0; for e in v { let N = K; for _ in 0..N { o[n] = e; n += 1; } } o }"},
		{"counter in the head of a loop",
			"fn f(v: &[i64; N]) -> [i64; N] { let mut o = v; let mut n = 0; for e in v { let k = { n += 1; 2 }; o[n - 1] = e + k; } o }",
			"fn f(v: &[i64; N]) -> [i64; N] { let mut o = v; let mut n = 0; let mut s = 0; for e in v { o[n] = e; n += 1; for i in 0..({ n += 1; 2 }) { s += i; } } o }"},
		{"counter of a narrow type",
			"fn f(v: &[i64; 200]) -> i64 { let mut n = 0u8; for e in v { n += 1; } v[n.clamp_idx()] }",
			"fn f(v: &[i64; 100]) -> i64 { let mut n = 5u8; for _ in 0..300 { n += 1; } v[n - 5] }"},
		{"counter as an end",
			"fn f(v: &[i64; N]) -> i64 { let mut n = 0; for e in v { if e > 3 { n += 1; } } let mut s = 0; for i in 0..n { s += v[i]; } s }",
			"fn f(v: &[i64; N]) -> i64 { let mut n = 1; for e in v { if e > 3 { n += 1; } } let mut s = 0; for i in 0..n { s += v[i]; } s }"},
		{"after a break",
			"fn f(v: &[i64; N], a: i64) -> i64 { let mut s = 0; for e in v { let k = a + e; if k < 0 || k >= N { break; } s += v[k]; } s }",
			"fn f(v: &[i64; N], a: i64) -> i64 { let mut s = 0; for e in v { let k = a + e; if k < 0 && k >= N { break; } s += v[k]; } s }"},
		{"after a break beside an assignment",
			"fn f(v: &[i64; N], a: i64) -> i64 { let mut s = 0; for e in v { let k = a + e; if k < 0 || k >= N { s += 1; break; } s += v[k]; } s }",
			"fn f(v: &[i64; N], a: i64) -> i64 { let mut s = 0; for e in v { let k = a + e; if k < 0 || k >= N { s += 1; } s += v[k]; } s }"},
		{"the same difference",
			"fn f(v: &[i64; N], i: i64, k: i64) -> i64 { if i - k >= 0 && i - k < N { v[i - k] } else { 0 } }",
			"fn f(v: &[i64; N], i: i64, k: i64) -> i64 { if i - k >= 0 && i - k < N { v[k - i] } else { 0 } }"},
		{"scaled",
			"fn f(v: &[i64; 64]) -> i64 { let mut s = 0; for i in 0..32 { if i < 16 { s += v[4 * i + 3]; } } s }",
			"fn f(v: &[i64; 64]) -> i64 { let mut s = 0; for i in 0..32 { if i < 16 { s += v[4 * i + 4]; } } s }"},
		{"start of a range",
			"fn f(v: &[i64; N]) -> i64 where N >= 1 { (1..N).count(|i| v[i] > v[i - 1]) + (1..N).filter(|i| v[i] > v[i - 1]).map(|i| v[i - 1]).sum() + (1..N).fold(0, |a, i| a +% v[i - 1]) }",
			"fn f(v: &[i64; N]) -> i64 where N >= 1 { (1..N).count(|i| v[i] > v[i - 2]) }"},
		{"middle",
			"fn f(v: &[i64; N]) -> i64 { let d = v.filter(|e| e > 0).sort(); let n = d.len(); if n == 0 { 0 } else { d[(n - 1) / 2] } }",
			"fn f(v: &[i64; N]) -> i64 { let d = v.filter(|e| e > 0).sort(); let n = d.len(); if n == 0 { 0 } else { d[(n + 1) / 2] } }"},
	} {
		p, msgs := checkText("good.gw", c.good)
		if err := msgs.Err(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else {
			verifyAll(t, p)
		}
		if _, msgs := checkText("bad.gw", c.bad); msgs.Err() == nil {
			t.Errorf("%s: this passes: %s", c.name, c.bad)
		}
	}
}

// TestHelpsMean checks that helps say what does the same as what was written, and never less.
func TestHelpsMean(t *testing.T) {
	for _, c := range []struct{ text, help string }{
		{"fn f(v: &[i64; N]) -> i64 { let mut p = 0; let mut q = 1; for _ in 0..N { (p, q) = (q, p + q); } p }", "let t = (q, p + q); p = t.0; q = t.1;"},
		{"fn f(v: &[i64; N], c: i64) -> i64 { (c..N).count(|i| i > 3) }", "where c: Range<0, 1000>"},
		{"fn f(n: i64) -> [i64; 9] { (0..9).map(n) }", "|e| n"},
		{"fn f(n: i64) -> [i64; 9] { (0..9).map(0) }", "|e| 0"},
		{"fn f(n: i64) -> [i64; 9] { (0..9).map(|a, b| a) }", "|e| …"},
		{"fn f(v: &[i64; N], c: i64) -> i64 { (0..c).map(|i| v.get(i).or(0)).sum() }", "where c: Range<0, 1000>\n(0..1000).filter(|r| r < c)"},
		{"fn f(v: &[i64; N], c: u8) -> i64 { (2..c).count(|i| i > 3) }", "(2..255).filter(|r| r < (c as i64))"},
		{"fn f(v: &[i64; N], c: i64) -> i64 where c: Range<0, 50> { (c..N).count(|i| i > 3) }", "(0..N).filter(|r| r >= c)"},
		{"fn f(v: &[i64; N], c: i64) -> i64 where c: Range<0, 50> { (0..c).count(|i| i > 3) }", "(0..50).filter(|r| r < c)"},
		{"fn f(s: &[i64; N], b: idx<N>) -> i64 { let mut t = 0; for k in 0..s[b] { t += k; } t }", "since what is beyond is left out"},
		{"fn f(v: &[f64; N], i: i64) -> f64 { if i >= 0 { v[i] } else { 0.0 } }", "`if i < N { … }`"},
		{"fn f(v: &[f64; N], best: (i64, i64)) -> f64 { v[best] }", "v[best.0]"},
		{"fn f(v: &[f64; N, M], best: (i64, i64)) -> f64 { v[best] }", "v[best.0][best.1]"},
		{"fn f(v: &[i64; N]) -> i64 { v.filter_map(|e| if e > 2 { Some(e * e) } else { None }).len() }", "v.filter(|e| e > 2).map(|e| e * e)"},
		{"fn f(v: &[f64; N]) -> f64 { v.sum() + inf }", "f64::INFINITY"},
		{"fn f(v: &[i64; N]) -> [(i64, i64); ?M <= N] { let s = (0..N).filter(|i| i == 0); s.enumerate().map(|(k, b)| (v[b], s.get(k + 1).or(N) - b)) }", "s.get(k + 1).map(|e| e as i64).or(N)"},
	} {
		_, msgs := checkText("f.gw", c.text)
		if len(msgs.Messages) == 0 || !strings.Contains(msgs.Messages[0].Help, c.help) {
			t.Errorf("%s: the help does not say `%s`:\n%v", c.text, c.help, msgs.Err())
		}
	}
	_, msgs := checkText("f.gw", "fn f(v: &[f64; N], i: i64) -> f64 { if i >= 0 { v[i] } else { 0.0 } }")
	if note := msgs.Messages[0].Note; strings.Contains(note, "negative") {
		t.Errorf("i is tested not to be negative, but: %s", note)
	}
}

// TestLimits takes the constants of types of numbers.
func TestLimits(t *testing.T) {
	for _, c := range []oneMeaning{
		{"integers", "const M = i16::MAX;\nfn f(x: i64) -> (i64, u64, i8, i16) { (i64::MIN, u64::MAX, i8::MIN, M) }", nil, [][]float64{{1}}, "-9223372036854775808 | 18446744073709551615 | -128 | 32767"},
		{"floats", "fn f(x: f64) -> (f64, f32, f64) { (f64::NEG_INFINITY, f32::INFINITY, f64::NAN) }", nil, [][]float64{{1}}, "-inf | inf | NaN"},
	} {
		if got := c.run(t); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
