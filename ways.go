package godwit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/run"
)

// In: a call over data sets of a cluster. Out: the ways that its first step over one can go, with what each is expected to take. Steps
// behind it depend on what it finds. Invariant: no step over a data set is executed; the way to the nodes may be measured.

// weighed is Func.Predict of a call over data sets.
func (f *Func) weighed(ctx context.Context, p *compile.Plan, eng *engine.Engine, o options) (*Stats, error) {
	if o.engine == "interp" {
		return nil, badOption("the interpreter has no plans over data sets; choose another engine")
	}
	beside := o.cluster.c.Beside(Auto)
	beside.Machine, beside.WhyNot, beside.Dry = o.given, Strategy(o.whyNot), true
	_, err := p.Program.Run(ctx, p.Inputs, run.Options{Threads: o.threads, Engine: eng, Machine: o.given, Beside: beside})
	if err != nil && !errors.Is(err, cluster.ErrForeseen) {
		return nil, f.failure(err)
	}
	s := &Stats{Threads: o.threads, Engine: o.engine, Plan: Plan{Sizes: maps.Clone(p.Inputs.Sizes), Strategy: p.Schedule.Strategy, Steps: labelled(p.Schedule)}}
	list := beside.Foreseen()
	if len(list) == 0 {
		return s, nil
	}
	first := &list[0]
	s.Predicted = inSeconds(first.Ways[first.Best()], false)
	m := o.described()
	s.Predicted.Machine, s.Predicted.Measured, s.Predicted.Most = m.Name, m.Measured, fmt.Sprintf("`%s`, the first step over a data set", first.Step)
	for i, t := range first.Ways {
		way := plan.Way(i)
		c := Candidate{Number: i + 1, Strategy: Strategy(way.String()), Chosen: first.Best() == way}
		if t.P50 > 0 {
			c.Predicted = inSeconds(t, false)
		}
		if c.Chosen {
			s.Plan.Number = c.Number
		}
		s.Plan.Candidates = append(s.Plan.Candidates, c)
	}
	s.Plan.WhyNotSteps = whyNotSteps(list)
	return s, nil
}

// went is the number of the plan that a call over data sets was carried out by: the one that was asked for, or that of the first step which was
// weighed; 0 if there was nothing to weigh.
func (o *options) went(list []cluster.Foreseen) int {
	if i := slices.Index(plan.WayNames, string(o.strategy)); i >= 0 {
		return i + 1
	}
	if len(list) > 0 {
		return int(list[0].Best()) + 1
	}
	return 0
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
