package godwit_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/godwit-run/godwit"
)

// fn compiles the only function of a program.
func fn(t testing.TB, src string) *godwit.Func {
	t.Helper()
	p, err := godwit.Compile(src)
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Func("")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// call runs on both engines, which must agree, and decodes the result.
func call[T any](t *testing.T, f *godwit.Func, args godwit.Args) T {
	t.Helper()
	var out [2]T
	var texts [2]string
	for i, engine := range []string{"interp", "wasm"} {
		res, err := f.Call(context.Background(), args, godwit.WithEngine(engine))
		if err != nil {
			t.Fatalf("%s: %v", engine, err)
		}
		if res.Stats().Engine != engine {
			t.Errorf("ran on %s, not %s", res.Stats().Engine, engine)
		}
		if out[i], err = godwit.As[T](res); err != nil {
			t.Fatalf("%s: %v", engine, err)
		}
		texts[i] = string(res.JSON())
	}
	if texts[0] != texts[1] {
		t.Errorf("interp gives %s, wasm %s", texts[0], texts[1])
	}
	return out[1]
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestGoValues(t *testing.T) {
	double := fn(t, `fn f(x: f32) -> f32 { x * 2.0 }`)
	equal(t, call[float32](t, double, godwit.Args{"x": 1.25}), float32(2.5))
	equal(t, call[float64](t, double, godwit.Args{"x": 3}), 6.0)
	rows := fn(t, `fn f(m: &[i32; N, M]) -> [i64; N] { m.map(|r| r.sum()) }`)
	equal(t, call[[]int64](t, rows, godwit.Args{"m": [][]int32{{1, 2}, {3, 4}, {5, 6}}}), []int64{3, 7, 11})
	equal(t, call[[3]int](t, rows, godwit.Args{"m": [3][2]int{{1, 2}, {3, 4}, {5, 6}}}), [3]int{3, 7, 11})
	swap := fn(t, `fn f(p: (i32, f64)) -> (f64, i32) { (p.1, p.0) }`)
	type pair struct {
		A float64
		B int32
	}
	equal(t, call[pair](t, swap, godwit.Args{"p": []any{7, 2.5}}), pair{2.5, 7})
	flip := fn(t, `fn f(v: &[bool; N]) -> [bool; N] { v.map(|b| !b) }`)
	equal(t, call[[]bool](t, flip, godwit.Args{"v": []bool{true, false}}), []bool{false, true})
	option := fn(t, `fn f(x: Option<i64>) -> i64 { x.or(-1) }`)
	equal(t, call[int](t, option, godwit.Args{"x": nil}), -1)
	equal(t, call[int](t, option, godwit.Args{"x": 5}), 5)
	largest := fn(t, `fn f(x: u64) -> u64 { x }`)
	equal(t, call[uint64](t, largest, godwit.Args{"x": uint64(math.MaxInt64)}), uint64(math.MaxInt64))
	all := fn(t, `fn f(v: &[u64; N]) -> [u64; N] { v.map(|e| e) }`)
	equal(t, call[[]uint64](t, all, godwit.Args{"v": []uint64{math.MaxUint64}}), []uint64{math.MaxUint64})
	sized := fn(t, `fn f<K: Size>(v: &[i32; N]) -> [i64; K] { v.histogram::<K>() }`)
	equal(t, call[[]int64](t, sized, godwit.Args{"v": []int32{0, 2, 2}, "K": 3}), []int64{1, 0, 2})
	none := fn(t, `fn f(m: &[f32; N, M]) -> [f32; N] { m.map(|r| r.sum()) }`)
	equal(t, call[[]float32](t, none, godwit.Args{"m": [][]float32{}, "M": 4}), []float32{})
}

func TestResultIntoNextCall(t *testing.T) {
	f := fn(t, `fn f(v: &[f32; N]) -> [f32; N] { v * 2.0 }`)
	res, err := f.Call(context.Background(), godwit.Args{"v": []float32{1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, call[[]float32](t, f, godwit.Args{"v": res}), []float32{4, 8})
	index := fn(t, `fn f(p: &[idx<N>; N]) -> [idx<N>; N] where N: Range<1, 1_000> { p.map(|i| p[i]) }`)
	res, err = index.Call(context.Background(), godwit.Args{"p": []uint16{1, 2, 0}})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, res.Type(), "[idx<3>; 3]")
	equal(t, call[[]int](t, index, godwit.Args{"p": res}), []int{1, 2, 0})
}

func TestArrow(t *testing.T) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "delay", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "distance", Type: arrow.PrimitiveTypes.Int32},
	}, nil))
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 2, 3}, []bool{true, false, true})
	b.Field(1).(*array.Int32Builder).AppendValues([]int32{10, 20, 30}, nil)
	rec := b.NewRecordBatch()
	defer rec.Release()
	f := fn(t, `record Row { delay: Option<i16>, distance: i16 }
fn f(t: &[Row; N]) -> i64 { t.map(|r| r.delay.or(100) + r.distance).sum() }`)
	equal(t, call[int64](t, f, godwit.Args{"t": rec}), int64(164))
	sum := fn(t, `fn f(v: &[i32; N]) -> i64 { v.sum() }`)
	equal(t, call[int64](t, sum, godwit.Args{"v": rec.Column(1)}), int64(60))
	table := array.NewTableFromRecords(rec.Schema(), []arrow.RecordBatch{rec, rec})
	defer table.Release()
	equal(t, call[int64](t, f, godwit.Args{"t": table}), int64(328))
}

func TestWriteFile(t *testing.T) {
	f := fn(t, `record P { x: f32, n: Option<i32> }
fn f(v: &[P; N]) -> [P; N] { v.map(|p| P { x: p.x * 2.0, n: p.n }) }`)
	type point struct {
		X float32
		N *int32
	}
	seven := int32(7)
	res, err := f.Call(context.Background(), godwit.Args{"v": []point{{1, &seven}, {2, nil}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{"csv", "arrow", "parquet"} {
		path := filepath.Join(t.TempDir(), "r."+ext)
		if err := res.WriteFile(path); err != nil {
			t.Fatal(err)
		}
		equal(t, call[[]point](t, f, godwit.Args{"v": godwit.File(path)}), []point{{4, &seven}, {8, nil}})
	}
}

func TestBadArguments(t *testing.T) {
	f := fn(t, `record P { x: f32, y: i8 }
fn f(v: &[P; N], k: i8, m: &[f32; N, 2], o: Option<f32>, u: u64) -> f32 { 0.0 }`)
	good := godwit.Args{"v": []map[string]any{{"x": 1.0, "y": 2}}, "k": 1, "m": [][]float32{{1, 2}}, "o": nil, "u": 5}
	if _, err := f.Call(context.Background(), good); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		v    any
		want string
	}{
		{"k", 300, "300 does not fit i8"},
		{"k", 1.5, "expected i8, found float64"},
		{"k", "1", "is a string"},
		{"k", nil, "expected i8, found nil"},
		{"k", []int8{1, 2}, "expected i8, found []int8"},
		{"m", [][]float32{{1, 2}, {3}}, "rows have different lengths: 2 and 1"},
		{"m", []float32{1, 2}, "2 dimensions"},
		{"m", [][]float32{{1, 2, 3}}, "3 elements"},
		{"m", [][]float64{{1, 2}}, "expected f32, found float64"},
		{"v", []struct{ X float32 }{{1}}, "with a field `y`"},
		{"v", 5, "expected [P; N], found int"},
		{"o", "x", "is a string"},
		{"u", uint64(math.MaxUint64), "a lone u64 goes up to"},
		{"w", 5, "no parameter `w`"},
	} {
		args := godwit.Args{}
		for name, v := range good {
			args[name] = v
		}
		args[c.name] = c.v
		_, err := f.Call(context.Background(), args)
		var input *godwit.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s = %v: %v, want %q", c.name, c.v, err, c.want)
		}
	}
}

func TestBadDestinations(t *testing.T) {
	f := fn(t, `fn f() -> [i64; 3] { [1, -2, 300] }`)
	res, err := f.Call(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var flat []int64
	if err := res.Slice(&flat); err != nil || !reflect.DeepEqual(flat, []int64{1, -2, 300}) {
		t.Errorf("%v, %v", flat, err)
	}
	_, small := godwit.As[[]int8](res)
	_, unsigned := godwit.As[[]uint](res)
	_, scalar := res.Float64()
	_, short := godwit.As[[2]int](res)
	_, other := godwit.As[string](res)
	for _, err := range []error{small, unsigned, scalar, short, other, res.Slice(flat)} {
		var input *godwit.InputError
		if !errors.As(err, &input) {
			t.Errorf("got %v", err)
		}
	}
}

func TestErrorsOfPrograms(t *testing.T) {
	_, err := godwit.Compile("fn f(v: &[f32]) -> f32 { v.smu() }\nfn g() -> f32 { y }")
	var source *godwit.SourceError
	if !errors.As(err, &source) || len(source.Messages) != 2 || !strings.HasPrefix(err.Error(), "error[N06]") {
		t.Errorf("got %v", err)
	}
}

func TestCancel(t *testing.T) {
	f := fn(t, `fn f(k: u64) -> u64 where k: Range<0, 1_000_000_000_000> {
	let mut s: u64 = 0;
	for _ in 0..k { s = (s ^ (s << 3)) +% 7; }
	s
}`)
	for _, engine := range []string{"wasm", "interp"} {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		start := time.Now()
		_, err := f.Call(ctx, godwit.Args{"k": uint64(1e12)}, godwit.WithEngine(engine))
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 20*time.Second {
			t.Errorf("%s: %v after %v", engine, err, time.Since(start))
		}
		if _, err := f.Call(ctx, godwit.Args{"k": 3}, godwit.WithEngine(engine)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: with a context that is over: %v", engine, err)
		}
	}
}

// TestRuntime shares one runtime, then closes it.
func TestRuntime(t *testing.T) {
	r := godwit.NewRuntime(godwit.WithThreads(1))
	f := fn(t, `fn f(v: &[f64; N]) -> f64 { v.map(|e| e * e).sum() }`)
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			res, err := f.Call(context.Background(), godwit.Args{"v": make([]float64, n*1000)}, godwit.WithRuntime(r))
			if err != nil || res.Stats().Threads != 1 {
				t.Errorf("%v, %v", res, err)
			}
		})
	}
	all.Wait()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := f.Call(context.Background(), godwit.Args{"v": []float64{1}}, godwit.WithRuntime(r)); err == nil {
		t.Error("a closed runtime runs")
	}
	if _, err := f.Call(context.Background(), nil, godwit.WithEngine("llvm")); err == nil || !strings.Contains(err.Error(), "auto, native, wasm and interp") {
		t.Errorf("unknown engine: %v", err)
	}
}

func TestStats(t *testing.T) {
	f := fn(t, `fn f(v: &[f64; N]) -> f64 { v.sum() }`)
	res, err := f.Call(context.Background(), godwit.Args{"v": []float64{1, 2}}, godwit.WithEngine("auto"))
	if err != nil {
		t.Fatal(err)
	}
	s := res.Stats()
	if s.Seconds <= 0 || s.BytesRead != 16 || s.Engine != "wasm" || len(s.Kernels) == 0 || len(s.Kernels[0].Hash) != 64 || s.Plan.Sizes["N"] != 2 || len(s.Plan.Steps) == 0 {
		t.Errorf("%+v", s)
	}
	if _, err := json.Marshal(s); err != nil {
		t.Error(err)
	}
}

// BenchmarkCompile is the way from source to a bound schedule, which should
// take no more than 3 ms.
func BenchmarkCompile(b *testing.B) {
	const src = `record Flight { delay: i16, distance: i16 }
fn mean_delay(f: &[Flight; N] @ Disk) -> [f64; 32] @ RAM
where N: Range<0, 10_000_000_000>
{
    f.filter(|r| r.delay > 15)
     .group_by::<32>(|r| (r.distance / 100).clamp(0, 31))
     .mean(|r| r.delay as f64)
}`
	for b.Loop() {
		p, err := godwit.Compile(src)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.Func(""); err != nil {
			b.Fatal(err)
		}
	}
}

// A number of threads below 0 is refused; 0 is the default.
func TestThreads(t *testing.T) {
	f := fn(t, `fn f(x: i64) -> i64 { x }`)
	for n, want := range map[int]bool{-1: false, 0: true, 1: true} {
		if _, err := f.Call(context.Background(), godwit.Args{"x": 1}, godwit.WithThreads(n)); (err == nil) != want {
			t.Errorf("%d threads: %v", n, err)
		}
	}
}

// TestMake shows that a slice of Make is one like any other, and lies where calls read it in place.
func TestMake(t *testing.T) {
	f := fn(t, "fn f(x: &[f64; N], b: &[bool; N]) -> f64 { x.zip(b).map(|(v, c)| if c { v } else { 0.0 }).sum() }")
	for _, n := range []int{0, 1, 1000, 700_000} {
		x, b := godwit.Make[float64](n), godwit.Make[bool](n)
		want := 0.0
		for i := range x {
			if x[i] != 0 || b[i] {
				t.Fatalf("%d: element %d is %v, %v", n, i, x[i], b[i])
			}
			x[i], b[i] = float64(i%7), i%3 == 0
			if b[i] {
				want += x[i]
			}
		}
		if n <= 1000 {
			equal(t, call[float64](t, f, godwit.Args{"x": x, "b": b}), want)
			continue
		}
		res, err := f.Call(context.Background(), godwit.Args{"x": x, "b": b})
		if err != nil {
			t.Fatal(err)
		}
		got, err := godwit.As[float64](res)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, got, want)
	}
}
