package syntax

import (
	"testing"

	"github.com/godwit-run/godwit/internal/front/diag"
)

// TestQuotedNames: names stay between backticks where they must be, and only there, and mean the same
// afterwards.
func TestQuotedNames(t *testing.T) {
	in := "record R { `in`: i64, `delay`: i64, `2020`: i64, `a.b`: (i64, i64), `späť`: i64 }\n" +
		"fn f(r: R) -> i64 { R { `in`: r.`in`, `delay`: r.`delay`, `2020`: r.`2020`, `a.b`: r.`a.b`, `späť`: 1 }.`a.b`.0 }\n"
	want := "record R { `in`: i64, delay: i64, `2020`: i64, `a.b`: (i64, i64), späť: i64 }\n\n" +
		"fn f(r: R) -> i64 {\n    R { `in`: r.`in`, delay: r.delay, `2020`: r.`2020`, `a.b`: r.`a.b`, späť: 1 }.`a.b`.0\n}\n"
	for _, text := range []string{in, want} {
		var msgs diag.List
		f := Parse(diag.NewSource("q.gw", text), &msgs)
		if len(msgs.Messages) > 0 {
			t.Fatal(msgs.Messages[0].Text)
		}
		if got := Format(f); got != want {
			t.Errorf("got\n%s\nexpected\n%s", got, want)
		}
	}
}
