package godwit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/run"
)

// In: a call with its options. Out: the plans that it could be carried out by, which of them a caller has asked for, and why
// another was not chosen. Invariant: a plan's number depends on the options and on whether there are data sets, not on sizes.

// Candidate is a plan that a call can be carried out by. WithPlan takes its number.
type Candidate struct {
	Number int `json:"number"`
	// Engine and Threads are of a call on one machine.
	Engine  string `json:"engine,omitempty"`
	Threads int    `json:"threads,omitempty"` // that steps have which can be shared
	// Strategy is of a call over data sets.
	Strategy  Strategy    `json:"strategy,omitempty"`
	Predicted *Prediction `json:"predicted,omitempty"`
	Chosen    bool        `json:"chosen,omitempty"` // it is what the call goes by: of one machine the one that is expected to take the least time, see Plan.Whole
}

// WhyNot is a strategy beside what was chosen.
type WhyNot struct {
	Strategy string `json:"strategy"`
	Chosen   bool   `json:"chosen"` // it is what was chosen
	// Reason is why it cannot be chosen; else Predicted is what it would take, beside Least, which is what was chosen.
	Reason    string      `json:"reason,omitempty"`
	Predicted *Prediction `json:"predicted,omitempty"`
	Least     *Prediction `json:"least,omitempty"`
	// Changes are what would have to be different, all else equal, for it to be chosen. Each alone is enough.
	Changes []Change `json:"changes,omitempty"`
	// Step is the step of a call over data sets that it is about.
	Step string `json:"step,omitempty"`
}

// Change is what would have to be different: a size, how often the call is made ("calls"), or an entry of the machine's description.
type Change struct {
	What  string  `json:"what"`
	Now   float64 `json:"now"`
	Needs float64 `json:"needs"`
}

// WithPlan has a call carried out by the plan of a number, as Func.Predict lists them in Plan.Candidates: each step that can be shared
// has as many threads as the plan says, whether they pay or not; only what is over before another thread could begin has one.
func WithPlan(number int) Option { return func(o *options) { o.plan = &number } }

// WithWhyNot has a call, or Func.Predict, say in Plan.WhyNot what a strategy would take, and what would have to be different for it to be chosen:
// "native", "wasm", "threads", "alone", "windows", and over data sets "fetch", "ship" or "gather".
func WithWhyNot(strategy string) Option {
	return func(o *options) { o.whyNot, o.predict = strategy, true }
}

// described is the machine that is decided for.
func (o *options) described() *machine.Machine {
	return cmp.Or(o.given, o.measured, machine.Here())
}

// neighbour takes what a node of this machine has measured of it, if nobody else has.
func (o *options) neighbour(ctx context.Context) {
	if o.cluster == nil || o.cluster.ready() != nil || o.given != nil || machine.Here().Measured != "" {
		return
	}
	if m, err := machine.Load(""); err == nil && m.Measured != "" {
		return // since this process began
	}
	o.measured = o.cluster.c.Neighbour(ctx)
}

// candidates are the plans on one machine.
func (o *options) candidates() []plan.Candidate {
	return plan.Candidates(o.described(), o.engine, o.threads, o.native())
}

// native reports that there can be native code: here, or on the machine that is described.
func (o *options) native() bool { return o.given != nil || o.runtime.shop().compiles() }

// foreseen is the engine of a prediction.
func (o *options) foreseen() string {
	if o.engine == "auto" && !o.native() {
		return "wasm"
	}
	return o.engine
}

// compiles reports that there is a compiler for native code, as far as is known.
func (r *workshop) compiles() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.codegen != nil && !r.codegen.Absent()
}

// look finds out whether there is one, for who asks what would be; an error is why there is none for who wants native code alone.
func (o *options) look(ctx context.Context) error {
	if o.given != nil || o.engine != "auto" && o.engine != "native" {
		return nil
	}
	r := o.runtime.shop()
	r.mu.Lock()
	service := r.codegen
	r.mu.Unlock()
	if service == nil {
		return nil
	}
	if service.Look(ctx); o.engine == "auto" || !service.Absent() {
		return nil
	}
	_, err := service.Info(ctx)
	return err
}

// overSets reports that arguments of a call are data sets of a cluster.
func overSets(p *compile.Plan) bool {
	return !p.InMemory() && slices.ContainsFunc(p.Inputs.Params, func(in run.Param) bool {
		return slices.ContainsFunc(in.Leaves, func(b run.Binding) bool {
			_, away := b.Source.(run.Remote)
			return away
		})
	})
}

// force has the options follow the plan that was asked for, if one was.
func (o *options) force(away bool) error {
	if o.plan == nil {
		return nil
	}
	k, names := *o.plan, []string{}
	switch {
	case o.engine == "interp":
		return badOption("the interpreter has one plan; choose another engine, or no plan")
	case away:
		for i, s := range plan.WayNames {
			names = append(names, fmt.Sprintf("%d is %s", i+1, s))
		}
		if k >= 1 && k <= len(plan.WayNames) {
			o.strategy = Strategy(plan.WayNames[k-1])
			return nil
		}
	default:
		list := o.candidates()
		for _, c := range list {
			names = append(names, fmt.Sprintf("%d is %s", c.Number, c))
		}
		if k >= 1 && k <= len(list) {
			o.engine, o.threads, o.shared = list[k-1].Engine, list[k-1].Threads, true
			return nil
		}
	}
	return &InputError{Text: fmt.Sprintf("there is no plan %d: %s", k, strings.Join(names, ", ")), Help: "choose one of these numbers",
		Command: "`godwit explain` with the same arguments lists the plans with what each is expected to take"}
}

// did reports that a run had each step on as many threads as a plan that was chosen says, and most of its time on its engine: of two plans of which this is
// true one may have all threads copy or decode arguments.
func did(c *plan.Considered, s *run.Stats) bool {
	if mostlyNative(s) != (c.Candidate.Engine == string(engine.Native)) || c.Schedule != s.Schedule {
		return false
	}
	for i := range s.Launches {
		if l := &s.Launches[i]; l.Slices > 0 && (i >= len(c.Steps) || l.Threads != c.Steps[i].Threads) {
			return false
		}
	}
	return true
}

// ran is the number of the plan that was carried out: the engine of most of the time, and one thread or all, be it of a step or to decode arguments.
func ran(list []plan.Candidate, s *run.Stats, all int) int {
	threads := 1
	for i := range s.Decoded {
		threads = max(threads, s.Decoded[i].Workers)
	}
	for i := range s.Launches {
		threads = max(threads, s.Launches[i].Threads)
	}
	on := engine.Wasm
	if mostlyNative(s) {
		on = engine.Native
	}
	return plan.Number(list, string(on), threads, all)
}

// mostlyNative reports that launches ran as native code for most of the time: of one that went over to it, as large a part as of its slices.
func mostlyNative(s *run.Stats) bool {
	native, all := 0.0, 0.0
	for i := range s.Launches {
		if l := &s.Launches[i]; l.Slices > 0 {
			all += l.Seconds
			native += l.Seconds * float64(l.Native) / float64(l.Slices)
		}
	}
	return 2*native > all
}

// mostlyInterpreted reports that most of the time went to launches that were interpreted.
func mostlyInterpreted(s *run.Stats) bool {
	stepped, all := 0.0, 0.0
	for i := range s.Launches {
		if l := &s.Launches[i]; l.Slices > 0 {
			if all += l.Seconds; l.Tier == engine.Stepper {
				stepped += l.Seconds
			}
		}
	}
	return 2*stepped > all
}

// carriedOut notes the plan of a call that has ended.
func (q *asking) carriedOut(p *Plan, s *run.Stats) {
	if q.forced > 0 {
		p.Number = q.forced
		return
	}
	if q.chosen != nil && did(q.chosen, s) {
		p.Number = q.chosen.Number
		return
	}
	if p.Number = ran(q.list, s, q.opt.Threads); p.Number == 0 {
		p.Unnumbered = "it ran on an engine that no plan is for"
	}
}

// severalWays is why a call over data sets has no number.
const severalWays = "its steps go several ways, or none, and each plan over data sets is one way for all"

// consider predicts plans.
func (q *asking) consider(list []plan.Candidate, opt plan.Options) ([]plan.Considered, error) {
	all, err := plan.Consider(q.p.Schedule, q.p.Inputs.Sizes, list, opt)
	if err != nil {
		return nil, &InputError{Text: err.Error(), Err: err}
	}
	return all, nil
}

// listed are plans with what they are expected to take.
func listed(all []plan.Considered) (out []Candidate) {
	for i := range all {
		c := &all[i]
		out = append(out, Candidate{Number: c.Number, Engine: c.Candidate.Engine, Threads: c.Candidate.Threads, Predicted: inSeconds(c.Time, c.Warm), Chosen: c.Chosen})
	}
	return out
}

// whyNot weighs the strategy that was asked about; nil if none was.
func (q *asking) whyNot(declared []graph.SizeParam) (*WhyNot, error) {
	if q.instead == "" {
		return nil, nil
	}
	if !slices.Contains(plan.Strategies, q.instead) {
		return nil, &InputError{Text: fmt.Sprintf("`%s` is a way to data sets of a cluster, and no argument is one", q.instead), Help: "on one machine there are " + strings.Join(plan.Strategies, ", ")}
	}
	q.opt.General = q.p.General()
	out, err := plan.WhyNot(q.instead, q.p.Schedule, q.p.Inputs.Sizes, q.by(declared), q.list, q.opt)
	if err != nil {
		return nil, &InputError{Text: err.Error(), Err: err}
	}
	return instead(out), nil
}

// explicable refuses to explain what nobody knows, and what cannot be chosen.
func (o *options) explicable() error {
	if o.whyNot == "" || slices.Contains(plan.Strategies, o.whyNot) || slices.Contains(plan.WayNames, o.whyNot) {
		return nil
	}
	return badOption("there is no strategy `%s`; on one machine there are %s, over data sets %s", o.whyNot, strings.Join(plan.Strategies, ", "), strings.Join(plan.WayNames, ", "))
}

// by is the size that is the largest in the call, with its declared range; nil if there is none.
func (q *asking) by(declared []graph.SizeParam) *plan.Range {
	if len(declared) == 0 {
		return nil
	}
	sizes := q.p.Inputs.Sizes
	by := slices.MaxFunc(declared, func(a, b graph.SizeParam) int { return int(min(1, max(-1, sizes[a.Name]-sizes[b.Name]))) })
	return &plan.Range{Name: by.Name, Lo: by.Lo, Hi: by.Hi}
}

// curves are the times of all plans by the size of a table.
func (q *asking) curves(by *plan.Range) ([]Curve, error) {
	list, err := plan.Curves(q.p.Schedule, q.p.Inputs.Sizes, by.Name, by.Lo, by.Hi, q.list, q.opt)
	if err != nil {
		return nil, &InputError{Text: err.Error(), Err: err}
	}
	var out []Curve
	for _, c := range list {
		o := Curve{Number: c.Number, Engine: c.Engine, Threads: c.Threads}
		for _, p := range c.Points {
			o.Sizes, o.Seconds = append(o.Sizes, p.Size), append(o.Seconds, p.Time/1e9)
		}
		out = append(out, o)
	}
	return out, nil
}

// Curve is what a plan is expected to take, by a size.
type Curve struct {
	Number  int
	Engine  string
	Threads int
	Sizes   []int64
	Seconds []float64 // for each of them
}

// labelled are the steps of a schedule before they run.
func labelled(s *schedule.Schedule) (list []Step) {
	schedule.Launches(s.Steps, func(l *schedule.Launch) { list = append(list, Step{Label: l.Label}) })
	return list
}
