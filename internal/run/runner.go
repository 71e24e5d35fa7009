package run

import (
	"context"
	"maps"
	"math"
	"sync"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// runner is the state of one run of a program.
type runner struct {
	memory
	p     *Program
	s     *schedule.Schedule // of p
	in    *Inputs
	own   bool    // the engine is the run's own
	frame *frame  // that the run is in; nil for none
	ready []ready // launches of the frame

	sizes      map[string]int64
	iterations []int64            // current iteration of each loop
	iteration  int64              // of the outermost loop around the present step, from 0; or -1
	repeats    float64            // how often the present step is expected to run from now on; 0 outside of loops
	compiled   []compiling        // by the program's numbers
	before     []*engine.Compiled // likewise, what an earlier run in the frame had; nil outside of frames
	stats      []LaunchStats      // likewise
	outcome    *outcome           // what becomes of the run
	forecast   *Forecast          // that it is part of; nil for a run that is made
	faults     []int64            // least place per function site
	parts      map[string]float64 // of Stats
	swept      []sweep            // per buffer
	// committed is the size of all inputs that are to be whole.
	committed int64
	progress  progress
	ahead     sync.WaitGroup // compiles kernels before they are needed
}

func newRunner(ctx context.Context, p *Program, in *Inputs, opt Options) (r *runner, err error) {
	r = &runner{
		memory: memory{opt: opt, eng: opt.Engine, about: p.about, buffers: make([]buffer, len(p.s.Buffers))},
		p:      p, s: p.s, in: in, sizes: make(map[string]int64, len(in.Sizes)),
		iterations: make([]int64, p.s.Loops), iteration: -1,
		compiled: make([]compiling, len(p.kernels)), swept: make([]sweep, len(p.s.Buffers)),
	}
	r.outcome, r.stats = newOutcome(len(p.launches))
	r.users = r
	maps.Copy(r.sizes, in.Sizes)
	if r.inputs, err = r.bind(); err != nil {
		return nil, err
	}
	if r.eng == nil {
		if r.eng, err = engine.New(engine.Options{Tier: opt.Tier}); err != nil {
			return nil, err
		}
		r.own = true
	}
	r.begin(ctx)
	r.progress.start(r)
	r.compileAhead()
	return r, nil
}

func (r *runner) close() error {
	r.cancel(nil)
	r.ahead.Wait()
	r.memory.close()
	r.release()
	if r.own {
		return r.eng.Close()
	}
	return nil
}

func (r *runner) size(name string) (int64, bool) {
	n, ok := r.sizes[name]
	return n, ok
}

// eval computes a size that must be known by now.
func (r *runner) eval(p size.Poly) (int64, error) {
	n, ok := p.Eval(r.size)
	if !ok {
		return 0, bug("the size %s is not known or too large", p)
	}
	return n, nil
}

// note lowers the fault table by the places of a launch's kernel sites. The
// place of a fault in a loop is the iteration of the outermost one.
func (r *runner) note(l *schedule.Launch, places []int64) {
	for i, at := range places {
		if at == math.MaxInt64 {
			continue
		}
		site := l.Sites[i]
		if r.iteration >= 0 && r.s.IsInLoop(site) {
			at = r.iteration
		}
		for len(r.faults) <= site {
			r.faults = append(r.faults, math.MaxInt64)
		}
		r.faults[site] = min(r.faults[site], at)
	}
}

func (r *runner) fault() error {
	site, ok := r.s.FirstFault(r.faults)
	if !ok {
		return nil
	}
	return &FaultError{Site: site, Index: r.faults[site]}
}
