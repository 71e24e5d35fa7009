package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine/codegen"
	"github.com/godwit-run/godwit/internal/engine/codegen/codegentest"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/num"
)

func TestMain(m *testing.M) { os.Exit(codegentest.Main(m)) }

func engineWith(t testing.TB, opt Options) *Engine {
	t.Helper()
	e, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// loaded is a case in an engine's memory.
type loaded struct {
	e    *Engine
	c    *kerneltest.Case
	args Args
}

func load(t testing.TB, e *Engine, c *kerneltest.Case) *loaded {
	t.Helper()
	l := &loaded{e: e, c: c, args: Args{Sizes: c.Sizes, Scalars: c.Scalars, Bases: make([]int64, len(c.Regions)), Faults: noFaults(c.Kernel.Sites)}}
	for i, b := range c.Regions {
		s, mem, err := e.Alloc(int64(len(b)) + 64)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Arena().Free(s) })
		copy(mem, b)
		l.args.Bases[i] = s.Off
	}
	return l
}

// region is its bytes after a run.
func (l *loaded) region(i int) []byte {
	return l.e.Arena().Bytes(l.args.Bases[i], int64(len(l.c.Regions[i])))
}

// TestNativeAgrees runs every operation natively and by the stepper.
func TestNativeAgrees(t *testing.T) {
	s := codegentest.Service(t, "")
	native, step := engineWith(t, Options{Tier: Native, Codegen: s}), engineWith(t, Options{Tier: Stepper})
	pool := NewPool(1)
	defer pool.Close()
	for _, c := range kerneltest.Every() {
		var out [2]*loaded
		for i, e := range []*Engine{native, step} {
			l := load(t, e, c)
			k, err := e.Kernel(t.Context(), c.Kernel)
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			if i == 0 && k.Tier() != Native {
				t.Fatalf("%s runs on %s", c.Name, k.Tier())
			}
			if _, err := e.Run(t.Context(), pool, k, &l.args, 0, c.Outer); err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			out[i] = l
		}
		for r, region := range c.Kernel.Regions {
			if region.Access == kernel.Scratch {
				continue
			}
			if oneNaN(region.Elem, out[0].region(r)) != oneNaN(region.Elem, out[1].region(r)) {
				t.Fatalf("%s: region %d differs", c.Name, r)
			}
		}
		for i, at := range out[0].args.Faults {
			if at != out[1].args.Faults[i] {
				t.Errorf("%s: site %d: first fault at %d, want %d", c.Name, i, at, out[1].args.Faults[i])
			}
		}
	}
}

// oneNaN makes bytes comparable: which NaN a processor leaves in memory is nobody's
// business.
func oneNaN(k num.Kind, b []byte) string {
	b = bytes.Clone(b)
	column.CanonicalNaN(k, b)
	return string(b)
}

// long squares n numbers, one outer index each, and gives what comes out.
func long(n int) (*kerneltest.Case, []byte) {
	s := size.Var("s0")
	b, o, _, _ := kernel.NewBuilder(&kernel.Kernel{
		Sizes:   []kernel.Size{{Lo: 0, Hi: 1 << 40}},
		Regions: []kernel.Region{{Elem: num.F32, Len: s}, {Elem: num.F32, Len: s, Access: kernel.Write}},
		Outer:   s, Grain: size.Const(1), Count: s,
	})
	x := b.Load(0, o)
	b.Store(1, o, b.Wrap(num.Mul, x, x))
	k := b.Finish()
	in, out := make([]byte, 4*n), make([]byte, 4*n)
	for i := range n {
		x := float32(i%7) + 0.25
		binary.LittleEndian.PutUint32(in[4*i:], math.Float32bits(x))
		binary.LittleEndian.PutUint32(out[4*i:], math.Float32bits(x*x))
	}
	return &kerneltest.Case{Name: "long", Kernel: k, Sizes: []int64{int64(n)}, Outer: int64(n), Regions: [][]byte{in, make([]byte, 4*n)}}, out
}

// TestSwap has a kernel go over to native code while it runs.
func TestSwap(t *testing.T) {
	e := engineWith(t, Options{Codegen: codegentest.Service(t, "")})
	c, want := long(1 << 20)
	l := load(t, e, c)
	pool := NewPool(2)
	defer pool.Close()
	k, err := e.Kernel(t.Context(), c.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	if k.Tier() != Wasm {
		t.Fatalf("begins on %s", k.Tier())
	}
	runs := 0
	for start := time.Now(); k.Tier() != Native; runs++ {
		clear(l.region(1))
		if _, err := e.Run(t.Context(), pool, k, &l.args, 0, c.Outer); err != nil {
			t.Fatal(err)
		}
		if string(l.region(1)) != string(want) {
			t.Fatalf("run %d on the way to native code is wrong", runs)
		}
		if time.Since(start) > 2*time.Minute {
			t.Fatalf("still on %s after %d runs: %v", k.Tier(), runs, k.Unpromoted())
		}
	}
	clear(l.region(1))
	if _, err := e.Run(t.Context(), pool, k, &l.args, 0, c.Outer); err != nil || string(l.region(1)) != string(want) {
		t.Fatalf("the native run is wrong (%v)", err)
	}
	t.Logf("native after %d runs", runs)
}

// TestSmallStays keeps kernels that are over soon on the first tier.
func TestSmallStays(t *testing.T) {
	c, _ := long(64)
	var spent []time.Duration
	for range 5 { // a thread may have to wait for a processor, and that counts
		e := engineWith(t, Options{Codegen: codegen.New(codegen.Options{Program: []string{"/nonexistent"}})})
		l := load(t, e, c)
		k, err := e.Kernel(t.Context(), c.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Once(t.Context(), c.Sizes, nil, l.args.Bases, 0, c.Outer); err != nil {
			t.Fatal(err)
		}
		if !k.climb.asked.Load() && k.Tier() == Wasm {
			return
		}
		spent = append(spent, time.Duration(k.climb.spent.Load()))
	}
	t.Errorf("after %v in WebAssembly, native code is wanted", spent)
}

// TestNoCompiler runs to the right end where the child of LLVM cannot be started,
// ends at once, or hangs.
func TestNoCompiler(t *testing.T) {
	for _, program := range [][]string{{"/nonexistent/godwit"}, {"false"}, {"sleep", "60"}} {
		t.Run(strings.Join(program, " "), func(t *testing.T) {
			s := codegen.New(codegen.Options{Program: program, Timeout: 300 * time.Millisecond})
			defer s.Close()
			e := engineWith(t, Options{Codegen: s})
			c, want := long(1 << 20)
			l := load(t, e, c)
			pool := NewPool(2)
			defer pool.Close()
			k, err := e.Kernel(t.Context(), c.Kernel)
			if err != nil {
				t.Fatal(err)
			}
			for start := time.Now(); k.Unpromoted() == nil; {
				if _, err := e.Run(t.Context(), pool, k, &l.args, 0, c.Outer); err != nil || string(l.region(1)) != string(want) {
					t.Fatalf("wrong on %s (%v)", k.Tier(), err)
				}
				if time.Since(start) > 20*time.Second {
					t.Fatal("nobody says why there is no native code")
				}
			}
			if k.Tier() != Wasm {
				t.Errorf("runs on %s", k.Tier())
			}
			t.Log(k.Unpromoted())
		})
	}
}

// TestSecondStart finds native code on disk, before anything is compiled.
func TestSecondStart(t *testing.T) {
	dir := t.TempDir()
	c, want := long(1 << 12)
	first := engineWith(t, Options{Codegen: codegentest.Service(t, dir)})
	k, err := first.Kernel(t.Context(), c.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Promote(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	second := engineWith(t, Options{Codegen: codegentest.Service(t, dir)})
	l := load(t, second, c)
	start := time.Now()
	k, err = second.Kernel(t.Context(), c.Kernel)
	took := time.Since(start)
	if err != nil || k.Tier() != Native {
		t.Fatalf("begins on %s (%v)", k.Tier(), err)
	}
	if _, err := k.Once(t.Context(), c.Sizes, nil, l.args.Bases, 0, c.Outer); err != nil || string(l.region(1)) != string(want) {
		t.Errorf("wrong (%v)", err)
	}
	t.Logf("native from disk in %s", took)
}

// TestForgetWhilePromoting frees a kernel whose native code is still to come.
func TestForgetWhilePromoting(t *testing.T) {
	e := engineWith(t, Options{Codegen: codegentest.Service(t, "")})
	for n := range 20 {
		k, err := e.Kernel(t.Context(), fresh(n))
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() { done <- e.Promote(context.Background(), k) }()
		e.Forget(k.Hash)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if _, err := k.Once(t.Context(), []int64{0}, nil, []int64{0, 0}, 0, 0); !errors.Is(err, ErrForgotten) {
			t.Fatalf("a forgotten kernel runs: %v", err)
		}
	}
}

// endless is one outer index that takes s0 turns.
func endless() *kernel.Kernel {
	b, o, lo, hi := kernel.NewBuilder(&kernel.Kernel{
		Sizes:   []kernel.Size{{Lo: 0, Hi: 1 << 48}},
		Regions: []kernel.Region{{Elem: num.I64, Len: size.Const(1), Access: kernel.Write}},
		Outer:   size.Const(1), Grain: size.Var("s0"), Count: size.Var("s0"),
	})
	r := b.Fold(lo, hi, false, []kernel.Acc{{Op: num.FoldXor, Kind: num.I64}}, func(i kernel.Value) []kernel.Value {
		return []kernel.Value{b.Wrap(num.Mul, i, i)}
	})
	b.Store(0, o, r[0])
	return b.Finish()
}

// TestCancelNative ends a long native run soon after its context.
func TestCancelNative(t *testing.T) {
	s := codegentest.Service(t, "")
	e := engineWith(t, Options{Tier: Native, Codegen: s})
	k, err := e.Kernel(t.Context(), endless())
	if err != nil {
		t.Fatal(err)
	}
	span, _, err := e.Alloc(8)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err = k.Once(ctx, []int64{1 << 47}, nil, []int64{span.Off}, 0, 1)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("ended with %v", err)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("ended after %s", took)
	}
}

// TestCloseUnmaps counts mappings of memory: a process may only have some ten
// thousand.
func TestCloseUnmaps(t *testing.T) {
	s := codegentest.Service(t, t.TempDir())
	mappings := func() int {
		b, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Skipf("SKIPPED: mappings are not counted: %v", err)
		}
		return strings.Count(string(b), "\n")
	}
	one := func() {
		e, err := New(Options{Codegen: s})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 4 {
			k, err := e.Kernel(t.Context(), fresh(n))
			if err != nil {
				t.Fatal(err)
			}
			if err := e.Promote(t.Context(), k); err != nil {
				t.Fatal(err)
			}
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	one()
	before := mappings()
	for range 40 {
		one()
	}
	if after := mappings(); after > before+40 {
		t.Errorf("%d mappings before 40 engines, %d after", before, after)
	}
}
