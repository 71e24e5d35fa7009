package run

import (
	"context"
	"maps"
	"math"
	"sync"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// In: a program that has run once, and arguments in memory that are short. Out: where each
// buffer lies in one span of the arena, and what each launch runs on. It is worked out once for all
// runs of these sizes, since to do so takes many times as long as the kernels of such a run.
// Invariant: a frame follows from the sizes alone; whatever it does not cover, and every argument that is
// not as it should be, takes the ordinary way, which says what is wrong.
//
//	span: | argument | argument | intermediate | result | ...   each from a multiple of 64 bytes on

const (
	// frameBytes is the longest span: what is copied in is still in the first-level cache when kernels read it.
	frameBytes = 32 << 10
	// frameAlign is a cache line and a vector.
	frameAlign = 64
)

// frame is what all runs of a program with the same sizes have in common.
type frame struct {
	sizes    map[string]int64
	buffers  []buffer // off counts from the span's beginning
	bytes    int64
	inputs   []framed
	launches []ready   // by the program's numbers
	idle     sync.Pool // of runners
}

// framed is an input that is copied into its place.
type framed struct {
	buffer, param, leaf int
	kind                num.Kind
	n                   int64 // elements
	bounded             bool
	bound               int64
}

// ready is a launch of which all is known but scalars and places.
type ready struct {
	code  *code
	sizes []int64
	outer int64
	short bool // see engine.Compiled.Short
}

// short executes the program in a frame. It reports false if there is none for these inputs.
func (p *Program) short(ctx context.Context, in *Inputs, opt Options) (res *Result, done bool, err error) {
	f := p.frame(in.Sizes)
	if f == nil || !opt.ordinary() {
		return nil, false, nil
	}
	span, err := opt.Engine.Arena().AllocSmall(f.bytes)
	if err != nil {
		return nil, false, nil
	}
	defer opt.Engine.Arena().Free(span)
	r := f.runner(ctx, p, in, opt)
	defer f.leave(r)
	for i := range r.buffers {
		if r.buffers[i].n > 0 {
			r.buffers[i].off += span.Off
		}
	}
	for i := range f.inputs {
		if !r.fill(&f.inputs[i]) {
			return nil, false, nil
		}
	}
	if err := r.steps(p.s.Steps, nil); err != nil {
		return nil, true, err
	}
	if err := r.fault(); err != nil {
		return nil, true, err
	}
	res, err = r.result()
	return res, true, err
}

// runner gives the state of a run in the frame, which is used again after leave.
func (f *frame) runner(ctx context.Context, p *Program, in *Inputs, opt Options) *runner {
	r, _ := f.idle.Get().(*runner)
	if r == nil {
		r = &runner{
			p: p, s: p.s, frame: f, sizes: f.sizes, buffers: make([]buffer, len(f.buffers)), inputs: p.none,
			turns: make([]int64, p.s.Loops), compiled: make([]compiling, len(p.kernels)),
		}
	}
	if r.pool == nil || r.pool.Size() != max(opt.Threads, 1) {
		r.pool = engine.NewPool(opt.Threads)
	}
	r.ctx, r.in, r.opt, r.eng, r.turn = ctx, in, opt, opt.Engine, -1
	r.stats = make([]LaunchStats, len(p.launches)) // the result keeps them
	copy(r.buffers, f.buffers)
	return r
}

// leave ends a run in the frame. Nothing of its caller is kept.
func (f *frame) leave(r *runner) {
	r.pool.Close()
	if r.pool.Began() {
		r.pool = nil
	}
	r.ctx, r.in, r.opt, r.eng, r.stats = nil, nil, Options{}, nil, nil
	r.faults = r.faults[:0]
	r.read.Store(0)
	r.release()
	clear(r.compiled)
	f.idle.Put(r)
}

// ordinary reports that nothing is asked for that a frame does not know.
func (o *Options) ordinary() bool {
	return o.Engine != nil && o.beyond && o.WindowRows == 0 && o.Progress == nil && o.Beside == nil && o.Claim == nil &&
		o.Spool == nil && o.Limits == engine.Limits{}
}

// frame finds the frame for these sizes; nil if there is none.
func (p *Program) frame(sizes map[string]int64) *frame {
	return p.frames.Find(func(f *frame) bool { return maps.Equal(f.sizes, sizes) })
}

// fill copies an argument into its place. It reports false for one that lies elsewhere, is of another form, or has an
// element that kernels do not take.
func (r *runner) fill(in *framed) bool {
	b, dst := &r.in.Params[in.param].Leaves[in.leaf], r.bytes(in.buffer)
	if b.Source == nil {
		if in.n == 1 {
			column.Put(in.kind, dst, 0, b.Bits)
		}
		return in.n == 1
	}
	if b.Option || b.Presence {
		return false
	}
	raw, ok := b.Source.Raw(b.Column)
	if !ok || raw.File != nil || b.Source.Columns()[b.Column].Kind != in.kind || len(raw.Bytes) != len(dst) {
		return false
	}
	copy(dst, raw.Bytes)
	r.read.Add(int64(len(dst)))
	at, _ := offender(dst, in.kind, in.bounded, in.bound)
	return at < 0
}

// remember makes a frame of a run that went well, if one can hold it.
func (p *Program) remember(r *runner) {
	if p.resizes || !r.opt.ordinary() || p.frame(r.sizes) != nil {
		return
	}
	if f, ok := r.framed(); ok {
		p.frames.Add(f)
	}
}

// framed works out a frame for the sizes of a run; false if none can hold it.
func (r *runner) framed() (*frame, bool) {
	f := &frame{sizes: maps.Clone(r.sizes), buffers: make([]buffer, len(r.buffers)), launches: make([]ready, len(r.p.launches))}
	for b := range r.buffers {
		if len(r.p.uses[b]) > 0 && !f.place(r, b) {
			return nil, false
		}
	}
	ok := true
	schedule.Launches(r.s.Steps, func(l *schedule.Launch) { ok = ok && f.ready(r, l) })
	return f, ok && f.bytes > 0
}

// place gives a buffer its place.
func (f *frame) place(r *runner, b int) bool {
	buf := &r.s.Buffers[b]
	n, err := r.eval(buf.Len)
	if err != nil || n < 0 || n > frameBytes {
		return false
	}
	f.buffers[b] = buffer{here: true, n: n}
	if n > 0 {
		f.buffers[b].off = f.bytes
	}
	f.bytes += (n*int64(buf.Kind.Size()) + frameAlign - 1) &^ (frameAlign - 1)
	if buf.Input != nil {
		in := framed{buffer: b, param: buf.Input.Param, leaf: buf.Input.Leaf, kind: buf.Kind, n: n, bounded: buf.Bounded}
		if buf.Bounded {
			if in.bound, err = r.eval(buf.Bound); err != nil {
				return false
			}
		}
		f.inputs = append(f.inputs, in)
	}
	return f.bytes <= frameBytes
}

// ready notes what a launch runs on, and makes sure of what the ordinary way makes sure of.
func (f *frame) ready(r *runner, l *schedule.Launch) bool {
	c, err := r.compile(l.Kernel)
	if err != nil {
		return false
	}
	p := &launching{r: r, l: l, c: c}
	lens, err := p.measure()
	if err != nil || c.Safe.AdmitShape(p.sizes, lens, r.opt.Limits) != nil {
		return false
	}
	for i, b := range l.Regions {
		if b >= 0 && (r.s.Buffers[b].Kind != l.Kernel.Regions[i].Elem || p.checkBound(i, b) != nil) {
			return false
		}
	}
	f.launches[r.p.launches[l]] = ready{code: r.p.kernels[r.p.numbers[l.Kernel]], sizes: p.sizes, outer: c.Outer(p.sizes), short: c.Short(p.sizes)}
	return true
}

// once executes a launch that is short.
func (r *runner) once(l *schedule.Launch, how *ready) error {
	st := r.statsOf(l)
	c, err := how.code.hold(r.ctx, r.eng)
	if err != nil {
		return err
	}
	defer c.Release()
	a := &r.args
	a.Sizes, a.Scalars, a.Bases, a.Faults = how.sizes, a.Scalars[:0], a.Bases[:0], a.Faults[:0]
	if a.Scalars, err = r.scalars(l, a.Scalars); err != nil {
		return err
	}
	if err := c.Safe.AdmitScalars(a.Sizes, a.Scalars); err != nil {
		return refused(l, err)
	}
	for _, b := range l.Regions {
		at := int64(0)
		if b >= 0 { // no scratch memory
			at = r.base(b)
		}
		a.Bases = append(a.Bases, at)
	}
	for range l.Sites {
		a.Faults = append(a.Faults, math.MaxInt64)
	}
	if how.outer > 0 {
		tier, took, err := c.RunShort(r.ctx, a, how.outer)
		if err != nil {
			return err
		}
		r.note(l, a.Faults)
		st.Tier = tier
		st.Slices++
		st.Seconds += took.Seconds()
	}
	if st.Tier == engine.Native {
		st.Native++
	}
	st.Hash, st.Name, st.Bytes = c.Hash, how.code.name.Text, c.Bytes
	st.Runs++
	st.Threads = 1
	return nil
}
