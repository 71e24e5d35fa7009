package godwit_test

import (
	"math/big"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit"
)

var writeFor = regexp.MustCompile("write `(.+)` for `(.+)`$")

// TestHelpsAnswerRight follows helps and looks at what the program then gives: a help that leads to one that passes the
// checks and answers otherwise than was meant is worse than none. What the last line of a help has takes the place of a text
// of the program, unless it says of which; a condition takes its place before the body, also one in the line before.
func TestHelpsAnswerRight(t *testing.T) {
	int5 := godwit.Args{"x": []int64{5, 1, 4, 1, 3}}
	for _, c := range []struct {
		src  string
		of   []string
		args godwit.Args
		want string
	}{
		{"fn f(n: i64) -> i64 where n: Range<0, 100> { (1..n).map(|i| i * i).sum() }", []string{"(1..n)"}, godwit.Args{"n": int64(100)}, "328350"},
		{"fn f(n: i64) -> i64 { (1..n).map(|i| i * i).sum() }", []string{"(1..n)"}, godwit.Args{"n": int64(1000)}, "332833500"},
		{"fn f(x: &[i64; N], n: i64) -> i64 { (0..n).map(|i| x.get(i).or(0)).sum() }", []string{"(0..n)"}, godwit.Args{"x": []int64{5, 1, 4, 1, 3}, "n": int64(3)}, "10"},
		{"fn f(x: f64) -> f64 { x.round::<1>() }", []string{""}, godwit.Args{"x": 5.26}, "5.3"},
		{"fn f(x: &[i64; N]) -> [i64] where N >= 1 { x[1..] }", []string{""}, int5, "[1,4,1,3]"},
		{"fn f(x: &[i64; N]) -> [i64] { x[-2..] }", []string{""}, int5, "[1,3]"},
		{"fn f(x: &[i64; N]) -> [i64] { x[..-2] }", []string{""}, int5, "[5,1,4]"},
		{"fn f(n: i64) -> i64 where n: Range<0, 100> { (3..n + 1).map(|i| i + 0).sum() }", []string{"(3..n + 1)"}, godwit.Args{"n": int64(100)}, "5047"},
		{"fn f(r: u32) -> i64 where r: Range<0, 100> { (50..r).map(|i| i + 0).sum() }", []string{"(50..r)"}, godwit.Args{"r": uint32(52)}, "101"},
		{"fn f(n: i64) -> i64 where n: Range<0, 100> { (n..100).map(|i| i + 0).sum() }", []string{"(n..100)"}, godwit.Args{"n": int64(98)}, "197"},
		{"fn f(n: i64, m: i64) -> [i64] where n: Range<-3, 100>, m: Range<0, 50> { (n..m).map(|i| i + 0) }", []string{"(n..m)"}, godwit.Args{"n": int64(-2), "m": int64(2)}, "[-2,-1,0,1]"},
		{"fn f(n: i64, m: i64) -> [i64] where n: Range<-3, 100>, m: Range<0, 50> { (n..m).step(3).map(|i| i + 0) }", []string{"(n..m).step(3)"}, godwit.Args{"n": int64(-2), "m": int64(6)}, "[-2,1,4]"},
		{"fn f(n: i64) -> [i64] where n: Range<0, 100> { (1..n).step(2).map(|i| i + 0) }", []string{"(1..n).step(2)"}, godwit.Args{"n": int64(6)}, "[1,3,5]"},
		{"fn f(k: u8) -> i64 { (0..k).map(|i| i + 0).sum() }", []string{"(0..k)"}, godwit.Args{"k": uint8(255)}, "32385"},
		{"fn f(x: &[i64; N]) -> [i64] { (1..x.filter(|e| e > 1).len()).map(|i| i + 0) }", []string{"(1..x.filter(|e| e > 1).len())"}, int5, "[1,2]"},
		{"fn f(n: i64, m: i64) -> i64 { let mut s = 0; for i in 0..n * m { s += 1; } s }", []string{""}, godwit.Args{"n": int64(99), "m": int64(100)}, "9900"},
		{"fn f(n: i64) -> i64 where n: Range<0, 10000> { [0; n + 1].len() }", []string{"[0; n + 1]"}, godwit.Args{"n": int64(10000)}, "10001"},
		{"fn f(n: i64) -> i64 { [0; n.clamp(0, 5000)].len() }", []string{"[0; n.clamp(0, 5000)]"}, godwit.Args{"n": int64(9999)}, "5000"},
		{"fn f(a: Duration, b: Duration) -> f64 { a / b }", []string{"a / b"}, godwit.Args{"a": godwit.Text("1h30min"), "b": godwit.Text("1h")}, "1.5"},
		{"fn f(a: Duration<s>, b: Duration) -> f64 { a / b }", []string{"a / b"}, godwit.Args{"a": godwit.Text("1h30min"), "b": godwit.Text("1h")}, "1.5"},
		{"fn f(a: Duration, b: Duration) -> f64 { a as i64 / b as i64 }", []string{"a as i64 / b as i64"}, godwit.Args{"a": godwit.Text("1h30min"), "b": godwit.Text("1h")}, "1.5"},
		{"fn f(a: i64, b: i64) -> f64 { (a + 1) / b * 2 + a % b }", []string{"(a + 1) / b * 2 + a % b"}, godwit.Args{"a": int64(4), "b": int64(2)}, "5.0"},
		{"fn f(a: i64, b: i64) -> f64 { if a > b { a / b } else { 0.5 } }", []string{""}, godwit.Args{"a": int64(3), "b": int64(2)}, "1.5"},
		{"fn f(a: i64, b: i64) -> f64 { a / b * 0.5 }", []string{"a / b * 0.5"}, godwit.Args{"a": int64(3), "b": int64(2)}, "0.75"},
		{"fn f(a: i64, b: i64, c: f64) -> f64 { c + a / b }", []string{"c + a / b"}, godwit.Args{"a": int64(3), "b": int64(2), "c": 1.0}, "2.5"},
		{"fn f(a: i64, b: i64) -> f64 { (a / b).sqrt() }", []string{"(a / b).sqrt()"}, godwit.Args{"a": int64(9), "b": int64(4)}, "1.5"},
		{"fn f(x: &[i64; N]) -> [f64; N] { x.map(|e| e / 2) }", []string{"x.map(|e| e / 2)"}, int5, "[2.5,0.5,2.0,0.5,1.5]"},
		{"fn f(x: &[i64; N]) -> f64 { let m = x.sum() / x.len(); m }", []string{""}, int5, "2.8"},
		{"fn f(d: Decimal<12, 4>) -> Decimal<12, 2> { d as Decimal<12, 2> }", []string{"d as Decimal<12, 2>"}, godwit.Args{"d": "1.2350"}, `"1.24"`},
		{"fn f(x: f64) -> Decimal<12, 2> { x as Decimal<12, 2> }", []string{""}, godwit.Args{"x": -0.5}, `"-0.50"`},
		{"fn f(n: i64) -> Decimal<18, 2> { n as Decimal<12, 0> * 0.01 }", []string{""}, godwit.Args{"n": int64(-123)}, `"-1.23"`},
		{"fn f(x: &[i64; N]) -> Option<idx<N>> { x.position(|e| e < 5 && e > 1) }", []string{""}, int5, "2"},
		{"fn f(x: &[i64; N]) -> Option<idx<N>> { x.index_of(7) }", []string{""}, int5, "null"},
		{"fn f(x: &[i64; N]) -> Option<i64> { x.find(|e| e < 5 && e > 1) }", []string{""}, int5, "4"},
		{"fn f(x: &[i64; N]) -> [i64] { x.flat_map(|e| [e, e + 1]) }", []string{".flat_map(|e| [e, e + 1])"}, int5, "[5,6,1,2,4,5,1,2,3,4]"},
		{"fn f(x: &[i64; N]) -> [i64] { x.take_while(|e| e != 4) }", []string{"x.take_while(|e| e != 4)"}, int5, "[5,1]"},
		{"fn f(x: &[i64; N]) -> [i64] { x.skip_while(|e| e != 4) }", []string{"x.skip_while(|e| e != 4)"}, int5, "[4,1,3]"},
		{"fn f(x: &[i64; N]) -> Option<i64> { x.mode() }", []string{".mode()"}, int5, "1"},
		{"fn f(x: &[[i64; 2]; 2]) -> [[i64; 2]; 2] { x.matmul(x) }", []string{""}, godwit.Args{"x": godwit.Text("[[1, 2], [3, 1000000007]]")}, "[[7,2000000016],[3000000024,1000000014000000055]]"},
		{"fn f(x: i64) -> i64 { 1 + (x + 1).pow(3) }", []string{""}, godwit.Args{"x": int64(2000000)}, "8000012000006000002"},
		{"fn f(x: i64, n: i64) -> i64 where n: Range<0, 62> { x.pow(n) }", []string{""}, godwit.Args{"x": int64(3), "n": int64(39)}, "4052555153018976267"},
		{"fn f(x: i64) -> i64 { x.powi::<39>() }", []string{""}, godwit.Args{"x": int64(3)}, "4052555153018976267"},
		{"fn f(x: i64, m: i64) -> i64 { x.rem_euclid(m) }", []string{""}, godwit.Args{"x": int64(-7), "m": int64(-4)}, "1"},
		{"fn f(x: i64, m: i64) -> i64 { x.div_euclid(m) }", []string{""}, godwit.Args{"x": int64(-7), "m": int64(-4)}, "2"},
		{"fn f(x: &[i64; N]) -> [i64; ?] { x.filter(|e| e > 3) }", []string{""}, int5, "[5,4]"},
		{"fn f(x: &[i64; ?K]) -> i64 { x.sum() }", []string{""}, int5, "14"},
	} {
		src := c.src
		for _, of := range c.of {
			_, err := godwit.Compile(src)
			if err == nil {
				t.Fatalf("%s passes the checks", src)
			}
			src = followed(t, src, of, err.Error())
		}
		for _, engine := range []string{"interp", "wasm"} {
			if got := outcome(t, src, c.args, engine); got != c.want {
				t.Errorf("%s became\n%s, %s: got %s, want %s", c.src, src, engine, got, c.want)
			}
		}
	}
}

// followed is a program with a help in the place of a text.
func followed(t *testing.T, src, of, text string) string {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(text), "\n")
	help := strings.TrimPrefix(strings.TrimSpace(lines[len(lines)-1]), "help: ")
	to := help
	if w := writeFor.FindStringSubmatch(help); w != nil {
		to, of = w[1], w[2]
	} else if clause, ok := strings.CutPrefix(help, "where "); ok {
		of, to = " {", " where "+clause+" {"
	}
	if clause := strings.TrimSpace(lines[max(len(lines)-2, 0)]); strings.HasPrefix(clause, "where ") { // both are written
		src = strings.Replace(src, " {", " "+clause+" {", 1)
	}
	if !strings.Contains(src, of) || of == "" {
		t.Fatalf("%s:\n%s\nnothing to put the help in place of", src, text)
	}
	return strings.Replace(src, of, to, 1)
}

// TestSecondPass: what a fold needs of another fold of its group is found by the key in a second pass.
func TestSecondPass(t *testing.T) {
	head := "record R { k: i64, v: f64 }\nfn f(x: &[R; N]) -> [f64] { "
	_, err := godwit.Compile(head + "x.group_by(|r| r.k).agg(|g| { let m = g.mean(|r| r.v); g.sum(|r| (r.v - m) * (r.v - m)) }) }")
	if err == nil {
		t.Fatal("it passes the checks")
	}
	_, help, _ := strings.Cut(err.Error(), "gave:\n")
	help, _, _ = strings.Cut(help, "\n\n")
	for _, engine := range []string{"interp", "wasm"} {
		args := godwit.Args{"x": godwit.Text("[{k: 1, v: 1.0}, {k: 2, v: 7.0}, {k: 1, v: 3.0}]")}
		if got := outcome(t, head+help+" }", args, engine); got != "[2.0,0.0]" {
			t.Errorf("%s: %s", engine, got)
		}
	}
}

// TestRoundedDecimals compares decimals rounded to each number of places with exact arithmetic.
func TestRoundedDecimals(t *testing.T) {
	for _, src := range []string{
		"fn f(x: &[Decimal<18, 4>; N]) -> ([i64; N], [i64; N], [i64; N]) { (x.map(|d| (d.round::<0>() * 1) as i64), x.map(|d| (d.round::<2>() * 100) as i64), x.map(|d| (d.round::<3>() * 1000) as i64)) }",
	} {
		f := fn(t, src)
		rapid.Check(t, func(t *rapid.T) {
			units := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(-999999999999999999/1000, 999999999999999999/1000), rapid.Int64Range(-20000, 20000)), 1, 20).Draw(t, "units")
			in, want := make([]string, len(units)), make([][]int64, 3)
			for i, u := range units {
				in[i] = big.NewRat(u, 10000).FloatString(4)
				for k, cut := range []int64{10000, 100, 10} {
					want[k] = append(want[k], halfAway(u, cut))
				}
			}
			for _, engine := range []string{"interp", "wasm"} {
				res, err := f.Call(t.Context(), godwit.Args{"x": in}, godwit.WithEngine(engine))
				if err != nil {
					t.Fatal(err)
				}
				got, err := godwit.As[struct{ A, B, C []int64 }](res)
				if err != nil {
					t.Fatal(err)
				}
				for k, list := range [][]int64{got.A, got.B, got.C} {
					for i := range units {
						if list[i] != want[k][i] {
							t.Fatalf("%s, %s: got %d, want %d", engine, in[i], list[i], want[k][i])
						}
					}
				}
			}
		})
	}
}

// halfAway is n / d to the nearest integer, of two that are equally near the one further from zero.
func halfAway(n, d int64) int64 {
	twice := new(big.Int).Mul(big.NewInt(2), big.NewInt(n))
	twice.Add(twice, big.NewInt(d*int64(big.NewInt(n).Sign())))
	return twice.Quo(twice, big.NewInt(2*d)).Int64()
}
