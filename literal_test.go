package godwit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
)

// numbered writes n parts, each made of its number.
func numbered(n int, part func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = part(i)
	}
	return strings.Join(parts, ", ")
}

// TestLongLiterals looks numbers up in literals that are data.
func TestLongLiterals(t *testing.T) {
	plain := numbered(5000, func(i int) string { return fmt.Sprint(i*i%1000 - 500) })
	for _, c := range []struct {
		name, text string
		args       godwit.Args
		want       string
	}{
		{"numbers", "fn f(i: i64) -> i64 { let t = [" + plain + "]; t[i.clamp_idx::<5000>()] }", godwit.Args{"i": 4999}, "-499"},
		{"rows", "fn f(v: &[idx<1000>; N]) -> [f64; N] { let t: [[f32; 3]; 1000] = [" +
			numbered(1000, func(i int) string { return fmt.Sprintf("[%d.5, -%d.25, 1e3]", i, i) }) + "]; v.map(|i| t[i][1] as f64) }", godwit.Args{"v": []int64{7, 0, 999}}, "[-7.25,-0.25,-999.25]"},
		{"tuples", "fn f(i: i64) -> (u8, bool) { let t = [" +
			numbered(300, func(i int) string { return fmt.Sprintf("(%du8, %v)", i%256, i%3 == 0) }) + "]; t[i.clamp_idx::<300>()] }", godwit.Args{"i": 258}, "[2,true]"},
		{"indices", "fn f(v: &[i64; 400]) -> i64 { let t: [idx<400>; 400] = [" +
			numbered(400, func(i int) string { return fmt.Sprint(399 - i) }) + "]; t.map(|i| v[i]).enumerate().map(|(k, x)| (k as i64) * x).sum() }", godwit.Args{"v": ramp(400)}, "10586800"},
		{"settled by a use", "fn f(x: &[i32; 300]) -> i64 { let w = [" + numbered(300, func(i int) string { return fmt.Sprint(i - 150) }) + "]; (0..300).map(|i| x[i] * w[i]).sum() }",
			godwit.Args{"x": slices.Repeat([]int32{2}, 300)}, "-300"},
		{"changed", "fn f() -> i64 { let mut t = [" + numbered(300, func(i int) string { return fmt.Sprint(i) }) + "]; let old = t; for i in 0..300 { t[i] += old[299 - i]; } t.sum() + old[0] }", nil, "89700"},
		{"of two calls", "fn at(i: i64) -> u8 { let t = [" + numbered(300, func(i int) string { return fmt.Sprint(i % 256) }) +
			"]; t[i.clamp_idx::<300>()] } fn f(i: i64) -> u8 { at(i) +% at(i + 1) }", godwit.Args{"i": 7}, "15"},
		{"result", "fn f() -> [i8; 257] { [" + numbered(257, func(int) string { return "-3" }) + "] }", nil, "[" + strings.TrimSuffix(strings.Repeat("-3,", 257), ",") + "]"},
	} {
		p, err := godwit.Compile(c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		f, err := p.Func("f")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := len(f.Params()); got != len(c.args) {
			t.Errorf("%s: %d parameters, want %d", c.name, got, len(c.args))
		}
		for _, engine := range []string{"interp", "wasm"} {
			r, err := f.Call(t.Context(), c.args, godwit.WithEngine(engine))
			if err != nil {
				t.Fatalf("%s: %s: %v", c.name, engine, err)
			}
			if got := strings.ReplaceAll(string(r.JSON()), " ", ""); got != c.want {
				t.Errorf("%s: %s gives %s, want %s", c.name, engine, got, c.want)
			}
		}
	}
}

func ramp(n int) []int64 {
	v := make([]int64, n)
	for i := range v {
		v[i] = int64(i)
	}
	return v
}

// TestLiteralsThatAreRefused wants the place of what is wrong, however long the literal.
func TestLiteralsThatAreRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"fn f() -> u8 { let t: [u8; 300] = [" + numbered(300, func(i int) string { return fmt.Sprint(i) }) + "]; t[0] }", "F01"},
		{"fn f() -> i64 { let t = [" + numbered(300, func(int) string { return "[1, 2]" }) + ", [1]]; t[0][0] }", "T05"},
		{"fn f() -> f64 { let t = [" + numbered(300, func(int) string { return "1.5" }) + ", 1u8]; t[0] }", "F02"},
		{"fn f(i: i64) -> i64 { let t = [" + numbered(2001, func(int) string { return "i" }) + "]; t[0] }", "T18"},
	} {
		_, err := godwit.Compile(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40s…: %.200v, want %s", c.text, err, c.want)
		}
	}
}

// TestHugeLiteralIsQuick checks 100,000 numbers, by the processor's clock.
func TestHugeLiteralIsQuick(t *testing.T) {
	text := "fn f(i: i64) -> i64 { let t = [" + numbered(100_000, func(i int) string { return fmt.Sprint(i) }) + "]; t[i.clamp_idx::<100000>()] }"
	start := processorTime()
	if _, err := godwit.Compile(text); err != nil {
		t.Fatal(err)
	}
	if took := processorTime() - start; took > 5*time.Second {
		t.Errorf("it took %v of the processor", took)
	} else {
		t.Log(took)
	}
}

// TestClusterLiteral runs where the shards are: the literal travels with the work.
func TestClusterLiteral(t *testing.T) {
	c := started(t, 2)
	stored(t, c, wordnet, "hypernym", godwit.LoadOptions{Shards: 2})
	table := numbered(1500, func(i int) string { return fmt.Sprint(i * 7 % 1009) })
	for name, text := range map[string]string{
		"sum":  "fn f(v: &[i64; N]) -> i64 where N: Range<1, 1_000_000> { let t = [" + table + "]; v.map(|x| t[x.wrap_idx::<1500>()]).sum() }",
		"walk": "fn f(v: &[i64; N]) -> i64 where N: Range<1, 1_000_000> { let t = [" + table + "]; let mut at = 5i64; for s in 0..20 { at = v[(at + t[at.wrap_idx::<1500>()]).wrap_idx::<N>()] + s; } at }",
	} {
		f := fn(t, text)
		want, err := f.Call(t.Context(), godwit.Args{"v": godwit.File(wordnet)}, godwit.WithEngine("interp"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Call(t.Context(), godwit.Args{"v": godwit.DataSet("hypernym")}, godwit.WithCluster(c))
		if err != nil {
			t.Fatal(err)
		}
		if string(got.JSON()) != string(want.JSON()) {
			t.Errorf("%s: %s on the nodes, want %s", name, got.JSON(), want.JSON())
		}
	}
}
