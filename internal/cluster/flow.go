package cluster

import (
	"context"
	"slices"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// In: a launch and pieces of it, of which each answers with a parcel of its own. Out: what the
// pieces wrote, put in its place piece by piece. However much that is, no more than
// creditBytes are on their way: the next piece is asked for when there is room for its answer. So
// neither a node nor this side holds more, and nobody is sent what it cannot take.

// mostOpen is how many pieces of one launch may be under way.
const mostOpen = 64

// flow is pieces under way.
type flow struct {
	b       *Beside
	ctx     context.Context
	a       *arranged
	t       *task
	away    []span // still to be asked for, in this order
	here    []span // still to be done on this machine
	open    map[*piece]bool
	arrived chan *piece
}

// piece is one that has been asked for.
type piece struct {
	span
	id     caller.ID
	weight int64 // of the credit
	end    *caller.Deliver
}

// flow runs the pieces beside their shards, and meanwhile those that are none's here.
func (b *Beside) flow(ctx context.Context, a *arranged, t *task, spans []span) (err error) {
	ctx, done := b.c.during(ctx)
	defer done()
	f := &flow{b: b, ctx: ctx, a: a, t: t, open: map[*piece]bool{}, arrived: make(chan *piece, mostOpen)}
	f.away, f.here = alternating(spans)
	defer f.stop()
	for f.unfinished() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := f.fill(); err != nil {
			return err
		}
		if len(f.here) > 0 {
			if err := a.Here(f.here[0].lo, f.here[0].hi); err != nil {
				return err
			}
			f.here = f.here[1:]
			continue
		}
		if err := f.next(); err != nil {
			return err
		}
	}
	return nil
}

// unfinished drops the pieces of which nothing is needed any more, and reports that there are others.
func (f *flow) unfinished() bool {
	if f.a.Packing == nil || f.a.first < 0 {
		return len(f.away)+len(f.here)+len(f.open) > 0
	}
	needless := func(s span) bool { return f.a.needs(s) == 0 }
	f.away, f.here = slices.DeleteFunc(f.away, needless), slices.DeleteFunc(f.here, needless)
	for p := range f.open {
		if !needless(p.span) {
			return true
		}
	}
	return len(f.away)+len(f.here) > 0
}

// fill asks for pieces while there is room for their answers.
func (f *flow) fill() error {
	for len(f.away) > 0 && len(f.open) < mostOpen {
		s := f.away[0]
		p := &piece{span: s, weight: min(f.a.answers(f.t, s)+f.a.takes(f.t, s), creditBytes)}
		if len(f.open) > 0 {
			if !f.b.c.credit.TryAcquire(p.weight) {
				return nil
			}
		} else if f.b.c.credit.Acquire(f.ctx, p.weight) != nil { // what others hold comes back
			return context.Cause(f.ctx)
		}
		f.away = f.away[1:]
		f.open[p] = true
		payload, err := f.a.request(f.t, s)
		if err != nil {
			return err
		}
		f.ask(p, payload)
	}
	return nil
}

func (f *flow) ask(p *piece, payload []byte) {
	b, a := f.b, f.a
	then := func(d *caller.Deliver) {
		p.end = d
		f.arrived <- p // which has room for all that are open
	}
	p.id = b.c.calls.Begin(then, func(id caller.ID) caller.Input {
		return &caller.Ask{ID: id, Kind: parcel.Run, Code: b.code(a.code), More: f.t.more(b), Payload: payload, Set: a.set.ID, Shard: p.shard, Left: b.c.left(f.ctx)}
	})
}

// next takes the next answer, and asks for what the piece has left undone.
func (f *flow) next() error {
	p, ok := receive(f.ctx, f.arrived)
	if !ok {
		return context.Cause(f.ctx)
	}
	delete(f.open, p)
	defer f.b.c.credit.Release(p.weight)
	f.b.note(&p.end.Stats, p.end.Answer)
	if p.end.Err != nil {
		return late(f.ctx, p.end.Err)
	}
	done, err := f.a.accept(f.t, p.span, p.end.Answer)
	p.end.Answer.Loan.Back()
	if err == nil && done < p.hi {
		f.away = append([]span{{done, p.hi, p.shard}}, f.away...)
	}
	if f.b.taken != nil {
		f.b.taken()
	}
	return err
}

// stop ends what is still under way after an error, or when there is enough.
func (f *flow) stop() {
	for p := range f.open {
		f.b.c.calls.Abandon(p.id)
		f.b.c.credit.Release(p.weight)
	}
}
