package godwit_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/engine/llvm"
)

// faultOrder is a program of one line with the fault that it reports: the text
// that the carets stand under, and the index.
type faultOrder struct {
	name, src string
	args      godwit.Args
	want      string
	index     int64
}

// In each of these programs a fault follows from another, which stands later
// in the text or at a later element, and must not hide it.
var faultOrders = []faultOrder{
	{"operand", "fn f(e: i64) -> i64 { 10 / (100 / e) }", godwit.Args{"e": 0}, "/ e", -1},
	{"operand of an element", "fn f(v: &[i64; N]) -> i64 { v.map(|e| 10 / (100 / e)).sum() }", godwit.Args{"v": []int64{2, 0, 200, 0}}, "/ e", 1},
	{"sum of casts", "fn f(v: &[f64; N]) -> i64 { v.map(|e| e as i64).sum() }", godwit.Args{"v": []float64{1, 9.2e18, 9.2e18, math.NaN()}}, "e as i64", 3},
	{"sum by group", "fn f(v: &[f64; N]) -> [i64; 1] { v.group_by::<1>(|e| 0).sum(|e| e as i64) }", godwit.Args{"v": []float64{9.2e18, 9.2e18, math.NaN()}}, "e as i64", 2},
	{"argument of a function", "fn g(x: i64) -> i64 { 10 / x } fn f(e: i64) -> i64 { g(100 / e) }", godwit.Args{"e": 0}, "/ e", -1},
	{"function twice", "fn g(x: i64) -> i64 { 10 / x + (x - 7) / 100 } fn f(e: i64) -> i64 { g(g(e) * 100 / (e - 7)) }", godwit.Args{"e": 7}, "/ (e - 7)", -1},
	{"condition", "fn f(e: i64) -> i64 { if 10 / (100 / e) == 0 { 1 } else { 2 } }", godwit.Args{"e": 0}, "/ e", -1},
	{"elements left by a filter", "fn f(v: &[i64; N]) -> i64 { v.filter(|e| 100 / e == 0).min() }", godwit.Args{"v": []int64{1, 0}}, "/ e", 1},
	{"fold", "fn f(v: &[i64; N]) -> i64 { v.fold(1, |a, e| 10 / a + 100 / e) }", godwit.Args{"v": []int64{-10, 0, -10, 1}}, "/ a", 1},
	{"fold, an earlier element", "fn f(v: &[i64; N]) -> i64 { v.fold(1, |a, e| 10 / a * 0 + 100 / e) }", godwit.Args{"v": []int64{5, 0, 5}}, "/ e", 1},
	{"scan", "fn f(v: &[i64; N]) -> [i64; N] { v.scan(1, |a, e| 10 / a * 0 + 100 / e) }", godwit.Args{"v": []int64{5, 0, 5}}, "/ e", 1},
	{"scatter", "fn f(v: &[i64; N]) -> [i64; 1] { [1].scatter_with(v.map(|e| e.clamp_idx::<1>()), v, |a, e| 10 / a * 0 + 100 / e) }", godwit.Args{"v": []int64{5, 0, 5}}, "/ e", 1},
	{"loop", "fn f(v: &[i64; N]) -> i64 { let mut a = 1; for e in v { a = 10 / a * 0 + 100 / e; } a }", godwit.Args{"v": []int64{5, 5, 0, 5}}, "/ e", 2},
	{"loop from below zero", "fn f(k: i64) -> i64 where k: Range<-9, 9> { let mut a = 1; for i in k..9 { a = 10 / a * 0 + 100 / i; } a }", godwit.Args{"k": -2}, "/ i", 2},
	{"loop over arrays", "fn f(v: &[i64; N]) -> [i64; N] { let mut a = v; for i in 0..5 { let b = a; a = a.map(|x| 10 / x * 0 + 100 / (2 - i)); } a }", godwit.Args{"v": []int64{5, 5}}, "/ (2 - i)", 2},
	{"sort in a loop", "fn f(v: &[i64; N]) -> [i64; N] { let mut a = v; for i in 0..5 { a = a.sort(|x| 10 / x * 0 + 100 / (2 - i)).map(|x| x / (100 / (i - 1))); } a }", godwit.Args{"v": []int64{500, 500}}, "/ (i - 1)", 1},
}

func (c *faultOrder) check(t *testing.T, on string, err error) {
	t.Helper()
	var f *godwit.Fault
	switch {
	case !errors.As(err, &f):
		t.Errorf("%s: %v, expected a fault", on, err)
	case f.Line != 1 || !strings.HasPrefix(c.src[f.Col-1:], c.want) || f.Index != c.index:
		t.Errorf("%s: expected the fault of %q at %d:\n%v", on, c.want, c.index, err)
	}
}

// function is the program's function f.
func (c *faultOrder) function(t *testing.T) *godwit.Func {
	t.Helper()
	p, err := godwit.Compile(c.src)
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Func("f")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFaultOrder runs the programs on every engine.
func TestFaultOrder(t *testing.T) {
	engines := []string{"interp", "wasm"}
	var opts []godwit.Option
	if _, err := llvm.Load(); err == nil {
		r := godwit.NewRuntime(godwit.WithCompiler(t.TempDir(), "/usr/bin/env", compilerChild+"=1", os.Args[0]))
		t.Cleanup(func() { r.Close() })
		engines, opts = append(engines, "native"), append(opts, godwit.WithRuntime(r))
	}
	for i := range faultOrders {
		c := &faultOrders[i]
		t.Run(c.name, func(t *testing.T) {
			f := c.function(t)
			for _, engine := range engines {
				_, err := f.Call(t.Context(), c.args, append(opts, godwit.WithEngine(engine))...)
				c.check(t, engine, err)
			}
		})
	}
}

// TestFaultOrderOfPieces runs them where the argument is cut into shards.
func TestFaultOrderOfPieces(t *testing.T) {
	c := started(t, 3)
	for i := range faultOrders {
		o := &faultOrders[i]
		kind := "i64"
		switch o.args["v"].(type) {
		case nil:
			continue
		case []float64:
			kind = "f64"
		}
		res, err := fn(t, "fn f(v: &["+kind+"; N]) -> ["+kind+"; N] { v.map(|e| e) }").Call(t.Context(), o.args)
		if err != nil {
			t.Fatal(err)
		}
		path, name := filepath.Join(t.TempDir(), "v.npy"), fmt.Sprint("v", i)
		if err := res.WriteFile(path); err != nil {
			t.Fatal(err)
		}
		stored(t, c, path, name, godwit.LoadOptions{Shards: 2})
		f := o.function(t)
		for _, strategy := range []godwit.Strategy{godwit.Ship, godwit.Fetch} {
			_, err := f.Call(t.Context(), godwit.Args{"v": godwit.DataSet(name)}, godwit.WithCluster(c), godwit.WithStrategy(strategy))
			o.check(t, o.name+", "+string(strategy), err)
		}
	}
}

// TestFaultInATurn says of a fault in a loop at which turn it happened.
func TestFaultInATurn(t *testing.T) {
	_, err := fn(t, "fn f(v: &[i64; N]) -> i64 { let mut s = 0; for e in v { s += v.map(|x| x / e).sum(); } s }").
		Call(t.Context(), godwit.Args{"v": []int64{5, 6, 0}})
	if err == nil || !strings.Contains(err.Error(), "^ in turn 2 of the loop, counted from 0\n") {
		t.Errorf("got %v", err)
	}
}
