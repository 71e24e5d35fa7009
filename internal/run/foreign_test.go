package run_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/codegen/codegentest"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/run"
)

func TestMain(m *testing.M) {
	mem.Spoil()
	os.Exit(codegentest.Main(m))
}

// Native code takes a slice where it lies and writes the result into memory that is the
// caller's. So an arena that holds neither is enough, and every bit is as WebAssembly
// has it. Without a compiler the stepper does so.
func TestForeignMemory(t *testing.T) {
	const n = 1 << 20
	xs := make([]float64, n+1)
	for i := range xs {
		xs[i] = float64(i%1000) / 7
	}
	xs[17] = math.Float64frombits(0xfff0000000000abc) // a NaN, of which the result has the canonical form
	s, _ := plan(t, "fn f(x: &[f64; N]) -> [f64; N] { x.map(|v| v * 3.0 + 0.1) }", map[string]int64{"N": n})
	service := codegentest.Service(t, "")
	const arena = 256 << 10 // the input and the result take 8 MiB each, a window on the input half of one
	for _, c := range []struct {
		name string
		opt  engine.Options
	}{
		{"native", engine.Options{Tier: engine.Native, Codegen: service, Memory: arena}},
		{"wasm", engine.Options{Tier: engine.Wasm, Memory: arena}},
	} {
		e, err := engine.New(c.opt)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		in := &run.Inputs{Sizes: map[string]int64{"N": n}, Params: []run.Param{{Name: "x", Leaves: []run.Binding{run.Column(data.FromSlice(xs[1:]), 0)}}}}
		res, err := run.Run(context.Background(), s, in, run.Options{Engine: e, Threads: 2})
		if err != nil {
			t.Fatalf("%s in an arena of %d bytes: %v", c.name, arena, err)
		}
		if used := e.Arena().InUse(); used != 0 {
			t.Errorf("%s: %d bytes of the arena are in use after the run", c.name, used)
		}
		if res.Stats.BytesRead != 8*n {
			t.Errorf("%s: %d bytes read, expected %d", c.name, res.Stats.BytesRead, 8*n)
		}
		want, err := run.Run(context.Background(), s, in, run.Options{Tier: engine.Wasm})
		if err != nil {
			t.Fatal(err)
		}
		if string(res.Columns[0].Data) != string(want.Columns[0].Data) {
			t.Errorf("%s: other bits than with memory of its own", c.name)
		}
	}
}

// Indices that change under a run give an error or some element, never memory outside of the array: native code
// reads them where they lie, after one look, and holds each below its bound.
func TestForeignIndices(t *testing.T) {
	const n = 1 << 16
	ours, theirs := sharedPages(t, 8*n)
	xs := make([]float32, n)
	for i := range xs {
		xs[i] = float32(i)
		binary.LittleEndian.PutUint64(ours[8*i:], uint64(i*7919%n))
	}
	s, _ := plan(t, "fn f(at: &[idx<N>; N], x: &[f32; N]) -> f32 { at.map(|i| x[i]).sum() }", map[string]int64{"N": n})
	for _, o := range []engine.Options{
		{Tier: engine.Native, Codegen: codegentest.Service(t, ""), Memory: 256 << 10}, // no room for a copy of the indices
		{Tier: engine.Wasm},
	} {
		t.Run(string(o.Tier), func(t *testing.T) { changeUnder(t, s, o, ours, theirs, xs) })
	}
}

// changeUnder runs a program over indices that change, 200 times, and on a busy machine until one of these changes is met.
func changeUnder(t *testing.T, s *schedule.Schedule, o engine.Options, ours, theirs []byte, xs []float32) {
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	n := int64(len(xs))
	col := data.Column{Kind: num.I64, Stored: "i64"}
	in := &run.Inputs{Sizes: map[string]int64{"N": n}, Params: []run.Param{
		{Name: "at", Leaves: []run.Binding{run.Column(data.FromBytes("at", []data.Column{col}, n, [][]byte{ours}, nil), 0)}},
		{Name: "x", Leaves: []run.Binding{run.Column(data.FromSlice(xs), 0)}},
	}}
	var stop atomic.Bool
	var other sync.WaitGroup
	other.Go(func() {
		at := (*atomic.Uint64)(unsafe.Pointer(&theirs[800]))
		for !stop.Load() {
			at.Store(1 << 40)
			at.Store(1)
		}
	})
	var right, refused int
	start := time.Now()
	for i := 0; i < 200 || refused == 0 && time.Since(start) < 20*time.Second; i++ {
		_, err := run.Run(context.Background(), s, in, run.Options{Engine: e, Threads: 2})
		var bad *data.Error
		switch {
		case err == nil:
			right++
		case errors.As(err, &bad):
			refused++
		default:
			t.Fatal(err)
		}
	}
	stop.Store(true)
	other.Wait()
	if refused == 0 {
		t.Errorf("%d runs ended, %d were refused; expected some to meet the bad index", right+refused, refused)
	}
}

// sharedPages maps the same pages twice, as two processes would.
func sharedPages(t *testing.T, n int) (a, b []byte) {
	t.Helper()
	fd, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.Ftruncate(fd, int64(n)); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*[]byte{&a, &b} {
		if *p, err = unix.Mmap(fd, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Munmap(*p) })
	}
	return a, b
}

// What the arena has no room for lies outside of it where all that touch it are native, and without a compiler they are
// interpreted: files, decoded columns, intermediate results, arrays that a loop swaps.
func TestBeyondTheArena(t *testing.T) {
	for _, o := range []engine.Options{{Tier: engine.Native, Codegen: codegentest.Service(t, "")}, {Tier: engine.Wasm}} {
		t.Run(string(o.Tier), func(t *testing.T) { beyondTheArena(t, o) })
	}
}

func beyondTheArena(t *testing.T, o engine.Options) {
	const n = 1 << 19
	dir := t.TempDir()
	next, xs := make([]int64, n), make([]float64, n)
	for i := range next {
		next[i], xs[i] = int64((i*7919+13)%n), float64(i%977)/3
	}
	o.Memory = 3 << 20
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, c := range []struct{ name, source string }{
		{"chase", "fn f(next: &[idx<N>; N], x: &[f64; N]) -> f64 where N >= 1 { let mut at = next[0]; let mut s = 0.0; for i in 0..1000 { s += x[at]; at = next[at]; } s }"},
		{"sort", "fn f(next: &[idx<N>; N], x: &[f64; N]) -> [f64; N] { let y = x.sort(); next.map(|i| y[i]) }"},
		{"loop", "fn f(next: &[idx<N>; N], x: &[f64; N]) -> [f64; N] { let mut y = x.map(|v| v); for i in 0..3 { y = next.map(|k| y[k] * 0.5 + 1.0); } y }"},
	} {
		s, _ := plan(t, c.source, map[string]int64{"N": n})
		for _, format := range []string{".npy", ".parquet"} {
			if format == ".parquet" && c.name != "chase" {
				continue // a window on a chunk of this file takes more than the arena has
			}
			in := &run.Inputs{Sizes: map[string]int64{"N": n}}
			in.Params = []run.Param{{Name: "next", Leaves: []run.Binding{run.Column(stored(t, dir+"/next"+format, next), 0)}},
				{Name: "x", Leaves: []run.Binding{run.Column(stored(t, dir+"/x"+format, xs), 0)}}}
			want, err := run.Run(context.Background(), s, in, run.Options{Tier: engine.Wasm})
			if err != nil {
				t.Fatal(err)
			}
			got, err := run.Run(context.Background(), s, in, run.Options{Engine: e, Threads: 2})
			if err != nil {
				t.Fatalf("%s over %s: %v", c.name, format, err)
			}
			if string(got.Columns[0].Data) != string(want.Columns[0].Data) {
				t.Errorf("%s over %s: other bits outside of the arena", c.name, format)
			}
			if used := e.Arena().InUse(); used != 0 {
				t.Errorf("%s over %s: %d bytes of the arena are in use after the run", c.name, format, used)
			}
			if _, err := run.Run(context.Background(), s, in, run.Options{Engine: e, Resident: 2 << 20}); err == nil {
				t.Errorf("%s over %s: a limit of 2 MiB was not kept", c.name, format)
			}
		}
	}
}

// stored is a column in a file.
func stored[T int64 | float64](t *testing.T, path string, xs []T) data.Source {
	t.Helper()
	v := value.FromSlice(xs)
	c := v.Columns[0]
	out := &data.Output{Rows: int64(len(xs)), Columns: []data.OutColumn{{Name: "v", Kind: c.Kind, Values: c.Data}}}
	if err := data.Write(path, out); err != nil {
		t.Fatal(err)
	}
	src, err := data.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

// A data set that is fetched has what the machine has, as a file has: its column, and what is made of it
// step by step, lie outside of an arena that has no room.
func TestForeignDataSet(t *testing.T) {
	const n = 1 << 20
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = float64(i * 7919 % n)
	}
	s, _ := plan(t, "fn f(x: &[f64; N]) -> f64 { let s = x.sort(); s.enumerate().map(|(i, v)| v * (i as f64)).sum() }", map[string]int64{"N": n})
	set := table(n, []int64{n / 2}, []data.Column{{Kind: num.F64, Stored: "f64"}}, unsafe.Slice((*byte)(unsafe.Pointer(&xs[0])), 8*n))
	in := &run.Inputs{Sizes: map[string]int64{"N": n}, Params: []run.Param{{Name: "x", Leaves: []run.Binding{run.Column(set, 0)}}}}
	offered := 0
	refuses := besideFunc(func(*run.Placed) (bool, error) { offered++; return false, nil })
	small, err := engine.New(engine.Options{Codegen: codegentest.Service(t, ""), Memory: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close()
	got, err := run.Run(context.Background(), s, in, run.Options{Engine: small, Threads: 2, Beside: refuses})
	if err != nil || offered == 0 {
		t.Fatalf("offered %d times: %v", offered, err)
	}
	want, err := run.Run(context.Background(), s, in, run.Options{Tier: engine.Wasm})
	if err != nil {
		t.Fatal(err)
	}
	if string(got.Columns[0].Data) != string(want.Columns[0].Data) {
		t.Error("other bits than with memory of its own")
	}
}
