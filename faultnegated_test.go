package godwit

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestHelpsOfTheLeast: what is offered for the negative of the least integer, its absolute value and its quotient by -1 passes, and
// has a result.
func TestHelpsOfTheLeast(t *testing.T) {
	for _, c := range []struct {
		src    string
		arg    any
		marked string
		offer  string
	}{
		{"fn f(v: &[i64; N]) -> [i64; N] { v.map(|e| -e) }", []int64{math.MinInt64}, "-e", "0 -% e"},
		{"fn f(v: &[i64; N]) -> [i64; N] { -v }", []int64{math.MinInt64}, "-v", "0 -% v"},
		{"fn f(v: &[i64; N]) -> [i64; N] { v.map(|e| e.abs()) }", []int64{math.MinInt64}, "e.abs()", "e.max(0 -% e)"},
		{"fn f(v: &[i64; N]) -> [i64; N] { v.map(|e| e / (e - e - 1)) }", []int64{math.MinInt64}, "e / (e - e - 1)", "if (e - e - 1) == -1 { 0 -% e } else { e / (e - e - 1) }"},
		{"fn f(v: &[i64; N]) -> [i64; N] { v.map(|e| e / -1) }", []int64{math.MinInt64}, "e / -1", "0 -% e"},
		{"fn f(v: &[i64; N]) -> [bool; N] { v.map(|e| 3 > e / -1) }", []int64{math.MinInt64}, "e / -1", "(0 -% e)"},
		{"fn f(v: &[i32; N]) -> [i64; N] { v.map(|e| (-e) as i64) }", []int32{math.MinInt32}, "-e", "-(e as i64)"},
		{"fn f(v: &[i32; N]) -> [i32; N] { v.map(|e| e.abs()) }", []int32{math.MinInt32}, "e.abs()", "e.max(0 -% e)"},
		{"fn f(v: &[i64; N]) -> [i64; N] { v.map(|e| { let mut x = e; x /= -1; x }) }", []int64{math.MinInt64}, "", ""},
	} {
		help := faultOf(t, c.src, c.arg)
		_, offer, _ := strings.Cut(help, ": ")
		switch {
		case c.marked == "" && help != "the least integer has no positive one: test for it before" || c.marked != "" && offer != c.offer:
			t.Errorf("%s: the help is `%s`, expected `%s` in it", c.src, help, c.offer)
		case c.marked != "":
			if help := faultOf(t, strings.Replace(c.src, c.marked, offer, 1), c.arg); help != "" {
				t.Errorf("%s: `%s` does not mend it: %s", c.src, offer, help)
			}
		}
	}
}

// TestHelpsOfOperands: what is offered in place of an operand keeps the value of the whole for ordinary numbers.
func TestHelpsOfOperands(t *testing.T) {
	for _, c := range []struct{ body, marked, offer string }{
		{"7 - e / -1", "e / -1", "(0 -% e)"},
		{"3 +% -e", "-e", "(0 -% e)"},
		{"-e % 10", "-e", "(0 -% e)"},
		{"-e +| 1", "-e", "(0 -% e)"},
		{"3 +| e / (e - e - 1)", "e / (e - e - 1)", "(if (e - e - 1) == -1 { 0 -% e } else { e / (e - e - 1) })"},
		{"(-e) % 10", "-e", "0 -% e"},
	} {
		src := "fn f(v: &[i64; N]) -> [i64; N] { v.map(|e| " + c.body + ") }"
		_, offer, _ := strings.Cut(faultOf(t, src, []int64{math.MinInt64}), ": ")
		if offer != c.offer {
			t.Errorf("%s: the help is `%s`, expected `%s`", src, offer, c.offer)
			continue
		}
		plain := []int64{5, -7, 23}
		with := strings.Replace(src, c.marked, offer, 1)
		if got, want := valuesOf(t, with, plain), valuesOf(t, src, plain); !slices.Equal(got, want) {
			t.Errorf("%s gives %v, and with the help, as %s, %v", src, want, with, got)
		}
	}
}

// valuesOf is what a function of integers v gives.
func valuesOf(t *testing.T, src string, v []int64) []int64 {
	t.Helper()
	p, err := Compile(src)
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Func("")
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Call(t.Context(), Args{"v": v})
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	if err := r.Slice(&got); err != nil {
		t.Fatal(err)
	}
	return got
}

// TestDivisorsOfZero: a divisor that is 0 as it is written is not tested, and a quotient of Durations has a Duration for 0.
func TestDivisorsOfZero(t *testing.T) {
	for _, c := range []struct{ src, help string }{
		{"fn f(v: &[i64; N]) -> i64 { v.sum() / 0 }", "the divisor is 0: write another"},
		{"fn f(v: &[i64; N]) -> [i64; N] { v.map(|e| e % 0) }", "the divisor is 0: write another"},
		{"fn f(v: &[i64; N]) -> [Duration; N] { v.map(|e| 1h / e) }", "test the divisor: if e == 0 { 0s } else { 1h / e }"},
	} {
		if help := faultOf(t, c.src, []int64{0}); help != c.help {
			t.Errorf("%s: the help is `%s`, expected `%s`", c.src, help, c.help)
		}
	}
}
