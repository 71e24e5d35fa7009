package run

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// In: a program that has run once, and arguments in memory. Out: where each buffer lies, and what each launch
// runs on. It is worked out once for all runs of these sizes, since to do so takes many times as long as the
// kernels of such a run.
// Invariant: a frame follows from the sizes alone; whatever it does not cover, and every argument that is
// not as it should be, takes the ordinary way, which says what is wrong.
//
//	span: | short argument | intermediate | short result | ... | the long ones |   each from a multiple of 64 bytes on
//
// Long arguments are read where they lie, and long results written where the caller gets them, once the
// kernels that touch them are native. Before that they have places in the span, if it is not too long for them.

const (
	// frameBytes is the longest span, the longest that the arena keeps by the power of two (mem.Arena.AllocSmall).
	frameBytes = 256 << 10
	// frameColumn is the longest column that has a place in a frame: with longer ones, a kernel runs a hundred times as
	// long as a run takes to bind and to plan.
	frameColumn = 4 << 20
	// frameAlign is a cache line and a vector.
	frameAlign = 64
	// frameFound is the longest memory of a frame that finds sizes: with more, threads that hand their counts on are worth their start.
	frameFound = 512 << 10
)

// frame is what all runs of a program with the same sizes have in common.
type frame struct {
	of       *Program
	sizes    map[string]int64
	buffers  []buffer // off counts from the span's beginning
	near     int64    // bytes of the span without the long columns
	bytes    int64    // with them
	inputs   []framed
	results  []given
	touch    []int     // the numbers of the kernels that touch long columns
	launches []ready   // by the program's numbers
	idle     sync.Pool // of runners
}

// framed is an input. A long one is read where it lies, a short one copied into its place.
type framed struct {
	buffer, param, leaf int
	kind                num.Kind
	n                   int64 // elements
	long                bool
	bounded             bool
	bound               int64
}

// given is a long column of the result, which is written where the caller gets it.
type given struct {
	buffer int
	n      int64 // elements
	filled bool  // the first launch that touches it stores all of them, or all that are seen
	count  int   // the buffer that counts what is appended to it; -1 if nothing is
}

// ready is a launch of which all is known but scalars and places. Each runner has its own.
type ready struct {
	execution
	kernel int // its number
}

// short executes the program in a frame. It reports false if there is none for these inputs.
func (p *Program) short(ctx context.Context, in *Inputs, opt *Options) (res *Result, done bool, err error) {
	f := p.frameOf(in)
	if f == nil || !opt.ordinary() {
		return nil, false, nil
	}
	r := f.runner(ctx, p, in, opt)
	defer f.leave(r)
	apart := f.near < f.bytes && r.reachLong()
	need := f.bytes
	if apart {
		need = f.near
	}
	if need > frameBytes {
		return nil, false, nil
	}
	var span mem.Span
	if need > 0 {
		if span, err = opt.Engine.Arena().AllocSmall(need); err != nil {
			return nil, false, nil
		}
		defer opt.Engine.Arena().Free(span)
	}
	if !r.settleFrame(span, apart) {
		return nil, false, nil
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

// settleFrame brings in the arguments and makes room for the results: the long ones apart from the span, or in it. It
// reports false where the run must take the ordinary way.
func (r *runner) settleFrame(span mem.Span, apart bool) bool {
	for i := range r.buffers {
		if r.buffers[i].n > 0 {
			r.buffers[i].off += span.Off
		}
	}
	for i := range r.frame.inputs {
		if !r.fill(&r.frame.inputs[i], apart) {
			return false
		}
	}
	if !apart {
		return true
	}
	for _, g := range r.frame.results {
		r.buffers[g.buffer] = buffer{}
		if r.roomForeign(g.buffer, g.n, "", g.filled) != nil {
			return false
		}
		r.buffers[g.buffer].appended = g.count >= 0
	}
	return true
}

// runner gives the state of a run in the frame, which is used again after leave.
func (f *frame) runner(ctx context.Context, p *Program, in *Inputs, opt *Options) *runner {
	r, _ := f.idle.Get().(*runner)
	if r == nil {
		r = &runner{
			memory: memory{about: p.about, buffers: make([]buffer, len(f.buffers)), inputs: p.none},
			p:      p, s: p.s, frame: f, ready: slices.Clone(f.launches), sizes: maps.Clone(f.sizes),
			iterations: make([]int64, p.s.Loops), compiled: make([]compiling, len(p.kernels)), before: make([]*engine.Compiled, len(p.kernels)),
		}
		r.users = r
		for i := range r.ready {
			r.ready[i].m = &r.memory
		}
	}
	if r.pool == nil || r.pool.Size() != max(opt.Threads, 1) {
		r.pool = opt.workers()
	}
	r.ctx, r.in, r.opt, r.eng, r.iteration = ctx, in, *opt, opt.Engine, -1
	r.outcome, r.stats = newOutcome(len(p.launches)) // it is the caller's
	copy(r.buffers, f.buffers)
	return r
}

// leave ends a run in the frame. Nothing of its caller is kept.
func (f *frame) leave(r *runner) {
	r.pool.Close()
	if r.pool.Began() {
		r.pool = nil
	}
	r.ctx, r.in, r.opt, r.eng, r.outcome, r.stats, r.parts = nil, nil, Options{}, nil, nil, nil, nil
	r.faults = r.faults[:0]
	r.read.Store(0)
	r.release()
	clear(r.compiled)
	for i := range r.ready {
		r.ready[i].c = nil
	}
	clear(r.buffers)
	f.idle.Put(r)
}

// ordinary reports that nothing is asked for that a frame does not know.
func (o *Options) ordinary() bool {
	return o.Engine != nil && o.beyond && o.WindowRows == 0 && o.Stretch == 0 && o.Progress == nil && o.Beside == nil && o.Claim == nil &&
		o.Spool == nil && o.Limits == engine.Limits{}
}

// frame finds the frame for these sizes; nil if there is none.
func (p *Program) frame(sizes map[string]int64) *frame {
	return p.frames.Find(func(f *frame) bool { return maps.Equal(f.sizes, sizes) })
}

// frameOf is frame for inputs, which does not compare sizes if it was asked for such inputs before.
func (p *Program) frameOf(in *Inputs) *frame {
	if in.Alike == nil {
		return p.frame(in.Sizes)
	}
	if f := in.Alike.last.Load(); f != nil && f.of == p {
		return f
	}
	f := p.frame(in.Sizes)
	if f != nil {
		in.Alike.last.Store(f)
	}
	return f
}

// reachLong reports that all kernels that touch long columns use memory beside the arena.
func (r *runner) reachLong() bool {
	for _, number := range r.frame.touch {
		c, err := r.compileAt(number)
		if err != nil || !c.ReachesAll() {
			return false
		}
	}
	return true
}

// fill brings in an argument: where it lies, if it is long and the long ones lie apart, else as a copy in its place. It
// reports false for one that lies elsewhere, is of another form, or has an element that kernels do not take.
func (r *runner) fill(in *framed, apart bool) bool {
	b := &r.in.Params[in.param].Leaves[in.leaf]
	if b.Source == nil {
		if in.n == 1 {
			column.Put(in.kind, r.bytes(in.buffer), 0, b.Bits)
		}
		return in.n == 1
	}
	if b.Option || b.Presence || b.Blanks != data.NotBlank {
		return false
	}
	raw, ok := b.Source.Raw(b.Column)
	if !ok || raw.File != nil || b.Source.Columns()[b.Column].Kind != in.kind || int64(len(raw.Bytes)) != in.n*int64(in.kind.Size()) {
		return false
	}
	here := raw.Bytes
	switch {
	case !apart || !in.long:
		here = r.bytes(in.buffer)
		copy(here, raw.Bytes)
	case !aligned(here, in.kind):
		return false
	default:
		off, _ := r.eng.Offset(here)
		r.buffers[in.buffer] = buffer{here: true, n: in.n, off: off, foreign: here}
	}
	r.read.Add(int64(len(here)))
	return offending(here, in.kind, in.bounded, in.bound) < 0
}

// remember makes a frame of a run that went well, if one can hold it.
func (p *Program) remember(r *runner) {
	if !p.settled || !r.opt.ordinary() || p.frame(r.fixed()) != nil {
		return
	}
	if f, ok := r.framed(); ok {
		p.frames.Add(f)
	}
}

// fixed are the sizes that the arguments have.
func (r *runner) fixed() map[string]int64 {
	if len(r.p.found) == 0 {
		return r.sizes
	}
	sizes := maps.Clone(r.sizes)
	for _, name := range r.p.found {
		delete(sizes, name)
	}
	return sizes
}

// framed works out a frame for the sizes of a run; false if none can hold it.
func (r *runner) framed() (*frame, bool) {
	f := &frame{of: r.p, sizes: maps.Clone(r.fixed()), buffers: make([]buffer, len(r.buffers)), launches: make([]ready, len(r.p.launches))}
	for _, long := range []bool{false, true} {
		for b := range r.buffers {
			if len(r.p.uses[b]) > 0 && !f.place(r, b, long) {
				return nil, false
			}
		}
		if !long {
			f.near = f.bytes
		}
	}
	ok := f.near <= frameBytes && (len(r.p.found) == 0 || f.bytes <= frameFound)
	schedule.Launches(r.s.Steps, func(l *schedule.Launch) { ok = ok && f.ready(r, l) })
	return f, ok && f.bytes > 0
}

// place gives a buffer its place, if it is a long column or else a short one or an intermediate buffer.
func (f *frame) place(r *runner, b int, long bool) bool {
	buf := &r.s.Buffers[b]
	n, err := r.eval(buf.Len)
	if err != nil || n < 0 || n > frameColumn/int64(buf.Kind.Size()) {
		return false
	}
	bytes := n * int64(buf.Kind.Size())
	if long != (bytes >= mem.Kept && r.isColumn(b)) {
		return true
	}
	f.buffers[b] = buffer{here: true, n: n}
	if n > 0 {
		f.buffers[b].off = f.bytes
	}
	f.bytes += (bytes + frameAlign - 1) &^ (frameAlign - 1)
	if long {
		f.touchedBy(r, b)
	}
	switch {
	case buf.Input != nil:
		in := framed{buffer: b, param: buf.Input.Param, leaf: buf.Input.Leaf, kind: buf.Kind, n: n, long: long, bounded: buf.Bounded}
		if buf.Bounded {
			if in.bound, err = r.eval(buf.Bound); err != nil {
				return false
			}
		}
		f.inputs = append(f.inputs, in)
	case long:
		count := r.appendedTo(b)
		f.results = append(f.results, given{b, n, count >= 0 || r.filledFirst(b, n), count})
	}
	return true
}

// touchedBy notes the kernels that touch a long column.
func (f *frame) touchedBy(r *runner, b int) {
	for _, u := range r.p.uses[b] {
		if u.Launch != nil && !slices.Contains(f.touch, r.p.numbers[u.Launch.Kernel]) {
			f.touch = append(f.touch, r.p.numbers[u.Launch.Kernel])
		}
	}
}

// isColumn reports that a buffer is an argument or one column of the result, which stays where it is.
func (r *runner) isColumn(b int) bool {
	column := r.s.Buffers[b].Input != nil || r.about[b].given
	return column && !r.p.swapped[b] && r.allOf(b, func(*kernel.Kernel) bool { return true })
}

// filledFirst reports that the first step that touches a buffer of n elements stores all of them, whatever the run does.
func (r *runner) filledFirst(b int, n int64) bool {
	u := r.p.uses[b][0]
	if u.Launch == nil || !slices.Contains(r.s.Steps, schedule.Step(u.Launch)) {
		return false
	}
	c, err := r.compile(u.Launch.Kernel)
	sizes, serr := r.sizeArgs(u.Launch.Sizes)
	return err == nil && serr == nil && c.Fills(u.Region, sizes, n)
}

// ready notes what a launch runs on, and makes sure of what the ordinary way makes sure of.
func (f *frame) ready(r *runner, l *schedule.Launch) bool {
	c, err := r.compile(l.Kernel)
	if err != nil {
		return false
	}
	p := r.launching(l, c)
	lens, err := p.measure()
	if err != nil || c.Safe.AdmitShape(p.Sizes, lens, r.opt.Limits) != nil {
		return false
	}
	for i, b := range l.Regions {
		if b >= 0 && p.check(i, b) != nil {
			return false
		}
	}
	p.short, p.soon = c.Short(p.Sizes), c.Soon(p.Sizes)
	if c.Whole() {
		p.alone, p.planned = 1, !c.Overlaps()
	}
	p.m, p.c, p.Scalars = nil, nil, nil
	f.launches[r.p.launches[l]] = ready{p.execution, r.p.numbers[l.Kernel]}
	return true
}

// launchReady executes a launch in a frame, where everything is in its place.
func (r *runner) launchReady(l *schedule.Launch) (err error) {
	number := r.p.launches[l]
	x := &r.ready[number]
	if x.c, err = r.compileAt(x.kernel); err != nil {
		return err
	}
	st := &r.stats[number]
	if x.c.Trying() {
		before := st.Compile
		if err := r.prepareCode(l, x.c, x.Sizes); err != nil {
			return err
		}
		st.Seconds += st.Compile - before
	}
	if x.Scalars, err = r.scalars(l, x.Scalars[:0]); err != nil {
		return err
	}
	if err := x.c.Safe.AdmitScalars(x.Sizes, x.Scalars); err != nil {
		return refused(l, err)
	}
	x.Bases, x.repeats = x.Bases[:0], r.repeats
	for _, b := range l.Regions {
		at := int64(0)
		if b >= 0 {
			at = r.base(b)
		}
		x.Bases = append(x.Bases, at)
	}
	if err := r.beginAppended(l); err != nil {
		return err
	}
	d, err := x.run(0, x.outer)
	if err != nil {
		return err
	}
	r.endAppended(l)
	r.note(l, d.faults)
	st.did(&d)
	st.ran()
	st.Seconds += d.seconds
	st.tell(&x.execution)
	return nil
}
