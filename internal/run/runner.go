package run

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// runner is the state of one run.
type runner struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	p      *Program // nil in the run of a piece
	s      *schedule.Schedule
	in     *Inputs
	opt    Options
	eng    *engine.Engine
	own    bool // eng is the run's own
	pool   *engine.Pool
	frame  *frame      // nil for the ordinary way
	args   engine.Args // of short launches in a frame, one after the other

	sizes   map[string]int64
	buffers []buffer
	inputs  []*input // per buffer, nil for buffers that launches write
	// spoolable are the buffers that Options.Spool may take; nil if there is none.
	spoolable []bool
	turns     []int64       // current turn of each loop
	turn      int64         // of the outermost loop around the present step, from 0; or -1
	repeats   float64       // how often the present step is expected to run from now on; 0 outside of loops
	compiled  []compiling   // by the program's numbers
	stats     []LaunchStats // likewise
	faults    []int64       // least place per function site
	resident  int64         // bytes held by buffers
	// committed is the size of all inputs that are to be whole.
	committed int64
	mu        sync.Mutex // guards maps and leases
	maps      [][]byte   // of files, outside of the arena
	leases    []*mem.Lease
	read      atomic.Int64 // bytes
	progress  progress
	ahead     sync.WaitGroup // compiles kernels before they are needed
}

// buffer is where the contents of a schedule's buffer lie.
type buffer struct {
	here  bool
	first int64    // the first element that is there; 0 in a run
	off   int64    // where that lies, in bytes from the arena's beginning
	n     int64    // elements from there on
	span  mem.Span // what to free; empty for memory that belongs to others
	// foreign is the memory itself where it is not the arena's; see foreign.go.
	foreign []byte
	fresh   bool // foreign is from mem.Fresh
	given   bool // foreign becomes the caller's
	// blocks, if not 0, is the number of rows, each of which combines a block of
	// those that the schedule knows; see schedule.Partial.
	blocks int64
	// spool, if set, has the contents; off is none then.
	spool Spooled
}

func newRunner(ctx context.Context, p *Program, in *Inputs, opt Options) (r *runner, err error) {
	r = &runner{
		p: p, s: p.s, in: in, opt: opt, eng: opt.Engine, sizes: make(map[string]int64, len(in.Sizes)),
		buffers: make([]buffer, len(p.s.Buffers)), turns: make([]int64, p.s.Loops), turn: -1,
		compiled: make([]compiling, len(p.kernels)), stats: make([]LaunchStats, len(p.launches)),
	}
	for name, n := range in.Sizes {
		r.sizes[name] = n
	}
	if r.inputs, err = r.bind(); err != nil {
		return nil, err
	}
	if r.eng == nil {
		if r.eng, err = engine.New(engine.Options{Tier: opt.Tier}); err != nil {
			return nil, err
		}
		r.own = true
	}
	if opt.Spool != nil {
		r.spoolable = p.spoolable
	}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	r.pool = engine.NewPool(opt.Threads)
	r.progress.start(r)
	r.compileAhead()
	return r, nil
}

// close gives everything back. Mappings go before the leases on their files:
// whoever waits to change a file proceeds with the latter.
func (r *runner) close() error {
	r.cancel(nil)
	r.ahead.Wait()
	r.pool.Close()
	for i := range r.buffers {
		r.drop(i)
	}
	for _, pages := range r.maps {
		_ = unix.Munmap(pages)
	}
	for _, l := range r.leases {
		l.Close()
	}
	r.release()
	if r.own {
		return r.eng.Close()
	}
	return nil
}

// cause prefers the reason why the run was cancelled to what followed of it.
func (r *runner) cause(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		if c := context.Cause(r.ctx); c != nil {
			return c
		}
	}
	return err
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

// base is where element 0 of a buffer would lie.
func (r *runner) base(b int) int64 {
	buf := &r.buffers[b]
	return buf.off - buf.first*int64(r.s.Buffers[b].Kind.Size())
}

// drop frees a buffer's contents.
func (r *runner) drop(b int) {
	buf := &r.buffers[b]
	if buf.span.Len > 0 {
		r.eng.Arena().Free(buf.span)
		r.resident -= buf.span.Len
	}
	if buf.fresh {
		_ = mem.Unmap(buf.foreign)
	}
	*buf = buffer{}
}

// note lowers the fault table by the places of a launch's kernel sites. The
// place of a fault in a loop is the turn of the outermost one.
func (r *runner) note(l *schedule.Launch, places []int64) {
	for i, at := range places {
		if at == math.MaxInt64 {
			continue
		}
		site := l.Sites[i]
		if r.turn >= 0 && r.s.IsInLoop(site) {
			at = r.turn
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
