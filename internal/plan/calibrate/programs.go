package calibrate

import (
	"fmt"
	"strings"
)

// program is a small function whose launches are timed.
type program struct {
	source string
	args   []argument
	width  int64 // of the rows of the first argument, 0 for none; of a square where it is -1
}

// smaller are the arguments for a size that is so many times less.
func (p *program) smaller(by int64) (list []argument) {
	for _, a := range p.args {
		if a.below >= a.n { // places in an array that is smaller, too
			a.below = max(1, a.below/by)
		}
		a.n = max(2, a.n/by)
		list = append(list, a)
	}
	return list
}

// dimsBy are the dimensions of the first argument's rows then.
func (p *program) dimsBy(by int64) []int64 {
	switch {
	case p.width < 0:
		return []int64{p.smaller(by)[0].n}
	case p.width > 0:
		return []int64{p.width}
	}
	return nil
}

// argument is an array of random numbers.
type argument struct {
	kind  string // of its elements
	n     int64
	below int64 // integers are below this; 0 for below 1000
}

const (
	some = 256 << 10 // elements: in the second cache, and long enough for a launch to be timed
	many = 1 << 20
)

// ranged declares what all programs know of N.
const ranged = "where N: Range<1, 1_000_000_000>"

// repeated writes an expression in itself, so that little of the time is loads.
func repeated(expr string, times int) string {
	e := "v"
	for range times {
		e = strings.ReplaceAll(expr, "E", e)
	}
	return e
}

// operations are programs that spend their time on one class of operations or two. Each is short, and
// differs from others in as little as can be, so that a fit tells the classes apart.
func operations() (list []program) {
	over := func(kind, result, expr string, times int, sink string) {
		source := fmt.Sprintf("fn f(x: &[%s; N]) -> %s %s { x.map(|v| %s)%s }", kind, result, ranged, repeated(expr, times), sink)
		list = append(list, program{source: source, args: []argument{{kind: kind, n: some}}})
	}
	for _, f := range []string{"f32", "f64"} {
		over(f, f, "E", 1, ".sum()")
		over(f, f, "(E + 0.37)", 12, ".sum()")
		over(f, f, "(E * 0.93 + v)", 8, ".sum()")
		over(f, f, "(1.3 / (E + 0.4))", 3, ".sum()")
		over(f, f, "(E + 0.4).sqrt()", 3, ".sum()")
		over(f, f, "(E + 0.3).min(v)", 5, ".sum()")
		over(f, f, "(if E > 0.7 { E * 0.5 } else { E + 0.3 })", 4, ".sum()")
		over(f, f, "((E * 1.5) as i64) as "+f, 2, ".sum()")
		over(f, f, "(E + 0.3)", 1, ".max()")
		over(f, "i64", "(E * 1.5)", 1, ".count(|e| e > 0.4)")
		over(f, "[f64; N]", "(E + 0.5) as f64", 1, "")
	}
	for _, i := range []string{"i64", "i32", "i16"} {
		over(i, "i64", "E", 1, ".sum()")
		over(i, i, "((E +% v) ^ 77)", 5, ".fold(0, |a, e| a ^ e)")
		over(i, i, "((E *% 77) ^ v)", 4, ".fold(0, |a, e| a ^ e)")
		over(i, i, "(E / 7 + 3)", 2, ".max()")
		over(i, i, "((E ^ 12345) / (v & 15 | 1))", 1, ".max()")
		over(i, i, "((E >> 1) ^ v)", 5, ".fold(0, |a, e| a ^ e)")
	}
	over("i64", "i64", "(E + v)", 4, ".fold(0, |a, e| a ^ e)")
	over("i64", "i64", "(E * 3)", 3, ".fold(0, |a, e| a ^ e)")
	over("i32", "i32", "(E + v)", 4, ".fold(0, |a, e| a ^ e)")
	for _, f := range []string{"f32", "f64"} {
		list = append(list,
			program{source: fmt.Sprintf("#[fused] fn f(x: &[%s; N]) -> [%s; N] %s { x.map(|v| %s) }", f, f, ranged, repeated("(E * 0.9 + v)", 1)), args: []argument{{kind: f, n: some}}},
			program{source: fmt.Sprintf("#[fused] fn f(x: &[%s; N]) -> %s %s { x.map(|v| %s).sum() }", f, f, ranged, repeated("(E * 0.9 + v)", 4)), args: []argument{{kind: f, n: some}}},
			program{source: fmt.Sprintf("#[fused] fn f(x: &[%s; N], y: &[%s; N]) -> %s %s { x.zip(y).fold(0.0, |s, (a, b)| s + a * b) }", f, f, f, ranged), args: []argument{{kind: f, n: some}, {kind: f, n: some}}})
	}
	return append(list, nests()...)
}

// nests are programs with loops inside, branches, and places that data says.
func nests() []program {
	list := []program{
		{"fn f(x: &[f64; N]) -> f64 " + ranged + " { x.fold(0.0, |a, e| (a + e) * 0.5 + 0.1) }", []argument{{kind: "f64", n: some}}, 0},
		{"fn f(x: &[f64; N]) -> f64 " + ranged + " { x.fold(1.0, |a, e| 1.5 / (a + e + 0.5)) }", []argument{{kind: "f64", n: some / 4}}, 0},
		{"fn f(x: &[f64; N]) -> f64 " + ranged + " { x.fold(0.0, |a, e| (a + e).min(0.9)) }", []argument{{kind: "f64", n: some / 2}}, 0},
		{"fn f(x: &[f32; N]) -> f32 " + ranged + " { x.fold(0.0, |a, e| a * 0.9 - e) }", []argument{{kind: "f32", n: some / 2}}, 0},
		{"fn f(x: &[i64; N]) -> i64 " + ranged + " { x.fold(1, |a, e| (a *% 2862933555777941757) ^ e) }", []argument{{kind: "i64", n: some / 2}}, 0},
		{"fn f(x: &[i64; N]) -> i64 " + ranged + " { x.fold(1, |a, e| ((a >> 1) ^ e) +% 77) }", []argument{{kind: "i64", n: some / 2}}, 0},
		{"fn f(x: &[i64; N]) -> i64 " + ranged + " { x.fold(1, |a, e| (a / 7) ^ e) }", []argument{{kind: "i64", n: some / 4}}, 0},
		{"fn f(t: &[idx<1000>; 1000], x: &[i64; N]) -> i64 where N: Range<1, 1_000_000_000> { let mut a = 0; for j in 0..N { a = (t[a.clamp_idx()] ^ x[j]) & 511; } a }", []argument{{kind: "u32", n: 1000}, {kind: "i64", n: some / 4}}, 0},
		{"fn f(x: &[f64; N]) -> [f64; N] " + ranged + " { x.scan(0.0, |a, e| a * 0.5 + e) }", []argument{{kind: "f64", n: some}}, 0},
		{"fn f(x: &[f32; N]) -> [f32; ?M <= N] " + ranged + " { x.filter(|e| e > 0.7) }", []argument{{kind: "f32", n: some}}, 0},
		{"fn f(x: &[i64; N]) -> i64 " + ranged + " { x.map(|v| { let mut a = v; let mut n = 0; for _ in 0..40 { a = (a >> 1) ^ 3; n = n + 1; if a % 64 == 5 { break; } } n }).sum() }", []argument{{kind: "i64", n: some / 8}}, 0},
		{"fn f(x: &[f64; N]) -> f64 " + ranged + " { x.map(|v| { let mut a = v; for j in 0..20 { if a > 0.5 { a = a * 0.7; } else { a = a * 1.9 + 0.01; } } a }).sum() }", []argument{{kind: "f64", n: some / 8}}, 0},
		{"fn f(x: &[f64; N]) -> [f64; N - 8] where N: Range<20, 1_000_000_000> { x.window::<9>().map(|w| w.sum()) }", []argument{{kind: "f64", n: some}}, 0},
		{"fn f(x: &[f64; N]) -> [f64; N] " + ranged + " { (0..N).map(|i| x.get(i - 1).or(0.0) + x[i]) }", []argument{{kind: "f64", n: some}}, 0},
		{"fn f(v: &[f64; 1000], at: &[idx<1000>; N]) -> f64 " + ranged + " { at.map(|i| v[i]).sum() }", []argument{{kind: "f64", n: 1000}, {kind: "u32", n: some}}, 0},
		{"fn f(x: &[idx<16>; N]) -> [i64; 16] " + ranged + " { x.histogram::<16>() }", []argument{{kind: "u32", n: many, below: 16}}, 0},
		{"fn f(x: &[idx<1000>; N]) -> [i64; 1000] " + ranged + " { x.histogram::<1000>() }", []argument{{kind: "u32", n: many}}, 0},
		{"fn f(x: &[f64; N], g: &[idx<16>; N]) -> [f64; 16] " + ranged + " { x.zip(g).group_by::<16>(|(_, g)| g).sum(|(x, _)| x) }", []argument{{kind: "f64", n: many}, {kind: "u32", n: many, below: 16}}, 0},
		{"fn f(x: &[f32; N]) -> [f32; N] " + ranged + " { x.sort() }", []argument{{kind: "f32", n: some}}, 0},
	}
	return list
}

// rows are programs over rows, which are arrays of two dimensions.
func rows() (list []rowProgram) {
	for _, d := range []int64{4, 16, 100, 1000} {
		list = append(list,
			rowProgram{fmt.Sprintf("fn f(x: &[[f32; %d]; N]) -> [f32; N] %s { x.map(|r| r.sum()) }", d, ranged), "f32", d},
			rowProgram{fmt.Sprintf("fn f(x: &[[f64; %d]; N]) -> f64 %s { x.map(|r| r.map(|a| (a - 0.5) * (a - 0.5)).sum()).sum() }", d, ranged), "f64", d})
	}
	return append(list,
		rowProgram{"fn f(x: &[f64; N, 20]) -> [f64; 20, N] " + ranged + " { x.transpose() }", "f64", 20},
		rowProgram{"fn f(x: &[f32; N, 16]) -> f32 " + ranged + " { x.map(|r| r[3] * r[7]).sum() }", "f32", 16})
}

// rowProgram is a program over rows of so many elements.
type rowProgram struct {
	source, kind string
	width        int64
}
