package godwit_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/godwit-run/godwit"
)

// TestCarelessArguments gives every kind of parameter values that cannot be meant. Each is an *InputError or a result, and none
// panics.
func TestCarelessArguments(t *testing.T) {
	type node struct{ Next *node }
	loop := new(node)
	loop.Next = loop
	var nilSlice []any
	cyclic := []any{nil}
	cyclic[0] = cyclic
	released := array.NewInt64Data(array.NewData(arrow.PrimitiveTypes.Int64, 0, []*memory.Buffer{nil, nil}, nil, 0, 0))
	released.Release()
	var noPointer *float64
	values := []any{
		nil, struct{}{}, new(int), new(any), make(chan int), func() {}, map[int]int{1: 2}, map[string]any{"a": nil}, complex(1, 2),
		[]any{}, []any{nil}, []any{[]any{}}, nilSlice, cyclic, loop, "x", []string{"a"}, [0]int{}, [][]float64{nil}, [][]float64{{}, nil},
		[][]float64{{1}, {1, 2}}, []*float64{nil}, []*float64{noPointer}, &noPointer, uintptr(7), math.NaN(), math.Inf(1), uint64(math.MaxUint64), int64(math.MinInt64),
		errors.New("x"), time.Microsecond, time.Now(), []time.Time{{}}, godwit.File(""), godwit.File("/"), godwit.File("/dev/null"), godwit.File("\x00"), godwit.Text(""), godwit.Text("["),
		godwit.Text("@"), godwit.Text("#"), godwit.DataSet("#"), godwit.DataSet("x"), (*godwit.Result)(nil), &godwit.Result{}, (*godwit.Value)(nil), &godwit.Value{},
		(*array.Int64)(nil), arrow.Array((*array.Float64)(nil)), (*awkward)(nil), released, godwit.Args{}, (*godwit.Func)(nil), &godwit.Runtime{},
		[]godwit.File{"a"}, []any{godwit.File("x")}, []complex128{1}, [][][]int{{{1}}}, []uintptr{1}, []any{1, "x"}, []any{1, 2.5}, []any{1, nil},
	}
	for _, src := range []string{
		"fn f(x: f64) -> f64 { x }", "fn f(x: i8) -> i8 { x }", "fn f(x: bool) -> bool { x }", "fn f(x: Option<i64>) -> i64 { x.or(1) }",
		"fn f(x: &[f64; N]) -> f64 { x.sum() }", "fn f(x: &[f64; N, M]) -> [f64; N] { x.map(|r| r.sum()) }", "fn f(x: &[Option<i32>; N]) -> i64 { x.map(|e| e.or(1)).sum() }",
		"fn f(x: (f64, i32)) -> f64 { x.0 }", "record R { a: f64 }\nfn f(x: R) -> f64 { x.a }", "record R { a: f64 }\nfn f(x: &[R; N]) -> f64 { x.map(|r| r.a).sum() }",
		"fn f(x: &[bool; N]) -> i64 { x.map(|b| if b { 1 } else { 0 }).sum() }", "fn f(x: &[idx<N>; N]) -> i64 { x.map(|i| i as i64).sum() }",
		"fn f<x: Size>() -> i64 { (0..x).map(|i| i as i64).sum() }",
	} {
		f := fn(t, src)
		for i, v := range values {
			for _, engine := range []string{"auto", "interp"} {
				how := ended(func() {
					r, err := f.Call(t.Context(), godwit.Args{"x": v}, godwit.WithEngine(engine))
					input, fault := (*godwit.InputError)(nil), (*godwit.Fault)(nil)
					if err != nil && !errors.As(err, &input) && !errors.As(err, &fault) {
						t.Errorf("%s, value %d %T, %s: %T %v, expected an *InputError", src, i, v, engine, err, err)
					}
					if err == nil && (r.Type() == "" || strings.Contains(r.String(), "no result")) {
						t.Errorf("%s, value %d %T: a result without a type", src, i, v)
					}
				})
				if how != "returned" {
					t.Errorf("%s, value %d %T, %s: %v", src, i, v, engine, how)
				}
			}
		}
	}
}

// TestCarelessDestinations asks results for what they are not.
func TestCarelessDestinations(t *testing.T) {
	for _, src := range []string{"fn f() -> f64 { 1.5 }", "fn f() -> [i64; 2] { [1, 2] }", "fn f() -> (f64, [i32; 2]) { (1.5, [1, 2]) }", "fn f() -> bool { true }",
		"record R { a: f64 }\nfn f() -> [R; 1] { [R { a: 1.0 }] }"} {
		p, err := godwit.Compile(src)
		if err != nil {
			t.Fatal(err)
		}
		f, err := p.Func("")
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Call(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, use := range map[string]func() error{
			"nil":         func() error { return r.Slice(nil) },
			"nil pointer": func() error { return r.Slice((*[]float64)(nil)) },
			"value":       func() error { return r.Slice([]float64{}) },
			"chan":        func() error { return r.Slice(new(chan int)) },
			"map":         func() error { return r.Slice(new(map[string]int)) },
			"func":        func() error { return r.Slice(new(func())) },
			"strings":     func() error { return r.Slice(new([]string)) },
			"unexported":  func() error { return r.Slice(new(struct{ a float64 })) },
			"complex":     func() error { _, err := godwit.As[complex128](r); return err },
			"deep":        func() error { _, err := godwit.As[[][][]float64](r); return err },
			"array":       func() error { _, err := godwit.As[[99]int](r); return err },
			"no name":     func() error { return r.WriteFile("") },
			"extension":   func() error { return r.WriteFile(t.TempDir() + "/x.gif") },
			"folder":      func() error { return r.WriteFile(t.TempDir()) },
			"no folder":   func() error { return r.WriteFile(t.TempDir() + "/none/x.npy") },
		} {
			how := ended(func() {
				if err := use(); !errors.As(err, new(*godwit.InputError)) {
					t.Errorf("%s as %s: %T %v, expected an *InputError", src, name, err, err)
				}
			})
			if how != "returned" {
				t.Errorf("%s as %s: %v", src, name, how)
			}
		}
		if how := ended(func() { _ = fmt.Sprint(r, *r) }); how != "returned" {
			t.Errorf("%s: %v", src, how)
		}
	}
}

// TestEmptyFunc: what a Func that nobody made tells of itself is nothing.
func TestEmptyFunc(t *testing.T) {
	for _, f := range []*godwit.Func{nil, {}} {
		if how := ended(func() {
			if f.Name() != "" || f.Signature() != "" || f.Params() != nil || f.ResultPlace() != "" {
				t.Error("it has a name, parameters or a place")
			}
			if _, err := f.Predict(t.Context(), nil); !errors.As(err, new(*godwit.InputError)) {
				t.Errorf("Predict: %v", err)
			}
		}); how != "returned" {
			t.Error(how)
		}
	}
	var r *godwit.Runtime
	if how := ended(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}); how != "returned" {
		t.Errorf("closing no Runtime: %v", how)
	}
}
