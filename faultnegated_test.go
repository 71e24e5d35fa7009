package godwit

import (
	"math"
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
		{"fn f(v: &[i64; N]) -> [bool; N] { v.map(|e| 3 > e / -1) }", []int64{math.MinInt64}, "e / -1", "0 -% e"},
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
