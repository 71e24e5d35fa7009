package godwit_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/godwit-run/godwit"
)

// TestTextOfTheLanguage holds sentences of docs/language.md to what runs, on
// both engines. A result that is a fault is its code.
func TestTextOfTheLanguage(t *testing.T) {
	inf := math.Inf(1)
	// 10¹⁶ + 1 is no f64: in order of slots the 1 is lost, in lanes it is not.
	lost := make([]float64, 18)
	lost[0], lost[1], lost[16] = 1e16, 1, -1e16
	rows := make([][1]float64, len(lost))
	for i, x := range lost {
		rows[i][0] = x
	}
	for _, c := range []struct {
		says, src string
		args      godwit.Args
		want      string
	}{
		{"a sum has lanes", "fn f(v: &[f64; N]) -> f64 { v.sum() }", godwit.Args{"v": lost}, "1.0"},
		{"a sum of rows is a keyed fold", "fn f(v: &[f64; N, 1]) -> [f64; 1] { v.sum() }", godwit.Args{"v": rows}, "[0.0]"},
		{"a mean of rows is a keyed fold", "fn f(v: &[f64; N, 1]) -> [f64; 1] { v.mean() }", godwit.Args{"v": rows}, "[0.0]"},
		{"softmax masks", "fn f(v: &[f64; N]) -> [f64; N] { v.softmax() }", godwit.Args{"v": []float64{1, -inf, 1}}, "[0.5,0.0,0.5]"},
		{"softmax of nothing but -inf", "fn f(v: &[f64; N]) -> [f64; N] { v.softmax() }", godwit.Args{"v": []float64{-inf, -inf}}, `["NaN","NaN"]`},
		{"softmax with inf", "fn f(v: &[f64; N]) -> [f64; N] { v.softmax() }", godwit.Args{"v": []float64{1, inf}}, `["NaN","NaN"]`},
		{"a mean that does not fit", "fn f(v: &[i64; N]) -> f64 { v.mean() }", godwit.Args{"v": []int64{math.MaxInt64, 1}}, "R01"},
		{"a mean rounds once", "fn f(v: &[i64; N]) -> f64 { v.mean() }", godwit.Args{"v": []int64{1 << 53, 1, 1}}, fmt.Sprintf("%.1f", float64(1<<53+2)/3)},
		{"a key is clamped", "fn f(v: &[i64; N]) -> [i64; 3] { v.histogram::<3>(|e| e.clamp_idx()) }", godwit.Args{"v": []int64{-9, 1, 9, 9}}, "[1,1,2]"},
		{"a key counts round", "fn f(v: &[i64; N]) -> [i64; 3] { v.group_by::<3>(|e| if e > 5 { 0 } else { e.wrap_idx() }).sum() }", godwit.Args{"v": []int64{-1, 9}}, "[9,0,-1]"},
		{"keys are clamped", "fn f(v: &[i64; N]) -> [i64; 3] { v.group_by::<3>(v.map(|e| e.clamp_idx())).count() }", godwit.Args{"v": []int64{-1, 9}}, "[1,0,1]"},
		{"indices are clamped", "fn f(v: &[i64; N]) -> [i64; N] { v.gather(v.map(|e| e.clamp_idx())) }", godwit.Args{"v": []int64{-1, 9}}, "[-1,9]"},
		{"a shift has bounds", "fn f(t: &[i64; 8], x: i64) -> i64 { t[(x >> 61) + 4] }", godwit.Args{"t": []int64{0, 1, 2, 3, 4, 5, 6, 7}, "x": int64(math.MinInt64)}, "0"},
		{"a shift by a range has bounds", "fn f(t: &[i64; 9], x: i8, n: i8) -> i64 where n: Range<5, 7> { t[(x >> n) + 4] }", godwit.Args{"t": []int64{0, 1, 2, 3, 4, 5, 6, 7, 8}, "x": int8(-128), "n": int8(5)}, "0"},
		{"a literal that starts a fold is wide", "fn f(v: &[u8; N]) -> i64 { let c = v.fold([0; 2], |s, e| if e > 1 { s + 1 } else { s }); c[1] + 0i64 }", godwit.Args{"v": bytes.Repeat([]byte{2}, 300)}, "300"},
		{"or has the type of the elements", "fn f(v: &[u8; N]) -> u8 { let c = v.fold(0, |s, e| s + e); c }", godwit.Args{"v": []byte{2, 3}}, "5"},
		{"bits leave", "fn f(x: i8) -> i8 { x << 7 }", godwit.Args{"x": int8(3)}, "-128"},
		{"an amount is checked", "fn f(x: i8) -> i8 { 1 << x }", godwit.Args{"x": int8(8)}, "R03"},
		{"a bool is a bool", "fn f(x: bool) -> (bool, bool) { (x as bool, true as bool) }", godwit.Args{"x": false}, "[false,true]"},
		{"the remainder of the least", "fn f(v: &[i8; N], w: &[i16; N]) -> ([i8; N], [i16; N]) { (v.map(|e| e % -1), w.map(|e| e % -1)) }",
			godwit.Args{"v": []int8{-128, 7}, "w": []int16{-32768, 7}}, "[[0,0],[0,0]]"},
		{"the remainder of the least, wide", "fn f(v: &[i32; N], w: &[i64; N]) -> ([i32; N], [i64; N]) { (v.map(|e| e % -1), w.zip(w).map(|(e, d)| e % (d | -1))) }",
			godwit.Args{"v": []int32{math.MinInt32, 7}, "w": []int64{math.MinInt64, 7}}, "[[0,0],[0,0]]"},
	} {
		for _, engine := range []string{"interp", "wasm"} {
			if got := outcome(t, c.src, c.args, engine); got != c.want {
				t.Errorf("%s, %s: got %s, want %s", c.says, engine, got, c.want)
			}
		}
	}
}

// TestEitherLength: a choice between arrays gives one of the length of the side that is taken.
func TestEitherLength(t *testing.T) {
	for _, c := range []struct {
		src  string
		want [4]string // of no, one, three and four elements
	}{
		{"fn f(e: &[i64; N]) -> [i64] { if e.len() % 2 == 0 { e.take(0) } else { e.take(e.len() / 2) } }", [4]string{"[]", "[]", "[1]", "[]"}},
		{"fn f(e: &[i64; N]) -> [i64] { if e.len() % 2 == 0 { e.filter(|x| x > 3) } else { e } }", [4]string{"[]", "[1]", "[1,2,3]", "[4]"}},
		{"fn f(e: &[i64; N]) -> [i64] { if e.len() % 2 == 0 { e.filter(|x| x > 3) } else { e.filter(|x| x < 2) } }", [4]string{"[]", "[1]", "[1]", "[4]"}},
		{"fn f(e: &[i64; N]) -> i64 { let k = if e.len() % 2 == 0 { e.take(3) } else { e.take(e.len() / 2) }; k.sum() * 10 + k.len() }", [4]string{"0", "0", "11", "63"}},
		{"fn f(e: &[i64; N]) -> [i64] { match e.len() { 1 => e.take(0), 3 => e.take(2), _ => e.filter(|x| x > 1) } }", [4]string{"[]", "[]", "[1,2]", "[2,3,4]"}},
		{"fn f(e: &[i64; N]) -> [i64] { if e.len() > 3 { e.take::<2>() } else { e.take(1) } }", [4]string{"[]", "[1]", "[1]", "[1,2]"}},
		{"fn f(e: &[i64; N]) -> [i64; 4] { (0..4).map(|i| { let k = if i % 2 == 0 { e.take(i) } else { e.filter(|x| x > i) }; k.sum() + k.len() * 100 }) }",
			[4]string{"[0,0,0,0]", "[0,0,101,0]", "[0,205,203,0]", "[0,309,203,104]"}},
		{`fn f(e: &[i64; N]) -> [Str] { let s = e.map(|x| if x > 1 { "a" } else { "b" }); let t = e.map(|x| if x > 1 { "c" } else { "d" }); if e.len() > 2 { s.take(2) } else { t } }`,
			[4]string{"[]", `["d"]`, `["b","a"]`, `["b","a"]`}},
		{"fn f(e: &[i64; N]) -> [i64] { if e.len() > 2 { e.filter(|x| x > 1).filter(|x| x > 2).sort_desc() } else { e.map(|x| 10 / x).take(1) } }", [4]string{"[]", "[10]", "[3]", "[4,3]"}},
		{"fn f(e: &[i64; N]) -> [[i64; 2]] { if e.len() > 2 { e.map(|x| [x, x]).filter(|r| r[0] > 2) } else { e.map(|x| [x, 0]) } }", [4]string{"[]", "[[1,0]]", "[[3,3]]", "[[3,3],[4,4]]"}},
		{"fn f(e: &[i64; N]) -> [i64] { if e.len() % 2 == 0 { e.filter(|x| x > 3) } else { concat(e.take(1), e.filter(|x| x > 1)) } }", [4]string{"[]", "[1]", "[1,2,3]", "[4]"}},
		{"fn f(e: &[i64; N]) -> [i64] { if e.len() > 3 { concat(e, e) } else { let k = e.filter(|x| x > 1); concat(concat(k, k.filter(|x| x > 2)), [0, 1]) } }",
			[4]string{"[0,1]", "[0,1]", "[2,3,3,0,1]", "[1,2,3,4,1,2,3,4]"}},
		{"fn f(e: &[i64; N]) -> [i64] { if e.len() == 3 { e.take(2).map(|x| 1 / (x - 1)) } else { e } }", [4]string{"[]", "[1]", "R02", "[1,2,3,4]"}},
	} {
		for i, e := range [][]int64{{}, {1}, {1, 2, 3}, {1, 2, 3, 4}} {
			for _, engine := range []string{"interp", "wasm"} {
				if got := outcome(t, c.src, godwit.Args{"e": e}, engine); got != c.want[i] {
					t.Errorf("%s of %v on %s: %s, want %s", c.src, e, engine, got, c.want[i])
				}
			}
		}
	}
}

func outcome(t *testing.T, src string, args godwit.Args, engine string) string {
	t.Helper()
	res, err := fn(t, src).Call(t.Context(), args, godwit.WithEngine(engine))
	var f *godwit.Fault
	switch {
	case errors.As(err, &f):
		return f.Code
	case err != nil:
		t.Fatal(err)
	}
	return string(res.JSON())
}
