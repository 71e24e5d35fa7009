package calibrate

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/codegen"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// In: the programs that are going to be timed. Out: their native code, made before the first of them is, by several compilers at the same time:
// to make it takes longer than to time it, and one compiler has one processor. What each makes the others find on disk.

// mostCompilers is how many compilers there are at most.
const mostCompilers = 4

// compileAhead makes native code of all programs, if there is a place to keep it.
func (w *workbench) compileAhead(ctx context.Context, service *codegen.Service) error {
	n := min(mostCompilers, runtime.GOMAXPROCS(0))
	if n < 2 || !service.Keeps() {
		return nil
	}
	var kernels []*verify.Safe
	known := map[[32]byte]bool{}
	for _, p := range programs() {
		j, err := w.over(p.source, p.args, p.dimsBy(1))
		if err != nil {
			return err
		}
		schedule.Launches(j.plan.Schedule.Steps, func(l *schedule.Launch) {
			if s := j.safe[l]; !known[s.ID] {
				known[s.ID] = true
				kernels = append(kernels, s)
			}
		})
		w.clear()
	}
	work, failed := make(chan *verify.Safe, len(kernels)), make([]error, n)
	for _, s := range kernels {
		work <- s
	}
	close(work)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { failed[i] = compileSome(ctx, service.Another(), work) })
	}
	all.Wait()
	return errors.Join(failed...)
}

// compileSome makes native code of kernels with a compiler of its own, which ends afterwards.
func compileSome(ctx context.Context, service *codegen.Service, work <-chan *verify.Safe) error {
	defer service.Close()
	eng, err := engine.New(engine.Options{Tier: engine.Native, Codegen: service})
	if err != nil {
		return err
	}
	defer eng.Close()
	for s := range work {
		c, err := eng.Hold(ctx, s)
		if err != nil {
			return err
		}
		c.Release()
	}
	return nil
}
