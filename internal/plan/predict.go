// Package plan says beforehand how long a schedule takes, step by step.
package plan

import (
	"fmt"
	"maps"
	"math"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/totals"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// Step is what is expected of a launch, in all its runs together.
type Step struct {
	Label   string
	Runs    float64 // 1 outside of loops
	Threads int
	Time    machine.Spread // nanoseconds
	Most    string         // what most of the time goes to, besides the wait
	Wait    machine.Spread // nanoseconds, of Time: until its kernel is ready
	Parts   cost.Parts     // of one run
	Warm    bool           // by what earlier runs took
	Way     string         // that it goes to a data set, of WayNames; "" if all that it reads is here
	Ways    Ways           // that it could go then
	Only    string         // why it can go no other; "" if that was not asked

	told     bool // runs have told something of its kernel
	warmRun  bool // what it takes besides Wait is by what earlier runs took
	warmWait bool // Wait is
	kernel   *kernel.Kernel
	slow     float64 // nanoseconds that it takes as WebAssembly, where it goes over to native code; 0 if nobody has asked
	pieces   float64 // after how many of these, one after the other, it can go over: a thread ends what it has begun
}

// Prediction is what is expected of a call.
type Prediction struct {
	Engine   string
	Threads  int                // most of any step
	Steps    []Step             // in the order of schedule.Launches
	Schedule *schedule.Schedule // of the steps
	Sizes    map[string]int64   // with those that are found while it runs, as they are expected
	Wait     machine.Spread     // nanoseconds, of those of the steps: what all wait for their kernels
	Time     machine.Spread     // nanoseconds, of all
	Warm     bool               // most of the time is expected by what earlier runs took
	// Before is what it takes, beside the steps, to bring here what loops swap and what is in the result as it is, nanoseconds.
	Before machine.Spread
	// Besides is what the call takes that is no step's, nanoseconds.
	Besides machine.Spread

	beginsNative bool    // of a kernel there was native code beforehand
	told         bool    // runs have told something of most of the time: of these kernels, on an engine
	makingNative float64 // nanoseconds to make native code that is not there
	either       *ways   // what it was chosen from; nil if there was one way
}

// Options are what a prediction depends on besides the schedule.
type Options struct {
	Machine *machine.Machine
	// Engine is "wasm", "native", or "auto": then kernels begin as WebAssembly and go over to native
	// code where that is worth its compilation.
	Engine  string
	Threads int
	// Reach is how many bytes WebAssembly reaches; 0 for any number.
	Reach int64
	// Most is how many threads the call has, where a plan gives it fewer; 0 for Threads.
	Most int
	// Going is what the call goes by, if that was decided: the schedule, or another that gives the same. Nil if it goes by what takes less.
	Going *schedule.Schedule
	// Shared has threads share what they can, whether it pays or not.
	Shared bool
	// Lowered is what it would take to make the schedule in which threads share, in nanoseconds, as far as runs of the other have not taken as
	// long; 0 where it is there.
	Lowered float64
	// General is the schedule for other sizes than those that are given, where these have one of their own; nil if they have not.
	General *schedule.Schedule
	// Places says where an input lies; nil for in memory.
	Places func(in *schedule.Input) cost.Place
	// Encoded says how a buffer that is an input is stored, which a launch of a schedule is the first to need, and reports false of what has not to be
	// decoded; nil if there is only that.
	Encoded func(s *schedule.Schedule, l *schedule.Launch, buffer int) (Encoded, bool)
	// Kept reports that there is memory of so many bytes for a column of the result, in which no page is touched first; nil if
	// there is none.
	Kept func(bytes int64) bool
	// Ready reports that there is code of a kernel, made or on disk; nil if there is of all.
	Ready func(l *schedule.Launch) bool
	// Unrun reports that nothing of a kernel was ever run in this process, whether there is code of it or not; nil if something of all was.
	Unrun func(l *schedule.Launch) bool
	// Trial says that a kernel which is not Ready is interpreted where that is over before code is made.
	Trial bool
	// Native reports that this code is native, of none that is not Ready; nil if none is.
	Native func(l *schedule.Launch) bool
	// Past is what earlier runs took.
	Past Past
	// Scalar is the value of an argument; nil, or false, where it is not known.
	Scalar func(a *schedule.ScalarArg) (int64, bool)
	// Column is what is known of the numbers of an input; nil, or false, where nothing is.
	Column func(in *schedule.Input) (data.Glance, bool)
	// Away decides of launches over data sets; nil if there are none.
	Away Away
	// Extent is what is taken of what data decides of.
	Extent Extent

	// Cold says that the compiler of native code is not running yet.
	Cold bool

	off      float64 // by what factor steps take longer than is expected of them; 0 for 1
	goesOver bool    // kernels begin as WebAssembly, unless they are native code already, and go over to it
}

// Predict says how long a schedule takes for these sizes, by the plan that takes the least time: see Consider. A size that is found while it runs
// is taken to be half of what it can be, and so is the number of turns of a loop that data decides of.
func Predict(s *schedule.Schedule, sizes map[string]int64, opt Options) (*Prediction, error) {
	best, err := Best(s, sizes, opt)
	if err != nil {
		return nil, err
	}
	return best.Prediction, nil
}

// Best is the plan that Predict goes by, with its number.
func Best(s *schedule.Schedule, sizes map[string]int64, opt Options) (*Considered, error) {
	all, err := open(s, sizes, opt)
	if err != nil {
		return nil, err
	}
	return &all[chosen(all)], nil
}

// open are the plans that a call chooses from which is forced to none.
func open(s *schedule.Schedule, sizes map[string]int64, opt Options) ([]Considered, error) {
	var list []Candidate // with their numbers among all
	for _, c := range Candidates(opt.Machine, opt.Engine, opt.Threads, true) {
		if c.Threads == opt.Threads || c.Threads == 1 && opt.Away == nil && opt.Going == nil {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil, unmeasured(opt.Engine, opt.Machine)
	}
	return Consider(s, sizes, list, opt)
}

func unmeasured(engine string, m *machine.Machine) error {
	return fmt.Errorf("%s was not measured on %s; run godwit calibrate", engine, m.Name)
}

func predict(s *schedule.Schedule, sizes map[string]int64, opt Options) (*Prediction, error) {
	e := opt.Machine.Engines[opt.Engine]
	if e == nil {
		return nil, unmeasured(opt.Engine, opt.Machine)
	}
	p := &predictor{s: s, opt: opt, sizes: maps.Clone(sizes), given: sizes, engine: opt.Engine, within: map[int]bool{}, untried: map[kernel.ID]bool{}, readying: map[kernel.ID]*readying{}, here: map[int]bool{}, looked: map[int]bool{}, decoded: map[int]bool{}, passed: map[data.Source]bool{}, values: map[int]float64{}, repeats: 1, out: &Prediction{Engine: opt.Engine, Threads: 1, Schedule: s}}
	if p.sizes == nil {
		p.sizes = map[string]int64{}
	}
	p.out.Sizes = p.sizes
	if opt.Away != nil {
		opt.Away.Anew()
	}
	schedule.Launches(s.Steps, func(l *schedule.Launch) { p.out.beginsNative = p.out.beginsNative || p.hasNative(l) })
	p.noteReadying()
	if err := p.steps(s.Steps, 1, false); err != nil {
		return nil, err
	}
	for _, c := range s.Result {
		p.settle(c.Buffer)
	}
	p.goOver()
	rest, known := p.besides(e)
	p.out.Besides = rest
	p.out.Time = p.out.Before
	warm, told, steps := 0.0, 0.0, 0.0
	for i := range p.out.Steps {
		st := &p.out.Steps[i]
		p.out.Time = p.out.Time.Plus(st.Time)
		if st.warmRun {
			warm += st.Time.P50 - st.Wait.P50
		}
		if st.warmWait {
			warm += st.Wait.P50
		}
		if steps += st.Time.P50 - st.Wait.P50; st.told {
			told += st.Time.P50 - st.Wait.P50
		}
	}
	if p.out.Time = p.out.Time.Plus(rest); known {
		warm += rest.P50
	}
	p.out.Warm, p.out.told = warm > p.out.Time.P50/2, told > steps/2
	return p.out, nil
}

// hasNative reports that there is native code of a kernel beforehand, made or on disk.
func (p *predictor) hasNative(l *schedule.Launch) bool { return p.opt.Native != nil && p.opt.Native(l) }

// goOver has native code be made while the longest of the steps that go over to it runs: only the first is waited for. Meanwhile that step goes on as
// WebAssembly, so what it is later by is less than what it waits: nothing where both are as quick.
func (p *predictor) goOver() {
	longest := -1
	for _, i := range p.over {
		if longest < 0 || p.out.Steps[i].Time.P50 > p.out.Steps[longest].Time.P50 {
			longest = i
		}
	}
	if longest < 0 {
		return
	}
	st := &p.out.Steps[longest]
	t := p.untilMade(st.kernel, p.opt.Cold)
	p.out.makingNative = t.P50
	if quick := max(0, st.Time.P50-st.Wait.P50); st.slow > 0 {
		each := st.slow / st.pieces
		begun := math.Ceil(t.P50/each) * each // pieces that are under way are seen through
		switch {
		case each >= t.P50+quick/st.pieces: // it is waited for, see engine.Compiled.Foresee
		case begun < st.slow:
			t = t.Times(begun / t.P50 * max(0, 1-quick/st.slow))
		default: // the step is over before, so that the call would have to wait
			t = t.Times(max(1, (st.slow-quick)/t.P50))
		}
	}
	st.Wait, st.Time = st.Wait.Plus(t), st.Time.Plus(t)
}

// engineFor is what a launch runs on. Beside others that are native code already, one that is over before its own is made stays as it is.
func (p *predictor) engineFor(l *schedule.Launch, c *Coming) string {
	if !p.opt.goesOver || !p.out.beginsNative || p.hasNative(l) || p.opt.Machine.Engines["wasm"] == nil {
		return p.opt.Engine
	}
	if t := c.onWasm(p.opt.Machine); t.P50*c.runs < p.untilMade(l.Kernel, p.opt.Cold).P50 {
		return "wasm"
	}
	return p.opt.Engine
}

// results is the time to copy the result into memory of the caller, which native code writes to.
func (p *predictor) results() machine.Spread {
	t, mem := machine.Spread{}, p.opt.Machine.MemoryFor(p.most())
	for _, c := range p.s.Result {
		if p.opt.Engine == "native" && !p.within[c.Buffer] {
			continue
		}
		n := p.eval(p.s.Buffers[c.Buffer].Len) * float64(c.Kind.Size())
		write := p.fresh(mem, n)
		if p.kept(n) {
			write = mem.Write.At(n)
		}
		t = t.Plus(mem.Read.At(n).Times(n)).Plus(write.Times(n))
	}
	return t
}

// fresh is what a byte of n takes to be written to pages that are not there: no less than the system takes to bring them, which threads do not share.
func (p *predictor) fresh(mem machine.Memory, n float64) machine.Spread {
	t, touch := mem.Fresh.At(n), p.opt.Machine.Touch[0]
	if p.opt.Machine.HugePages() {
		touch = p.opt.Machine.Touch[1]
	}
	if t.P50 > 0 && touch > t.P50 {
		t = t.Times(touch / t.P50)
	}
	return t
}

func (p *predictor) kept(bytes float64) bool { return p.opt.Kept != nil && p.opt.Kept(int64(bytes)) }

// predictor goes through a schedule.
type predictor struct {
	s     *schedule.Schedule
	opt   Options
	sizes map[string]int64
	given map[string]int64 // of them, those that were known beforehand
	here  map[int]bool     // buffers of arguments that WebAssembly reaches by now
	// looked are those whose indices have been compared with their bound.
	looked map[int]bool
	// decoded are buffers of arguments that are decoded by now, and passed the sources that were gone through for them.
	decoded map[int]bool
	passed  map[data.Source]bool
	// values are what buffers of one element have, where that follows from the arguments.
	values   map[int]float64
	repeats  float64                 // how often the present step is expected to run when it begins
	engine   string                  // of the present launch
	untried  map[kernel.ID]bool      // of kernels that some launch needs code of
	readying map[kernel.ID]*readying // of all kernels, those that are ready at the beginning too
	inTurn   []*readying             // the same, in the order in which they get ready
	now      machine.Spread          // when the present step begins
	within   map[int]bool            // buffers that launches write which begin as WebAssembly, in a call that goes over to native code
	over     []int                   // steps that go over to native code
	out      *Prediction
}

// most is how many threads the call has.
func (p *predictor) most() int { return max(p.opt.Most, p.opt.Threads) }

func (p *predictor) size(name string) (int64, bool) {
	n, ok := p.sizes[name]
	return n, ok
}

func (p *predictor) eval(x size.Poly) float64 {
	n, _ := x.Eval(p.size)
	return float64(n)
}

// steps expects that each step runs so many times. guessed says that data decides of that.
func (p *predictor) steps(list []schedule.Step, runs float64, guessed bool) error {
	for _, s := range list {
		var err error
		switch s := s.(type) {
		case *schedule.Launch:
			err = p.launch(s, runs, guessed)
		case *schedule.SetSize:
			p.sizes[s.Name] = int64(math.Round(p.found(s)))
		case *schedule.SetParts:
			s.Define(p.sizes, p.opt.Threads, int64(p.eval(s.Slots)))
		case *schedule.Loop:
			err = p.loop(s, runs, guessed)
		case *schedule.Branch:
			part := p.opt.Extent.part()
			if err = p.steps(s.Then, runs*part, true); err == nil {
				err = p.steps(s.Else, runs*part, true)
			}
			p.forget(s.Then)
			p.forget(s.Else)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// loop expects a loop to turn as often as it does.
func (p *predictor) loop(s *schedule.Loop, runs float64, guessed bool) error {
	for _, swapped := range s.Swap {
		p.settle(swapped[0], swapped[1])
	}
	turns, known := p.turns(s)
	before := p.repeats
	if p.repeats *= max(1, turns); s.Stop >= 0 { // as a run has it when its first turn begins
		most, _ := p.span(s)
		p.repeats = before * max(1, most) / 2
	}
	p.forget(s.Body)
	err := p.steps(s.Body, runs*turns, guessed || !known)
	p.forget(s.Body)
	p.repeats = before
	return err
}

// turns is how many a loop has, and whether that is known.
func (p *predictor) turns(s *schedule.Loop) (turns float64, known bool) {
	turns, sized := p.span(s)
	if part, seen := p.part(OfLoop(s.Number)); seen {
		return p.eval(s.Max) * part, true
	}
	if known = sized && s.Stop < 0; !known && p.opt.Extent != Likely {
		if p.opt.Extent == Least {
			return 0, false
		}
		if !sized {
			turns = p.eval(s.Max)
		}
		return max(0, turns), false
	}
	if s.Stop >= 0 {
		if _, number := s.Max.Const(); number { // a limit, not what is gone through
			return cost.Limited(turns), known
		}
		turns /= 2
	}
	return max(0, turns), known
}

// span is from where to where a loop goes if nothing stops it, and whether that is known; else half of what it can be.
func (p *predictor) span(s *schedule.Loop) (turns float64, known bool) {
	lo, first := p.bound(s.Lo)
	hi, second := p.bound(s.Hi)
	if first && second {
		return hi - lo, true
	}
	return p.eval(s.Max) / 2, false
}

func (p *predictor) bound(b schedule.ScalarSource) (float64, bool) {
	if b.Scalar == nil {
		return p.eval(b.Poly), true
	}
	if b.Scalar.From == schedule.FromBuffer {
		v, ok := p.values[b.Scalar.Buffer]
		return v, ok
	}
	if p.opt.Scalar == nil {
		return 0, false
	}
	n, ok := p.opt.Scalar(b.Scalar)
	return float64(n), ok
}

func (p *predictor) launch(l *schedule.Launch, runs float64, guessed bool) error {
	if away, err := p.leaves(l, runs); away || err != nil {
		p.wrote(l, nil)
		return err
	}
	safe, err := l.Proof()
	if err != nil {
		return err
	}
	sizes := make([]int64, len(l.Sizes))
	for i := range l.Sizes {
		sizes[i], _ = l.Sizes[i].Eval(p.size)
	}
	scalar := func(i int) (int64, bool) {
		if p.opt.Scalar == nil {
			return 0, false
		}
		return p.opt.Scalar(&l.Scalars[i])
	}
	value := func(i int) (float64, bool) { v, ok := p.values[l.Regions[i]]; return v, ok }
	c := &Coming{Safe: safe, Sizes: sizes, Scalar: scalar, Value: value, Threads: p.opt.Threads, Most: p.most(), Seen: p.opt.Past.of(l), runs: runs}
	p.engine = p.engineFor(l, c)
	if bytes := p.beyond(l); bytes > 0 {
		p.interpret(l, c, bytes, runs, guessed)
		return nil
	}
	c.Places, c.wholes = p.places(l), p.wholes(l)
	c.look = p.look(l, c, runs)
	e, late := p.opt.Machine.Engines[p.engine], p.opt.Machine.Wake
	w := p.weigh(c)
	p.wrote(l, w.values)
	way := w.choose(e, late)
	p.out.Threads = max(p.out.Threads, w.on(way))
	if w.alone.Guessed = w.alone.Guessed || guessed; w.threads > 1 {
		w.all.Guessed = w.all.Guessed || guessed
	}
	parts := *w.way(way, late)
	time, warm := w.time(e, way, late)
	off := p.opt.off
	if off == 0 {
		off = 1
	}
	time = time.Times(runs * off)
	slow := 0.0
	if p.opt.goesOver && p.engine == "native" && !p.hasNative(l) && p.opt.Machine.Engines["wasm"] != nil {
		slow = Stay(c.onWasm(p.opt.Machine), w.outer) * runs * off
	}
	told, threads, interpreted := w.told(), w.on(way), p.tries(l, safe, runs)
	if interpreted {
		guess := parts.Guessed
		time, parts, warm = p.onTrial(c, runs*off)
		parts.Guessed, told, threads = guess, warm, 1
	}
	if t, threads, known := p.decoding(l); t.P50 > 0 {
		if t.P50 > time.P50 {
			warm = known
		}
		p.out.Threads = max(p.out.Threads, threads)
		parts.Decoded, time, slow = t.P50/runs, time.Plus(t), slow+t.P50
	}
	most := parts.Dominant()
	switch {
	case interpreted && parts.Decoded < parts.Total()/2:
		most = "interpreting, which takes less than to make code"
	case !interpreted && w.woven.pays():
		most += fmt.Sprintf(", %d walks under way", w.woven.flight)
	}
	p.add(l, Step{Label: l.Label, Runs: runs, Threads: threads, Time: time, Most: most, Parts: parts, Warm: warm, told: told, kernel: l.Kernel, slow: slow, pieces: max(1, runs) * max(1, math.Ceil(w.outer/float64(w.on(way))))})
	return nil
}

// add has a step follow those before it.
func (p *predictor) add(l *schedule.Launch, s Step) {
	s.Wait, s.warmWait = p.wait(l)
	s.warmRun = s.Warm
	if p.opt.goesOver && !p.hasNative(l) && s.Way != WayNames[Ship] && p.opt.Ready != nil {
		for i, b := range l.Regions {
			if b >= 0 && l.Kernel.Regions[i].Access != kernel.Read {
				p.within[b] = true
			}
		}
	}
	if p.opt.goesOver && p.engine == "native" && !p.hasNative(l) && s.Way == "" {
		p.over = append(p.over, len(p.out.Steps))
	}
	if s.Time = s.Time.Plus(s.Wait); s.Wait.P50 > s.Time.P50/2 {
		s.Warm = s.warmWait
	}
	p.out.Steps = append(p.out.Steps, s)
	p.now = p.now.Plus(s.Time)
}

// weigh is what a launch takes on the engine.
func (p *predictor) weigh(c *Coming) *weighed {
	c.Law = nil
	if max(c.Threads, c.Most) > 1 && len(c.Safe.Kernel.State) > 0 {
		if law, err := totals.Of(c.Safe); err == nil && law.Admits(c.Sizes) {
			c.Law = law
		}
	}
	return c.weigh(p.opt.Machine, p.engine)
}
