package elaborate

import (
	"testing"
)

// TestLiteralsTakeTheirTypeFromUse has lets of literals without a type, whose first use says
// which they are; and some where the default is in order, and stays.
func TestLiteralsTakeTheirTypeFromUse(t *testing.T) {
	n3 := map[string]int64{"N": 3}
	for _, c := range []oneMeaning{
		{"element", "fn f(x: &[i32; N]) -> [i32; N] { let mut c = [0; N]; for i in 0..N { c[i] = x[i]; } c }", n3, [][]float64{{5, -6, 7}}, "5 -6 7"},
		{"rows", "fn f(x: &[f32; N, 2]) -> [f32; N, 2] { let mut c = [0.5; N, 2]; for i in 0..N { for j in 0..2 { c[i][j] += x[i][j]; } } c }", n3, [][]float64{{1, 2, 3, 4, 5, 6}}, "1.5 2.5 3.5 4.5 5.5 6.5"},
		{"list", "fn f(x: &[u8; N]) -> [u8; 2] { let mut c = [1, 2]; for e in x { c[0] = c[1]; c[1] = e; } c }", n3, [][]float64{{5, 200, 255}}, "200 255"},
		{"scalar", "fn f(x: &[u16; N]) -> u16 { let mut s = 0; for e in x { s = s +% e; } s }", n3, [][]float64{{65535, 2, 3}}, "4"},
		{"returned", "fn f(n: i64) -> [i8; 2] { let c = [7; 2]; let d = c; d }", nil, [][]float64{{0}}, "7 7"},
		{"passed", "fn g(x: &[f32; N]) -> f32 { x.sum() } fn f(n: i64) -> f32 { let c = [0.1; 2]; g(c) }", nil, [][]float64{{0}}, "0.2"},
		{"passed to a generic", "fn g<T: Num>(a: T, b: &[T; N]) -> T { b.max().max(a) } fn f(x: &[i16; N]) -> i16 { let a = 9; g(a, x) }", n3, [][]float64{{5, 6, 7}}, "9"},
		{"tuple", "fn f(x: &[f32; N]) -> (i64, f32) { let mut best = (0, 0.0); for i in 0..N { if x[i] > best.1 { best = (i, x[i]); } } best }", n3, [][]float64{{1, 3, 2}}, "1 | 3"},
		{"pattern", "fn f(x: &[f32; N], y: &[u8; N]) -> (f32, u8) { let (mut a, mut b) = (0.25, 0); for i in 0..N { a += x[i]; b = b +% y[i]; } (a, b) }", n3, [][]float64{{1, 3, 2}, {200, 50, 7}}, "6.25 | 1"},
		{"through another", "fn f(x: &[u8; N]) -> u8 { let lo = 3; let t = lo + 1; x.map(|e| if e > t { t } else { e.max(lo) }).sum() as u8 }", n3, [][]float64{{1, 4, 9}}, "11"},
		{"beside an if", "fn f(x: &[i32; N]) -> i32 { let z = 5; if x.max() > 0 { z } else { x.max() } }", map[string]int64{"N": 1}, [][]float64{{1}}, "5"},
		{"element of a walk", "fn f(x: &[i32; 3]) -> [i32; 3] { let w = [1, 2, 3]; (0..3).map(|i| x[i] * w[i]) }", nil, [][]float64{{10, 20, 30}}, "10 40 90"},
		{"two in a row", "fn f(x: &[i32; N]) -> i32 { let mut a = 0; let mut b = 0; for e in x { a = b; b = e; } a }", n3, [][]float64{{1, 2, 3}}, "2"},
		{"in a callee", "fn g<T: Int>(x: &[T; N]) -> T { let mut s = 0; for e in x { s = s +% e; } s } fn f(x: &[u8; N], y: &[i64; N]) -> (u8, i64) { (g(x), g(y)) }", n3, [][]float64{{255, 2, 3}, {255, 2, 3}}, "4 | 260"},
		{"the default stays", "fn f(x: &[i32; N]) -> (i64, i64) { let k = 0; let mut s = 1; for e in x { s += e as i64; } (x.fold(0, |a, e| a + k + (e as i64)), s) }", n3, [][]float64{{1, 2, 3}}, "6 | 7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.run(t); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestLiteralsOfTwoTypes has literals that two uses want of different types.
func TestLiteralsOfTwoTypes(t *testing.T) {
	for text, want := range map[string]string{
		"fn f(x: &[i32; N], y: &[i64; N]) -> i64 { let mut s = 0; for i in 0..N { s = x[i]; s = y[i]; } s }": "T05: expected i32, found i64",
		"fn f(x: &[f32; N]) -> f32 { let mut s = 0; for e in x { s += e; } s }":                              "F04: i64 + f32",
		"fn f(x: &[u8; N]) -> u8 { let s = 300; x.max().max(s) }":                                            "F01: u8 holds 0 to 255",
		"fn f(x: &[i32; N]) -> [i64; N] { let mut s = [0; N]; for i in 0..N { s[i] = x[i]; } s }":            "T05: expected [i64; N], found [i32; N]",
	} {
		_, msgs := checkText("f.gw", text)
		if len(msgs.Messages) != 1 || msgs.Messages[0].Code+": "+msgs.Messages[0].Note != want {
			t.Errorf("%s\ngot  %v\nwant %s", text, msgs.Err(), want)
		}
	}
}
