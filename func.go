package godwit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/interp"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/run"
)

// Func is a function that is ready to be called. It is safe for concurrent
// use, and keeps its compiled kernels in the [Runtime] of each call.
type Func struct{ f *compile.Func }

// empty reports that no program has the function.
func (f *Func) empty() bool { return f == nil || f.f == nil }

// Name is the function's full name.
func (f *Func) Name() string {
	if f.empty() {
		return ""
	}
	return f.f.Name
}

// Signature is the head of the function as written.
func (f *Func) Signature() string {
	if f.empty() {
		return ""
	}
	return f.f.Signature()
}

// Params lists the names of the parameters in order.
func (f *Func) Params() []string {
	if f.empty() {
		return nil
	}
	var names []string
	for _, p := range f.f.Graph.Body.Params[:f.f.Graph.Given()] {
		names = append(names, p.Name)
	}
	return names
}

// ResultType is the type of the result as a program declares it: a size that only a run knows is `?M <= N`.
func (f *Func) ResultType() string {
	if f.empty() {
		return ""
	}
	return f.f.Graph.Declared(f.f.Graph.ResultType())
}

// ResultPlace is where the program wants the result: "RAM", "Disk", or "" if
// it does not say.
func (f *Func) ResultPlace() string {
	if f.empty() {
		return ""
	}
	return f.f.Graph.ResultPlace.String()
}

// Call runs the function. Slices among the arguments are used where they
// are, and must not change meanwhile. While other calls have the memory that it needs, it waits
// for one of them to end, and for the end of ctx.
func (f *Func) Call(ctx context.Context, args Args, opts ...Option) (*Result, error) {
	r, err := f.call(ctx, args, opts)
	for again := 0; again < mostAgain && setGone(err) && ctx.Err() == nil && repeatable(args); again++ {
		pause(ctx, again)
		r, err = f.call(ctx, args, opts)
	}
	if err == nil || ctx == nil || ctx.Err() == nil {
		return r, err
	}
	switch why := context.Cause(ctx); {
	case errors.Is(err, why):
		err = &endedError{err, ctx.Err()}
	case setGone(err): // and nobody waits for another try
		err = &endedError{why, err}
	case errors.Is(err, ctx.Err()): // a source of the caller's, say, does not tell the cause
		err = &endedError{why, err}
	}
	return r, err
}

// endedError is why a context has ended, which is context.Canceled or DeadlineExceeded as well.
type endedError struct {
	error
	how error
}

func (e *endedError) Unwrap() []error { return []error{e.error, e.how} }

func (f *Func) call(ctx context.Context, args Args, opts []Option) (*Result, error) {
	var o options
	b, open, err := f.bind(ctx, "Call", args, opts, &o)
	defer open.close()
	if err != nil {
		return nil, err
	}
	over := false // and nobody has what b has
	defer func() {
		if over {
			b.Done()
		} else {
			b.Close()
		}
	}()
	if o.file.Path != "" {
		return f.toFile(ctx, b, &o)
	}
	r, err := f.evaluate(ctx, b, &o, nil)
	over = err == nil && r.told.asked == nil && o.cluster == nil
	return r, err
}

// bind matches arguments with parameters, for a method with this name, and notes in o what the options say. What is open is to be
// closed, also after an error.
func (f *Func) bind(ctx context.Context, method string, args Args, opts []Option, o *options) (b *compile.Bound, open sources, err error) {
	switch {
	case f.empty():
		return nil, nil, badOption("the Func is empty; Program.Func makes one")
	case ctx == nil:
		return nil, nil, noContext(method)
	}
	if err = o.read(opts); err != nil {
		return nil, nil, err
	}
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	o.neighbour(ctx)
	if b, open, err = args.bind(ctx, f.f, o.cluster, o.threads); err != nil {
		return nil, open, err
	}
	if ctx.Err() != nil { // files may have taken long
		return nil, open, errors.Join(context.Cause(ctx), b.Close())
	}
	return b, open, nil
}

// evaluate runs the function over files that stay as they are.
func (f *Func) evaluate(ctx context.Context, b *compile.Bound, o *options, spool run.Spool) (*Result, error) {
	r, err := f.execute(ctx, b, o, spool)
	if ctx.Err() == nil { // what was read of a file that changed explains nothing, errors neither
		if changed := b.Unchanged(); changed != nil {
			return nil, f.failure(changed)
		}
	}
	return r, err
}

// execute runs the function on the engine that was chosen; spool, if set, takes what is large.
func (f *Func) execute(ctx context.Context, b *compile.Bound, o *options, spool run.Spool) (*Result, error) {
	if o.engine == "interp" {
		if err := o.force(false); err != nil {
			return nil, err
		}
		return f.interpret(ctx, b)
	}
	return f.run(ctx, b, o, spool)
}

// toFile runs the function and writes its result to the file that was asked for.
func (f *Func) toFile(ctx context.Context, b *compile.Bound, o *options) (r *Result, err error) {
	if b.Reads(o.file.Path) {
		return nil, &InputError{Text: o.file.Path + " is an argument of this call, and would be replaced by its result", Help: "write the result to another file"}
	}
	if b.Within(o.file) {
		return nil, &InputError{Text: o.file.Path + " would be a part of an argument of this call, and its rows would count twice the next time", Help: "write the result to another folder"}
	}
	if err := o.file.CheckColumns(columns(f.f.Graph.ResultType())); err != nil {
		return nil, f.failure(err)
	}
	s := data.NewSpool(o.file)
	defer func() {
		if cerr := s.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			r, err = nil, f.failure(err)
		}
	}()
	if r, err = f.evaluate(ctx, b, o, func() (run.Spooled, error) { return s.Column() }); err != nil {
		return nil, err
	}
	if err = r.move(o.file.Path, func(out *data.Output) error { return s.Write(ctx, out) }); err != nil {
		return nil, err
	}
	return r, nil
}

func (f *Func) run(ctx context.Context, b *compile.Bound, o *options, spool run.Spool) (*Result, error) {
	p, err := b.Plan()
	if err != nil {
		return nil, err
	}
	o.predict = o.predict || timed(f.f.Graph.Ensures)
	asked, away := (*options)(nil), overSets(p)
	if o.predict || o.whyNot != "" {
		before := *o
		asked = &before
	}
	if err := o.force(away); err != nil {
		return nil, err
	}
	if asked != nil {
		asked.strategy = o.strategy
	}
	if err := o.away(p); err != nil {
		return nil, err
	}
	shop := o.runtime.shop()
	eng, err := shop.acquire(o.engine)
	if err != nil {
		return nil, err
	}
	defer shop.users.Done()
	t := told{engine: string(eng.Tier())}
	opt := run.Options{Threads: o.threads, Engine: eng, Machine: cmp.Or(o.given, o.measured), Seen: o.seen(), Shared: o.shared, Progress: o.progress, Spool: spool, SpoolFrom: o.spoolFrom}
	var beside *cluster.Beside
	if o.cluster != nil {
		beside = o.cluster.c.Beside(o.strategy)
		beside.Machine, beside.Measured, beside.WhyNot = o.given, o.measured, Strategy(o.whyNot)
		beside.Seen = o.seen()
		opt.Beside = beside
	}
	if asked != nil {
		if opt.Going, err = p.Program.Going(p.Inputs, opt); err != nil {
			return nil, f.failure(err)
		}
		if err := t.foretell(ctx, p, eng, *asked, f.f.Graph.Sizes, opt.Going.Schedule()); err != nil {
			return nil, f.failure(err)
		}
	}
	if t.ensured, err = f.ensured(p, t.expected); err != nil {
		return nil, err
	}
	res, err := p.Program.Run(ctx, p.Inputs, opt)
	if err != nil {
		return nil, f.failure(err)
	}
	var gone *travelled
	if beside != nil {
		gone = &travelled{beside.Went, beside.Stats().CodeBytes > 0}
	}
	remember(o.seen(), p, eng, &res.Stats, o.threads, gone)
	switch t.ran = res; {
	case mostlyNative(&res.Stats):
		t.engine = string(engine.Native)
	case mostlyInterpreted(&res.Stats):
		t.engine = tierName(engine.Stepper)
	}
	r := f.result(res.Columns, b, &t)
	if beside != nil {
		r.told.travel = o.cluster.travel(beside.Stats())
		r.told.steps = whyNotSteps(beside.Foreseen())
		if away {
			r.told.strategy, r.told.went = o.went(beside.Went, res.Stats.Schedule), beside.Went
		}
	}
	return r, nil
}

// interpret evaluates the graph itself, with all arguments in memory.
func (f *Func) interpret(ctx context.Context, b *compile.Bound) (*Result, error) {
	start := time.Now()
	args, read, err := b.Values(ctx)
	if err != nil {
		return nil, f.failure(err)
	}
	v, fault, err := interp.Run(f.f.Graph, b.Sizes(), args, interp.Options{Ctx: ctx})
	switch {
	case err != nil:
		return nil, f.failure(err)
	case fault != nil:
		return nil, f.faultAt(fault.Site, fault.Index)
	}
	ran := &run.Result{Stats: run.Stats{Seconds: time.Since(start).Seconds(), BytesRead: read, Threads: 1}}
	return f.result(v.Columns, b, &told{ran: ran, engine: "interp"}), nil
}

func (f *Func) result(columns []column.Column, b *compile.Bound, t *told) *Result {
	t.sizes, t.coding = b.Sizes(), b.Coding()
	r := &answer{Result{Func: f.f.Name, told: *t}, value.Value{Columns: columns}}
	r.value.Type = b.ResultType(func() *graph.Type {
		c := concrete{columns, t.sizes}
		return c.typ(f.f.Graph.ResultType(), 0)
	})
	if f.f.Graph.Result != nil {
		for j, l := range graph.Leaves(f.f.Graph.Result) {
			r.value.Columns[j].Texts = b.Texts(l.Type.Means.Dict)
			if r.orders == nil && r.value.Columns[j].Texts != nil {
				r.orders = &column.Orders{}
			}
		}
	}
	r.Result.value = &r.value
	return &r.Result
}

// failure gives an error of a run the type that callers expect.
func (f *Func) failure(err error) error {
	var fault *run.FaultError
	var file *data.Error
	var space *run.SpaceError
	var changed *data.ChangedError
	var known *InputError
	var away *caller.Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &fault):
		return f.faultAt(fault.Site, fault.Index)
	case errors.As(err, &file):
		return &InputError{Text: file.Error(), Help: file.Help, Err: err}
	case errors.As(err, &space), errors.As(err, &changed), errors.As(err, &away):
		return &InputError{Text: err.Error(), Err: err}
	}
	return err
}

// launches notes what each launch did.
func (s *Stats) launches(sch *schedule.Schedule, list []run.LaunchStats) {
	s.Plan.Steps, s.Kernels = make([]Step, 0, len(list)), make([]Kernel, 0, len(list))
	depths := schedule.Nesting(sch.Steps)
	for i, l := range list {
		s.Plan.Steps = append(s.Plan.Steps, Step{Label: l.Label, Depth: depths[i], Kernel: l.Name, Tier: tierName(l.Tier), Runs: l.Runs, Slices: l.Slices, Native: l.Native, Seconds: l.Seconds, Threads: l.Threads, Totals: l.Totals})
		if l.Runs > 0 && !slices.ContainsFunc(s.Kernels, func(k Kernel) bool { return k.Hash == l.Name }) {
			s.Kernels = append(s.Kernels, Kernel{Hash: l.Name, Bytes: l.Bytes, Tier: tierName(l.Tier)})
		}
	}
	s.Plan.Strategy = sch.Strategy
}

// tierName is what a tier is called among [Engines].
func tierName(t engine.Tier) string {
	if t == engine.Stepper {
		return "interp"
	}
	return string(t)
}

func noContext(what string) error {
	return badOption("%s: the context is nil; context.Background() never ends", what)
}

func badOption(format string, args ...any) error {
	return &InputError{Text: fmt.Sprintf(format, args...)}
}
