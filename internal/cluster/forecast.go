package cluster

import (
	"context"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/run"
)

// In: the launches of a run that is not made (run.Forecast). Out: of each the way that it would go, by what decides in a run, and what
// it takes with all that has to come here for it. Invariant: no row travels but those by which the way to the nodes is measured.

// Forecast is how a launch would go.
type Forecast struct {
	Way Strategy // as Beside.Went gives it
	*Foreseen
}

// Forecast asks what becomes of a launch, which ask puts to b by run.Forecast.Launch; nil if nothing that it reads is elsewhere by
// then. keeps is which part of its elements a filter is taken to keep; it is decided as if that were half.
func (b *Beside) Forecast(keeps float64, ask func() error) (*Forecast, error) {
	b.last, b.went, b.keeps = nil, nil, keeps
	if err := ask(); err != nil || b.last == nil {
		return nil, err
	}
	f := &Forecast{Foreseen: b.last}
	for _, way := range b.went {
		f.Way = way
	}
	return f, nil
}

// way is the one that the launch would go.
func (f *Forecast) way() plan.Way {
	switch f.Way {
	case Fetch:
		return plan.Fetch
	case Gather, Single:
		return plan.Gather
	}
	return plan.Ship
}

// Warm reports that what earlier runs took says what so many take.
func (f *Forecast) Warm(runs float64) bool { return runs == 1 && f.gone[f.way()] }

// Time is what so many runs take the way that the launch would go.
func (f *Forecast) Time(runs float64) machine.Spread {
	way := f.way()
	if f.Warm(runs) { // with what had to come here for it
		return f.Ways[way]
	}
	mv := *f.mv
	mv.Runs = max(1, runs)
	return plan.Weigh(f.m, &mv)[way].Times(min(1, runs)).Plus(f.Brought.Times(min(1, runs)))
}

// Bring is what it takes to have an input come here.
func (b *Beside) Bring(in run.Input) machine.Spread {
	remote, ok := in.Binding.Source.(run.Remote)
	if !ok {
		return machine.Spread{}
	}
	id, _ := remote.RemoteSet()
	set, ok := b.c.View().Set(id)
	if !ok {
		return machine.Spread{}
	}
	link := b.machine().Way(set.Far)
	if b.Machine == nil {
		link, _ = b.c.linkTo(set).known(link, longestOf(set))
	}
	a := &arranged{set: set}
	return b.c.firstTime(set, []run.Input{in}, a.fetched(size(in), 1)).Time(link)
}

// bringing is what it takes to bring here what a launch needs of other sets than one.
func (b *Beside) bringing(p *run.Placed, but uint32) (t machine.Spread) {
	p.Away(func(_ int, in run.Input) {
		if id, _ := in.Binding.Source.(run.Remote).RemoteSet(); id != but {
			t = t.Plus(b.Bring(in))
		}
	})
	return t
}

// fetching is what a launch takes whose rows come here, whether it can go another way or not.
func (b *Beside) fetching(ctx context.Context, p *run.Placed) *Foreseen {
	main := mainSet(p)
	a := &arranged{Placed: p, column: map[int]run.Input{}}
	bytes, columns := int64(0), 0
	p.Away(func(region int, in run.Input) {
		if id, _ := in.Binding.Source.(run.Remote).RemoteSet(); id == main {
			a.column[region] = in
			bytes, columns = bytes+size(in), columns+1
		}
	})
	set, ok := b.c.View().Set(main)
	if !ok || columns == 0 {
		return nil
	}
	a.set = set
	m := b.machine()
	mv := &plan.Moving{Coming: coming(p), Link: m.Way(set.Far), Fetched: b.c.firstTime(set, a.inputs(), a.fetched(bytes, columns)), Runs: p.Repeats()}
	if b.Machine == nil {
		lately := false
		if mv.Link, lately = b.c.linkTo(set).known(mv.Link, longestOf(set)); !lately {
			for _, in := range a.column {
				mv.Link = b.c.linkTo(set).measure(ctx, b.c, mv.Link, set, in.Binding.Column)
				break
			}
		}
	}
	ways := plan.Weigh(m, mv)
	gone := b.gone(p, mv, &ways)
	return &Foreseen{Step: p.Launch.Label, Ways: ways, gone: gone, Brought: b.bringing(p, main), m: m, mv: mv}
}

// goes notes what is where after a launch that would go to its rows, or be brought them.
func (b *Beside) goes(a *arranged) {
	for _, r := range a.local {
		a.Comes(r)
	}
	if b.sent == nil {
		b.sent = map[kernel.ID]bool{}
	}
	b.sent[a.code.ID] = true
}
