package run_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/run"
)

// sorting is a run of a sort, whose array and scratch need more than half of 24 MiB.
func sorting(t *testing.T, e *engine.Engine, resident int64) func(ctx context.Context) (*run.Result, error) {
	const n = 400_000
	s, _ := plan(t, "fn f(x: &[f64; N]) -> [f64; N] { x.sort() }", map[string]int64{"N": n})
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = float64(i * 7919 % n)
	}
	return func(ctx context.Context) (*run.Result, error) {
		in := &run.Inputs{Sizes: map[string]int64{"N": n}, Params: []run.Param{{Name: "x", Leaves: []run.Binding{run.Column(data.FromSlice(xs), 0)}}}}
		return run.Run(ctx, s, in, run.Options{Engine: e, Threads: 1, Resident: resident})
	}
}

// Runs that do not fit beside each other wait for each other; one that does not fit when
// it is alone fails at once if there is a limit, and is interpreted otherwise; one whose deadline ends says so.
func TestRunsWaitForMemory(t *testing.T) {
	alone, err := engine.New(engine.Options{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	if _, err := sorting(t, alone, 1<<20)(context.Background()); !errors.As(err, new(*run.SpaceError)) {
		t.Errorf("a limit that is too small for one run: %v", err)
	}
	if res, err := sorting(t, alone, 0)(context.Background()); err != nil || res.Columns[0].At(0) != 0 || res.Stats.Launches[0].Tier != engine.Stepper {
		t.Errorf("an arena that is too small for one run: %v", err)
	}
	e, err := engine.New(engine.Options{Memory: 24 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	call := sorting(t, e, 0)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			res, err := call(context.Background())
			if err != nil {
				t.Errorf("one of 16 at once: %v", err)
				return
			}
			if got := res.Columns[0].At(0); got != 0 {
				t.Errorf("the least element is %x", got)
			}
		})
	}
	all.Wait()
}

// Whoever found no room waits for somebody to end, in order, and never for nobody.
func TestRoom(t *testing.T) {
	e, err := engine.New(engine.Options{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ctx := context.Background()
	first := e.Enter()
	if _, ok, err := e.Again(ctx, first); ok || err != nil {
		t.Fatalf("alone from beginning to end: again %v, %v", ok, err)
	}
	second := e.Enter()
	soon, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if _, _, err := e.Again(soon, second); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("nobody ended: %v", err)
	}
	woken := make(chan engine.Stay)
	go func() {
		s, ok, err := e.Again(ctx, second)
		if !ok || err != nil {
			t.Errorf("another has ended: again %v, %v", ok, err)
		}
		woken <- s
	}()
	select {
	case <-woken:
		t.Fatal("it goes on though nobody has ended")
	case <-time.After(20 * time.Millisecond):
	}
	e.Leave()
	second = <-woken
	if _, ok, err := e.Again(ctx, second); ok || err != nil {
		t.Errorf("alone now: again %v, %v", ok, err)
	}
	e.Leave()
}
