package godwit_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/engine/llvm"
)

// rowLoops are loops over arrays that they change. Where iterations keep to their own elements, threads share them.
var rowLoops = []struct {
	name, source string
	shared       int // launches that share iterations
}{
	{"stencil, again and again", `fn f(x: &[f64; N, M]) -> [f64; N, M] where N: Range<3, 500>, M: Range<3, 500> {
    let mut a = x; let mut b = x;
    for _ in 0..4 {
        for i in 1..N - 1 { for j in 1..M - 1 { b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i + 1][j] + a[i - 1][j]); } }
        for i in 1..N - 1 { for j in 1..M - 1 { a[i][j] = 0.3 * (b[i][j] + b[i][j + 1] + b[i + 1][j] + b[i - 1][j]); } }
    }
    a }`, 2},
	{"arrays that change places", `fn f(x: &[f64; N, M]) -> ([f64; N, M], [f64; N, M]) where N: Range<3, 500>, M: Range<1, 500> {
    let mut a = x; let mut b = x.map(|r| r.map(|e| e + 1.0));
    for _ in 0..3 {
        for i in 1..N - 1 { for j in 0..M { b[i][j] = a[i - 1][j] + 0.5 * a[i + 1][j]; } }
        let t = a; a = b; b = t;
    }
    (a, b) }`, 1},
	{"an array that is read afterwards", `fn f(x: &[f64; N, M]) -> ([f64; N, M], f64) where N: Range<3, 500>, M: Range<1, 500> {
    let mut a = x; let mut s = 0.0;
    for k in 0..3 {
        let old = a;
        for i in 0..N { for j in 0..M { a[i][j] = a[i][j] * 1.5 + k as f64; } }
        s = s + old[0][0] + a[N - 1][M - 1];
    }
    (a, s) }`, 1},
	{"an older version, returned as well", `fn f(x: &[f64; N, M]) -> ([f64; N, M], [f64; N, M], [f64; N, M]) where N: Range<1, 500>, M: Range<1, 500> {
    let mut a = x.map(|r| r.map(|e| e * 2.0)); let first = a; let mut p = a;
    for _ in 0..3 {
        p = a;
        for i in 0..N { for j in 0..M { a[i][j] = a[i][j] + 1.0; } }
    }
    (first, p, a) }`, 1},
	{"a product by three loops", `fn f(x: &[f64; N, M]) -> [f64; N, N] where N: Range<1, 500>, M: Range<1, 500> {
    let mut c = [[0.0; N]; N];
    for i in 0..N { for j in 0..N { for k in 0..M { c[i][j] += x[i][k] * x[j][k]; } } }
    c }`, 1},
	{"two arrays at once", `fn f(x: &[f64; N, M]) -> ([f64; N, M], [f64; N]) where N: Range<1, 500>, M: Range<1, 500> {
    let mut a = x; let mut s = [0.0; N];
    for i in 0..N { for j in 0..M { s[i] += a[i][j]; a[i][j] = s[i] * 0.5; } }
    (a, s) }`, 1},
	{"a choice", `fn f(x: &[f64; N, M]) -> [f64; N, M] where N: Range<1, 500>, M: Range<1, 500> {
    let mut a = x;
    for i in 0..N { for j in 0..M { if a[i][j] > 0.5 { a[i][j] = 1.0 - a[i][j]; } } }
    a }`, 1},
	{"elements, alone", `fn f(x: &[f64; N, M]) -> [f64; N] where N: Range<1, 500>, M: Range<1, 500> {
    let mut a = [1.0; N];
    for i in 0..N { a[i] = a[i] + x[i].sum(); }
    a }`, 1},
	{"a row of its own, row by row", `fn f(x: &[f64; N, M]) -> [f64; N, M] where N: Range<1, 500>, M: Range<2, 500> {
    let mut a = x;
    for i in 0..N { for j in 1..M { a[i][j] = a[i][j] + a[i][j - 1] * 0.5; } }
    a }`, 1},
	{"records", `record P { v: f64, n: i32 }
fn f(x: &[f64; N, M]) -> [f64; N, M] where N: Range<1, 500>, M: Range<1, 500> {
    let mut p = x.map(|r| r.map(|e| P { v: e, n: 2 }));
    for i in 0..N { for j in 0..M { p[i][j].v = p[i][j].v * p[i][j].n as f64; } }
    p.map(|r| r.map(|q| q.v)) }`, 1},
	{"no iteration at all", `fn f(x: &[f64; N, M]) -> [f64; N, M] where N: Range<1, 500>, M: Range<1, 500> {
    let mut a = x;
    for i in N..N { for j in 0..M { a[i][j] = 0.0; } }
    a }`, -1},
	{"the row before", `fn f(x: &[f64; N, M]) -> [f64; N, M] where N: Range<2, 500>, M: Range<1, 500> {
    let mut a = x;
    for i in 1..N { for j in 0..M { a[i][j] = a[i][j] + 0.5 * a[i - 1][j]; } }
    a }`, 0},
	{"the row after, changed", `fn f(x: &[f64; N, M]) -> [f64; N, M] where N: Range<2, 500>, M: Range<1, 500> {
    let mut a = x;
    for i in 0..N - 1 { for j in 0..M { a[i + 1][j] = a[i][j] * 0.5; } }
    a }`, 0},
	{"the same row", `fn f(x: &[f64; N, M]) -> [f64; N, M] where N: Range<1, 500>, M: Range<1, 500> {
    let mut a = x;
    for i in 0..N { for j in 0..M { a[0][j] = a[0][j] * 0.5 + x[i][j]; } }
    a }`, 0},
	{"one row, again and again", `fn f(x: &[f64; N, M]) -> [f64; N, M] where N: Range<1, 500>, M: Range<1, 500> {
    let mut a = x;
    for i in 0..N { for j in 0..M { a[0][j] = x[i][j]; } }
    a }`, 0},
	{"the whole array", `fn f(x: &[f64; N, M]) -> [f64; N, M] where N: Range<1, 500>, M: Range<1, 500> {
    let mut a = x;
    for i in 0..N { let s = a.map(|r| r[0]).sum(); for j in 0..M { a[i][j] = a[i][j] + s * 0.125; } }
    a }`, 0},
	{"a number that goes on", `fn f(x: &[f64; N, M]) -> [f64; N, M] where N: Range<1, 500>, M: Range<1, 500> {
    let mut a = x; let mut s = 0.0;
    for i in 0..N { for j in 0..M { s = s + a[i][j]; a[i][j] = s; } }
    a }`, 0},
	{"what may fault", `fn f(x: &[f64; N, M]) -> [i32; N, M] where N: Range<1, 500>, M: Range<1, 500> {
    let mut a = x.map(|r| r.map(|e| (e * 4000.0) as i32));
    for i in 0..N { for j in 0..M { a[i][j] = a[i][j] * 600_000; } }
    a }`, 0},
}

func TestLoopsOverRows(t *testing.T) {
	_, err := llvm.Load()
	engines := []string{"wasm"}
	opts := []godwit.Option{}
	if err == nil {
		engines, opts = append(engines, "native"), append(opts, godwit.WithCompiler(t.TempDir(), "/usr/bin/env", compilerChild+"=1", os.Args[0]))
	}
	rt := godwit.NewRuntime(opts...)
	defer rt.Close()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for _, p := range rowLoops {
		t.Run(p.name, func(t *testing.T) {
			f := fn(t, p.source)
			for k, size := range [][2]int{{3, 3}, {37, 29}, {90, 17}} {
				x := randomRows(rand.New(rand.NewPCG(seed, uint64(k))), size[0], size[1])
				want, wrong := f.Call(t.Context(), godwit.Args{"x": x}, godwit.WithEngine("interp"))
				if wrong != nil && p.name != "what may fault" {
					t.Fatal(wrong)
				}
				for _, engine := range engines {
					for _, threads := range []int{1, 2, 7} {
						got, err := f.Call(t.Context(), godwit.Args{"x": x}, godwit.WithRuntime(rt), godwit.WithEngine(engine), godwit.WithThreads(threads))
						if fmt.Sprint(err) != fmt.Sprint(wrong) {
							t.Fatalf("%v on %s: %v, interpreted %v", size, engine, err, wrong)
						}
						if err != nil {
							continue
						}
						if string(got.JSON()) != string(want.JSON()) {
							t.Fatalf("%v on %s, %d threads: %.200s, interpreted %.200s", size, engine, threads, got.JSON(), want.JSON())
						}
						if n := sharing(got); p.shared >= 0 && n != p.shared {
							t.Fatalf("%d launches share iterations, %d were expected: %+v", n, p.shared, got.Stats().Plan.Steps)
						}
					}
				}
			}
		})
	}
}

// sharing counts the launches that share a loop's iterations.
func sharing(r *godwit.Result) (n int) {
	for _, s := range r.Stats().Plan.Steps {
		if strings.HasPrefix(s.Label, "rows ") {
			n++
		}
	}
	return n
}

func randomRows(r *rand.Rand, rows, columns int) [][]float64 {
	return slices.Collect(func(yield func([]float64) bool) {
		for range rows {
			row := make([]float64, columns)
			for j := range row {
				row[j] = r.Float64()
			}
			if !yield(row) {
				return
			}
		}
	})
}
