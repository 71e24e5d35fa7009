package godwit_test

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit"
)

// Text of an argument is looked for as a literal is: what a program counts is what package strings counts.
func TestTextOfAnArgument(t *testing.T) {
	p, err := godwit.Compile(`record Asked { q: Str, or: Option<Str> }
fn find(s: Str, t: Str) -> bool { s.contains(t) }
fn f(x: &[Str; N], a: Asked, lower: Str) -> [i64; 12] { [x.count(|s| s == a.q), x.count(|s| a.q != s), x.count(|s| s < a.q), x.count(|s| a.q >= s), x.count(|s| s > a.q), x.count(|s| a.q <= s),
    x.count(|s| s.starts_with(a.q)), x.count(|s| s.ends_with(a.q)), x.count(|s| find(s, a.q)), x.count(|s| s.lower() == lower.lower()),
    x.count(|s| match a.or { Some(t) => s.contains(t), None => false }), if a.q < lower { 1 } else { 0 }] }`)
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Func("f")
	if err != nil {
		t.Fatal(err)
	}
	word := rapid.StringOfN(rapid.SampledFrom([]rune("aAbBé\x00 ")), 0, 3, -1)
	type asked struct {
		Q  string
		Or *string
	}
	rapid.Check(t, func(t *rapid.T) {
		list, q, lower := rapid.SliceOfN(word, 0, 20).Draw(t, "texts"), word.Draw(t, "q"), word.Draw(t, "lower")
		a := asked{Q: q}
		if rapid.Bool().Draw(t, "or") {
			or := word.Draw(t, "text")
			a.Or = &or
		}
		var want [12]int64
		for _, s := range list {
			for i, is := range []bool{s == q, q != s, s < q, q >= s, s > q, q <= s, strings.HasPrefix(s, q), strings.HasSuffix(s, q), strings.Contains(s, q),
				strings.EqualFold(s, lower), a.Or != nil && strings.Contains(s, *a.Or)} {
				if is {
					want[i]++
				}
			}
		}
		if q < lower {
			want[11] = 1
		}
		for _, engine := range []string{"interp", "wasm", "auto"} {
			r, err := f.Call(context.Background(), godwit.Args{"x": list, "a": a, "lower": lower}, godwit.WithEngine(engine))
			if err != nil {
				t.Fatal(err)
			}
			got, err := godwit.As[[]int64](r)
			if err != nil {
				t.Fatal(err)
			}
			if [12]int64(got) != want {
				t.Fatalf("%s: found %v, wanted %v", engine, got, want)
			}
		}
	})
}
