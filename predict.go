package godwit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/run"
)

// Prediction is how long something was expected to take, before it began: half of such calls take up to
// P50 seconds, one in ten less than P10, and one in ten more than P90.
type Prediction struct {
	P10 float64 `json:"p10"`
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
	// Kind is "warm" if what earlier runs of the same kernels took says most of it, and "cold" if only their code does.
	Kind string `json:"kind"`
	// Engine is what most of the time was expected to go on; "" of a step.
	Engine string `json:"engine,omitempty"`
	// Machine is the name of what it is for, and Measured when that was; "" if it never was.
	Machine  string `json:"machine,omitempty"`
	Measured string `json:"measured,omitempty"`
	// MeasuredBy is the node of this machine that has measured it; "" if that was done here, or it was not measured.
	MeasuredBy string `json:"measured_by,omitempty"`
	// Most is what most of the time was expected to go to.
	Most string `json:"most,omitempty"`
	// Way is how a step over data sets goes: Fetch, Ship or Gather; "" if all that it reads is here by then. Ways are the
	// seconds of all ways that it can go, those of a step that a loop repeats for as often as it does.
	Way  Strategy             `json:"way,omitempty"`
	Ways map[Strategy]float64 `json:"ways,omitempty"`
	// Only is why a step can go no other way; "" if it can, or if its way was asked for.
	Only string `json:"only,omitempty"`
	// AtLeast and AtMost are what is expected if what data decides of, such as how many elements a filter keeps, is as little and
	// as much as it can be: the way of a step is decided when it comes, and may differ. Nil if data decides of nothing, and for calls on one machine.
	AtLeast *Prediction `json:"at_least,omitempty"`
	AtMost  *Prediction `json:"at_most,omitempty"`
}

// WithPrediction has a call say beforehand how long it will take, in Stats.Predicted and Step.Predicted. file
// describes the machine as `godwit calibrate` does; "" stands for what that has measured of this machine, or, if it never ran,
// for a machine of middling speed. What your own
// data.Source reads is not predicted.
func WithPrediction(file string) Option {
	return func(o *options) { o.predict, o.machine = true, file }
}

// Predict says how long a call would take, without making it, as WithPrediction does for one that is made. Files are
// opened, but of their values none is read. Predicted is nil where nothing can be said. Plan.By says which way such calls go by
// the size that is the largest in this one, over its declared range.
func (f *Func) Predict(ctx context.Context, args Args, opts ...Option) (*Stats, error) {
	var o options
	b, open, err := f.bind(ctx, "Predict", args, opts, &o)
	defer open.close()
	if err != nil {
		return nil, err
	}
	defer b.Close()
	p, err := b.Plan()
	if err != nil {
		return nil, err
	}
	o.predict = true
	if err := o.look(ctx); err != nil {
		return nil, err
	}
	followed := o
	if err := followed.force(overSets(p)); err != nil {
		return nil, err
	}
	o.strategy = followed.strategy // plans on one machine are numbered by what was asked for
	if err := o.away(p); err != nil {
		return nil, err
	}
	shop := o.runtime.shop()
	eng, err := shop.acquire(o.engine)
	if err != nil {
		return nil, err
	}
	defer shop.users.Done()
	if overSets(p) {
		return f.weighed(ctx, p, eng, o)
	}
	q, err := question(p, eng, o)
	if err != nil {
		return nil, f.failure(err)
	}
	s := &Stats{Threads: o.threads, Engine: o.engine, Plan: Plan{Sizes: maps.Clone(b.Sizes()), Strategy: p.Schedule.Strategy, Steps: labelled(p.Schedule)}}
	if q == nil {
		if o.whyNot != "" {
			s.Plan.WhyNot = &WhyNot{Strategy: o.whyNot, Reason: unpredicted}
		}
		return s, nil
	}
	expected, err := q.answer(s, f.f.Graph.Sizes)
	if err != nil {
		return nil, f.failure(err)
	}
	s.Ensured, err = f.ensured(p, expected)
	return s, err
}

// answer says all that is known of a call beforehand. What is expected of it is what is listed of its plan.
func (q *asking) answer(s *Stats, declared []graph.SizeParam) (*plan.Prediction, error) {
	start := time.Now()
	all, err := q.consider(q.list, q.opt)
	if err != nil {
		return nil, err
	}
	took := time.Since(start)
	best, err := plan.Chosen(all)
	if err != nil {
		return nil, &InputError{Text: err.Error(), Err: err}
	}
	if q.forced > 0 {
		if all[q.forced-1].Prediction, err = q.predict(); err != nil {
			return nil, err
		}
		best = &all[q.forced-1]
	}
	expected := best.Prediction
	s.Plan.Number, s.Plan.Candidates = best.Number, listed(all)
	s.Plan.Strategy, s.Plan.Steps = expected.Schedule.Strategy, labelled(expected.Schedule)
	s.predicted(expected, q.opt.Machine, expected.Schedule)
	if s.Plan.By, err = q.bySize(declared, took); err != nil {
		return nil, err
	}
	s.Plan.WhyNot, err = q.whyNot(declared)
	return expected, err
}

// foretell notes what is expected of a call that is about to begin and goes by a schedule, as far as something can be said.
func (t *told) foretell(ctx context.Context, p *compile.Plan, eng *engine.Engine, o options, declared []graph.SizeParam, going *schedule.Schedule) error {
	q, err := question(p, eng, o)
	if q != nil && q.away {
		t.asked, t.machine = nil, q.opt.Machine
		if t.away, err = q.expect(ctx, eng, &o, o.strategy); err != nil {
			return nil // the run says what is wrong, if it is more than a size that no step comes to have
		}
		t.expected = t.away.Prediction
		return nil
	}
	if q == nil || err != nil {
		if o.whyNot != "" && o.cluster == nil {
			t.whyNot = &WhyNot{Strategy: o.whyNot, Reason: unpredicted}
		}
		return err
	}
	if q.forced == 0 {
		if q.chosen, err = plan.Best(p.Schedule, p.Inputs.Sizes, q.opt); err != nil {
			return &InputError{Text: err.Error(), Err: err}
		}
	}
	q.going = going
	if t.expected, err = q.predict(); err != nil {
		return err
	}
	t.asked, t.machine = q, q.opt.Machine
	t.whyNot, err = q.whyNot(declared)
	return err
}

// unpredicted is why nothing is expected of a call on one machine.
const unpredicted = "arguments that a data.Source of your own reads are not predicted"

// asking is what a prediction is made of.
type asking struct {
	p       *compile.Plan
	opt     plan.Options
	list    []plan.Candidate
	forced  int                       // the number of the one that was asked for; 0 if none was
	going   *schedule.Schedule        // what the call goes by, if that was decided
	chosen  *plan.Considered          // of the list, before the call began; nil if one was asked for, or the call is not made
	away    bool                      // arguments are data sets
	ready   map[*schedule.Launch]bool // of them: kernels that were compiled before anything was asked
	unrun   map[*schedule.Launch]bool // of them: kernels of which nothing was ever run
	instead string                    // the strategy that a reason is wanted for; "" if none is
}

// question prepares the prediction of a call; nil if none is asked for, or nothing can be said.
func question(p *compile.Plan, eng *engine.Engine, o options) (*asking, error) {
	away := overSets(p)
	if !o.predict || o.cluster != nil && !away || o.engine == "interp" {
		return nil, nil
	}
	m := cmp.Or(o.given, o.measured)
	if m == nil {
		var err error
		if m, err = machine.Load(""); err != nil {
			return nil, err
		}
	}
	if !p.Inputs.Foreseeable(p.Schedule, func(form string) bool { _, ok := m.Decoding(form); return ok }) {
		return nil, nil
	}
	q := &asking{p: p, away: away, list: o.candidates(), instead: o.whyNot, opt: p.Program.Foreseen(p.Inputs, run.Options{Machine: m, Threads: o.threads, Engine: eng, Seen: o.seen()})}
	q.opt.Engine = o.foreseen()
	if o.plan != nil {
		q.forced = *o.plan
	}
	return q, nil
}

// predict is what the call takes: by the plan that was asked for, or else by the best. Where it was decided what it goes by, it is that.
func (q *asking) predict() (*plan.Prediction, error) {
	opt := q.opt
	opt.Going = q.going
	if q.forced > 0 {
		opt.Engine, opt.Shared = q.list[q.forced-1].Engine, true
		all, err := q.consider(q.list[q.forced-1:q.forced], opt)
		if err != nil {
			return nil, err
		}
		return all[0].Prediction, nil
	}
	out, err := plan.Predict(q.p.Schedule, q.p.Inputs.Sizes, opt)
	if err != nil {
		return nil, &InputError{Text: err.Error(), Err: err}
	}
	return out, nil
}

// mostOfOne is how long the plans of one size may take to be predicted where a table has some hundred of them.
const mostOfOne = 25 * time.Millisecond

// bySize makes the table by the size that is the largest in the call; nil if there is none.
func (q *asking) bySize(declared []graph.SizeParam, one time.Duration) (*BySize, error) {
	by := q.by(declared)
	if by == nil {
		return nil, nil
	}
	if one > mostOfOne {
		return &BySize{Name: by.Name, LeftOut: fmt.Sprintf("one size takes %v to predict", one.Round(time.Millisecond))}, nil
	}
	q.opt.General = q.p.General()
	rows, err := plan.Table(q.p.Schedule, q.p.Inputs.Sizes, by.Name, by.Lo, by.Hi, q.opt)
	if err != nil {
		return nil, &InputError{Text: err.Error(), Err: err}
	}
	out := &BySize{Name: by.Name}
	for _, r := range rows {
		out.Rows = append(out.Rows, Way{r.From, r.Engine, r.Threads, r.Time.P50 / 1e9, plan.Number(q.list, r.Engine, r.Threads, q.opt.Threads)})
	}
	out.Curves, err = q.curves(by)
	return out, err
}

// predicted notes what was expected beside what was measured. Nothing is expected of single steps if others were gone by.
func (s *Stats) predicted(p *plan.Prediction, m *machine.Machine, by *schedule.Schedule) {
	if p == nil {
		return
	}
	s.Predicted = inSeconds(p.Time, p.Warm)
	s.Predicted.Engine, s.Predicted.Machine, s.Predicted.Measured = p.Engine, m.Name, m.Measured
	s.Predicted.MeasuredBy = m.By
	most := 0.0
	for i := range p.Steps {
		st := &p.Steps[i]
		if t := st.Time.P50 - st.Wait.P50; t > most {
			most, s.Predicted.Most = t, st.Most
		}
		if p.Schedule == by && i < len(s.Plan.Steps) {
			s.Plan.Steps[i].Predicted = inSeconds(st.Time, st.Warm)
			if s.Plan.Steps[i].Predicted.Most = st.Most; st.Wait.P50 > st.Time.P50/2 {
				s.Plan.Steps[i].Predicted.Most = "compilation"
			}
		}
	}
}

func inSeconds(t machine.Spread, warm bool) *Prediction {
	kind := "cold"
	if warm {
		kind = "warm"
	}
	return &Prediction{P10: t.P10 / 1e9, P50: t.P50 / 1e9, P90: t.P90 / 1e9, Kind: kind}
}
