package measure

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/measure/forecast"
	"github.com/godwit-run/godwit/internal/plan/calibrate"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// In: the programs of package forecast. Out: what was said of their calls beforehand, and what these took, after measuring
// the machine. Nothing is learned from one call for another but where that is what is measured.

// predict compares what calls took with what was said beforehand.
func predict(ctx context.Context, s *session) error {
	programs, err := s.chosen()
	if err != nil {
		return err
	}
	opt := calibrate.Options{Progress: func(what string) { s.progress("%s", what) }}
	if s.opt.Quick {
		opt.Most = 64 << 20
	}
	service, err := s.codegen(ctx)
	if err != nil {
		return err
	}
	engines := []string{"wasm"}
	if service != nil {
		defer service.Close()
		opt.Codegen, engines = service, append(engines, "native")
	}
	m, err := calibrate.Run(ctx, opt)
	if err != nil {
		return err
	}
	f := &forecasts{s: s, file: s.path("machine.toml"), engines: engines, out: &forecast.Report{}}
	if err := m.Save(f.file); err != nil {
		return err
	}
	if m, err = machine.Load(f.file); err != nil { // with as many digits as a file has
		return err
	}
	machine.Adopt(m) // of a machine that is only described nothing is learned
	f.rt = godwit.NewRuntime(godwit.WithCompiler(s.path("objects"), s.compiler()...))
	defer f.rt.Close()
	for _, p := range programs {
		if err := f.program(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	f.out.Sum()
	s.report.Forecasts = f.out
	return nil
}

// chosen are the programs that were asked for.
func (s *session) chosen() ([]*forecast.Program, error) {
	only, err := regexp.Compile(s.opt.Only)
	if err != nil {
		return nil, err
	}
	all, err := forecast.Programs()
	if err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(all, func(p *forecast.Program) bool { return !only.MatchString(p.Name) })
	if len(list) == 0 {
		return nil, fmt.Errorf("no program has a name like %s", s.opt.Only)
	}
	return list, nil
}

// forecasts are predictions with what came of them.
type forecasts struct {
	s       *session
	file    string // describes the machine
	engines []string
	rt      *godwit.Runtime
	out     *forecast.Report
}

const (
	// single is how many runs a prediction is held against.
	single = 9
	// taught is how many runs a kernel is learned from.
	taught = 5
	// level is by what factor calls may differ that are held to be as fast as each other.
	level = 1.03
	// again is how many runs the same call is made later.
	again = 5
	// half and eighth are by how many times fewer elements a kernel was seen with.
	half, eighth = 2, 8
)

// program calls a program with its sizes.
func (f *forecasts) program(ctx context.Context, p *forecast.Program) error {
	prog, err := godwit.Compile(p.Source)
	if err != nil {
		return err
	}
	fn, err := prog.Func("f")
	if err != nil {
		return err
	}
	sizes := p.N[:]
	if f.s.opt.Quick { // what takes long enough, and fits into the caches
		sizes = p.N[3:5]
	}
	for _, n := range sizes {
		f.s.progress("%s of %d", p.Name, n)
		if err := f.size(ctx, p, fn, n); err != nil {
			return err
		}
	}
	return nil
}

// called is a function with arguments of one size, on one engine.
type called struct {
	*forecasts
	fn      *godwit.Func
	args    godwit.Args
	engine  string
	threads int
}

// size calls a program on all engines, with all numbers of threads.
func (f *forecasts) size(ctx context.Context, p *forecast.Program, fn *godwit.Func, n int64) error {
	args, err := p.Arguments(n)
	if err != nil {
		return err
	}
	var calls []*called
	var list []*forecast.Call
	for _, engine := range f.engines {
		for _, threads := range f.s.threads() {
			c := &called{f, fn, args, engine, threads}
			out, err := c.cold(ctx)
			if err != nil {
				return err
			}
			out.Program, out.Kind, out.Held, out.Ends, out.N, out.Engine, out.Threads = p.Name, p.Kind, p.Held(), p.Ends(), n, engine, threads
			calls, list = append(calls, c), append(list, out)
		}
	}
	for _, part := range []int64{half, eighth} {
		if err := warm(ctx, p, p.Less(n, part), part == half, calls, list); err != nil {
			return err
		}
	}
	for i, c := range calls {
		if list[i].Again, err = c.times(ctx, again); err != nil {
			return err
		}
	}
	f.out.Calls = append(f.out.Calls, list...)
	return f.choices(ctx, calls, list)
}

// cold asks what a call takes while nothing is known of its kernels, and calls.
func (c *called) cold(ctx context.Context) (*forecast.Call, error) {
	if _, err := c.times(ctx, 2); err != nil { // which compile, and touch what is touched first
		return nil, err
	}
	c.rt.Forget()
	said, most, err := c.said(ctx)
	if err != nil {
		return nil, err
	}
	times, err := c.times(ctx, single)
	return &forecast.Call{Cold: said, Times: times, Most: most}, err
}

// warm asks after some calls of another size, where calls take long enough that their kernels decide.
func warm(ctx context.Context, p *forecast.Program, seen int64, near bool, calls []*called, list []*forecast.Call) error {
	if seen < p.N[0] || !slices.ContainsFunc(list, func(c *forecast.Call) bool { return c.Took() >= forecast.Short }) {
		return nil
	}
	args, err := p.Arguments(seen)
	if err != nil {
		return err
	}
	for i, c := range calls {
		small := *c
		if small.args = args; list[i].Took() < forecast.Short {
			continue
		}
		c.rt.Forget()
		if _, err := small.times(ctx, taught); err != nil {
			return err
		}
		said, _, err := c.said(ctx)
		if err != nil {
			return err
		}
		if near {
			list[i].Near = said
		} else {
			list[i].Far = said
		}
	}
	return nil
}

func (c *called) options() []godwit.Option {
	return []godwit.Option{godwit.WithRuntime(c.rt), godwit.WithEngine(c.engine), godwit.WithThreads(c.threads), godwit.WithPrediction(c.file)}
}

// said is what is said of the call now, and what most of it goes to.
func (c *called) said(ctx context.Context) (*forecast.Said, string, error) {
	st, err := c.fn.Predict(ctx, c.args, c.options()...)
	if err != nil {
		return nil, "", err
	}
	p := st.Predicted
	if p == nil {
		return nil, "", errors.New("nothing was predicted")
	}
	return &forecast.Said{P10: p.P10, P50: p.P50, P90: p.P90, Kind: p.Kind}, p.Most, nil
}

// times calls n times.
func (c *called) times(ctx context.Context, n int) (list []float64, err error) {
	for range n {
		t, err := c.time(ctx)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

func (c *called) time(ctx context.Context) (float64, error) {
	res, err := c.fn.Call(ctx, c.args, c.options()...)
	if err != nil {
		return 0, err
	}
	defer res.Close() // so that its pages are there for the next
	return res.Stats().Seconds, nil
}

// choices compares a call that goes as is planned with the best of those that are told how to go, and, by engine, those
// that are allowed all threads with those on one. Both sides take turns.
func (f *forecasts) choices(ctx context.Context, calls []*called, list []*forecast.Call) error {
	best := 0
	for i := range list {
		if list[i].Took() < list[best].Took() {
			best = i
		}
	}
	auto := *calls[best]
	auto.engine, auto.threads = "auto", slices.Max(f.s.threads())
	choice, err := f.contest(ctx, &auto, calls[best], list[best])
	if err != nil {
		return err
	}
	f.out.Choices = append(f.out.Choices, choice)
	for i := range calls {
		for j := range calls {
			if calls[i].engine != calls[j].engine || calls[i].threads != 1 || calls[j].threads == 1 {
				continue
			}
			choice := forecast.Choice{Program: list[i].Program, N: list[i].N, Held: list[i].Held, Auto: list[j].Took(), Best: list[i].Took(), How: calls[i].how()}
			if choice.Auto > level*choice.Best {
				if choice, err = f.contest(ctx, calls[j], calls[i], list[i]); err != nil {
					return err
				}
			}
			f.out.Shared = append(f.out.Shared, choice)
		}
	}
	return nil
}

// contest has both call in turns.
func (f *forecasts) contest(ctx context.Context, auto, other *called, of *forecast.Call) (forecast.Choice, error) {
	var mine, others []float64
	if _, err := auto.times(ctx, 1); err != nil {
		return forecast.Choice{}, err
	}
	for range single {
		a, err := auto.time(ctx)
		if err != nil {
			return forecast.Choice{}, err
		}
		b, err := other.time(ctx)
		if err != nil {
			return forecast.Choice{}, err
		}
		mine, others = append(mine, a), append(others, b)
	}
	return forecast.Choice{Program: of.Program, N: of.N, Held: of.Held, Auto: forecast.Middle(mine), Best: forecast.Middle(others), How: other.how()}, nil
}

func (c *called) how() string { return fmt.Sprintf("%s, threads %d", c.engine, c.threads) }
