package godwit_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
)

// Calls with arguments of a shape that was seen before take a shorter way. It gives the same
// results, faults and messages as the first call and as the interpreter.
func TestCallsAgain(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		args []godwit.Args // of one shape
	}{
		"sum":       {"fn f(x: &[f64; N]) -> f64 { x.sum() }", []godwit.Args{{"x": []float64{1, 2, 3}}, {"x": []float64{4, 5, 1e300}}, {"x": []float64{-1, 0, 7}}}},
		"softmax":   {"fn f(x: &[f64; N]) -> [f64; N] { x.softmax() }", []godwit.Args{{"x": []float64{1, 2, 3}}, {"x": []float64{4, 5, 9}}}},
		"itself":    {"fn f(x: &[i16; N]) -> [i16; N] { x }", []godwit.Args{{"x": []int16{1, 2}}, {"x": []int16{3, 4}}}},
		"bools":     {"fn f(x: &[bool; N]) -> [bool; N] { x.map(|b| !b) }", []godwit.Args{{"x": []bool{true, false}}, {"x": []bool{false, false}}}},
		"kept":      {"fn f(x: &[i32; N]) -> [i32; ?K <= N] { x.filter(|e| e > 2) }", []godwit.Args{{"x": []int32{1, 2, 3}}, {"x": []int32{4, 5, 6}}, {"x": []int32{0, 0, 0}}}},
		"sorted":    {"fn f(x: &[f32; N]) -> [f32; N] { x.sort() }", []godwit.Args{{"x": []float32{3, 1, 2}}, {"x": []float32{1, 9, 2}}}},
		"scalar":    {"fn f(x: &[i64; N], k: i64) -> [i64; N] { x.map(|e| e * k) }", []godwit.Args{{"x": []int64{3, 1}, "k": 2}, {"x": []int64{3, 1}, "k": -7}}},
		"range":     {"fn f(x: &[i64; N], k: i64) -> [i64; N] where k: Range<0, 9> { x.map(|e| e + k) }", []godwit.Args{{"x": []int64{3, 1}, "k": 2}, {"x": []int64{3, 1}, "k": 10}, {"x": []int64{3, 1}, "k": 9}}},
		"overflow":  {"fn f(x: &[i64; N]) -> [i64; N] { x.map(|e| e * e) }", []godwit.Args{{"x": []int64{3, 1}}, {"x": []int64{3, 1 << 40}}, {"x": []int64{5, 6}}}},
		"indices":   {"fn f(x: &[f32; N], p: &[idx<N>; M]) -> [f32; M] { p.map(|i| x[i]) }", []godwit.Args{{"x": []float32{1, 2}, "p": []uint8{1, 0, 1}}, {"x": []float32{3, 4}, "p": []uint8{0, 2, 0}}, {"x": []float32{5, 6}, "p": []uint8{1, 1, 0}}}},
		"loop":      {"fn f(x: &[f64; N], n: u32) -> [f64; N] where n: Range<0, 100> { let mut y = x.map(|e| e); for _ in 0..n { y = y.map(|e| e * 1.5 + 1.0); } y }", []godwit.Args{{"x": []float64{1, 2}, "n": 3}, {"x": []float64{3, 4}, "n": 0}, {"x": []float64{3, 4}, "n": 4}}},
		"constant":  {"fn f(x: &[f64; N]) -> f64 { let w = [1.0, 2.0, 3.0]; w.map(|e| e * x.sum()).sum() }", []godwit.Args{{"x": []float64{1, 2}}, {"x": []float64{3, 4}}}},
		"branch":    {"fn f(x: &[f64; N]) -> [f64; N] { if x.sum() > 3.0 { x.map(|e| e * 2.0) } else { x.map(|e| -e) } }", []godwit.Args{{"x": []float64{1, 2}}, {"x": []float64{3, 4}}}},
		"histogram": {"fn f(x: &[u8; N]) -> [i64; 4] { x.map(|e| e as i64 % 4).histogram::<4>() }", []godwit.Args{{"x": []uint8{1, 2, 9}}, {"x": []uint8{3, 3, 3}}}},
		"many":      {"fn f(a: &[f64; N], b: i64, c: &[f64; N], d: &[i32; M], e: f64, g: u8) -> f64 { a.dot(c) + d.sum() as f64 * e + (b + g as i64) as f64 }", []godwit.Args{{"a": []float64{1, 2}, "b": 3, "c": []float64{5, 6}, "d": []int32{7}, "e": 0.5, "g": 9}, {"a": []float64{3, 2}, "b": -3, "c": []float64{5, 8}, "d": []int32{1}, "e": 2.5, "g": 1}}},
		"empty":     {"fn f(x: &[f64; N]) -> f64 { x.sum() }", []godwit.Args{{"x": []float64{}}, {"x": []float64{}}}},
	} {
		t.Run(name, func(t *testing.T) {
			f := fn(t, c.src)
			for range 2 {
				for _, args := range c.args {
					want, wrong := f.Call(context.Background(), args, godwit.WithEngine("interp"))
					got, err := f.Call(context.Background(), args)
					if (err == nil) != (wrong == nil) || err != nil && strings.SplitN(err.Error(), "\n", 2)[0] != strings.SplitN(wrong.Error(), "\n", 2)[0] {
						t.Fatalf("%v: %v, interpreted %v", args, err, wrong)
					}
					if err == nil && string(got.JSON()) != string(want.JSON()) {
						t.Fatalf("%v: %s, interpreted %s", args, got.JSON(), want.JSON())
					}
				}
			}
		})
	}
}

// What is kept of a call are not its arguments.
func TestArgumentsAreNotKept(t *testing.T) {
	f := fn(t, "fn f(x: &[f64; N], y: &[f64; N]) -> f64 { x.dot(y) }")
	gone := make(chan struct{}, 4)
	for range 2 {
		func() {
			x, y := new([50]float64), new([50]float64)
			for _, p := range []*[50]float64{x, y} {
				runtime.SetFinalizer(p, func(*[50]float64) { gone <- struct{}{} })
			}
			if _, err := f.Call(context.Background(), godwit.Args{"x": x[:], "y": y[:]}); err != nil {
				t.Fatal(err)
			}
		}()
	}
	for n := 0; n < 4; {
		runtime.GC()
		select {
		case <-gone:
			n++
		case <-time.After(time.Minute):
			t.Fatalf("%d of 4 arguments are gone", n)
		}
	}
	runtime.KeepAlive(f)
}

// A call of a shape that was seen before makes little garbage: the result, what Stats has, and some thirty
// small things. The limit is about a third above what was counted.
func TestGarbageOfCalls(t *testing.T) {
	for src, most := range map[string]float64{
		"fn f(x: &[f64; N]) -> f64 { x.sum() }":          35,
		"fn f(x: &[f64; N]) -> [f64; N] { x.softmax() }": 40,
		"fn f(x: &[f64; N]) -> [f64; N] { let mut y = x.map(|e| e); for _ in 0..3 { y = (if y.sum() > 9.0 { y.softmax() } else { y }); } y }": 120,
	} {
		f := fn(t, src)
		x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
		n := testing.AllocsPerRun(100, func() {
			if _, err := f.Call(context.Background(), godwit.Args{"x": x}); err != nil {
				t.Fatal(err)
			}
		})
		if n > most {
			t.Errorf("%s: %.0f allocations, expected at most %.0f", src, n, most)
		}
	}
}

// raced says that the race detector is built in.
var raced bool

// TestShortCallsMakeLittle: a call of a shape that was seen before makes its result and little beside it.
func TestShortCallsMakeLittle(t *testing.T) {
	if raced {
		t.Skip("SKIPPED: the race detector has pools forget what they hold")
	}
	for src, most := range map[string]float64{
		"fn f(x: &[f64; N]) -> f64 { x.sum() }":                       9,
		"fn f(x: &[f64; N]) -> [f64; N] { x.softmax() }":              10,
		"fn f(x: &[f64; N], k: f64) -> [f64; N] { x.map(|e| e * k) }": 10,
	} {
		f := fn(t, src)
		x, args := []float64{1, 2, 3, 4}, godwit.Args{}
		args["x"] = x
		if strings.Contains(src, "k: ") {
			args["k"] = 2.0
		}
		call := func() {
			if _, err := f.Call(context.Background(), args); err != nil {
				t.Fatal(err)
			}
		}
		untilCompiled(t, f, args)
		call()
		call()
		if n := testing.AllocsPerRun(200, call); n > most {
			t.Errorf("%s makes %v things, at most %v were expected", src, n, most)
		}
	}
}
