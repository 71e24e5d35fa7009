package engine

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/verify"
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

func (*counted) Bytes() (code, thread int64) { return 0, 0 }

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
	c.swap(Stepper, code)
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

// fresh is a kernel that no other number gives.
func fresh(n int) *kernel.Kernel { return chain(1, n) }

// chain is a kernel with so many steps for each element, which no other number gives.
func chain(steps, n int) *kernel.Kernel {
	s := size.Var("s0")
	b, o, lo, hi := kernel.NewBuilder(&kernel.Kernel{
		Sizes:   []kernel.Size{{Lo: 0, Hi: 1 << 30}},
		Regions: []kernel.Region{{Elem: num.F32, Len: s}, {Elem: num.F32, Len: size.Const(1), Access: kernel.Write}},
		Outer:   size.Const(1), Grain: s.AddConst(1), Count: s,
	})
	sum := b.Fold(lo, hi, false, []kernel.Acc{{Op: num.FoldAdd, Kind: num.F32}}, func(i kernel.Value) []kernel.Value {
		v := b.Load(0, i)
		for j := range steps {
			v = b.Wrap([]num.Op{num.Mul, num.Add}[j%2], v, b.Const(num.F32, num.FromFloat(num.F32, float64(n+j))))
		}
		return []kernel.Value{v}
	})
	b.Store(1, o, sum[0])
	return b.Finish()
}

// BenchmarkCompile compiles kernels that are new each time.
func BenchmarkCompile(b *testing.B) {
	ctx := context.Background()
	e, err := New(Options{})
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
		c, err := e.Kernel(ctx, fresh(n))
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

// A compiler that panics does so once, for who called it. Others who wait are told, and who comes later tries again.
func TestCompilerPanics(t *testing.T) {
	e, err := New(Options{Tier: Stepper, Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	k := fresh(0)
	b, err := kernel.Encode(k)
	if err != nil {
		t.Fatal(err)
	}
	id := kernel.Hash(b)
	waits := make(chan error, 1)
	func() {
		defer func() {
			if recover() != "mine" {
				t.Error("no panic")
			}
		}()
		_, _ = e.kernel(t.Context(), id, false, func() (*verify.Safe, error) {
			go func() {
				_, err := e.kernel(t.Context(), id, false, func() (*verify.Safe, error) { return verify.Check(k) })
				waits <- err
			}()
			time.Sleep(10 * time.Millisecond)
			panic("mine")
		})
	}()
	select {
	case err := <-waits:
		if err != nil && !errors.Is(err, errBroken) { // it may have come late
			t.Errorf("who waited got %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("another waits for a kernel that will never be there")
	}
	if c, err := e.Kernel(t.Context(), k); err != nil || c == nil {
		t.Errorf("the next attempt: %v", err)
	}
}
