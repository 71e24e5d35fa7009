package godwit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A result's text is put in order once, however it is looked at: calls give what they give for a copy of the result, in any order of
// the calls, and whatever each of them looks at.
func TestTextOfResultAgain(t *testing.T) {
	p, err := Compile(`record V { s: Str, v: i64 }
record W { late: bool, s: Str, o: Option<Str>, n: i64 }
fn make(x: &[V; N]) -> [W; N] { x.map(|r| W { late: r.v > 5, s: r.s, o: if r.v > 3 { Some(r.s) } else { None }, n: r.v }) }
fn texts(x: &[W; N]) -> [Str; N] { x.map(|e| e.s) }
fn options(x: &[W; N]) -> [Str; N] { x.map(|e| e.o.or("none")) }
fn both(x: &[W; N]) -> [(Str, Option<Str>); N] { x.map(|e| (e.s, e.o)) }
fn sorted(x: &[W; N]) -> [Str; N] { x.sort(|e| e.s).map(|e| e.s) }
fn missing(x: &[W; N]) -> i64 { x.count(|e| e.o.is_none()) }
fn numbers(x: &[W; N]) -> i64 { x.sum(|e| e.n) }
fn groups(x: &[W; N]) -> [(Str, i64)] { x.group_by(|e| e.s).agg(|g| (g.key(), g.count())) }
fn meets(x: &[W; N], y: &[W; M]) -> [Str] { let by = y.index_by(|e| e.o); x.filter(|e| by.has(Some(e.s))).map(|e| e.s) }
fn pairs(x: &[V; N]) -> [(bool, Str); N] { x.map(|r| (r.v > 5, r.s)) }
fn seconds(x: &[(bool, Str); N]) -> [Str; N] { x.map(|e| e.1) }
fn maybe(x: &[Option<Str>; N]) -> [Str; N] { x.map(|e| e.or("none")) }
fn perhaps(x: &[V; N]) -> [Option<Str>; N] { x.map(|r| if r.v > 5 { Some(r.s) } else { None }) }`)
	if err != nil {
		t.Fatal(err)
	}
	call := func(name string, args Args) (*Result, error) {
		f, err := p.Func(name)
		if err != nil {
			t.Fatal(err)
		}
		return f.Call(t.Context(), args)
	}
	must := func(name string, args Args) *Result {
		t.Helper()
		r, err := call(name, args)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return r
	}
	type v struct {
		S string `godwit:"s"`
		V int64  `godwit:"v"`
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 60 {
		rows := make([]v, r.IntN(6))
		for i := range rows {
			rows[i] = v{strings.Repeat("é", r.IntN(2)) + string(rune('a'+r.IntN(4))), int64(r.IntN(9))}
		}
		made := must("make", Args{"x": rows})
		for range 12 {
			name := []string{"texts", "options", "both", "sorted", "missing", "numbers", "groups", "meets"}[r.IntN(8)]
			args, copies := Args{"x": made}, Args{"x": made.Value()}
			if name == "meets" {
				args["y"], copies["y"] = made, made.Value()
			}
			if got, want := fmt.Sprint(must(name, args)), fmt.Sprint(must(name, copies)); got != want {
				t.Fatalf("%s of %v: %s, expected %s", name, made, got, want)
			}
		}
		for from, to := range map[string]string{"pairs": "maybe", "perhaps": "seconds"} {
			bare := must(from, Args{"x": rows})
			bare.value.Type = nil // then nobody can tell it from the other
			own := map[string]string{"pairs": "seconds", "perhaps": "maybe"}[from]
			want := fmt.Sprint(must(own, Args{"x": bare.Value()}))
			must(to, Args{"x": bare})
			if got := fmt.Sprint(must(own, Args{"x": bare})); got != want {
				t.Fatalf("%s of %s: %s, expected %s", own, from, got, want)
			}
			if r, err := call(to, Args{"x": must(from, Args{"x": rows})}); err == nil || !strings.Contains(err.Error(), "is declared") {
				t.Fatalf("%s of %s: %v, %v", to, from, r, err)
			}
		}
	}
}
