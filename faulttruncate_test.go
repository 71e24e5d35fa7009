package godwit

import (
	"math"
	"strings"
	"testing"
)

// TestFaultsOfTruncate: an interval that begins before the first time of its type has a help that fits, and what it offers has a result.
func TestFaultsOfTruncate(t *testing.T) {
	ns, days := []int64{math.MinInt64 + 5}, []int32{math.MinInt32}
	for _, c := range []struct {
		call, from, to string
		arg            any
	}{
		{"truncate(1h30min)", "Timestamp<ns>", "Timestamp<us>", ns},
		{"truncate(year)", "Timestamp<ns>", "Timestamp<us>", ns},
		{"truncate(week)", "Timestamp<us>", "Timestamp<ms>", ns},
		{"truncate(year)", "Date", "Timestamp<s>", days},
		{"truncate(7day)", "Date", "Timestamp<s>", days},
	} {
		kind := map[bool]string{true: "i32", false: "i64"}[c.from == "Date"]
		src := "fn f(v: &[" + kind + "; N]) -> [" + c.from + "; N] { v.map(|e| (e as " + c.from + ")." + c.call + ") }"
		help, marked := faultOf(t, src, c.arg), "(e as "+c.from+")."+c.call
		offer := "((e as " + c.from + ") as " + c.to + ")." + c.call
		if want := "the first time that a " + c.from + " has: leave such values out before, or take a type that reaches further: " + offer; !strings.HasSuffix(help, want) {
			t.Errorf("%s: the help is `%s`, expected `%s` in it", src, help, want)
			continue
		}
		src = strings.Replace(strings.Replace(src, marked, offer, 1), "-> ["+c.from, "-> ["+c.to, 1)
		if help := faultOf(t, src, c.arg); help != "" {
			t.Errorf("%s: %s", src, help)
		}
	}
}
