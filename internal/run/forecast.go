package run

import (
	"context"
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// In: a program with its inputs, some of them on other machines, and, launch by launch, the sizes that it is taken to have. Out: the
// launch as Options.Beside sees it in a run, so that what is decided of it is known without one. Invariants: nothing is executed, read,
// written, or made room for; what is here after a launch follows from what was decided, by the code of a run.

// Forecast goes through launches that are not executed. It is for one goroutine at a time.
type Forecast struct {
	r     *runner
	known func(a *schedule.ScalarArg) (int64, bool)
}

// Forecast is for a run with these inputs. Options.Engine and Options.Beside must be set.
func (p *Program) Forecast(ctx context.Context, in *Inputs, opt Options) (*Forecast, error) {
	opt = opt.withDefaults()
	opt.Engine.Enter()
	r, err := newRunner(ctx, p, in, opt)
	if err != nil {
		opt.Engine.Leave()
		return nil, err
	}
	r.forecast = &Forecast{r: r}
	return r.forecast, nil
}

// Close gives back what it has of the engine.
func (f *Forecast) Close() error {
	defer f.r.eng.Leave()
	clear(f.r.buffers) // they have no memory
	return f.r.close()
}

// Anew has nothing be here, as before the first launch.
func (f *Forecast) Anew() {
	clear(f.r.buffers)
	f.r.committed = 0
	for _, in := range f.r.inputs {
		if in != nil {
			in.plan = undecided
		}
	}
}

// Launch asks Options.Beside about a launch which is expected to run so often. known gives scalars as far as they are.
func (f *Forecast) Launch(l *schedule.Launch, sizes map[string]int64, repeats float64, known func(a *schedule.ScalarArg) (int64, bool)) error {
	r := f.r
	if !r.reachesRemote(l) {
		return nil
	}
	r.sizes, r.repeats, f.known = sizes, repeats, known
	p, err := r.prepare(l)
	if err != nil {
		return r.cause(err)
	}
	away, err := p.beside()
	if err != nil {
		return r.cause(err)
	}
	if away {
		return nil
	}
	for i, b := range l.Regions { // as placeRegion does
		if b < 0 || r.inputs[b] == nil || r.buffers[b].here {
			continue
		}
		if n, ok := kernel.EvalPoly(l.Kernel.Regions[i].Len, p.Sizes); ok && n == 0 && l.Kernel.Regions[i].Access == kernel.Read {
			continue
		}
		how, err := r.decide(r.inputs[b])
		if err != nil {
			return err
		}
		r.buffers[b].here = how != windowed || !p.feed(i, r.inputs[b], 0, p.outer)
	}
	return nil
}

// Settle notes that a buffer has to be here, and gives what has to come for that; false if nothing has.
func (f *Forecast) Settle(b int) (Input, bool) {
	in := f.r.inputs[b]
	if in == nil || f.r.buffers[b].here || !in.remote() {
		return Input{}, false
	}
	f.r.buffers[b].here = true
	return Input{*in.b, in.kind, in.want.Bound, in.rows, in.width, false}, true
}

// scalar is what is known of one; 0 if nothing is.
func (f *Forecast) scalar(a *schedule.ScalarArg) uint64 {
	n, _ := f.known(a)
	return uint64(n)
}

// Forecast reports that the launch is not to be executed, nor anything of its regions to be read.
func (p *Placed) Forecast() bool { return p.p.r.forecast != nil }

// Known reports that the value of a scalar is.
func (p *Placed) Known(scalar int) bool {
	f := p.p.r.forecast
	if f == nil {
		return true
	}
	_, ok := f.known(&p.Launch.Scalars[scalar])
	return ok
}

// Comes notes in a forecast that a region is here from now on.
func (p *Placed) Comes(region int) {
	if b, err := p.buffer(region); err == nil {
		p.p.r.forecast.Settle(b)
	}
}

// Away calls f with each column of another machine that has not come here yet, once.
func (p *Placed) Away(f func(region int, in Input)) {
	for i, b := range p.Launch.Regions {
		in, ok := p.Input(i)
		if _, remote := in.Binding.Source.(Remote); !ok || !remote || in.Here || slices.Index(p.Launch.Regions, b) < i {
			continue
		}
		f(i, in)
	}
}
