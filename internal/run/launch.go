package run

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
)

// launching is a launch, or outer indices lo..hi of one, with everything it
// needs.
type launching struct {
	r       *runner
	l       *schedule.Launch
	c       *engine.Compiled
	sizes   []int64
	scalars []uint64
	outer   int64
	lo, hi  int64
	bases   []int64 // of the regions that are present
	feeds   []feed  // inputs that pass through in windows
	job     *engine.Job
	choice  *plan.Choice
	workers int      // that it is given
	stretch int64    // outer indices to a stretch, where several workers carry state; else 0
	ways    *contest // nil where nothing passes through in windows
	// temporary holds what is written, in place of the buffers, if set.
	temporary *rowsOf
}

// feed is a region whose input is not present as a whole.
type feed struct {
	region int
	in     *input
}

func (r *runner) launch(l *schedule.Launch) error {
	if r.frame != nil {
		if how := &r.frame.launches[r.p.launches[l]]; r.atOnce(how) {
			return r.once(l, how)
		}
	}
	start := time.Now()
	p, err := r.prepare(l)
	if err != nil {
		return err
	}
	away := false
	if r.opt.Beside != nil && r.reachesRemote(l) {
		if away, err = p.beside(); err != nil {
			return err
		}
	}
	if !away {
		if err := p.inParts(0, p.outer); err != nil {
			return err
		}
	}
	st := r.statsOf(l)
	st.Runs++
	st.Seconds += time.Since(start).Seconds()
	if away {
		st.Beside++
	}
	r.progress.finished(l)
	return nil
}

// here brings in what outer indices lo..hi need and executes them.
func (p *launching) here() error {
	err := p.place()
	if err == nil {
		p.c, err = p.r.compile(p.l.Kernel) // which may have to reach more than when it was prepared
	}
	if err != nil {
		return err
	}
	if err := p.run(); err != nil {
		return crowded(p.l, err)
	}
	p.r.note(p.l, p.job.Faults())
	st := p.r.statsOf(p.l)
	st.Slices += p.job.Slices()
	st.Native += p.job.Native()
	st.Tier = p.r.ranOn(p.c, p.job)
	st.Threads = p.workers
	st.Totals = p.totals()
	return nil
}

// ranOn is the tier that a job's last slices ran on. The kernel may have been promoted since.
func (r *runner) ranOn(c *engine.Compiled, j *engine.Job) engine.Tier {
	switch {
	case j.Native() > 0:
		return engine.Native
	case c.Tier() == engine.Stepper:
		return engine.Stepper
	}
	return r.eng.Tier()
}

func (r *runner) statsOf(l *schedule.Launch) *LaunchStats { return &r.stats[r.p.launches[l]] }

func (r *runner) prepare(l *schedule.Launch) (*launching, error) {
	c, err := r.compile(l.Kernel)
	if err != nil {
		return nil, err
	}
	p := &launching{r: r, l: l, c: c, bases: make([]int64, len(l.Regions))}
	st := r.statsOf(l)
	st.Hash, st.Name, st.Bytes = c.Hash, r.nameOf(l.Kernel), c.Bytes
	lens, err := p.measure()
	if err != nil {
		return nil, err
	}
	if p.scalars, err = r.scalars(l, nil); err != nil {
		return nil, err
	}
	if err := c.Safe.Admit(p.sizes, p.scalars, lens, r.opt.Limits); err != nil {
		return nil, refused(l, err)
	}
	p.outer = c.Outer(p.sizes)
	p.hi = p.outer
	return p, nil
}

// refused says which launch an error of Admit is about.
func refused(l *schedule.Launch, err error) error {
	return fmt.Errorf("step `%s`: %w", l.Label, err)
}

// measure finds the kernel's sizes, and gives the lengths of its regions.
func (p *launching) measure() (lens []int64, err error) {
	r, l, k := p.r, p.l, p.l.Kernel
	if len(l.Sizes) != len(k.Sizes) || len(l.Scalars) != len(k.Scalars) || len(l.Regions) != len(k.Regions) || len(l.Sites) != k.Sites {
		return nil, bug("launch %q does not fit its kernel", l.Label)
	}
	if p.sizes, err = r.sizeArgs(l.Sizes); err != nil {
		return nil, err
	}
	if err := r.foldCombined(l, p.sizes); err != nil {
		return nil, err
	}
	return r.lengths(l)
}

// scalars appends a launch's scalars to list.
func (r *runner) scalars(l *schedule.Launch, list []uint64) ([]uint64, error) {
	for i := range l.Scalars {
		bits, err := r.scalar(&l.Scalars[i], l.Kernel.Scalars[i].Kind)
		if err != nil {
			return nil, err
		}
		list = append(list, bits)
	}
	return list, nil
}

// lengths are those of the buffers behind a launch's regions. One that holds
// rows of blocks is only as long as these.
func (r *runner) lengths(l *schedule.Launch) ([]int64, error) {
	lens := make([]int64, len(l.Regions))
	for i, b := range l.Regions {
		if b < 0 {
			continue
		}
		if r.buffers[b].blocks > 0 && l.Kernel.Regions[i].Access == kernel.Read {
			lens[i] = r.buffers[b].n
			continue
		}
		n, err := r.eval(r.s.Buffers[b].Len)
		if err != nil {
			return nil, err
		}
		lens[i] = n
	}
	return lens, nil
}

// crowded explains that workers found no room for what they need beside the
// buffers.
func crowded(l *schedule.Launch, err error) error {
	if full := (*mem.FullError)(nil); errors.As(err, &full) {
		return &SpaceError{Name: fmt.Sprintf("a thread of the step `%s`", l.Label), Need: full.Want, Limit: full.Size,
			Why: " beside what is there already", Help: "use fewer threads or smaller arguments", Crowded: true}
	}
	return err
}

func (r *runner) sizeArgs(as []schedule.SizeArg) ([]int64, error) {
	ns := make([]int64, len(as))
	for i := range as {
		n, err := r.sizeArg(&as[i])
		if err != nil {
			return nil, err
		}
		ns[i] = n
	}
	return ns, nil
}

func (r *runner) sizeArg(a *schedule.SizeArg) (int64, error) {
	n, ok := a.Eval(r.size)
	if !ok {
		return 0, bug("a size argument, %s, is not known or too large", a.Poly)
	}
	return n, nil
}

// place makes room for what the kernel writes and brings in what it reads,
// or notes that it passes through in windows.
func (p *launching) place() error {
	for i, b := range p.l.Regions {
		if b < 0 {
			continue
		}
		if err := p.placeRegion(i, b); err != nil {
			return err
		}
	}
	return nil
}

func (p *launching) placeRegion(i, b int) error {
	r, reg := p.r, &p.l.Kernel.Regions[i]
	if p.temporary.has(i) {
		p.bases[i] = p.temporary.bases[i]
		return nil
	}
	if got := r.s.Buffers[b].Kind; got != reg.Elem {
		return bug("launch %q: region %d holds %s, its buffer %s", p.l.Label, i, reg.Elem, got)
	}
	n, err := r.eval(r.s.Buffers[b].Len)
	if err != nil {
		return err
	}
	if in := r.inputs[b]; in != nil && !r.buffers[b].here {
		if done, err := p.placeInput(i, in); done || err != nil {
			return cmp.Or(err, p.checkBound(i, b))
		}
	}
	switch in := r.inputs[b]; {
	case reg.Access == kernel.Read:
		err = r.settle(b)
	case in != nil && !in.moved:
		err = bug("launch %q writes to %s", p.l.Label, r.name(b))
	case r.keepsForeign(b):
		err = r.roomForeign(b, n, "", p.fills(i, n))
	case p.fills(i, n):
		err = r.roomUsed(b, n)
		r.buffers[b].blocks = 0
	default:
		err = r.room(b, n, "")
		r.buffers[b].blocks = 0
	}
	p.bases[i] = r.base(b)
	if err != nil {
		return err
	}
	return p.checkBound(i, b)
}

// placeInput places an input that is not present: where it lies, or in windows. It reports false if the input must
// be made present as a whole.
func (p *launching) placeInput(region int, in *input) (done bool, err error) {
	base, there := p.inPlace(in)
	there = there && p.l.Kernel.Regions[region].Access == kernel.Read
	if !there || in.looked() { // what must be looked at had better be in the cache when the kernel comes
		how, err := p.residency(region, in)
		if err != nil {
			return false, err
		}
		if how == windowed && p.fitsWindow(region, in) && !p.rereads(region, in) {
			p.feeds = append(p.feeds, feed{region, in})
			return true, nil
		}
	}
	if !there {
		return false, nil
	}
	p.bases[region] = base
	return true, p.r.lookOnce(in)
}

// fills reports that the launch stores each of the n elements behind a region, so that nobody sees what was there.
func (p *launching) fills(region int, n int64) bool {
	return p.lo == 0 && p.hi == p.outer && p.c.Fills(region, p.sizes, n)
}

// residency is how an input gets to this launch. A part of a launch takes from
// far away only what it needs.
func (p *launching) residency(region int, in *input) (residency, error) {
	if p.hi-p.lo < p.outer && in.remote() && !in.moved && p.c.Streams(region) {
		return windowed, nil
	}
	return p.r.decide(in)
}

// fitsWindow reports that what one outer index needs of an input is small
// enough for a window of each worker.
func (p *launching) fitsWindow(region int, in *input) bool {
	first, end := p.c.Reach(region, p.sizes, p.lo, p.lo+1)
	return (end-first)*int64(in.kind.Size()) <= p.r.opt.Windows/int64(p.r.pool.Size())
}

// rereads reports that windows would bring in the same elements again and again, as where a kernel
// goes down the columns of an array of rows, and that the whole input can be present instead.
func (p *launching) rereads(region int, in *input) bool {
	r, elem := p.r, int64(in.kind.Size())
	room := r.opt.Resident/4*3 - r.resident
	if most := r.opt.Limits.RegionBytes; most > 0 {
		room = min(room, most/4*3)
	}
	if p.lo >= p.hi || r.opt.WindowRows > 0 || in.size() > room {
		return false
	}
	first, end := p.c.Reach(region, p.sizes, p.lo, p.hi)
	if in.remote() && end-first < in.rows*in.width/2 {
		return false
	}
	a, b := p.c.Reach(region, p.sizes, p.lo, p.lo+1)
	bytes := int64(rawWindow)
	if in.raw == nil {
		bytes = r.opt.Windows / int64(r.pool.Size())
	}
	each := max(1, bytes/max(1, (b-a)*elem)) // outer indices to a window
	a, b = p.c.Reach(region, p.sizes, p.lo, min(p.lo+each, p.hi))
	windows := (p.hi - p.lo + each - 1) / each
	return windows > 1 && b-a > 2*(end-first)/windows
}

// checkBound makes sure that what the kernel takes for granted about a
// region's elements has been established for the buffer.
func (p *launching) checkBound(i, b int) error {
	reg, buf := &p.l.Kernel.Regions[i], &p.r.s.Buffers[b]
	if !reg.Bounded || reg.Access == kernel.Write {
		return nil
	}
	need, ok := kernel.EvalPoly(reg.Bound, p.sizes)
	if !buf.Bounded || !ok {
		return bug("launch %q: region %d has a bound, its buffer none", p.l.Label, i)
	}
	have, err := p.r.eval(buf.Bound)
	if err == nil && have > need && p.r.buffers[b].n > 0 {
		err = bug("launch %q: region %d is bounded by %d, its buffer by %d", p.l.Label, i, need, have)
	}
	return err
}

// run executes the outer indices in the way that the feeds ask for.
func (p *launching) run() error {
	p.job = p.r.eng.NewJob(p.c, p.sizes, p.scalars).Under(p.r.opt.Claim)
	if p.lo >= p.hi {
		return nil
	}
	p.choice = p.choose()
	if err := p.relay(); err != nil {
		return err
	}
	defer p.job.Settle()
	if window := p.rawOuters(); window > 0 {
		p.ways = newContest((p.hi-p.lo)/window, p.r.opt.Machine)
	}
	for _, f := range p.feeds {
		if f.in.raw == nil {
			return p.runDecoded()
		}
	}
	return p.runPresent()
}
