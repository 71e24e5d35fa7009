package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: a verified kernel with sizes and scalars that have been admitted, and where its regions lie. Out: outer indices of
// it, executed. Whole runs, pieces and frames all come here; what a schedule or an operand is, they know.
// Invariant: elements that the outer indices touch are in place, or can be brought there by a feed.

// execution is a kernel with all that it runs on. Its parts run one after the other; where regions lie may change in between.
type execution struct {
	engine.Args // for code that runs at once; Faults are not used otherwise
	m           *memory
	c           *engine.Compiled
	ahead       *engine.Compiled // the kernel of totals, where threads hand state on: it reads the same memory; else nil
	label       string           // for messages
	outer       int64            // of all parts together
	varies      []bool           // scalars that other runs of the same may have others for; none if it is empty

	feeds   []feed       // regions that pass through in windows
	pruning []pruning    // what is known about rows that do not matter
	places  []cost.Place // by region

	// backwards has outer indices taken from the last on; see sweep.go.
	backwards bool

	repeats float64       // how often it is expected to run from now on; 0 for once
	advance func(n int64) // is told how many outer indices are done, if it is there

	short   bool       // all of it is over at once; see engine.Compiled.Short
	soon    bool       // as native code it is over soon; see engine.Compiled.Soon
	planned bool       // how many iterations native code has under way was decided
	flight  int        // as many if they are interleaved
	woven   *plan.Race // whether they are, where it is open
	alone   int        // the size of the pool if one of its threads was found to be enough: native code then runs on this goroutine; 0 if that is not known
	helped  bool       // by workers that are awake, which it does not wait for
}

// feed is a region whose input is not present as a whole.
type feed struct {
	region int
	in     *input
}

// pruning says that rows matter only if an input's element is such.
type pruning struct {
	in   *input
	pred data.Pred
}

// did is what came of outer indices.
type did struct {
	faults         []int64 // least places by the kernel's sites, until the next run
	slices, native int64   // native are of these
	tier           engine.Tier
	totals         string // the kernel that went ahead, so that threads could carry state; none if it is ""
	threads        int
	weave          int // iterations that follow references, under way at the same time
	seconds        float64
	expected       machine.Spread // nanoseconds; zero where nothing was
	paces          map[engine.Tier]float64
}

// run executes outer indices lo..hi.
func (x *execution) run(lo, hi int64) (did, error) {
	if w := x.m.opt.Weave; w != 0 {
		x.Weave, x.InStep = max(w, 0), w > 0
	}
	way := x.weave()
	if x.atOnce() {
		d, err := x.once(lo, hi)
		if x.woven != nil && err == nil && d.native > 0 && hi-lo == x.outer {
			x.woven.Ran(way, d.seconds*1e9)
		}
		return d, err
	}
	start := time.Now()
	p := &pass{execution: x, lo: lo, hi: hi, job: x.m.eng.NewJob(x.c, x.Sizes, x.Scalars).Under(x.m.opt.Claim)}
	if lo < hi {
		if err := p.run(); err != nil {
			return did{}, crowded(x.label, err)
		}
	}
	return did{p.job.Faults(), p.job.Slices(), p.job.Native(), x.tier(p.job.Native(), p.job.Stepped()), p.totals(), p.workers, x.interleaved(p.job.Native(), p.job.Stepped()), time.Since(start).Seconds(), p.expected,
		p.paces.whole(x.m.eng.Tier(), x.outer, p.workers)}, nil
}

// weave takes the way of a race to be.
func (x *execution) weave() (way int) {
	if x.woven == nil {
		return 0
	}
	if way, x.Weave = x.woven.Next(), 0; way > 0 {
		x.Weave = x.flight
	}
	return way
}

// interleaved is how many iterations were under way at the same time, if so many slices were native or interpreted.
func (x *execution) interleaved(native, stepped int64) int {
	switch {
	case native == 0 && x.InStep && x.tier(0, stepped) == engine.Wasm:
		return x.c.Abreast()
	case native == 0, !x.c.Overlaps():
		return 0
	}
	return x.Weave
}

// tier is what slices ran on, of which so many were native or interpreted. The kernel may have other code since.
func (x *execution) tier(native, stepped int64) engine.Tier {
	switch {
	case native > 0:
		return engine.Native
	case stepped > 0 || x.c.Tier() == engine.Stepper || x.c.Trying():
		return engine.Stepper
	}
	return x.m.eng.Tier()
}

// atOnce reports that all of it is one slice on this goroutine: it is short, or native code that is given one thread, which
// looks for itself whether it is to stop.
func (x *execution) atOnce() bool {
	n := x.m.pool.Size()
	return x.short || x.alone > 0 && (x.planned || !x.c.Overlaps()) && (n == 1 || n == x.alone && !(x.helped && x.m.pool.Awake())) && x.c.Tier() == engine.Native
}

// once executes outer indices at once. To prepare workers would take longer than the kernel.
func (x *execution) once(lo, hi int64) (did, error) {
	x.Faults = x.Faults[:0]
	for range x.c.Kernel.Sites {
		x.Faults = append(x.Faults, math.MaxInt64)
	}
	if lo >= hi {
		return did{faults: x.Faults, tier: x.tier(0, 0), threads: 1}, nil
	}
	ctx := x.m.ctx
	if x.short || x.soon { // it ends before it would hear of the end of a context
		ctx = context.Background()
	}
	tier, took, err := x.c.RunShort(ctx, &x.Args, lo, hi)
	d := did{faults: x.Faults, slices: 1, tier: tier, threads: 1, seconds: took.Seconds()}
	if tier == engine.Native {
		d.native, d.weave = 1, x.interleaved(1, 0)
	}
	return d, err
}

// crowded explains that workers found no room for what they need beside the
// buffers.
func crowded(label string, err error) error {
	if full := (*mem.FullError)(nil); errors.As(err, &full) {
		return &SpaceError{Name: fmt.Sprintf("a thread of the step `%s`", label), Need: full.Want, Limit: full.Size,
			Why: " beside what is there already", Help: "use fewer threads or smaller arguments", Crowded: true}
	}
	return err
}

// pass is outer indices lo..hi of an execution at work.
type pass struct {
	*execution
	lo, hi  int64
	job     *engine.Job
	workers int      // that it is given
	stretch int64    // outer indices to a stretch, where several workers carry state; else 0
	window  int64    // outer indices that a window on raw inputs serves; 0 if there are none
	ways    *contest // of such windows
	// expected is what it should take, in nanoseconds.
	expected machine.Spread
	paces    paces
}

// run executes the outer indices in the way that the feeds ask for.
func (p *pass) run() error {
	native, c := p.c.Tier() == engine.Native, p.choose(p.hi-p.lo)
	way := 0
	if p.m.opt.Weave == 0 {
		p.InStep = c.InStep
	}
	if p.planned = true; p.m.opt.Weave == 0 && p.c.Overlaps() {
		p.Weave, p.flight, p.woven = c.Weave, c.Flight, c.Woven
		way = p.weave()
	}
	p.job.Overlap(p.Weave, p.InStep)
	if !p.c.Trying() {
		p.expected = c.Time.Times(float64(p.hi-p.lo) / float64(max(p.outer, 1)))
	}
	if p.alone > 0 && native && c.Threads == 1 && (c.Awake == 1 || max(p.repeats, 1)*c.Alone <= p.m.opt.Machine.Wake) {
		p.alone, p.helped = p.m.pool.Size(), c.Awake > 1
	}
	decoded := slices.ContainsFunc(p.feeds, func(f feed) bool { return f.in.raw == nil })
	n, race := c.Threads, (*plan.Race)(nil)
	if !decoded {
		n, race = p.threads(c)
	}
	threads, err := p.relay(n)
	if err != nil {
		return err
	}
	defer p.job.Settle()
	if p.window = p.rawOuters(); p.window > 0 {
		p.ways = newContest((p.hi-p.lo)/p.window, p.held(threads), p.m.opt.Machine)
	}
	if decoded {
		return p.runDecoded()
	}
	start := time.Now()
	if err := p.runPresent(threads); err != nil {
		return err
	}
	took := time.Since(start)
	p.ran(race, min(p.workers-1, 1), native, took)
	if native {
		p.ran(p.woven, way, native, took)
	}
	return nil
}

// held is what a contest of ways of this pass is about.
func (p *pass) held(threads int) held {
	h := held{kernel: p.c.Hash, threads: threads}
	for _, f := range p.feeds {
		if f.in.raw != nil {
			h.path = f.in.raw.path
			break
		}
	}
	return h
}

// relay has several threads execute a kernel though it carries state, if so many are planned and can do so now; otherwise one.
func (p *pass) relay(threads int) (int, error) {
	if !p.c.Sequential() || threads <= 1 {
		return threads, nil
	}
	ok, err := p.job.Relay(p.m.ctx, p.Bases, p.lo)
	if err != nil || !ok {
		return 1, err
	}
	p.ahead = p.job.Totals()
	if p.stretch = p.m.opt.Stretch; p.stretch == 0 {
		p.stretch = p.job.Stretch(p.lo, p.hi, threads)
	}
	return threads, nil
}

// totals names the kernel that went ahead; "" if none did.
func (p *pass) totals() string {
	if t := p.job.Totals(); t != nil {
		return t.Hash.String()
	}
	return ""
}

// done tells whoever watches that n outer indices are.
func (x *execution) done(n int64) {
	if x.advance != nil {
		x.advance(n)
	}
}

// feed has an input pass through outer indices lo..hi in windows. It reports false if it had better be present as a whole.
func (x *execution) feed(region int, in *input, lo, hi int64) bool {
	if lo < hi && (!x.fitsWindow(region, in, lo) || x.rereads(region, in, lo, hi)) {
		return false
	}
	x.feeds, x.places[region] = append(x.feeds, feed{region, in}), cost.Resident
	if in.raw != nil {
		x.places[region] = cost.File // or copied from other memory, which takes as long
	}
	return true
}

// fitsWindow reports that outer indices from lo on can have windows on an input: what one of them needs is small
// enough for a window of each worker.
func (x *execution) fitsWindow(region int, in *input, lo int64) bool {
	first, end := x.c.Reach(region, x.Sizes, lo, lo+1)
	return (end-first)*int64(in.kind.Size()) <= x.m.opt.Windows/int64(x.m.pool.Size())
}

// rereads reports that windows of outer indices lo..hi would bring in the same elements again and again, as where a kernel
// goes down the columns of an array of rows, and that the whole input can be present instead.
func (x *execution) rereads(region int, in *input, lo, hi int64) bool {
	m, elem := x.m, int64(in.kind.Size())
	room := m.opt.Resident/4*3 - m.resident
	if most := m.opt.Limits.RegionBytes; most > 0 {
		room = min(room, most/4*3)
	}
	if lo >= hi || m.opt.WindowRows > 0 || in.size() > room {
		return false
	}
	first, end := x.c.Reach(region, x.Sizes, lo, hi)
	if in.remote() && end-first < in.rows*in.width/2 {
		return false
	}
	a, b := x.c.Reach(region, x.Sizes, lo, lo+1)
	bytes := int64(rawWindow)
	if in.raw == nil {
		bytes = m.opt.Windows / int64(m.pool.Size())
	}
	each := max(1, bytes/max(1, (b-a)*elem)) // outer indices to a window
	a, b = x.c.Reach(region, x.Sizes, lo, min(lo+each, hi))
	windows := (hi - lo + each - 1) / each
	return windows > 1 && b-a > 2*(end-first)/windows
}
