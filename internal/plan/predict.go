// Package plan says beforehand how long a schedule takes, step by step.
package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/totals"
	"github.com/godwit-run/godwit/internal/ir/verify"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// Step is what is expected of a launch, in all its runs together.
type Step struct {
	Label   string
	Runs    float64 // 1 outside of loops
	Threads int
	Time    machine.Spread // nanoseconds
	Most    string         // what most of the time goes to
	Parts   cost.Parts     // of one run
}

// Prediction is what is expected of a call.
type Prediction struct {
	Engine   string
	Threads  int                // most of any step
	Steps    []Step             // in the order of schedule.Launches
	Schedule *schedule.Schedule // of the steps
	Compile  machine.Spread     // nanoseconds, to compile what is not ready
	Time     machine.Spread     // nanoseconds, of all
}

// Options are what a prediction depends on besides the schedule.
type Options struct {
	Machine *machine.Machine
	// Engine is "wasm", "native", or "auto": then kernels begin as WebAssembly and go over to native
	// code where that is worth its compilation.
	Engine  string
	Threads int
	// Places says where an input lies; nil for in memory.
	Places func(in *schedule.Input) cost.Place
	// Ready reports that a kernel is compiled; nil if all are.
	Ready func(l *schedule.Launch) bool
	// Scalar is the value of an argument; nil, or false, where it is not known.
	Scalar func(a *schedule.ScalarArg) (int64, bool)
	// Safe gives what verify has found out about a kernel; nil for verify.Check.
	Safe func(k *kernel.Kernel) (*verify.Safe, error)
}

// Predict says how long a schedule takes for these sizes. A size that is found while it runs is taken to be half of
// what it can be, and so is the number of turns of a loop that data decides of.
func Predict(s *schedule.Schedule, sizes map[string]int64, opt Options) (*Prediction, error) {
	if opt.Engine != "auto" {
		return cheapest(s, sizes, opt)
	}
	opt.Engine = "wasm"
	first, err := cheapest(s, sizes, opt)
	native := opt.Machine.Engines["native"]
	if err != nil || native == nil {
		return first, err
	}
	opt.Engine = "native"
	second, err := cheapest(s, sizes, opt)
	if err != nil || second.Time.P50+native.Compile >= first.Time.P50 {
		return first, err
	}
	second.Time = second.Time.Plus(machine.Exactly(native.Compile))
	return second, nil
}

func predict(s *schedule.Schedule, sizes map[string]int64, opt Options) (*Prediction, error) {
	e := opt.Machine.Engines[opt.Engine]
	if e == nil {
		return nil, fmt.Errorf("%s was not measured on %s; run godwit calibrate", opt.Engine, opt.Machine.Name)
	}
	p := &predictor{s: s, opt: opt, sizes: maps.Clone(sizes), out: &Prediction{Engine: opt.Engine, Threads: 1, Schedule: s, Time: machine.Exactly(e.Call)}}
	if p.sizes == nil {
		p.sizes = map[string]int64{}
	}
	if err := p.steps(s.Steps, 1, false); err != nil {
		return nil, err
	}
	for i := range p.out.Steps {
		p.out.Time = p.out.Time.Plus(p.out.Steps[i].Time)
	}
	p.out.Compile = p.compiling()
	p.out.Time = p.out.Time.Plus(p.results()).Plus(p.out.Compile)
	return p.out, nil
}

// compiling is the time to compile the kernels that are not ready to WebAssembly, with which they begin. It may be much
// less where native code of an earlier run is kept.
func (p *predictor) compiling() machine.Spread {
	e, seen := p.opt.Machine.Engines["wasm"], map[*kernel.Kernel]bool{}
	if p.opt.Ready == nil || e == nil {
		return machine.Spread{}
	}
	schedule.Launches(p.s.Steps, func(l *schedule.Launch) {
		if !p.opt.Ready(l) {
			seen[l.Kernel] = true
		}
	})
	t := e.Compile * float64(len(seen))
	return machine.Spread{P10: t / 10, P50: t, P90: 2 * t}
}

// results is the time to copy the result into memory of the caller, which native code writes to.
func (p *predictor) results() machine.Spread {
	if p.opt.Engine == "native" {
		return machine.Spread{}
	}
	t, mem := machine.Spread{}, p.opt.Machine.MemoryFor(p.opt.Threads)
	for _, c := range p.s.Result {
		n := p.eval(p.s.Buffers[c.Buffer].Len) * float64(c.Kind.Size())
		t = t.Plus(mem.Read.At(n).Times(n)).Plus(mem.Fresh.At(n).Times(n))
	}
	return t
}

// predictor goes through a schedule.
type predictor struct {
	s     *schedule.Schedule
	opt   Options
	sizes map[string]int64
	out   *Prediction
}

func (p *predictor) size(name string) (int64, bool) {
	n, ok := p.sizes[name]
	return n, ok
}

func (p *predictor) eval(x size.Poly) float64 {
	n, _ := x.Eval(p.size)
	return float64(n)
}

// steps expects that each step runs so many times. guessed says that data decides of that.
func (p *predictor) steps(list []schedule.Step, runs float64, guessed bool) error {
	for _, s := range list {
		var err error
		switch s := s.(type) {
		case *schedule.Launch:
			err = p.launch(s, runs, guessed)
		case *schedule.SetSize:
			p.sizes[s.Name] = int64(p.eval(s.Max) / 2)
		case *schedule.SetParts:
			s.Define(p.sizes, p.opt.Threads, int64(p.eval(s.Slots)))
		case *schedule.Loop:
			turns, known := p.turns(s)
			err = p.steps(s.Body, runs*turns, guessed || !known)
		case *schedule.Branch:
			if err = p.steps(s.Then, runs/2, true); err == nil {
				err = p.steps(s.Else, runs/2, true)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// turns is how many a loop has, and whether that is known.
func (p *predictor) turns(s *schedule.Loop) (turns float64, known bool) {
	lo, first := p.bound(s.Lo)
	hi, second := p.bound(s.Hi)
	if turns = p.eval(s.Max) / 2; first && second {
		turns = hi - lo
	}
	if known = first && second && s.Stop < 0; s.Stop >= 0 {
		turns /= 2
	}
	return max(0, turns), known
}

func (p *predictor) bound(b schedule.ScalarSource) (float64, bool) {
	if b.Scalar == nil {
		return p.eval(b.Poly), true
	}
	if p.opt.Scalar == nil {
		return 0, false
	}
	n, ok := p.opt.Scalar(b.Scalar)
	return float64(n), ok
}

func (p *predictor) launch(l *schedule.Launch, runs float64, guessed bool) error {
	check := verify.Check
	if p.opt.Safe != nil {
		check = p.opt.Safe
	}
	safe, err := check(l.Kernel)
	if err != nil {
		return err
	}
	sizes := make([]int64, len(l.Sizes))
	for i := range l.Sizes {
		sizes[i], _ = l.Sizes[i].Eval(p.size)
	}
	scalar := func(i int) (int64, bool) {
		if p.opt.Scalar == nil {
			return 0, false
		}
		return p.opt.Scalar(&l.Scalars[i])
	}
	c := &Coming{Safe: safe, Sizes: sizes, Scalar: scalar, Places: p.places(l), Threads: p.opt.Threads}
	if c.Threads > 1 && len(l.Kernel.State) > 0 {
		if law, err := totals.Of(safe); err == nil && law.Admits(sizes) {
			c.Law = law
		}
	}
	parts, threads := c.weigh(p.opt.Machine, p.opt.Engine).on(p.opt.Machine.Wake)
	p.out.Threads = max(p.out.Threads, threads)
	parts.Guessed = parts.Guessed || guessed
	p.out.Steps = append(p.out.Steps, Step{l.Label, runs, threads, parts.Time(p.opt.Machine.Engines[p.opt.Engine]).Times(runs), parts.Dominant(), *parts})
	return nil
}

func (p *predictor) places(l *schedule.Launch) []cost.Place {
	places := make([]cost.Place, len(l.Regions))
	for i, b := range l.Regions {
		switch {
		case b < 0:
		case p.s.Buffers[b].Input != nil && p.opt.Places != nil:
			if places[i] = p.opt.Places(p.s.Buffers[b].Input); places[i] == cost.Resident && p.opt.Engine == "wasm" {
				places[i] = cost.File // it is copied to where WebAssembly reaches it, which takes as long
			}
		case p.opt.Engine == "native" && slices.ContainsFunc(p.s.Result, func(c schedule.Column) bool { return c.Buffer == b }):
			places[i] = cost.Fresh
		}
	}
	return places
}
