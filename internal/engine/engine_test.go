package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// squares is r0[i] = i², one outer index each.
func squares() *kernel.Kernel {
	n := size.Var("s0")
	b, o, _, _ := kernel.NewBuilder(&kernel.Kernel{
		Sizes:   []kernel.Size{{Lo: 0, Hi: 1 << 40}},
		Regions: []kernel.Region{{Elem: num.I64, Len: n, Access: kernel.Write}},
		Outer:   n, Grain: size.Const(1), Count: n,
	})
	b.Store(0, o, b.Wrap(num.Mul, o, o))
	return b.Finish()
}

func newEngine(t testing.TB, tier Tier) *Engine {
	t.Helper()
	e, err := New(Options{Tier: tier})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func TestRunOnAnyNumberOfThreads(t *testing.T) {
	for _, tier := range []Tier{Wasm, Stepper} {
		e := newEngine(t, tier)
		for _, threads := range []int{1, 2, 7} {
			p := NewPool(threads)
			runSquares(t, e, p, 100_000)
			runSquares(t, e, p, 1)
			p.Close()
		}
	}
}

func runSquares(t *testing.T, e *Engine, p *Pool, n int64) {
	t.Helper()
	ctx := context.Background()
	c, err := e.Kernel(ctx, squares())
	if err != nil {
		t.Fatal(err)
	}
	span, out, err := e.Alloc(n * 8)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Arena().Free(span)
	if _, err := e.Run(ctx, p, c, &Args{Sizes: []int64{n}, Bases: []int64{span.Off}}, 0, n); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if got := binary.LittleEndian.Uint64(out[i*8:]); got != uint64(i*i) {
			t.Fatalf("element %d is %d", i, got)
		}
	}
}

func TestKernelIsCompiledOnceForAll(t *testing.T) {
	e := newEngine(t, Wasm)
	var got [8]*Compiled
	var done sync.WaitGroup
	for i := range got {
		done.Go(func() { got[i], _ = e.Kernel(context.Background(), squares()) })
	}
	done.Wait()
	for _, c := range got {
		if c == nil || c != got[0] {
			t.Fatal("compiled more than once")
		}
	}
	b, _ := kernel.Encode(squares())
	if got[0].Hash != kernel.Hash(b) || got[0].Safe.Bytes != len(b) {
		t.Error("wrong identity")
	}
}

func TestNewerCodeIsUsedFromTheNextSliceOn(t *testing.T) {
	e := newEngine(t, Stepper)
	c, err := e.Kernel(context.Background(), squares())
	if err != nil {
		t.Fatal(err)
	}
	j := e.NewJob(c, []int64{100}, nil)
	w, err := j.Worker(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	span, _, err := e.Alloc(800)
	if err != nil {
		t.Fatal(err)
	}
	w.SetBases([]int64{span.Off})
	if err := w.Run(context.Background(), 0, 50); err != nil {
		t.Fatal(err)
	}
	failing := errors.New("the newer code")
	c.swap(Stepper, codeFunc(func(int64, int64) error { return failing }))
	if err := w.Run(context.Background(), 50, 100); err != failing {
		t.Error(err)
	}
}

type codeFunc func(lo, hi int64) error

func (f codeFunc) Thread(context.Context) (Thread, error)             { return f, nil }
func (f codeFunc) Run(_ context.Context, _ *Args, lo, hi int64) error { return f(lo, hi) }
func (codeFunc) Bytes() (code, thread int64)                          { return 0, 0 }
func (codeFunc) Close()                                               {}

func TestSlicesTakeAboutTheirTarget(t *testing.T) {
	e := newEngine(t, Stepper)
	c, err := e.Kernel(context.Background(), squares())
	if err != nil {
		t.Fatal(err)
	}
	// Code that takes 20 µs per outer index.
	c.swap(Stepper, codeFunc(func(lo, hi int64) error { time.Sleep(time.Duration(hi-lo) * 20 * time.Microsecond); return nil }))
	j := e.NewJob(c, []int64{1 << 30}, nil)
	w, err := j.Worker(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	j.pace.Store(1)
	for range 12 {
		n := min(j.Slice(), 1000)
		if err := w.slice(context.Background(), 0, n); err != nil {
			t.Fatal(err)
		}
	}
	if n := j.Slice(); n > 100 {
		t.Errorf("a slice of %d outer indices takes %d ms", n, n/50)
	}
}

func TestPoolRunsEachWorkerOnceAndKeepsTheFirstError(t *testing.T) {
	p := NewPool(4)
	defer p.Close()
	bad := errors.New("bad")
	for range 200 {
		var calls [4]atomic.Int32
		err := p.Do(context.Background(), 4, func(ctx context.Context, worker int) error {
			calls[worker].Add(1)
			if worker == 0 {
				return bad
			}
			<-ctx.Done() // the error cancels it
			return ctx.Err()
		})
		if err != bad {
			t.Fatal(err)
		}
		for i := range calls {
			if n := calls[i].Load(); n > 1 || i == 0 && n != 1 {
				t.Fatalf("worker %d ran %d times", i, n)
			}
		}
	}
}

func TestUnknownTier(t *testing.T) {
	if _, err := New(Options{Tier: "abacus"}); err == nil {
		t.Error("no error")
	}
}

func TestOffset(t *testing.T) {
	e := newEngine(t, Stepper)
	s, b, err := e.Alloc(100)
	if err != nil {
		t.Fatal(err)
	}
	if off, ok := e.Offset(b[10:]); !ok || off != s.Off+10 {
		t.Error(off, ok)
	}
	if _, ok := e.Offset(make([]byte, 5)); ok {
		t.Error("the heap lies in the arena")
	}
	if _, ok := e.Offset(nil); ok {
		t.Error("nothing lies in the arena")
	}
}
