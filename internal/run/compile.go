package run

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// compiling is a kernel of the schedule that is compiled at most once, by
// whoever wants it first.
type compiling struct {
	once    sync.Once
	c       *engine.Compiled
	err     error
	stepped atomic.Bool // it is interpreted in this run
}

// compile gives the compiled form of a kernel, which the run holds to its end; see engine.Hold.
func (r *runner) compile(k *kernel.Kernel) (*engine.Compiled, error) {
	return r.compileAt(r.p.numbers[k])
}

// compileAt is compile of the kernel of this number.
func (r *runner) compileAt(number int) (*engine.Compiled, error) {
	w := &r.compiled[number]
	if r.frame != nil {
		return r.compileFramed(w, number)
	}
	w.once.Do(func() { w.c, w.err = r.p.kernels[number].hold(r.ctx, r.eng) })
	if w.err == nil && w.stepped.Load() {
		return w.c.Stepped(), nil
	}
	return w.c, w.err
}

// compileFramed is compileAt in a frame, where one goroutine asks, and kernels of the run before are tried first.
func (r *runner) compileFramed(w *compiling, number int) (*engine.Compiled, error) {
	switch c := r.before[number]; {
	case w.c != nil:
	case c != nil && r.eng.HoldAgain(c):
		w.c = c
	default:
		c, err := r.p.kernels[number].hold(r.ctx, r.eng)
		if err != nil {
			return nil, err
		}
		w.c, r.before[number] = c, c
	}
	return w.c, nil
}

// extendKernel has a kernel reach all memory in this run. It waits for native code where that can be had; otherwise the
// kernel is interpreted, if that is better than an error.
func (r *runner) extendKernel(k *kernel.Kernel, step bool) bool {
	c, err := r.compile(k)
	if err != nil || r.ctx.Err() != nil {
		return false
	}
	if c.ReachesAll() || r.eng.Promote(r.ctx, c) == nil {
		return true
	}
	if step {
		r.compiled[r.p.numbers[k]].stepped.Store(true)
	}
	return step
}

// release ends the hold of all kernels.
func (r *runner) release() {
	for i := range r.compiled {
		if c := r.compiled[i].c; c != nil {
			c.Release()
		}
	}
}

// compileAhead compiles the kernels after the first, which is wanted at
// once, while that is compiled and runs, but for those that are interpreted as soon. Errors come up when a kernel is
// wanted.
func (r *runner) compileAhead() {
	if len(r.compiled) < 2 {
		return
	}
	sizes := r.foreseenSizes()
	r.ahead.Go(func() {
		for i, code := range r.p.kernels {
			if i == 0 || r.ctx.Err() != nil {
				continue
			}
			switch c, err := r.compile(code.k); {
			case err != nil:
			case sizes[i] == nil:
				_ = c.Make(r.ctx)
			default:
				_ = c.Ready(r.ctx, sizes[i], 1)
			}
		}
	})
}

// foreseenSizes are those of kernels that always have the same, by their numbers; nil where only the run finds them, and of kernels in loops.
func (r *runner) foreseenSizes() [][]int64 {
	out, met, depths := make([][]int64, len(r.p.kernels)), make([]bool, len(r.p.kernels)), schedule.Nesting(r.s.Steps)
	schedule.Launches(r.s.Steps, func(l *schedule.Launch) {
		number, inner := r.p.numbers[l.Kernel], depths[0] > 0
		if depths = depths[1:]; inner {
			out[number], met[number] = nil, true
			return
		}
		sizes, err := r.sizeArgs(l.Sizes)
		switch {
		case err != nil, met[number] && !slices.Equal(out[number], sizes):
			out[number] = nil
		case !met[number]:
			out[number] = sizes
		}
		met[number] = true
	})
	return out
}
