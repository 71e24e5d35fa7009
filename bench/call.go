package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/measure"
)

// In: a compiled function and ten numbers. Out: what a whole call takes, from Go to a result in hand,
// beside NumPy's for the same and the price of a call of C. All turns make as many calls, one
// after the other in each goroutine; a figure is a turn's time by its calls.

// tens are the functions, with NumPy's form.
var tens = []operation{
	{"sum", `fn f(x: &[f64; N]) -> f64 { x.sum() }`, "numpy.sum(x)", 1e-15},
	{"softmax", `fn f(x: &[f64; N]) -> [f64; N] { x.softmax() }`, "(lambda e: e / e.sum())(numpy.exp(x - x.max()))", function},
}

// callers are the numbers of goroutines.
var callers = []int{1, 8}

// call compares calls on ten numbers, where what is around the work is all there is.
func call(ctx context.Context, c choices) (*measure.Report, error) {
	s := &shelf{choices: c, runtime: map[int]*godwit.Runtime{}, report: &measure.Report{Bench: "call", Machine: measure.ThisMachine()}}
	var err error
	if s.dir, err = os.MkdirTemp("", "godwit-bench-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(s.dir)
	if s.python, err = startPython(ctx, "numpy", numPyEnv(1, false), s.dir, "arrays.py", answering(arraysScript)); err != nil {
		return nil, err
	}
	defer s.close()
	r := godwit.NewRuntime()
	defer r.Close()
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	s.args = godwit.Args{"x": x}
	if err := s.let("x", x); err != nil {
		return nil, err
	}
	for _, op := range tens {
		if err := s.ten(ctx, r, op); err != nil {
			return nil, fmt.Errorf("%s: %w", op.name, err)
		}
	}
	crossing := measure.Contest{Name: "a call of C by cgo, which adds ten numbers", Unit: "µs", Pairs: s.pairs(), Ours: each(1, func() error {
		if got := addInC(x); got != 55 {
			return fmt.Errorf("C adds them to %v", got)
		}
		return nil
	})}
	if !hasC {
		s.report.Notes = append(s.report.Notes, "SKIPPED: the price of a call of C: this program was built without cgo.")
		return s.report, nil
	}
	row, err := crossing.Row(ctx)
	s.report.Rows = append(s.report.Rows, row)
	return s.report, err
}

// ten compares one function, for each number of callers.
func (s *shelf) ten(ctx context.Context, r *godwit.Runtime, op operation) error {
	f, args, err := s.program(op)
	if err != nil {
		return err
	}
	opts := []godwit.Option{godwit.WithRuntime(r)}
	if err := s.compare(ctx, op, f, args, opts); err != nil {
		return err
	}
	one := func() error {
		_, err := f.Call(ctx, args, opts...)
		return err
	}
	for _, n := range callers {
		c := measure.Contest{Name: fmt.Sprintf("%s of ten, %s", op.name, strings.Replace(count(n), "thread", "goroutine", 1)), Against: s.name + ", 1 thread", Unit: "µs", Pairs: s.pairs(),
			Ours: each(n, one), Reference: func(context.Context) (time.Duration, []float64, error) {
				d, err := s.seconds(manyCalls)
				return d, nil, err
			}}
		row, err := c.Row(ctx)
		if err != nil {
			return err
		}
		s.report.Rows = append(s.report.Rows, row)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range manyCalls {
		if err := one(); err != nil {
			return err
		}
	}
	runtime.ReadMemStats(&after)
	s.report.Notes = append(s.report.Notes, fmt.Sprintf("A %s of ten takes %d allocations of together %d bytes.", op.name,
		(after.Mallocs-before.Mallocs)/manyCalls, (after.TotalAlloc-before.TotalAlloc)/manyCalls))
	return nil
}

// manyCalls is how many calls a goroutine makes in a turn: some 10 ms.
const manyCalls = 2000

// each is a turn of so many goroutines; its time is that of one call of all that were made.
func each(goroutines int, call func() error) measure.Runner {
	return func(context.Context) (time.Duration, []float64, error) {
		var wg sync.WaitGroup
		errs := make([]error, goroutines)
		start := time.Now()
		for i := range goroutines {
			wg.Go(func() {
				for range manyCalls {
					if errs[i] = call(); errs[i] != nil {
						return
					}
				}
			})
		}
		wg.Wait()
		took := time.Since(start) / time.Duration(goroutines*manyCalls)
		for _, err := range errs {
			if err != nil {
				return 0, nil, err
			}
		}
		return took, nil, nil
	}
}
