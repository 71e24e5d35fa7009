package godwit_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/godwit-run/godwit"
)

// TestRefilled: an array that a program copies, or fills with a number, and then changes may lie where an earlier result was. Nothing of that
// is seen.
func TestRefilled(t *testing.T) {
	const n = 1 << 16 // large enough for memory that is kept
	copied := compileRefilled(t, `fn f(x: &[i64; N], at: &[i64; M]) -> [i64; N] where N: Range<1, 1_000_000>, M: Range<1, 1_000_000> {
		let mut out = x;
		for i in 0..M { let j = at[i].clamp_idx::<N>(); out[j] = out[j] + 1; }
		out
	}`)
	filled := compileRefilled(t, `fn f(x: &[i64; N], at: &[i64; M]) -> [i64; N] where N: Range<1, 1_000_000>, M: Range<1, 1_000_000> {
		let mut out = [7; N];
		for i in 0..M { let j = at[i].clamp_idx::<N>(); out[j] = out[j] + x[j]; }
		out
	}`)
	for _, engine := range []string{"wasm", "auto"} {
		rt := godwit.NewRuntime(godwit.WithEngine(engine))
		defer rt.Close()
		for round := range int64(4) {
			x, at := make([]int64, n), []int64{5, 6, round, n - 1}
			for i := range x {
				x[i] = round*1000 + int64(i)
			}
			for name, p := range map[string]*godwit.Program{"copied": copied, "filled": filled} {
				want := slices.Clone(x)
				for i := range want {
					if name == "filled" {
						want[i] = 7
					}
				}
				for _, j := range at {
					if name == "filled" {
						want[j] += x[j]
					} else {
						want[j]++
					}
				}
				checkRefilled(t, fmt.Sprint(engine, name, round), p, rt, godwit.Args{"x": x, "at": at}, want)
			}
		}
	}
}

func compileRefilled(t *testing.T, source string) *godwit.Program {
	t.Helper()
	p, err := godwit.Compile(source)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// checkRefilled gives the result's memory back, so that the next call may find it.
func checkRefilled(t *testing.T, name string, p *godwit.Program, rt *godwit.Runtime, args godwit.Args, want []int64) {
	t.Helper()
	f, err := p.Func("f")
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Call(t.Context(), args, godwit.WithRuntime(rt))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := godwit.As[[]int64](r)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s: %v, or other numbers than expected", name, err)
	}
}
