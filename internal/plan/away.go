package plan

import (
	"maps"

	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: a launch of which inputs lie on other machines, with the sizes that it is taken to have. Out: which way it goes and what that takes, as
// whoever decides of it in a run says.

// Away decides of launches over data sets.
type Away interface {
	// Anew has nothing be here but what is before a call.
	Anew()
	// Launch is how a launch goes; nil if all that it reads is here.
	Launch(l *Leaving) (*Going, error)
	// Settle has an input be here from now on, and gives what it takes to bring it.
	Settle(buffer int) machine.Spread
}

// Leaving is a launch that may leave this machine.
type Leaving struct {
	*schedule.Launch
	Sizes  map[string]int64
	Scalar func(a *schedule.ScalarArg) (int64, bool)
	// Repeats is how often it is expected to run when it begins, and Runs how often it is taken to run here.
	Repeats, Runs float64
	// Part is which part of what can be data is taken to leave.
	Part float64
}

// Going is how a launch goes.
type Going struct {
	Way  string         // of WayNames
	Time machine.Spread // nanoseconds, of all runs
	Warm bool           // earlier runs that went the way say so
	Ways Ways           // of Repeats runs, all that it could go
	Only string         // why it can go no other; "" if that was not asked
}

// Extent is what a prediction takes what data decides of for: how many elements a filter keeps, how often a loop turns, and which way a branch goes.
type Extent int

// The extents.
const (
	Likely Extent = iota // as the last run has found, or else half of what can be
	Least                // as little as can be
	Most                 // as much as can be
)

// part is which part of what can be is taken.
func (x Extent) part() float64 { return [...]float64{Likely: 0.5, Least: 0, Most: 1}[x] }

// Between predicts a schedule, and then what it takes on the same engine with as little and as much of what data decides of as can be. The time
// and the steps of the first have the interval of all three.
func Between(s *schedule.Schedule, sizes map[string]int64, opt Options) (likely, least, most *Prediction, err error) {
	if likely, err = Predict(s, sizes, opt); err != nil {
		return nil, nil, nil, err
	}
	opt.goesOver = opt.Engine == "auto" && likely.Engine == "native"
	opt.Engine = likely.Engine
	of := func(x Extent) (*Prediction, error) {
		opt.Extent = x
		return predict(likely.Schedule, sizes, opt)
	}
	if least, err = of(Least); err == nil {
		most, err = of(Most)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	over := func(t *machine.Spread, least, most machine.Spread) {
		*t = machine.Spread{P10: min(t.P10, least.P10), P50: t.P50, P90: max(t.P90, most.P90)}
	}
	over(&likely.Time, least.Time, most.Time)
	for i := range likely.Steps {
		over(&likely.Steps[i].Time, least.Steps[i].Time, most.Steps[i].Time)
	}
	return likely, least, most, nil
}

// leaves expects a launch over data sets to go as whoever decides of it says; false if all that it reads is here.
func (p *predictor) leaves(l *schedule.Launch, runs float64) (bool, error) {
	if p.opt.Away == nil {
		return false, nil
	}
	scalar := func(a *schedule.ScalarArg) (int64, bool) {
		if a.From == schedule.FromBuffer {
			v, ok := p.values[a.Buffer]
			return int64(v), ok
		}
		if p.opt.Scalar == nil {
			return 0, false
		}
		return p.opt.Scalar(a)
	}
	g, err := p.opt.Away.Launch(&Leaving{Launch: l, Sizes: maps.Clone(p.sizes), Scalar: scalar, Repeats: max(1, p.repeats), Runs: runs, Part: p.opt.Extent.part()})
	if g == nil || err != nil {
		return false, err
	}
	if g.Warm || g.Way != WayNames[Ship] { // else nodes may have to make code of the kernel that they are sent, which takes about as long there
		p.prepared(l)
	}
	p.add(l, Step{Label: l.Label, Runs: runs, Time: g.Time, Warm: g.Warm, Most: wayMost[g.Way], Way: g.Way, Ways: g.Ways, Only: g.Only})
	return true, nil
}

// wayMost is what the time of a step that goes a way is made of, in words.
var wayMost = map[string]string{
	"fetch":  "its rows, which come here",
	"ship":   "the nodes with its rows",
	"gather": "the rows that it is brought",
}

// settle expects inputs to be brought here that are needed as a whole.
func (p *predictor) settle(buffers ...int) {
	for _, b := range buffers {
		if p.opt.Away != nil && p.s.Buffers[b].Input != nil {
			p.out.Before = p.out.Before.Plus(p.opt.Away.Settle(b))
		}
	}
}
