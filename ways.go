package godwit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/run"
)

// In: a call over data sets of a cluster. Out: how each of its steps goes, with what that is expected to take, and all of them together. Sizes and
// turns that data decides of are taken to be as they are likely, and then as little and as much as they can be. Invariant: no step is executed,
// and each is decided of by the code that does in a run; the way to the nodes may be measured.

// outlook goes through a call over data sets that is not made. It is plan.Away.
type outlook struct {
	ctx    context.Context
	run    *run.Forecast
	beside *cluster.Beside
}

// outlook is for a call with these options. It is to be closed.
func (o *options) outlook(ctx context.Context, p *compile.Plan, eng *engine.Engine, s Strategy) (*outlook, error) {
	v := &outlook{ctx: ctx, beside: o.cluster.c.Beside(s)}
	v.beside.Machine, v.beside.Measured, v.beside.WhyNot = o.given, o.measured, Strategy(o.whyNot)
	v.beside.Seen = o.seen()
	var err error
	v.run, err = p.Program.Forecast(ctx, p.Inputs, run.Options{Threads: o.threads, Engine: eng, Machine: cmp.Or(o.given, o.measured), Beside: v.beside})
	return v, err
}

func (v *outlook) Anew() { v.run.Anew() }

func (v *outlook) Launch(l *plan.Leaving) (*plan.Going, error) {
	f, err := v.beside.Forecast(l.Part, func() error { return v.run.Launch(l.Launch, l.Sizes, l.Repeats, l.Scalar) })
	if f == nil || err != nil {
		return nil, err
	}
	return &plan.Going{Way: string(f.Way), Time: f.Time(l.Runs), Warm: f.Warm(l.Runs), Ways: f.Ways, Only: f.Only}, nil
}

func (v *outlook) Settle(buffer int) (t machine.Spread) {
	if in, comes := v.run.Settle(buffer); comes {
		t = v.beside.Bring(in)
	}
	return t
}

// expectation is what is expected of a call over data sets.
type expectation struct {
	*plan.Prediction                  // with what data decides of as it is likely
	least, most      *plan.Prediction // and with as little and as much of it as can be
	reasons          []cluster.Foreseen
}

// expect says what a call over data sets takes by a strategy.
func (q *asking) expect(ctx context.Context, eng *engine.Engine, o *options, s Strategy) (*expectation, error) {
	if q.ready == nil { // an outlook has kernels compiled: all ways are asked about as the call finds them
		q.ready, q.unrun = map[*schedule.Launch]bool{}, map[*schedule.Launch]bool{}
		schedule.Launches(q.p.Schedule.Steps, func(l *schedule.Launch) { q.ready[l], q.unrun[l] = q.opt.Ready(l), q.opt.Unrun(l) })
	}
	opt := q.opt
	opt.Ready, opt.Unrun = func(l *schedule.Launch) bool { return q.ready[l] }, func(l *schedule.Launch) bool { return q.unrun[l] }
	v, err := o.outlook(ctx, q.p, eng, s)
	if err != nil {
		return nil, err
	}
	e := &expectation{}
	opt.Away = v
	e.Prediction, e.least, e.most, err = plan.Between(q.p.Schedule, q.p.Inputs.Sizes, opt)
	if err = errors.Join(err, v.run.Close()); err != nil {
		return nil, err
	}
	for _, x := range v.beside.Foreseen() { // each step is asked about several times
		if !slices.ContainsFunc(e.reasons, func(o cluster.Foreseen) bool { return o.Step == x.Step }) {
			e.reasons = append(e.reasons, x)
		}
	}
	return e, nil
}

// weighed is Func.Predict of a call over data sets.
func (f *Func) weighed(ctx context.Context, p *compile.Plan, eng *engine.Engine, o options) (*Stats, error) {
	if o.engine == "interp" {
		return nil, badOption("the interpreter has no plans over data sets; choose another engine")
	}
	q, err := question(p, eng, o)
	if err != nil {
		return nil, f.failure(err)
	}
	whole := make([]*expectation, len(plan.WayNames)) // first, so that all is expected by the same measurement of the way to the nodes
	for i, name := range plan.WayNames {
		all := o
		all.whyNot = ""
		if whole[i], err = q.expect(ctx, eng, &all, Strategy(name)); err != nil {
			return nil, f.failure(err)
		}
	}
	e, err := q.expect(ctx, eng, &o, o.strategy)
	if err != nil {
		return nil, f.failure(err)
	}
	s := &Stats{Threads: o.threads, Engine: o.engine, Plan: Plan{Sizes: maps.Clone(p.Inputs.Sizes), Strategy: p.Schedule.Strategy, Steps: labelled(p.Schedule)}}
	s.expected(e, q.opt.Machine)
	s.Plan.Number = o.went(func(l *schedule.Launch) Strategy { return e.way(l) }, p.Schedule)
	for i, x := range whole {
		c := Candidate{Number: i + 1, Strategy: Strategy(plan.WayNames[i]), Chosen: s.Plan.Number == i+1}
		if c.Chosen { // which is what is expected of the call
			x = e
		}
		if c.Chosen || slices.ContainsFunc(x.Steps, func(st plan.Step) bool { return st.Way == string(c.Strategy) }) {
			c.Predicted = inSeconds(x.Time, x.Warm)
		}
		s.Plan.Candidates = append(s.Plan.Candidates, c)
	}
	s.Plan.Whole = asWhole(s.Plan.Candidates, e, o.strategy)
	s.Plan.WhyNotSteps = whyNotSteps(e.reasons)
	s.Ensured, err = f.ensured(p, e.Prediction)
	return s, err
}

// asWhole is the number of the plan that is expected to take less than the steps which are decided of one by one; 0 if none is, or if a strategy was asked for.
func asWhole(list []Candidate, e *expectation, asked Strategy) (number int) {
	if asked != "" && asked != Auto {
		return 0
	}
	least := e.Time.P50 / 1e9 * (1 - 1e-9)
	for i := range list {
		if p := list[i].Predicted; p != nil && p.P50 < least {
			least, number = p.P50, list[i].Number
		}
	}
	return number
}

// way is how a launch is expected to go.
func (e *expectation) way(l *schedule.Launch) (way Strategy) {
	i := 0
	schedule.Launches(e.Schedule.Steps, func(o *schedule.Launch) {
		if o == l {
			way = Strategy(e.Steps[i].Way)
		}
		i++
	})
	return way
}

// expected notes what is expected of a call over data sets.
func (s *Stats) expected(e *expectation, m *machine.Machine) {
	s.predicted(e.Prediction, m, e.Schedule)
	if s.Predicted.Engine = e.Engine; len(s.Plan.Steps) != len(e.Steps) {
		return
	}
	s.Predicted.between(e.least.Time, "", e.most.Time, "")
	for i := range e.Steps {
		p := s.Plan.Steps[i].Predicted
		p.Only = e.Steps[i].Only
		if p.Way = Strategy(e.Steps[i].Way); p.Way != "" {
			p.Ways = map[Strategy]float64{}
		}
		for w, t := range e.Steps[i].Ways {
			if t.P50 > 0 {
				p.Ways[Strategy(plan.WayNames[w])] = t.P50 / 1e9
			}
		}
		p.between(e.least.Steps[i].Time, e.least.Steps[i].Way, e.most.Steps[i].Time, e.most.Steps[i].Way)
	}
}

// between notes what is expected with as little and as much to do as data can decide, if it decides of anything.
func (p *Prediction) between(least machine.Spread, leastWay string, most machine.Spread, mostWay string) {
	if least.P50 == most.P50 && leastWay == mostWay {
		return
	}
	p.AtLeast, p.AtMost = inSeconds(least, false), inSeconds(most, false)
	p.AtLeast.Way, p.AtMost.Way = Strategy(leastWay), Strategy(mostWay)
}

// went is the number of the plan that a call over data sets is carried out by: the one that was asked for, or that of all steps
// which leave this machine or have rows come here; 0 if none does, or if they go different ways.
func (o *options) went(way func(l *schedule.Launch) Strategy, s *schedule.Schedule) (number int) {
	if i := slices.Index(plan.WayNames, string(o.strategy)); i >= 0 {
		return i + 1
	}
	several := false
	schedule.Launches(s.Steps, func(l *schedule.Launch) {
		if i := slices.Index(plan.WayNames, string(way(l))); i >= 0 {
			several = several || number != 0 && number != i+1
			number = i + 1
		}
	})
	if several {
		return 0
	}
	return number
}

// whyNotSteps are the reasons that were asked for, step by step.
func whyNotSteps(list []cluster.Foreseen) (out []WhyNot) {
	for i := range list {
		if x := list[i].Instead; x != nil {
			w := instead(x)
			w.Step = list[i].Step
			out = append(out, *w)
		}
	}
	return out
}

func instead(x *plan.Instead) *WhyNot {
	w := &WhyNot{Strategy: x.Strategy, Chosen: x.Is, Reason: x.Reason, Least: inSeconds(x.Chosen, false)}
	if x.Reason == "" {
		w.Predicted = inSeconds(x.Time, false)
	}
	for _, c := range x.Changes {
		w.Changes = append(w.Changes, Change(c))
	}
	return w
}

// away refuses to explain with ways of one machine what goes to data sets.
func (o *options) away(p *compile.Plan) error {
	if o.whyNot == "" || !overSets(p) || slices.Contains(plan.WayNames, o.whyNot) {
		return nil
	}
	return &InputError{Text: fmt.Sprintf("`%s` is a way of one machine, and this call is over a data set", o.whyNot), Help: "over data sets there are " + strings.Join(plan.WayNames, ", ")}
}
