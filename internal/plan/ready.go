package plan

import (
	"math"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/verify"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// In: kernels that are not ready when a call begins. Out: what each launch waits for its own. Invariant: what is waited for once is not waited for again,
// however many launches have the same kernel.
//
// A kernel is ready once it can run. Until then, code is made of it, as WebAssembly or native, or native code that was made before is brought from disk:
// it is readying. A launch waits for what is left of that.

// readying is a kernel on its way to be ready.
type readying struct {
	delays  float64 // nanoseconds by which those after it are ready later because of it
	readyAt float64 // nanoseconds from the beginning; 0 or less if it is ready then
	warm    bool    // by what it took before
	waited  bool
}

// noteReadying notes when kernels are ready that are not yet: the first one is waited for, and while that gets ready, and runs, another thread readies
// those after it, one after the other, as a run does. Kernels that are alike are readied once. Beginning with native code, each is waited for: there is
// one compiler for all, which is started once.
func (p *predictor) noteReadying() {
	if p.opt.Machine.Engines["wasm"] == nil || p.opt.Ready == nil {
		return
	}
	p.noteUntried()
	first, last, warm, starts := true, 0.0, true, p.opt.Cold
	schedule.Launches(p.s.Steps, func(l *schedule.Launch) {
		safe, err := l.Proof()
		if err != nil { // which the launch says
			return
		}
		if p.readying[safe.ID] != nil {
			return
		}
		takes, known, alone := 0.0, false, p.madeFirst(l)
		if alone {
			takes, starts = p.untilMade(l.Kernel, starts).P50, false
			p.out.makingNative += takes
		} else {
			takes, known = p.untilReady(l, safe)
		}
		r := &readying{readyAt: takes, warm: known}
		p.readying[safe.ID], p.inTurn = r, append(p.inTurn, r)
		beside := first && !alone // those after it do not wait for it
		if first = false; beside || takes == 0 {
			return
		}
		last, warm = last+takes, warm && known
		r.delays, r.readyAt, r.warm = takes, last, warm
	})
}

// noteUntried notes of which kernels a launch needs code: others may be interpreted. How often one in a loop runs is not known yet.
func (p *predictor) noteUntried() {
	depths := schedule.Nesting(p.s.Steps)
	schedule.Launches(p.s.Steps, func(l *schedule.Launch) {
		runs := 1.0
		if depths[0] > 0 {
			runs = math.Inf(1)
		}
		depths = depths[1:]
		if safe, err := l.Proof(); err == nil && !p.tries(l, safe, runs) {
			p.untried[safe.ID] = true
		}
	})
}

// madeFirst reports that native code of a launch's kernel is made before it runs.
func (p *predictor) madeFirst(l *schedule.Launch) bool {
	return p.opt.Engine == "native" && !p.opt.goesOver && p.opt.Machine.Engines["native"] != nil && !p.opt.Ready(l)
}

// unrun reports that nothing of a launch's kernel was ever run in this process.
func (p *predictor) unrun(l *schedule.Launch) bool { return p.opt.Unrun != nil && p.opt.Unrun(l) }

// untilReady is what it takes until a launch's kernel is ready of which no native code is made: nothing if it was made in this process, else to bring native
// code from disk, or to make it as WebAssembly; and whether earlier processes say so.
func (p *predictor) untilReady(l *schedule.Launch, safe *verify.Safe) (float64, bool) {
	name, cold := "wasm", p.opt.Machine.Engines["wasm"].Making(kernel.Instructions(l.Kernel))
	switch native := p.opt.Machine.Engines["native"]; {
	case p.hasNative(l) && p.unrun(l) && p.opt.Engine == "native" && native != nil:
		name, cold = "native", native.Kept
	case p.hasNative(l) && p.unrun(l) && p.opt.Engine == "wasm": // which leaves aside what is on disk
	case p.opt.Ready(l), p.tries(l, safe, 1):
		return 0, false
	}
	if p.opt.Past.Seen == nil {
		return cold, false
	}
	var past []ratio
	for _, pt := range p.opt.Past.Seen.Of(seen.OfReadying(safe.ID, name)) {
		if r, ok := against(&pt, cold); ok && pt.Tells() {
			past = append(past, r)
		}
	}
	t, warm := warmer(p.opt.Machine.Engines[name], machine.Exactly(cold), past)
	return t.P50, warm
}

// starting is by which part of what it takes to compile a kernel its first run takes longer than the next; measured beside calibration, once.
const starting = 1.0 / 32

// prepared notes that whoever has decided of a launch beside data has readied its kernel: the call finds it so, and those after it are ready sooner.
func (p *predictor) prepared(l *schedule.Launch) {
	safe, err := l.Proof()
	if err != nil {
		return
	}
	r := p.readying[safe.ID]
	if r == nil || r.waited {
		return
	}
	r.waited = true
	for _, later := range p.inTurn[slices.Index(p.inTurn, r)+1:] {
		later.readyAt -= r.delays // of one that is ready, too, which nobody waits for
	}
}

// wait is what a launch waits for its kernel before its first run, and whether earlier processes say so. What was waited for, and what has run
// meanwhile, is not waited for again, in the interval as in the middle.
func (p *predictor) wait(l *schedule.Launch) (t machine.Spread, warm bool) {
	safe, err := l.Proof()
	if err != nil {
		return t, false
	}
	r := p.readying[safe.ID]
	if r == nil || r.waited {
		return t, false
	}
	if r.waited = true; r.readyAt > 0 {
		t.P50 = max(0, r.readyAt-p.now.P50)
		t.P10, t.P90 = min(t.P50, max(0, r.readyAt/10-p.now.P10)), max(t.P50, 2*r.readyAt-p.now.P90)
		warm = r.warm
	}
	if p.unrun(l) {
		t = t.Plus(machine.Exactly(starting * p.opt.Machine.Engines["wasm"].Compile))
	}
	p.out.Wait = p.out.Wait.Plus(t)
	return t, warm
}
