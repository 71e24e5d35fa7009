package run_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/codegen/codegentest"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

// In: programs that run again and again with arguments of the same lengths, short and long. Out: the bits, faults and
// errors of a first run, whether a frame holds the columns or they lie where the caller has them.

var framed = []struct {
	name, source string
	apart        int  // columns of 600 elements and more that lie apart
	between      bool // it has an intermediate array, which must fit into the span, or finds a size
	never        bool // it has no frame
}{
	{"map", "fn f(at: &[idx<N>; N], x: &[f64; N]) -> [f64; N] { x.map(|v| v * 3.0 + 0.1) }", 2, false, false},
	{"two columns", "fn f(at: &[idx<N>; N], x: &[f64; N]) -> ([f64; N], f64) { (x.map(|v| v * 3.0), x.sum()) }", 2, false, false},
	{"gather", "fn f(at: &[idx<N>; N], x: &[f64; N]) -> [f64; N] { at.map(|i| x[i]) }", 3, false, false},
	{"steps", "fn f(at: &[idx<N>; N], x: &[f64; N]) -> [f64; N] where N >= 1 { let m = x.max(); let e = x.scan(0.0, |s, v| s + v - m); let s = e.sum(); at.map(|i| e[i] / s) }", 3, true, false},
	{"histogram", "fn f(at: &[idx<N>; N], x: &[f64; N]) -> [i64; 1000] { x.map(|v| v as i64).histogram::<1000>() }", 2, false, false},
	{"loop", "fn f(at: &[idx<N>; N], x: &[f64; N]) -> [f64; N] { let mut y = x.map(|v| v); for i in 0..3 { y = at.map(|k| y[k] * 0.5 + 1.0); } y }", 2, true, false},
	{"fault", "fn f(at: &[idx<N>; N], x: &[f64; N]) -> [i64; N] { x.map(|v| 7 / ((v as i64) - 39)) }", 2, false, false},
	{"sort", "fn f(at: &[idx<N>; N], x: &[f64; N]) -> [f64; N] { x.sort() }", 2, false, false},
	{"scan", "fn f(at: &[idx<N>; N], x: &[f64; N]) -> [f64; N] { x.scan(0.0, |s, v| s + v) }", 2, false, false},
	{"update", "fn f(at: &[idx<N>; N], x: &[f64; N]) -> [f64; N] { let mut y = [0.0; N]; for i in 0..N { y[at[i]] = x[i]; } y }", 3, false, false},
	{"filter", "fn f(at: &[idx<N>; N], x: &[f64; N]) -> [f64; ?K <= N] { x.filter(|v| v > 500.0) }", 2, true, false},
	{"filter of what is not stored", "fn f(at: &[idx<N>; N], x: &[f64; N]) -> [i64; ?K <= N] { x.filter(|v| v > 500.0).map(|v| (v as i64) / ((v as i64) - 39)) }", 2, true, false},
	{"filter and the whole", "fn f(at: &[idx<N>; N], x: &[f64; N]) -> ([f64; ?K <= N], f64, [f64; N]) { (x.filter(|v| v < 100.0), x.sum(), x.map(|v| v + 1.0)) }", 3, true, false},
	{"filter of rows", "fn f(at: &[idx<N>; N], x: &[f64; N]) -> [(f64, i64, f64); ?K <= N] { x.zip(at).map(|(v, i)| (v, i as i64, v * 2.0)).filter(|(v, i, w)| v > 500.0) }", 5, true, false},
	{"filter, sorted", "fn f(at: &[idx<N>; N], x: &[f64; N]) -> [f64; ?K <= N] { x.filter(|v| v > 500.0).sort() }", 0, false, true},
	{"argument", "fn f(at: &[idx<N>; N], x: &[f64; N]) -> ([f64; N], [f64; N]) { (x, x.map(|v| v + 1.0)) }", 3, false, false},
}

func TestFrames(t *testing.T) {
	for _, tier := range []engine.Tier{engine.Native, engine.Wasm} {
		opt := engine.Options{Tier: tier}
		if tier == engine.Native {
			opt.Codegen = codegentest.Service(t, "")
		}
		e, err := engine.New(opt)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		for _, c := range framed {
			for _, n := range []int{1, 100, 600, 5000, 100_000, 700_000} {
				t.Run(fmt.Sprintf("%s, %s, %d", tier, c.name, n), func(t *testing.T) {
					s, _ := plan(t, c.source, map[string]int64{"N": int64(n)})
					f := &repeated{t: t, p: run.Prepare(s), e: e, n: n}
					f.compare(c.apart, c.between, c.never)
				})
			}
		}
	}
}

// repeated is a program that runs repeatedly.
type repeated struct {
	t *testing.T
	p *run.Program
	e *engine.Engine
	n int
}

// inputs are numbers, of which 39 is one, in memory that begins skew bytes after a multiple of eight.
func (f *repeated) inputs(seed uint64, skew int) (in *run.Inputs, at []int64) {
	r := rand.New(rand.NewPCG(seed, 1))
	at = make([]int64, f.n)
	xs := make([]float64, f.n)
	for i := range xs {
		at[i], xs[i] = int64(r.IntN(f.n)), float64(40+r.IntN(900))
	}
	if seed == 3 { // at the second turn only
		xs[f.n/2], xs[f.n-1] = 39, 39
	}
	raw, _ := binary.Append(make([]byte, skew, skew+8*f.n), binary.LittleEndian, xs)
	in = &run.Inputs{Sizes: map[string]int64{"N": int64(f.n)}, Params: []run.Param{
		{Name: "at", Leaves: []run.Binding{run.Column(data.FromSlice(at), 0)}},
		{Name: "x", Leaves: []run.Binding{run.Column(data.Slice("memory", num.F64, raw[skew:]), 0)}},
	}}
	return in, at
}

// run gives the bits of the result's columns, or the error. It overwrites the columns before it gives them back.
func (f *repeated) run(in *run.Inputs, e *engine.Engine) (bits [][]byte, failed string) {
	res, err := f.p.Run(context.Background(), in, run.Options{Engine: e, Threads: 2, Tier: engine.Wasm})
	if err != nil {
		return nil, err.Error()
	}
	for _, c := range res.Columns {
		bits = append(bits, bytes.Clone(c.Data))
		for i := range c.Data {
			c.Data[i] = 0xa5
		}
	}
	res.Close()
	return bits, ""
}

func (f *repeated) compare(apart int, between, never bool) {
	for turn := range 6 {
		in, _ := f.inputs(uint64(turn), (turn%2)*(turn-1)) // the fourth and the sixth lie askew
		want, wantErr := f.run(in, nil)
		got, gotErr := f.run(in, f.e)
		if gotErr != wantErr || !slices.EqualFunc(got, want, bytes.Equal) {
			f.t.Fatalf("turn %d: other bits than in memory of its own; error %q, want %q", turn, gotErr, wantErr)
		}
	}
	held, columns := f.p.Frames(map[string]int64{"N": int64(f.n)})
	if held != (!never && (f.n <= 100_000 && !between || f.n <= 5000)) {
		f.t.Errorf("a frame: %v", held)
	}
	if held && f.n >= 600 && columns != apart {
		f.t.Errorf("%d columns lie apart, want %d", columns, apart)
	}
}

// TestFramesRefuse shows that an index out of range is the error of a first run, and not of that run alone.
func TestFramesRefuse(t *testing.T) {
	e, err := engine.New(engine.Options{Tier: engine.Native, Codegen: codegentest.Service(t, "")})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s, _ := plan(t, framed[2].source, map[string]int64{"N": 5000})
	f := &repeated{t: t, p: run.Prepare(s), e: e, n: 5000}
	for turn := range 4 {
		in, at := f.inputs(uint64(turn), 0)
		if turn >= 2 {
			at[4321] = 5000
		}
		_, failed := f.run(in, e)
		if want := turn >= 2; strings.Contains(failed, "index below 5000") != want {
			t.Errorf("turn %d: error %q", turn, failed)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in, _ := f.inputs(0, 0)
	if _, err := f.p.Run(ctx, in, run.Options{Engine: e}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run: %v", err)
	}
}

// TestFramesAtOnce runs a program from many goroutines, each with arguments of its own.
func TestFramesAtOnce(t *testing.T) {
	e, err := engine.New(engine.Options{Tier: engine.Native, Codegen: codegentest.Service(t, "")})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, c := range framed {
		if c.name != "gather" && c.name != "filter" {
			continue
		}
		s, _ := plan(t, c.source, map[string]int64{"N": 20_000})
		f := &repeated{t: t, p: run.Prepare(s), e: e, n: 20_000}
		var all sync.WaitGroup
		for g := range uint64(8) {
			all.Go(func() {
				in, _ := f.inputs(g, 0)
				want, _ := f.run(in, nil)
				for range 100 {
					if got, failed := f.run(in, e); failed != "" || !slices.EqualFunc(got, want, bytes.Equal) {
						t.Errorf("%s, goroutine %d: other bits, or %q", c.name, g, failed)
						return
					}
				}
			})
		}
		all.Wait()
		if held, _ := f.p.Frames(map[string]int64{"N": 20_000}); !held {
			t.Errorf("%s has no frame", c.name)
		}
	}
}
