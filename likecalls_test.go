package godwit_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
)

// TestCallsLikeBefore: what calls of one function have in common is not what their arguments and results are. Sizes, shapes and
// values take turns, and a result stays what it is though later calls were made in the same memory.
func TestCallsLikeBefore(t *testing.T) {
	same := fn(t, "fn f(x: &[f64; N], y: &[f64; N], a: f64) -> ([f64; N], [f64; N]) { (x, x.zip(y).map(|(p, q)| p * a + q)) }")
	sum := fn(t, "fn f(x: &[f64; N]) -> f64 { x.sum() }")
	many := fn(t, "fn f(a: &[i64; N], b: &[i64; N], c: &[i64; N], d: &[i64; N], e: &[i64; N], g: &[i64; N]) -> [i64; N] { (0..N).map(|i| a[i] + b[i] * c[i] + d[i] * e[i] - g[i]) }")
	var kept []*godwit.Result
	var want []string
	for turn := range 40 {
		n, v := []int{1, 3, 700, 3}[turn%4], float64(turn)
		x, y := slices.Repeat([]float64{v}, n), slices.Repeat([]float64{1}, n)
		list := slices.Repeat([]int64{int64(turn)}, n)
		for _, c := range []struct {
			f    *godwit.Func
			args godwit.Args
			want any
		}{
			{sum, godwit.Args{"x": x}, v * float64(n)},
			{same, godwit.Args{"x": x, "y": y, "a": v}, [][]float64{x, slices.Repeat([]float64{v*v + 1}, n)}},
			{many, godwit.Args{"a": list, "b": list, "c": list, "d": list, "e": list, "g": list}, slices.Repeat([]int64{int64(2 * turn * turn)}, n)},
		} {
			res, err := c.f.Call(t.Context(), c.args)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(c.want)
			if err != nil {
				t.Fatal(err)
			}
			kept, want = append(kept, res), append(want, string(text))
		}
	}
	for i, res := range kept {
		if got := strings.ReplaceAll(string(res.JSON()), ".0", ""); got != want[i] {
			t.Errorf("result %d is %s, expected %s", i, got, want[i])
		}
	}
}

// TestRepeatedCallsAllocate: a call like the one before makes a result with what was noted of its run, and nothing else.
func TestRepeatedCallsAllocate(t *testing.T) {
	if raced {
		t.Skip("SKIPPED: the race detector allocates")
	}
	x, y := make([]float64, 100), make([]float64, 100)
	args := godwit.Args{"x": x, "y": y}
	for src, most := range map[string]float64{
		"fn f(x: &[f64; N], y: &[f64; N]) -> f64 { x.dot(y) }":                2,
		"fn f(x: &[f64; N], y: &[f64; N]) -> [f64; N] { x + y }":              3,
		"fn f(x: &[f64; N], y: &[f64; N]) -> [f64; 2] { [x.sum(), y.sum()] }": 4,
	} {
		f := fn(t, src)
		call := func() {
			res, err := f.Call(t.Context(), args)
			if err != nil {
				t.Fatal(err)
			}
			res.Close()
		}
		untilCompiled(t, f, args)
		for range 10 {
			call()
		}
		if n := testing.AllocsPerRun(500, call); n > most {
			t.Errorf("%s: %.1f allocations, expected at most %.0f", src, n, most)
		}
	}
}

// untilCompiled calls a function until its kernels have code, which is made beside the second call.
func untilCompiled(t *testing.T, f *godwit.Func, args godwit.Args) {
	t.Helper()
	for late := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		res, err := f.Call(t.Context(), args)
		if err != nil {
			t.Fatal(err)
		}
		interpreted := slices.ContainsFunc(res.Stats().Kernels, func(k godwit.Kernel) bool { return k.Tier == "interp" })
		if res.Close(); !interpreted {
			return
		}
		if time.Now().After(late) {
			t.Fatal("a kernel is interpreted after a minute of calls")
		}
	}
}
