package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/engine/codegen/codegentest"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// few is a trial for kernels of any length, whose code takes long to be made.
func few(steps int64) func(int) (int64, time.Duration) {
	return func(int) (int64, time.Duration) { return steps, time.Hour }
}

// squared is the kernel of squares in an engine; run gives the tier of a run that makes n of them.
func squared(t *testing.T, e *Engine) (c *Compiled, run func(n int64) Tier) {
	t.Helper()
	c, err := e.Kernel(t.Context(), squares())
	if err != nil {
		t.Fatal(err)
	}
	s, b, err := e.Alloc(64)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Arena().Free(s) })
	return c, func(n int64) Tier {
		t.Helper()
		for i := range b {
			b[i] = 0xdb
		}
		a := &Args{Sizes: []int64{n}, Bases: []int64{s.Off}, Faults: noFaults(c.Kernel.Sites)}
		on, _, err := c.RunShort(t.Context(), a, 0, n)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if got := binary.LittleEndian.Uint64(b[8*i:]); got != uint64(i*i) {
				t.Fatalf("on %s, %d squared is %d", on, i, got)
			}
		}
		return on
	}
}

// TestTrial: the first runs of a kernel are interpreted, code is made beside the second, and what it took is noted once.
func TestTrial(t *testing.T) {
	e := engineWith(t, Options{Trial: few(1000)})
	c, run := squared(t, e)
	if !c.Trying() || c.Tier() != Wasm || c.ReachesAll() {
		t.Errorf("trying %v, on %s, reaches all %v", c.Trying(), c.Tier(), c.ReachesAll())
	}
	if on := run(8); on != Stepper || !c.Trying() {
		t.Fatalf("the first run was on %s, trying %v", on, c.Trying())
	}
	if e.promotions.Wait(); !c.Trying() {
		t.Fatal("there is code after one run")
	}
	if on := run(8); on != Stepper {
		t.Errorf("the second run was on %s", on)
	}
	e.promotions.Wait()
	if on := run(8); on != Wasm || c.Trying() {
		t.Errorf("the third run was on %s, trying %v", on, c.Trying())
	}
	if list := e.Readied(); len(list) != 1 || list[0].ID != c.Hash || list[0].Tier != Wasm || list[0].Took <= 0 {
		t.Errorf("readied %+v", list)
	}
}

// TestTrialOfLongRun: a run that takes longer interpreted than code takes to make has code from its first slice on, be it alone or by workers.
func TestTrialOfLongRun(t *testing.T) {
	e := engineWith(t, Options{Trial: few(20)})
	c, run := squared(t, e)
	if on := run(8); on != Wasm || c.Trying() {
		t.Errorf("alone it was on %s, trying %v", on, c.Trying())
	}
	e = engineWith(t, Options{Trial: few(20)})
	c, _ = squared(t, e)
	j := e.NewJob(c, []int64{8}, nil)
	w, err := j.Worker(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if w.tier.stepped || c.Trying() {
		t.Error("a worker interprets a long run")
	}
	w.Close()
}

// TestTrialNeedsNoMemory: a kernel with memory of its own has code from the beginning, as in an engine that is asked for a tier.
func TestTrialNeedsNoMemory(t *testing.T) {
	for _, c := range []struct {
		opt Options
		k   *kernel.Kernel
	}{{Options{Trial: few(1000)}, divided()}, {Options{Tier: Stepper, Trial: few(1000)}, squares()}, {Options{Trial: few(0)}, squares()}, {Options{}, squares()}} {
		e := engineWith(t, c.opt)
		k, err := e.Kernel(t.Context(), c.k)
		if err != nil {
			t.Fatal(err)
		}
		if k.Trying() {
			t.Errorf("with %+v a kernel of %d regions is tried", c.opt, len(c.k.Regions))
		}
	}
}

// TestTrialPromoted: WebAssembly that comes after native code does not take its place, and who waited for it goes on.
func TestTrialPromoted(t *testing.T) {
	e := engineWith(t, Options{Trial: few(1000), Codegen: codegentest.Service(t, "")})
	c, run := squared(t, e)
	trial := c.trial.Load()
	if err := e.Promote(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := trial.compiled(t.Context()); err != nil {
		t.Fatal(err)
	}
	if on := run(8); on != Native || c.Trying() {
		t.Errorf("on %s, trying %v", on, c.Trying())
	}
}

// TestTrialManyAtOnce: short and long runs of many goroutines begin while code is made.
func TestTrialManyAtOnce(t *testing.T) {
	for range 20 {
		e := engineWith(t, Options{Trial: few(40)})
		c, err := e.Kernel(t.Context(), squares())
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				s, b, err := e.Alloc(64)
				if err != nil {
					t.Error(err)
					return
				}
				defer e.Arena().Free(s)
				n := int64(1 + i)
				for range 10 {
					a := &Args{Sizes: []int64{n}, Bases: []int64{s.Off}, Faults: noFaults(c.Kernel.Sites)}
					if _, err := e.Run(context.Background(), NewPool(1), c, a, 0, n); err != nil {
						t.Error(err)
					}
					if got := binary.LittleEndian.Uint64(b[8*(n-1):]); got != uint64((n-1)*(n-1)) {
						t.Errorf("%d squared is %d", n-1, got)
					}
				}
			})
		}
		wg.Wait()
		for late := time.Now().Add(time.Minute); c.Trying() && time.Now().Before(late); time.Sleep(time.Millisecond) {
		}
		if c.Trying() {
			t.Fatal("no code after many runs")
		}
	}
}

// TestTrialBounded: what is interpreted of a kernel takes no longer than to make its code, and one run more, if no processor has time to make it beside.
func TestTrialBounded(t *testing.T) {
	e := engineWith(t, Options{Trial: func(int) (int64, time.Duration) { return 1000, time.Nanosecond }})
	e.maker.Lock() // it is busy
	defer e.maker.Unlock()
	c, run := squared(t, e)
	if on := run(8); on != Stepper {
		t.Errorf("the first run was on %s", on)
	}
	if on := run(8); on != Wasm || c.Trying() {
		t.Errorf("the second run was on %s, trying %v", on, c.Trying())
	}
}

// TestTrialOfLoop: runs that are expected to be many count together.
func TestTrialOfLoop(t *testing.T) {
	e := engineWith(t, Options{Trial: few(1000)})
	c, _ := squared(t, e)
	steps := c.Safe.Steps([]int64{8})
	for _, r := range []struct {
		runs   float64
		trying bool
	}{{0, true}, {float64(1000 / steps), true}, {float64(1000/steps + 1), false}} {
		if err := c.Ready(t.Context(), []int64{8}, r.runs); err != nil || c.Trying() != r.trying {
			t.Errorf("before %v runs: trying %v, %v", r.runs, c.Trying(), err)
		}
	}
}

// TestTrialRent: what is interpreted is no rent, which would have native code made of what WebAssembly runs in no time.
func TestTrialRent(t *testing.T) {
	e := engineWith(t, Options{Trial: few(1000), Codegen: codegentest.Service(t, ""), Promotion: time.Nanosecond})
	c, run := squared(t, e)
	if run(8); c.climb.asked.Load() || c.climb.spent.Load() != 0 {
		t.Errorf("asked for native code %v, after %d ns", c.climb.asked.Load(), c.climb.spent.Load())
	}
}

// halting is a compiler that asks first.
type halting struct {
	compiler
	ask func() error
}

func (h halting) compile(ctx context.Context, s *verify.Safe) (Code, error) {
	if err := h.ask(); err != nil {
		return nil, err
	}
	return h.compiler.compile(ctx, s)
}

func halted(t *testing.T, steps int64, ask func() error) *Engine {
	t.Helper()
	e := engineWith(t, Options{Trial: few(steps)})
	w, err := e.compiler(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e.tier = halting{w, ask}
	return e
}

// TestTrialFails: code that could not be made is tried again by who comes later.
func TestTrialFails(t *testing.T) {
	full := errors.New("no room")
	failures := 2
	e := halted(t, 20, func() error {
		if failures--; failures >= 0 {
			return full
		}
		return nil
	})
	c, _ := squared(t, e)
	for i, want := range []error{full, full, nil} {
		if err := c.Make(t.Context()); !errors.Is(err, want) || c.Trying() != (want != nil) {
			t.Errorf("attempt %d: %v, trying %v", i, err, c.Trying())
		}
	}
}

// TestTrialPanics: a compiler that panics does so where code cannot be done without, and there again; never beside a run.
func TestTrialPanics(t *testing.T) {
	e := halted(t, 1000, func() error { panic("a bug of the compiler") })
	c, run := squared(t, e)
	for range 3 {
		run(8)
		e.promotions.Wait()
	}
	for range 2 {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a long run began without code")
				}
			}()
			_ = c.Ready(t.Context(), []int64{1 << 30}, 1)
		}()
	}
}

// TestTrialWaits: who waits for code that another makes waits no longer than its context, and has the error of that attempt.
func TestTrialWaits(t *testing.T) {
	begun, end := make(chan bool), make(chan bool)
	full := errors.New("no room")
	e := halted(t, 20, func() error {
		begun <- true
		<-end
		return full
	})
	c, _ := squared(t, e)
	makes := make(chan error, 2)
	go func() { makes <- c.Make(t.Context()) }()
	<-begun
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := c.Make(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("who waits for a millisecond: %v", err)
	}
	go func() { makes <- c.Make(t.Context()) }()
	time.Sleep(5 * time.Millisecond) // it waits
	close(end)
	for range 2 {
		select {
		case err := <-makes:
			if !errors.Is(err, full) {
				t.Error(err)
			}
		case <-begun: // the second came too late, and tries again
		case <-time.After(time.Minute):
			t.Fatal("nobody says how it ended")
		}
	}
}

// TestTrialLate: WebAssembly that is ready after native code took its place is dropped, and its maker hears nothing of it. Who made it stops for no context.
func TestTrialLate(t *testing.T) {
	for _, native := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		var e *Engine
		var c *Compiled
		ask := func() error {
			cancel()
			if native {
				return e.Promote(t.Context(), c)
			}
			return nil
		}
		e = engineWith(t, Options{Trial: few(1000), Codegen: codegentest.Service(t, "")})
		w, err := e.compiler(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		e.tier = halting{w, ask}
		c, run := squared(t, e)
		if err := c.Make(ctx); err != nil {
			t.Fatal(err)
		}
		if on := run(8); native != (on == Native) || c.Trying() {
			t.Errorf("promoted meanwhile %v: it runs on %s, trying %v", native, on, c.Trying())
		}
	}
}

// TestTrialForgotten: code of a kernel that nobody finds any more is not made beside others.
func TestTrialForgotten(t *testing.T) {
	asked := false
	e := halted(t, 1000, func() error { asked = true; return nil })
	c, run := squared(t, e)
	run(8)
	if err := c.enter(); err != nil {
		t.Fatal(err)
	}
	defer c.leave()
	e.Forget(c.Hash)
	if run(8); asked {
		t.Error("it was made at once")
	}
	if e.promotions.Wait(); asked {
		t.Error("code was made of a kernel that is forgotten")
	}
}

// TestTrialDoesWithout: a short run goes on without code that cannot be made, which is not tried beside it for ever; a long one says why.
func TestTrialDoesWithout(t *testing.T) {
	full, asked := errors.New("no room"), 0
	e := halted(t, 1000, func() error { asked++; return full })
	c, run := squared(t, e)
	c.trial.Load().spent.Store(int64(2 * time.Hour))
	for range 2 * mostFailed {
		if on := run(8); on != Stepper {
			t.Fatalf("it ran on %s", on)
		}
		e.promotions.Wait()
	}
	c.trial.Load().spent.Store(0)
	before := asked
	for range 3 {
		run(8)
		e.promotions.Wait()
	}
	if asked != before {
		t.Errorf("%d attempts beside short runs, after %d that failed", asked-before, before)
	}
	if err := c.Ready(t.Context(), []int64{1 << 30}, 1); !errors.Is(err, full) {
		t.Errorf("a long run: %v", err)
	}
}
