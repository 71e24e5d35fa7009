package plan

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/verify"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// In: a launch whose kernel has no code. Out: whether its runs are interpreted, and what they take. Invariant: the rule is
// that of engine.Compiled.Ready: what is over sooner than code is made needs none.

// tries reports that so many runs of a launch are interpreted if there is no code of its kernel. Not all sizes may be known.
func (p *predictor) tries(l *schedule.Launch, safe *verify.Safe, runs float64) bool {
	if p.untried[safe.ID] || !p.opt.Trial || p.opt.Ready == nil || p.opt.Ready(l) || p.engine != "wasm" { // who asks for native code does not wait for less
		return false
	}
	sizes := make([]int64, len(l.Sizes))
	for i := range l.Sizes {
		n, ok := l.Sizes[i].Eval(p.size)
		if !ok {
			return false
		}
		sizes[i] = n
	}
	return over(safe, sizes, runs, p.opt.Machine)
}

// over reports that runs which are interpreted are over before code is made.
func over(safe *verify.Safe, sizes []int64, runs float64, m *machine.Machine) bool {
	steps, _ := m.Trial(kernel.Instructions(safe.Kernel))
	return !safe.Kernel.HasScratch() && steps > 0 && float64(safe.Steps(sizes))*math.Max(1, runs) <= float64(steps)
}

// unmade is what a machine takes longer for the first run of a launch, since it has no code, than for the next, which takes so long.
func (c *Coming) unmade(m *machine.Machine, next float64) float64 {
	making := m.Engines["wasm"].Making(kernel.Instructions(c.Safe.Kernel))
	if over(c.Safe, c.Sizes, 1, m) {
		return min(making, max(0, c.stepped(m).Total()-next))
	}
	return making
}

// stepped is what a run takes that is interpreted.
func (c *Coming) stepped(m *machine.Machine) *cost.Parts {
	parts := cost.Of(c.Safe, c.Sizes, c.given(), EngineOf(seen.Stepper, 0)).Stepped(m, 1, c.Places)
	parts.Looked = c.look
	return parts
}

// interpreted is the same by what earlier runs took, too, and whether these say so.
func (c *Coming) interpreted(m *machine.Machine) (machine.Spread, *cost.Parts, bool) {
	parts, e := c.stepped(m), m.Engines["wasm"]
	if c.Seen == nil {
		return parts.Time(e), parts, false
	}
	past := c.ratios(c.Seen(seen.Stepper, 1), func(pt *seen.Point) (float64, bool) {
		o := *c
		o.Sizes, o.Scalar = pt.Sizes, pt.Scalar
		return o.stepped(m).Total(), true
	})
	t, warm := warmer(e, parts.Time(e), past)
	return t, parts, warm
}

// onTrial is what so many runs of a launch take that are interpreted, what each is made of, and whether earlier runs say so. It waits for no code.
func (p *predictor) onTrial(c *Coming, runs float64) (time machine.Spread, parts cost.Parts, warm bool) {
	each, own, warm := c.interpreted(p.opt.Machine)
	if r := p.readying[c.Safe.ID]; r != nil {
		r.waited = true
	}
	return each.Times(runs), *own, warm
}
