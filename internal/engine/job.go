package engine

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// Job is one run of a kernel over its outer indices, by any number of
// workers. Its Args lack the bases, which each worker has for itself, and the
// faults.
type Job struct {
	c       *Compiled
	e       *Engine
	sizes   []int64
	scalars []uint64
	claim   *Claim
	run     uint64 // its number
	weave   int    // see Args
	inStep  bool   // see Args
	relay   *relay // nil if its outer indices run in any order, or by one worker

	pace    atomic.Int64 // measured picoseconds per outer index; 0 at first
	slices  atomic.Int64
	native  atomic.Int64 // of them
	stepped atomic.Int64 // of them
	mu      sync.Mutex
	faults  []int64
}

// NewJob prepares a run with arguments that c.Safe has admitted.
func (e *Engine) NewJob(c *Compiled, sizes []int64, scalars []uint64) *Job {
	c.countRun()
	return &Job{c: c, e: e, sizes: sizes, scalars: scalars, run: runs.Add(1), faults: noFaults(c.Kernel.Sites)}
}

// runs counts the jobs of this process.
var runs atomic.Uint64

// Under has the workers take turns with those of other jobs. It comes before Worker.
func (j *Job) Under(c *Claim) *Job {
	j.claim = c
	return j
}

// Overlap has iterations that follow references interleaved, so many of them, or in step; see Args. It comes before Worker.
func (j *Job) Overlap(weave int, inStep bool) *Job {
	j.weave, j.inStep = weave, inStep
	return j
}

func noFaults(n int) []int64 {
	f := make([]int64, n)
	for i := range f {
		f[i] = math.MaxInt64
	}
	return f
}

// Faults has for each site the least place, as in Args, of all workers that
// are closed.
func (j *Job) Faults() []int64 { return j.faults }

// Slices is the number of calls made into compiled code.
func (j *Job) Slices() int64 { return j.slices.Load() }

// Native is how many of them ran as native code: a kernel may be promoted in the middle.
func (j *Job) Native() int64 { return j.native.Load() }

// Stepped is how many of them were interpreted.
func (j *Job) Stepped() int64 { return j.stepped.Load() }

// Worker executes slices of a job on one goroutine.
type Worker struct {
	job     *Job
	tier    *tiered
	thread  Thread
	args    Args
	turn    *Turn
	scratch []scratch
	dirty   bool // scratch memory has been written since it was zero
	leg     *leg // nil without a relay
}

// Worker gives one more worker, which must be closed. It fails with
// ErrForgotten if the kernel was forgotten and nobody uses it any more.
func (j *Job) Worker(ctx context.Context) (*Worker, error) {
	if err := j.c.enter(); err != nil {
		return nil, err
	}
	if err := j.c.Ready(ctx, j.sizes, 1); err != nil {
		j.c.leave()
		return nil, err
	}
	w := &Worker{job: j, turn: j.claim.Turn(), args: Args{Run: j.run, Weave: j.weave, InStep: j.inStep, Sizes: j.sizes, Scalars: j.scalars, Faults: noFaults(len(j.faults)), Bases: make([]int64, len(j.c.Kernel.Regions))}}
	if err := w.board(ctx); err != nil {
		j.c.leave()
		return nil, err
	}
	if j.c.scratch {
		var err error
		if w.scratch, err = j.c.lend(j.sizes); err != nil {
			w.Close()
			return nil, err
		}
		for _, s := range w.scratch {
			w.args.Bases[s.region] = s.off
		}
	}
	if j.relay != nil {
		if err := w.join(ctx, j.relay); err != nil {
			w.Close()
			return nil, err
		}
	}
	return w, nil
}

// board takes an instance of the newest code, if it has not got one.
func (w *Worker) board(ctx context.Context) error {
	t := w.job.c.code.Load()
	if t == w.tier {
		return nil
	}
	s, err := t.take(ctx)
	if err != nil {
		return err
	}
	w.leave()
	w.tier, w.thread = t, s
	return nil
}

func (w *Worker) leave() {
	if w.tier != nil {
		w.tier.put(w.thread)
	}
	w.tier, w.thread = nil, nil
}

// Close gives back what the worker holds and reports its faults to the job.
func (w *Worker) Close() {
	if w.leg != nil {
		w.leg.close()
	}
	w.leave()
	w.job.c.leave()
	w.job.c.takeBack(w.scratch)
	w.scratch = nil
	w.job.mu.Lock()
	defer w.job.mu.Unlock()
	for i, at := range w.args.Faults {
		w.job.faults[i] = min(w.job.faults[i], at)
	}
}

// SetBases places the regions; see Args.Bases. Those of Scratch regions, and of the
// states of a job with a relay, are the worker's own.
func (w *Worker) SetBases(bases []int64) {
	for i, b := range bases {
		if w.job.c.Kernel.Regions[i].Access != kernel.Scratch {
			w.args.Bases[i] = b
		}
	}
	if w.leg != nil {
		w.leg.setBases(w, bases)
	}
}

// Run executes outer indices lo..hi in slices, and stops between two of them
// when the context ends. In a job with a relay they are a stretch: workers take stretches in order.
func (w *Worker) Run(ctx context.Context, lo, hi int64) error {
	if w.leg != nil {
		return w.leg.run(ctx, w, lo, hi)
	}
	return w.run(ctx, lo, hi)
}

func (w *Worker) run(ctx context.Context, lo, hi int64) error {
	for lo < hi {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		n := min(w.job.Slice(), hi-lo)
		if err := w.slice(ctx, lo, lo+n); err != nil {
			return err
		}
		lo += n
	}
	return nil
}

func (w *Worker) slice(ctx context.Context, lo, hi int64) error {
	if err := w.board(ctx); err != nil {
		return err
	}
	if err := w.turn.Take(ctx); err != nil {
		return err
	}
	defer w.turn.Give()
	start, step := time.Now(), w.job.c.step(hi-lo)
	for at := lo; at < hi; at += step {
		w.clean()
		if err := w.thread.Run(ctx, &w.args, at, at+step); err != nil {
			return err
		}
	}
	w.job.measured(w.tier, time.Since(start), hi-lo)
	return nil
}

// step is how many of n outer indices run on the same scratch memory: one where it
// is not sure that none sees what another left there.
func (c *Compiled) step(n int64) int64 {
	if c.Safe.Carries {
		return 1
	}
	return n
}

// clean zeroes the scratch memory that an earlier slice has used.
func (w *Worker) clean() {
	if w.dirty {
		wipe(w.scratch)
	}
	w.dirty = true
}
