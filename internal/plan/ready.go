package plan

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/verify"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// In: kernels that are not ready when a call begins. Out: what each launch waits for its own. A kernel is made as WebAssembly or native code, or its
// native code lies on disk. Invariant: what is waited for once is not waited for again, however many launches have the same kernel.

// readying is a kernel that is not ready.
type readying struct {
	own    float64 // nanoseconds that it takes alone; 0 if it is ready
	at     float64 // when it is, in nanoseconds from the beginning
	warm   bool    // by what it took before
	waited bool
}

// making notes when kernels are ready that are not yet: the first one is waited for, and while that is made, and runs, another thread makes those after
// it, one after the other, as a run does. Kernels that are alike are made once. Beginning with native code, each is waited for: there is one compiler for
// all, which is started once.
func (p *predictor) making() {
	if p.opt.Machine.Engines["wasm"] == nil || p.opt.Ready == nil {
		return
	}
	first, last, warm, starts := true, 0.0, true, p.opt.Cold
	schedule.Launches(p.s.Steps, func(l *schedule.Launch) {
		safe, err := l.Proof()
		if err != nil { // which the launch says
			return
		}
		if p.ready[safe.ID] != nil {
			return
		}
		var own float64
		alone, known := p.compiles(l), false
		switch {
		case alone:
			own = p.make(l.Kernel, starts).P50
			starts = false
			p.out.native += own
		default:
			own, known = p.readies(l, safe)
		}
		r := &readying{own: own, at: own, warm: known}
		p.ready[safe.ID], p.order = r, append(p.order, r)
		if first {
			if first = false; alone {
				last = own
			}
			return
		}
		if own > 0 {
			last, warm = last+own, warm && known
			r.at, r.warm = last, warm
		}
	})
}

// compiles reports that native code of a launch's kernel is made before it runs.
func (p *predictor) compiles(l *schedule.Launch) bool {
	return p.opt.Engine == "native" && !p.opt.goesOver && p.opt.Machine.Engines["native"] != nil && !p.opt.Ready(l) && !p.native(l)
}

// unrun reports that nothing of a launch's kernel was ever run in this process.
func (p *predictor) unrun(l *schedule.Launch) bool { return p.opt.Fresh != nil && p.opt.Fresh(l) }

// readies is what it takes until a launch's kernel can run of which no native code is made: nothing if it has run, else the way to it from disk, or to
// make it as WebAssembly; and whether earlier processes say so.
func (p *predictor) readies(l *schedule.Launch, safe *verify.Safe) (float64, bool) {
	name, cold := "wasm", p.opt.Machine.Engines["wasm"].Making(kernel.Instructions(l.Kernel))
	switch native := p.opt.Machine.Engines["native"]; {
	case p.native(l) && p.unrun(l) && p.opt.Engine == "native" && native != nil:
		name, cold = "native", native.Kept
	case p.native(l) && p.unrun(l) && p.opt.Engine == "wasm": // which leaves aside what is on disk
	case p.opt.Ready(l) || p.native(l):
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

// prepared notes that whoever has decided of a launch beside data has made its kernel ready: the call finds it so, and those that are made after it are
// there sooner.
func (p *predictor) prepared(l *schedule.Launch) {
	safe, err := l.Proof()
	if err != nil {
		return
	}
	r := p.ready[safe.ID]
	if r == nil || r.waited {
		return
	}
	r.waited = true
	for _, later := range p.order[slices.Index(p.order, r)+1:] {
		if later.own > 0 {
			later.at = max(later.own, later.at-r.own)
		}
	}
}

// compiling is what a launch waits for its kernel before its first run, and whether earlier processes say so. What was waited for, and what has run
// meanwhile, is not waited for again, in the interval as in the middle.
func (p *predictor) compiling(l *schedule.Launch) (t machine.Spread, warm bool) {
	safe, err := l.Proof()
	if err != nil {
		return t, false
	}
	r := p.ready[safe.ID]
	if r == nil || r.waited {
		return t, false
	}
	if r.waited = true; r.at > 0 {
		t.P50 = max(0, r.at-p.now.P50)
		t.P10, t.P90 = min(t.P50, max(0, r.at/10-p.now.P10)), max(t.P50, 2*r.at-p.now.P90)
		warm = r.warm
	}
	if p.unrun(l) {
		t = t.Plus(machine.Exactly(starting * p.opt.Machine.Engines["wasm"].Compile))
	}
	p.out.Compile = p.out.Compile.Plus(t)
	return t, warm
}
