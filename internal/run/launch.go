package run

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan/cost"
)

// In: a launch of a schedule, and the buffers of its run. Out: an execution of its kernel, with each region in place.

// launching is a launch with its execution.
type launching struct {
	execution
	r    *runner
	l    *schedule.Launch
	lens []int64 // of the buffers behind regions
}

func (r *runner) launch(l *schedule.Launch) error {
	if r.frame != nil {
		return r.launchReady(l)
	}
	start, decoded := time.Now(), r.decoded.seconds()
	p, err := r.prepare(l)
	if err != nil {
		return err
	}
	making := r.eng.Making()
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
	st.ran()
	st.Seconds += time.Since(start).Seconds()
	st.Decoded += r.decoded.seconds() - decoded
	st.Crowded += (r.eng.Making() - making).Seconds()
	st.tell(&p.execution)
	if away {
		st.Beside++
	}
	r.progress.finished(l)
	return nil
}

// here brings in what outer indices lo..hi need and executes them. What regions apart has memory for is written there,
// in place of the buffers.
func (p *launching) here(lo, hi int64, apart *rowsOf) error {
	start := time.Now()
	err := p.place(lo, hi, apart)
	if err == nil && p.copies() {
		p.c.Brought(time.Since(start))
	}
	if err == nil {
		p.c, err = p.r.compile(p.l.Kernel) // which may have to reach more than when it was prepared
	}
	if err != nil {
		return err
	}
	if lo == 0 && hi == p.outer {
		p.turn()
	}
	d, err := p.run(lo, hi)
	if err != nil {
		return err
	}
	p.r.did(p.l, &d)
	return p.countAppended()
}

// copies reports that inputs lie in memory that native code would reach, and this tier does not.
func (p *launching) copies() bool {
	return !p.c.ReachesAll() && slices.ContainsFunc(p.l.Regions, func(b int) bool { return b >= 0 && p.r.inputs[b] != nil && p.r.inputs[b].present() })
}

// did notes what came of outer indices of a launch.
func (r *runner) did(l *schedule.Launch, d *did) {
	r.note(l, d.faults)
	r.statsOf(l).did(d)
}

// did adds what came of outer indices.
func (st *LaunchStats) did(d *did) {
	st.Slices += d.slices
	st.Native += d.native
	if d.tier == engine.Stepper {
		st.stepped = true
		st.SteppedSeconds += d.seconds
	}
	st.Tier, st.Threads, st.Totals, st.Paces, st.Weave = d.tier, max(st.Threads, d.threads), d.totals, d.paces, d.weave
}

// ran counts a run, of which all parts are through.
func (st *LaunchStats) ran() {
	if st.Runs++; st.stepped {
		st.Stepped++
	}
	st.stepped = false
}

// tell notes the arguments of the first run after which the launch has taken long enough.
func (st *LaunchStats) tell(x *execution) {
	if st.Sizes != nil || st.Seconds-st.Compile < Telling {
		return
	}
	st.Sizes, st.Scalars, st.Lasts = x.Sizes, x.lasting(), st.Lasts[:0]
	for i := range x.Scalars {
		st.Lasts = append(st.Lasts, x.lasts(i))
	}
}

func (r *runner) statsOf(l *schedule.Launch) *LaunchStats { return &r.stats[r.p.launches[l]] }

func (r *runner) prepare(l *schedule.Launch) (*launching, error) {
	start := time.Now()
	c, err := r.compile(l.Kernel)
	if err != nil {
		return nil, err
	}
	took := time.Since(start)
	p := r.launching(l, c)
	p.Bases = make([]int64, len(l.Regions))
	lens, err := p.measure()
	if err != nil {
		return nil, err
	}
	r.statsOf(l).Compile += took.Seconds()
	if c.Trying() && r.forecast == nil {
		if err := r.prepareCode(l, c, p.Sizes); err != nil {
			return nil, err
		}
	}
	p.lens = lens
	if p.Scalars, err = r.scalars(l, nil); err != nil {
		return nil, err
	}
	admit := func() error { return c.Safe.Admit(p.Sizes, p.Scalars, lens, r.opt.Limits) }
	if r.forecast != nil { // of its scalars not all are known
		admit = func() error { return c.Safe.AdmitShape(p.Sizes, lens, r.opt.Limits) }
	}
	if err := admit(); err != nil {
		return nil, refused(l, err)
	}
	if r.opt.Progress != nil {
		p.advance = func(n int64) { r.progress.advance(l, n, p.outer) }
	}
	return p, nil
}

// launching is a launch of which no more is known than the schedule says.
func (r *runner) launching(l *schedule.Launch, c *engine.Compiled) *launching {
	p := &launching{execution: execution{m: &r.memory, c: c, label: l.Label, places: make([]cost.Place, len(l.Regions)), repeats: r.repeats}, r: r, l: l}
	for _, s := range l.Scalars {
		p.varies = append(p.varies, s.From != schedule.FromParam)
	}
	return p
}

// prepareCode has code of a launch's kernel made if it is worth that, which counts as its compilation.
func (r *runner) prepareCode(l *schedule.Launch, c *engine.Compiled, sizes []int64) error {
	start := time.Now()
	defer func() { r.statsOf(l).Compile += time.Since(start).Seconds() }()
	return c.Ready(r.ctx, sizes, r.repeats)
}

// refused says which launch an error of Admit is about.
func refused(l *schedule.Launch, err error) error {
	return fmt.Errorf("step `%s`: %w", l.Label, err)
}

// measure finds the kernel's sizes and the number of outer indices, and gives the lengths of its regions.
func (p *launching) measure() (lens []int64, err error) {
	r, l, k := p.r, p.l, p.l.Kernel
	if len(l.Sizes) != len(k.Sizes) || len(l.Scalars) != len(k.Scalars) || len(l.Regions) != len(k.Regions) || len(l.Sites) != k.Sites {
		return nil, bug("launch %q does not fit its kernel", l.Label)
	}
	if p.Sizes, err = r.sizeArgs(l.Sizes); err != nil {
		return nil, err
	}
	if err := r.foldCombined(l, p.Sizes); err != nil {
		return nil, err
	}
	p.outer = p.c.Outer(p.Sizes)
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

func (r *runner) sizeArgs(as []schedule.SizeArg) ([]int64, error) {
	ns := make([]int64, len(as))
	for i := range as {
		n, ok := as[i].Eval(r.size)
		if !ok {
			return nil, bug("a size argument, %s, is not known or too large", as[i].Poly)
		}
		ns[i] = n
	}
	return ns, nil
}

// place makes room for what outer indices lo..hi write and brings in what they read,
// or notes that it passes through in windows.
func (p *launching) place(lo, hi int64, apart *rowsOf) (err error) {
	p.feeds = nil
	if p.pruning, err = p.r.pruning(p.l); err != nil {
		return err
	}
	for i, b := range p.l.Regions {
		if b < 0 {
			continue
		}
		if apart.has(i) {
			p.Bases[i] = apart.bases[i]
			continue
		}
		if err := cmp.Or(p.placeRegion(i, b, lo, hi), p.check(i, b)); err != nil {
			return err
		}
	}
	return nil
}

func (p *launching) placeRegion(i, b int, lo, hi int64) error {
	r, reg := p.r, &p.l.Kernel.Regions[i]
	n, err := r.eval(r.s.Buffers[b].Len)
	if err != nil {
		return err
	}
	in := r.inputs[b]
	if in != nil && !r.buffers[b].here {
		if most, ok := kernel.EvalPoly(reg.Len, p.Sizes); ok && most == 0 && reg.Access == kernel.Read {
			p.Bases[i], p.places[i] = 0, cost.Resident
			return nil // the kernel looks at none of it
		}
		if done, err := p.placeInput(i, in, lo, hi); done || err != nil {
			return err
		}
	}
	all := lo == 0 && hi == p.outer
	appends := all && p.appends(i, b)
	fills := appends || all && p.c.Fills(i, p.Sizes, n) // so nobody sees what was there
	switch {
	case reg.Access == kernel.Read:
		err = r.settle(b)
	case in != nil && !in.moved:
		err = bug("launch %q writes to %s", p.l.Label, r.name(b))
	case r.keepsForeign(b):
		err = r.roomForeign(b, n, "", fills)
	case fills:
		err = r.roomUsed(b, n)
		r.buffers[b].blocks = 0
	default:
		err = r.room(b, n, "")
		r.buffers[b].blocks = 0
	}
	p.Bases[i], p.places[i], r.buffers[b].appended = r.base(b), cost.Resident, appends
	if r.buffers[b].fresh && !r.buffers[b].used {
		p.places[i] = cost.Fresh
	}
	return err
}

// placeInput places an input that is not present: where it lies, or in windows. It reports false if the input must
// be made present as a whole.
func (p *launching) placeInput(region int, in *input, lo, hi int64) (done bool, err error) {
	if hi-lo == p.outer && in.b.Source != nil {
		p.r.lay(in)
	}
	base, there := p.inPlace(in)
	there = there && p.l.Kernel.Regions[region].Access == kernel.Read
	if !there || in.looked() { // what must be looked at had better be in the cache when the kernel comes
		how := windowed // a part of a launch takes from far away only what it needs
		if hi-lo == p.outer || !in.remote() || in.moved || !p.c.Streams(region) {
			if how, err = p.r.decide(in); err != nil {
				return false, err
			}
		}
		if how == windowed && p.feed(region, in, lo, hi) {
			return true, nil
		}
	}
	if !there {
		return false, nil
	}
	p.Bases[region], p.places[region] = base, cost.Resident
	return true, p.r.lookOnce(in)
}

// check makes sure that what the kernel takes for granted about a
// region's elements has been established for the buffer.
func (p *launching) check(i, b int) error {
	reg, buf := &p.l.Kernel.Regions[i], &p.r.s.Buffers[b]
	switch {
	case buf.Kind != reg.Elem:
		return bug("launch %q: region %d holds %s, its buffer %s", p.l.Label, i, reg.Elem, buf.Kind)
	case !reg.Bounded || reg.Access == kernel.Write:
		return nil
	}
	need, ok := kernel.EvalPoly(reg.Bound, p.Sizes)
	if !buf.Bounded || !ok {
		return bug("launch %q: region %d has a bound, its buffer none", p.l.Label, i)
	}
	have, err := p.r.eval(buf.Bound)
	if err == nil && have > need && p.r.buffers[b].n > 0 {
		err = bug("launch %q: region %d is bounded by %d, its buffer by %d", p.l.Label, i, need, have)
	}
	return err
}
