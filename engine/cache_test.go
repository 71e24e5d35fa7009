package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/godwit-run/godwit/kernel"
	"github.com/godwit-run/godwit/num"
	"github.com/godwit-run/godwit/size"
	"github.com/godwit-run/godwit/verify"
)

// counted makes code that notes how often it and its threads are closed.
type counted struct {
	mu            sync.Mutex
	open, threads int
	closes        int
}

func (c *counted) Thread(context.Context) (Thread, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open++
	c.threads++
	return countedThread{c}, nil
}

func (c *counted) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closes++
	if c.open > 0 {
		c.closes += 100
	}
}

type countedThread struct{ c *counted }

func (t countedThread) Run(context.Context, *Args, int64, int64) error {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if t.c.closes > 0 {
		return errors.New("runs after its code was closed")
	}
	return nil
}

func (t countedThread) Close() {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	t.c.open--
}

func TestForgetWaitsForTheLastUser(t *testing.T) {
	ctx := context.Background()
	e := newEngine(t, Stepper)
	c, err := e.Kernel(ctx, squares())
	if err != nil {
		t.Fatal(err)
	}
	code := &counted{}
	c.swap(code)
	if _, err := c.Once(ctx, []int64{1}, nil, []int64{0}, 0, 0); err != nil {
		t.Fatal(err)
	}
	j := e.NewJob(c, []int64{1}, nil)
	w, err := j.Worker(ctx)
	if err != nil {
		t.Fatal(err)
	}
	e.Forget(c.Hash)
	if _, ok := e.Lookup(c.Hash); ok {
		t.Error("found although forgotten")
	}
	if err := w.Run(ctx, 0, 1); err != nil || code.closes != 0 {
		t.Errorf("closed while it was used: %v", err)
	}
	w.Close()
	if code.closes != 1 || code.open != 0 {
		t.Errorf("closed %d times, %d threads open", code.closes, code.open)
	}
	if _, err := j.Worker(ctx); !errors.Is(err, ErrForgotten) {
		t.Error(err)
	}
	if _, err := c.Once(ctx, []int64{1}, nil, []int64{0}, 0, 0); !errors.Is(err, ErrForgotten) {
		t.Error(err)
	}
	e.Forget(c.Hash) // again, which is nothing
	again, err := e.Kernel(ctx, squares())
	if err != nil || again == c {
		t.Errorf("the forgotten kernel came back: %v", err)
	}
}

// TestForgetMeanwhile forgets a kernel while others compile and run it.
func TestForgetMeanwhile(t *testing.T) {
	ctx := context.Background()
	e := newEngine(t, Wasm)
	k := squares()
	b, _ := kernel.Encode(k)
	id := kernel.Hash(b)
	s, _, err := e.Alloc(8)
	if err != nil {
		t.Fatal(err)
	}
	before := e.Arena().InUse()
	var done sync.WaitGroup
	for i := range 4 {
		done.Go(func() {
			for range 50 {
				if i == 0 {
					e.Forget(id)
					continue
				}
				c, err := e.Kernel(ctx, k)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := c.Once(ctx, []int64{1}, nil, []int64{s.Off}, 0, 1); err != nil && !errors.Is(err, ErrForgotten) {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	e.Forget(id)
	if now := e.Arena().InUse(); now != before {
		t.Errorf("%d bytes of arguments are left of forgotten kernels", now-before)
	}
	if n := len(e.Kernels()); n != 0 {
		t.Errorf("%d kernels are left", n)
	}
}

func TestSafe(t *testing.T) {
	ctx := context.Background()
	e := newEngine(t, Wasm)
	safe, err := verify.Check(squares())
	if err != nil {
		t.Fatal(err)
	}
	c, err := e.Safe(ctx, safe)
	if err != nil {
		t.Fatal(err)
	}
	if c.Safe != safe || c.Hash != safe.ID || c.Times.Compile == 0 {
		t.Errorf("%+v", c.Times)
	}
	same, err := e.Kernel(ctx, squares())
	if err != nil || same != c {
		t.Errorf("compiled again: %v", err)
	}
	found, ok := e.Lookup(c.Hash)
	if !ok || found != c {
		t.Error("not found")
	}
	if list := e.Kernels(); len(list) != 1 || list[0] != c {
		t.Error(list)
	}
	if _, ok := e.Lookup(kernel.ID{}); ok {
		t.Error("found what is not there")
	}
	other, err := e.Kernel(ctx, divided())
	if err != nil || other.Times.Verify == 0 || other.Times.Compile == 0 {
		t.Errorf("%v %+v", err, other.Times)
	}
}

func cached(tb testing.TB, dir string, k *kernel.Kernel) (*Compiled, error) {
	e, err := New(Options{CacheDir: dir})
	if err != nil {
		tb.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			tb.Error(err)
		}
	}()
	return e.Kernel(context.Background(), k)
}

func TestCacheDir(t *testing.T) {
	dir := t.TempDir()
	files := func() []string {
		list, err := filepath.Glob(filepath.Join(dir, "wazero-*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	compile := func(want int) {
		t.Helper()
		if _, err := cached(t, dir, squares()); err != nil {
			t.Fatal(err)
		}
		if n := len(files()); n != want {
			t.Errorf("%d files, not %d", n, want)
		}
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	compile(2) // and the module that has the memory
	compile(2)
	for _, f := range files() {
		if err := os.WriteFile(f, []byte("not machine code at all"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	compile(2)
	for _, f := range files() {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, b[:len(b)/2], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	compile(2)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := cached(t, dir, squares()); err == nil || !strings.Contains(err.Error(), "others must not write to it") {
		t.Errorf("a cache that anyone can write to: %v", err)
	}
}

// fresh is a kernel that no other number gives.
func fresh(n int) *kernel.Kernel {
	s := size.Var("s0")
	b, o, lo, hi := kernel.NewBuilder(&kernel.Kernel{
		Sizes:   []kernel.Size{{Lo: 0, Hi: 1 << 30}},
		Regions: []kernel.Region{{Elem: num.F32, Len: s}, {Elem: num.F32, Len: size.Const(1), Access: kernel.Write}},
		Outer:   size.Const(1), Grain: s.AddConst(1), Count: s,
	})
	sum := b.Fold(lo, hi, false, []kernel.Acc{{Op: num.FoldAdd, Kind: num.F32}}, func(i kernel.Value) []kernel.Value {
		return []kernel.Value{b.Wrap(num.Mul, b.Load(0, i), b.Const(num.F32, num.FromFloat(num.F32, float64(n))))}
	})
	b.Store(1, o, sum[0])
	return b.Finish()
}

// BenchmarkCompile compiles kernels without a cache, with one that lacks them,
// and with one from an earlier engine.
func BenchmarkCompile(b *testing.B) {
	const kernels = 50
	ctx := context.Background()
	run := func(b *testing.B, dir string, number func(i int) int) {
		e, err := New(Options{CacheDir: dir})
		if err != nil {
			b.Fatal(err)
		}
		defer e.Close()
		if _, err := e.Kernel(ctx, squares()); err != nil { // starts the compiler
			b.Fatal(err)
		}
		var times Times
		n := 0
		for b.Loop() {
			c, err := e.Kernel(ctx, fresh(number(n)))
			if err != nil {
				b.Fatal(err)
			}
			e.Forget(c.Hash)
			times.Verify, times.Compile = times.Verify+c.Times.Verify, times.Compile+c.Times.Compile
			n++
		}
		b.ReportMetric(float64(times.Verify.Microseconds())/float64(n), "verify-µs")
		b.ReportMetric(float64(times.Compile.Microseconds())/float64(n), "compile-µs")
	}
	dir := filepath.Join(b.TempDir(), "cache")
	for i := range kernels {
		if _, err := cached(b, dir, fresh(i)); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("none", func(b *testing.B) { run(b, "", func(i int) int { return i }) })
	b.Run("first", func(b *testing.B) { run(b, dir, func(i int) int { return kernels + i }) })
	b.Run("again", func(b *testing.B) { run(b, dir, func(i int) int { return i % kernels }) })
}
