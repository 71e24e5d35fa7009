package godwit

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// Prediction is how long something was expected to take, before it began: half of such calls take up to
// P50 seconds, one in ten less than P10, and one in ten more than P90.
type Prediction struct {
	P10 float64 `json:"p10"`
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
	// Kind is "cold": what earlier runs took is not used.
	Kind string `json:"kind"`
	// Engine is what most of the time was expected to go on; "" of a step.
	Engine string `json:"engine,omitempty"`
	// Machine is the name of what it is for, and Measured when that was; "" if it never was.
	Machine  string `json:"machine,omitempty"`
	Measured string `json:"measured,omitempty"`
	// Most is what most of the time was expected to go to.
	Most string `json:"most,omitempty"`
}

// WithPrediction has a call say beforehand how long it will take, in Stats.Predicted and Step.Predicted. file
// describes the machine as `godwit calibrate` does; "" stands for what that has measured of this machine, or, if it never ran,
// for a machine of middling speed. Arguments from compressed files and text, and from data sets, are not predicted.
func WithPrediction(file string) Option {
	return func(o *options) { o.predict, o.machine = true, file }
}

// Predict says how long a call would take, without making it, as WithPrediction does for one that is made. Files are
// opened, but of their values none is read. Predicted is nil where nothing can be said. Plan.By says which way such calls go by
// the size that is the largest in this one, over its declared range.
func (f *Func) Predict(ctx context.Context, args Args, opts ...Option) (*Stats, error) {
	b, o, open, err := f.bind(ctx, "Predict", args, opts)
	defer open.close()
	if err != nil {
		return nil, err
	}
	defer b.Close()
	shop := o.runtime.shop()
	eng, err := shop.acquire(o.engine)
	if err != nil {
		return nil, err
	}
	defer shop.users.Done()
	p, err := b.Plan()
	if err != nil {
		return nil, err
	}
	o.predict = true
	q, err := question(p, eng, o)
	if err != nil {
		return nil, f.failure(err)
	}
	s := &Stats{Threads: o.threads, Engine: o.engine, Plan: Plan{Sizes: maps.Clone(b.Sizes()), Strategy: p.Schedule.Strategy}}
	way := p.Schedule
	var expected *plan.Prediction
	if q != nil {
		if expected, err = q.predict(); err != nil {
			return nil, f.failure(err)
		}
		way = expected.Schedule
	}
	schedule.Launches(way.Steps, func(l *schedule.Launch) { s.Plan.Steps = append(s.Plan.Steps, Step{Label: l.Label}) })
	if q == nil {
		return s, nil
	}
	s.predicted(expected, q.opt.Machine)
	if s.Plan.By, err = q.bySize(f.f.Graph.Sizes); err != nil {
		return nil, f.failure(err)
	}
	return s, nil
}

// forecast predicts a call that is about to begin; nil where nothing can be said.
func forecast(p *compile.Plan, eng *engine.Engine, o options) (*plan.Prediction, *machine.Machine, error) {
	q, err := question(p, eng, o)
	if q == nil || err != nil {
		return nil, nil, err
	}
	out, err := q.predict()
	return out, q.opt.Machine, err
}

// asking is what a prediction is made of.
type asking struct {
	p   *compile.Plan
	opt plan.Options
}

// question prepares the prediction of a call; nil if none is asked for, or nothing can be said.
func question(p *compile.Plan, eng *engine.Engine, o options) (*asking, error) {
	if !o.predict || o.cluster != nil || o.engine == "interp" {
		return nil, nil
	}
	m := o.given
	if m == nil {
		var err error
		if m, err = machine.Load(""); err != nil {
			return nil, err
		}
	}
	for i := range p.Schedule.Buffers {
		if in := p.Schedule.Buffers[i].Input; in != nil && !readable(p, in) {
			return nil, nil
		}
	}
	return &asking{p, plan.Options{Machine: m, Engine: o.engine, Threads: o.threads,
		Places: func(in *schedule.Input) cost.Place { return placeOf(p, in) },
		Ready:  func(l *schedule.Launch) bool { return p.Program.Compiled(eng, l) },
		Scalar: func(a *schedule.ScalarArg) (int64, bool) {
			if a.From != schedule.FromParam {
				return 0, false
			}
			b := p.Inputs.Params[a.Param].Leaves[a.Leaf]
			return int64(b.Bits), b.Source == nil
		}}}, nil
}

func (q *asking) predict() (*plan.Prediction, error) {
	out, err := plan.Predict(q.p.Schedule, q.p.Inputs.Sizes, q.opt)
	if err != nil {
		return nil, &InputError{Text: err.Error(), Err: err}
	}
	return out, nil
}

// bySize makes the table by the size that is the largest in the call; nil if there is none.
func (q *asking) bySize(declared []graph.SizeParam) (*BySize, error) {
	if len(declared) == 0 {
		return nil, nil
	}
	sizes := q.p.Inputs.Sizes
	by := slices.MaxFunc(declared, func(a, b graph.SizeParam) int { return cmp.Compare(sizes[a.Name], sizes[b.Name]) })
	rows, err := plan.Table(q.p.Schedule, sizes, by.Name, by.Lo, by.Hi, q.opt)
	if err != nil {
		return nil, &InputError{Text: err.Error(), Err: err}
	}
	out := &BySize{Name: by.Name}
	for _, r := range rows {
		out.Rows = append(out.Rows, Way{r.From, r.Engine, r.Threads, r.Time.P50 / 1e9})
	}
	return out, nil
}

// readable reports that an input is used as it is stored.
func readable(p *compile.Plan, in *schedule.Input) bool {
	b := p.Inputs.Params[in.Param].Leaves[in.Leaf]
	if b.Source == nil {
		return true
	}
	_, ok := b.Source.Raw(b.Column)
	return ok
}

func placeOf(p *compile.Plan, in *schedule.Input) cost.Place {
	b := p.Inputs.Params[in.Param].Leaves[in.Leaf]
	if b.Source == nil {
		return cost.Resident
	}
	if raw, _ := b.Source.Raw(b.Column); raw.File != nil {
		return cost.File
	}
	return cost.Resident
}

// predicted notes what was expected beside what was measured.
func (s *Stats) predicted(p *plan.Prediction, m *machine.Machine) {
	if p == nil {
		return
	}
	s.Predicted = inSeconds(p.Time)
	s.Predicted.Engine, s.Predicted.Machine, s.Predicted.Measured = p.Engine, m.Name, m.Measured
	most := 0.0
	for i := range p.Steps {
		if t := p.Steps[i].Time.P50; t > most {
			most, s.Predicted.Most = t, p.Steps[i].Most
		}
		if i < len(s.Plan.Steps) {
			s.Plan.Steps[i].Predicted = inSeconds(p.Steps[i].Time)
			s.Plan.Steps[i].Predicted.Most = p.Steps[i].Most
		}
	}
}

func inSeconds(t machine.Spread) *Prediction {
	return &Prediction{P10: t.P10 / 1e9, P50: t.P50 / 1e9, P90: t.P90 / 1e9, Kind: "cold"}
}
