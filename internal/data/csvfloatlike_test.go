package data

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/data/meaning"
)

// TestFloatLike: what is told without parsing is what parsing tells, for numbers, words, dates, and what is like them.
func TestFloatLike(t *testing.T) {
	words := []string{"", "inf", "-Inf", "+INFINITY", "nan", "NaN", "infinit", "nano", "1e5", "1E+5", "1e-400", "1e400", "e5", ".5", "5.", ".", "-", "+", "--5", "1-5", "1e--5", "2024-05-03", "+2024-05-03",
		"-0044-03-15", "2024-05-03T10:00", "10:30", "ATL", "e", "E", "1_000", "0x1p3", "1e5e5", "٣", "1 000", "1,5", "-.5e-3", "00501", "99999999999999999999.5"}
	parts := rapid.SampledFrom([]string{"0", "1", "9", ".", "-", "+", "e", "E", "i", "n", "f", "inf", "nan", "T", ":", "x", "_", " ", "2024", "05", "Z"})
	check := func(t rapid.TB, s string) {
		b := []byte(s)
		_, msg := slowFloat(b, 64)
		if _, _, _, ok := plainDecimal(b); ok {
			msg = ""
		}
		if spellsFloat(b) != (msg == "") {
			t.Fatalf("%q: a float %t, parsing says %q", s, spellsFloat(b), msg)
		}
		want := csvPhrase
		if _, why := (meaning.Meaning{Sort: meaning.Date}).Parse(b); why == "" {
			want = csvDay
		} else if _, why := (meaning.Meaning{Sort: meaning.Timestamp}).Parse(b); why == "" {
			want = csvMoment
		}
		if got := textSorts(b); got != want {
			t.Fatalf("%q: sort %b, parsing says %b", s, got, want)
		}
	}
	for _, s := range words {
		check(t, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, strings.Join(rapid.SliceOfN(parts, 1, 8).Draw(t, "parts"), ""))
	})
}
